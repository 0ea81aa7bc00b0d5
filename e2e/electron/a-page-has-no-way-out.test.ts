// Every way in which a page can send something, tried from both windows against ports of this computer that hear whatever comes.

import { createSocket } from 'node:dgram'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDesktop, type Desktop } from '../support/desktop.ts'
import { startScreen, until, type Screen } from '../support/screen.ts'

let screen: Screen
let desktop: Desktop
const home = mkdtempSync(path.join(tmpdir(), 'countersign-e2e-'))

/** Over which protocols something came. */
const heard = new Set<string>()
const datagrams = createSocket('udp4', () => heard.add('a datagram'))
const connections = createServer((socket) => {
  heard.add('a connection')
  socket.destroy()
})

beforeAll(async () => {
  await new Promise<void>((resolve) => void connections.listen(0, '127.0.0.1', resolve))
  const { port } = connections.address() as AddressInfo // It listens on TCP.
  await new Promise<void>((resolve) => void datagrams.bind(port, '127.0.0.1', resolve))
  screen = await startScreen()
  desktop = await startDesktop({ home, screen })
})

afterAll(async () => {
  await desktop.kill()
  await screen.close()
  connections.close()
  datagrams.close()
  rmSync(home, { recursive: true, force: true })
})

const WAYS = [
  'fetch',
  'fetch without cors',
  'fetch that outlives the page',
  'XMLHttpRequest',
  'WebSocket',
  'WebSocketStream',
  'EventSource',
  'sendBeacon',
  'image',
  'picture of a style',
  'font',
  'style sheet',
  'script',
  'module',
  'module preload',
  'dns-prefetch',
  'preconnect',
  'prefetch',
  'preload',
  'prerender',
  'speculation rules',
  'icon',
  'manifest',
  'audio',
  'video',
  'text track',
  'object',
  'embed',
  'frame',
  'form',
  'form in a new window',
  'ping of a link',
  'window.open',
  'navigation',
  'refresh',
  'WebRTC over UDP',
  'WebRTC over TCP',
  'WebTransport',
  'worker',
  'worker that fetches',
  'shared worker',
  'service worker',
  'report',
] as const

/** Runs in the page, outside of what the test's driver evaluates, which no policy binds. */
function tryWay(way: (typeof WAYS)[number], port: number): Promise<void> {
  const http = `http://127.0.0.1:${port}/`
  const socket = `ws://127.0.0.1:${port}/`
  const add = (tag: string, attributes: Record<string, string>, parent: HTMLElement = document.body) => {
    const element = document.createElement(tag)
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
    parent.append(element)
    return element
  }
  const link = (rel: string, more: Record<string, string> = {}) => add('link', { rel, href: http, ...more }, document.head)
  const code = (text: string) => URL.createObjectURL(new Blob([text], { type: 'text/javascript' }))
  const post = (target: string) => {
    const form = add('form', { action: http, method: 'post', target })
    if (form instanceof HTMLFormElement) form.submit()
  }
  const connect = async (server: string) => {
    const peer = new RTCPeerConnection({ iceServers: [{ urls: server, username: 'a', credential: 'b' }] })
    peer.createDataChannel('out')
    await peer.setLocalDescription(await peer.createOffer())
    // A candidate of the other side is sent to as well, without any server.
    await peer.setRemoteDescription({
      type: 'answer',
      sdp: (peer.localDescription?.sdp ?? '')
        .replaceAll('a=setup:actpass', 'a=setup:active')
        .concat(`a=candidate:1 1 udp 2113937151 127.0.0.1 ${port} typ host\r\na=end-of-candidates\r\n`),
    })
  }
  const anyOf = globalThis as unknown as Record<string, (new (url: string) => unknown) | undefined>
  const make = (name: string, url: string) => {
    const Made = anyOf[name]
    return Made === undefined ? null : new Made(url)
  }
  const ways: Record<typeof way, () => unknown> = {
    fetch: () => fetch(http),
    'fetch without cors': () => fetch(http, { mode: 'no-cors', method: 'POST', body: 'x' }),
    'fetch that outlives the page': () => fetch(http, { keepalive: true, mode: 'no-cors' }),
    XMLHttpRequest: () => {
      const request = new XMLHttpRequest()
      request.open('POST', http)
      request.send('x')
    },
    WebSocket: () => new WebSocket(socket),
    WebSocketStream: () => make('WebSocketStream', socket),
    EventSource: () => new EventSource(http),
    sendBeacon: () => navigator.sendBeacon(http, 'x'),
    image: () => add('img', { src: http }),
    'picture of a style': () => document.body.style.setProperty('background-image', `url(${http})`),
    font: () => document.fonts.add(new FontFace('out', `url(${http})`)) && document.fonts.load('12px out'),
    'style sheet': () => link('stylesheet'),
    script: () => add('script', { src: http }),
    module: () => add('script', { src: http, type: 'module' }),
    'module preload': () => link('modulepreload'),
    'dns-prefetch': () => link('dns-prefetch'),
    preconnect: () => link('preconnect'),
    prefetch: () => link('prefetch'),
    preload: () => link('preload', { as: 'fetch', crossorigin: '' }),
    prerender: () => link('prerender'),
    'speculation rules': () => {
      const rules = document.createElement('script')
      rules.type = 'speculationrules'
      rules.textContent = JSON.stringify({ prefetch: [{ urls: [http], eagerness: 'immediate' }] })
      document.head.append(rules)
    },
    icon: () => link('icon'),
    manifest: () => link('manifest'),
    audio: () => add('audio', { src: http, preload: 'auto' }),
    video: () => add('video', { src: http, poster: http, preload: 'auto' }),
    'text track': () => add('track', { src: http, default: '' }, add('video', { crossorigin: '' })),
    object: () => add('object', { data: http }),
    embed: () => add('embed', { src: http }),
    frame: () => add('iframe', { src: http }),
    form: () => post(''),
    'form in a new window': () => post('_blank'),
    'ping of a link': () => add('a', { href: '#here', ping: http }).click(),
    'window.open': () => window.open(http),
    navigation: () => location.assign(http),
    refresh: () => add('meta', { 'http-equiv': 'refresh', content: `0;url=${http}` }, document.head),
    'WebRTC over UDP': () => connect(`stun:127.0.0.1:${port}`),
    'WebRTC over TCP': () => connect(`turn:127.0.0.1:${port}?transport=tcp`),
    WebTransport: () => make('WebTransport', `https://127.0.0.1:${port}/`),
    worker: () => new Worker(http),
    'worker that fetches': () => new Worker(code(`fetch(${JSON.stringify(http)}, { mode: 'no-cors' })`)),
    'shared worker': () => new SharedWorker(http),
    'service worker': () => navigator.serviceWorker.register(http),
    report: () => add('img', { src: 'http://127.0.0.1:1/', ping: http }),
  }
  return new Promise((resolve) => {
    setTimeout(() => {
      // What is refused by throwing is refused.
      void Promise.resolve()
        .then(ways[way])
        .catch(() => null)
        .then(() => resolve())
    })
  })
}

test.each(['main', 'prompt'] as const)('nothing is sent from the %s window, whatever its page tries', async (window) => {
  const { port } = connections.address() as AddressInfo // It listens on TCP.
  const page = desktop[window]
  const before = page.url()
  heard.clear()
  for (const way of WAYS) {
    await Promise.race([
      page.evaluate(`(${tryWay.toString()})(${JSON.stringify(way)}, ${port})`),
      // Some are never answered.
      new Promise((resolve) => setTimeout(resolve, 1000)),
    ])
  }
  // Nothing announces that nothing comes. What is sent at all has come by now: ICE begins at once and repeats itself.
  await new Promise((resolve) => setTimeout(resolve, 3000))
  expect([...heard]).toEqual([])
  expect(page.url().split('#')[0]).toBe(before.split('#')[0])
})

test('whatever came would have been heard', async () => {
  const { port } = connections.address() as AddressInfo // It listens on TCP.
  const sender = createSocket('udp4')
  sender.send('x', port, '127.0.0.1', () => sender.close())
  await fetch(`http://127.0.0.1:${port}/`).catch(() => null)
  await until('both', () => Promise.resolve(heard.size === 2))
  expect([...heard].toSorted()).toEqual(['a connection', 'a datagram'])
})
