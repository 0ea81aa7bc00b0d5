// Raw bytes to `/mcp` and to the page: an HTTP answer or none, never our own mistake, never a grant to other sites, never a value;
// and a well-made request after it is served.

import { connect } from 'node:net'
import { expectNoValue, openFuzzDesk } from '../desk.ts'
import { expectOwn, idsIn, type Answer } from '../ids.ts'
import { inTime, promise, shapeOf, type Opened, type Target } from '../target.ts'
import { logIn, type AtEnd } from '../../support/host.ts'

/** In the corpus, what is different in every run has these names. */
const PORT = '%PORT%'
const TOKEN = '%TOKEN%'
const COOKIE = '%COOKIE%'
const PAGE_TOKEN = '%PAGE_TOKEN%'
/** Of what follows the headers, so that an edited body still arrives as one. */
const LENGTH = '%LENGTH%'
/** A request that is not complete gets no answer for seconds; others have theirs by then. */
const SILENT_MS = 120
/** After an answer, for another one. */
const QUIET_MS = 15
/** How often a well-made request follows. */
const EVERY = 10

function exchange(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1')
    const over = () => {
      socket.destroy()
      resolve(answer)
    }
    let quiet = setTimeout(over, SILENT_MS)
    socket.on('connect', () => socket.write(bytes))
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text
      clearTimeout(quiet)
      quiet = setTimeout(over, QUIET_MS)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(quiet)
      over()
    })
  })
}

/** What follows the headers of the first request. */
function bodyOf(request: string): string {
  const end = request.indexOf('\r\n\r\n')
  return end === -1 ? '' : request.slice(end + 4)
}

/** Several answers may come, to several requests in one input. */
function judge(answer: string, request: string): string {
  if (answer === '') return 'silence'
  expectNoValue('an answer', answer)
  promise(answer.startsWith('HTTP/1.1 '), `an answer is HTTP: ${answer.slice(0, 60)}`)
  promise(!/^access-control-/im.test(answer), 'no page of another site is let in')
  const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => status)
  promise(
    statuses.every((status) => !status?.startsWith('5')),
    `nothing is a mistake of ours: ${answer.slice(0, 200)}`,
  )
  const body = answer.slice(answer.lastIndexOf('\r\n\r\n') + 4)
  // Where the length was right and one request got one answer in one piece, we know whose it is.
  const isPlain = statuses.length === 1 && request.includes(LENGTH) && !/transfer-encoding|content-length: \d/i.test(request)
  if (isPlain && body.startsWith('{"jsonrpc"')) {
    const sent = Buffer.from(bodyOf(request).replaceAll(/[\r\n]/g, ' '), 'latin1')
    expectOwn(JSON.parse(Buffer.from(body, 'latin1').toString()) as Answer, new Set(idsIn(sent)))
  }
  return shapeOf(`${statuses.join()} ${body.slice(0, 120)}`)
}

function fuzzed(port: number, filled: (text: string) => string, isWell: () => Promise<boolean>, inspect: () => void): Opened {
  let taken = 0
  return {
    async take(input) {
      const request = filled(input.toString('latin1'))
      const bytes = Buffer.from(request.replaceAll(LENGTH, String(bodyOf(request).length)), 'latin1')
      const reaction = judge(await inTime('the end of an exchange', exchange(port, bytes)), request)
      if (++taken % EVERY === 0) promise(await inTime('a well-made request', isWell()), 'a well-made request is served')
      return reaction
    },
    inspect,
  }
}

const WORDS = [
  'GET ',
  'POST ',
  'OPTIONS ',
  '/mcp',
  '/login',
  '/rpc',
  '/session',
  ' HTTP/1.1\r\n',
  ' HTTP/1.0\r\n',
  '\r\n',
  '\n',
  'Host: ',
  `127.0.0.1:${PORT}`,
  `Authorization: Bearer ${TOKEN}\r\n`,
  'Content-Length: ',
  `Content-Length: ${LENGTH}\r\n`,
  'Content-Length: 0\r\n',
  'Transfer-Encoding: chunked\r\n',
  '0\r\n\r\n',
  'Expect: 100-continue\r\n',
  'Connection: keep-alive\r\n',
  'Upgrade: websocket\r\n',
  'Origin: http://evil.example\r\n',
  'Content-Type: application/json\r\n',
  'Content-Encoding: gzip\r\n',
  'Accept: application/json, text/event-stream\r\n',
  'Mcp-Protocol-Version: 2026-07-28\r\n',
  'Mcp-Method: ',
  `Cookie: ${COOKIE}\r\n`,
  `X-Countersign-Page: ${PAGE_TOKEN}\r\n`,
  `Sec-WebSocket-Protocol: countersign, ${PAGE_TOKEN}\r\n`,
  'Sec-Fetch-Site: cross-site\r\n',
  '%00',
  '%2e%2e/',
  '../',
  '//',
  '?',
  '#',
  ';',
  ' ',
  '\t',
  '{"jsonrpc":"2.0","id":1,"method":"ping"}',
]

async function openMcp(atEnd: AtEnd): Promise<Opened> {
  const desk = await openFuzzDesk(atEnd, ['--http', '0'])
  const { http } = desk.ready
  promise(http !== null && 'url' in http, 'there is an endpoint')
  const { token } = await desk.someone.ask('tokens.add', { id: 'fuzz', name: 'fuzz', policy: 'dev' })
  const { port } = new URL(http.url)
  const ping = async () => {
    const answer = await fetch(http.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":"p","method":"ping"}',
    })
    return answer.status === 200 && (await answer.text()).includes('"id":"p"')
  }
  return fuzzed(Number(port), (text) => text.replaceAll(PORT, port).replaceAll(TOKEN, token), ping, desk.inspect)
}

async function openPage(atEnd: AtEnd): Promise<Opened> {
  const desk = await openFuzzDesk(atEnd)
  const { origin, port } = new URL(desk.ready.url)
  const { cookie, pageToken } = await logIn(desk.ready.url)
  const isWell = async () => (await fetch(`${origin}/session`)).status === 200 && (await desk.someone.ask('status')).state === 'open'
  return fuzzed(
    Number(port),
    (text) => text.replaceAll(PORT, port).replaceAll(COOKIE, cookie).replaceAll(PAGE_TOKEN, pageToken),
    isWell,
    desk.inspect,
  )
}

export const httpMcp: Target = { name: 'http-mcp', words: WORDS, fewRuns: 100, inside: false, open: openMcp }
export const httpPage: Target = { name: 'http-page', words: WORDS, fewRuns: 100, inside: false, open: openPage }
