import { networkInterfaces } from 'node:os'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { ACCEPT, callOf, modern, openDesk, rpc, send, textOf, sharedDesk } from './testing.ts'

const theDesk = sharedDesk()
const PING = rpc('ping')
const UNAUTHORIZED = { error: 'Unauthorized' }

describe('who may come in', () => {
  test('a request with its token, and nothing else about it wrong, is answered', async () => {
    const desk = theDesk()
    const answered = await send(desk, { body: callOf('list_secrets') })
    expect(answered.status).toBe(200)
    expect(answered.headers['content-type']).toBe('application/json')
    expect(textOf(answered)).toBe('[]')
  })

  test('H01: without the token, with another or half of it, in another form or twice: 401, always the same and without a hint', async () => {
    const desk = theDesk()
    const { token } = desk
    const wrong: (string | string[] | undefined)[] = [
      undefined,
      '',
      'Bearer',
      `bearer ${token}`,
      `BEARER ${token}`,
      `Basic ${token}`,
      `Bearer  ${token}`,
      `Bearer ${token} x`,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token}x`,
      `Bearer cs_${'A'.repeat(43)}`,
      token,
      [`Bearer ${token}`, `Bearer ${token}`],
      ['Bearer x', `Bearer ${token}`],
    ]
    for (const authorization of wrong) {
      const answered = await send(desk, { token: null, headers: { Authorization: authorization }, body: PING })
      expect([authorization, answered.status, answered.json]).toEqual([authorization, 401, UNAUTHORIZED])
      expect(answered.headers['www-authenticate']).toBe('Bearer')
    }
  })

  test('a token that has ended is 401 as one that never was, on a connection that was good before, too, and what it has open ends', async () => {
    const desk = await openDesk()
    const { token } = await desk.window('tokens.add', { id: 'short', name: 'short', policy: 'default', days: 1 })
    expect((await send(desk, { token, body: PING })).status).toBe(200)
    const opened = Promise.withResolvers<void>()
    const stream = send(desk, {
      token,
      ...modern('subscriptions/listen', { notifications: { resourcesListChanged: true } }),
      onEvent: () => opened.resolve(),
    })
    await opened.promise
    desk.clock.setWall(desk.clock.now() + 24 * 3600_000)
    const [ended, unknown] = [await send(desk, { token, body: PING }), await send(desk, { token: `cs_${'A'.repeat(43)}`, body: PING })]
    expect([ended.status, ended.json, ended.headers['www-authenticate']]).toEqual([401, UNAUTHORIZED, 'Bearer'])
    expect({ ...ended.headers, date: '' }).toEqual({ ...unknown.headers, date: '' })
    expect(await stream).toMatchObject({ status: 200 })
    expect((await send(desk, { body: PING })).status).toBe(200)
  })

  test('a token in the query, in a cookie or in the body is no token', async () => {
    const desk = theDesk()
    const { token } = desk
    const tries = [
      { path: `/mcp?token=${token}&access_token=${token}` },
      { headers: { Cookie: `token=${token}; Authorization=Bearer ${token}` } },
      { body: { ...PING, params: { token, authorization: `Bearer ${token}` } } },
      { headers: { 'X-Api-Key': token, 'Proxy-Authorization': `Bearer ${token}` } },
    ]
    for (const one of tries) {
      const answered = await send(desk, { body: PING, ...one, token: null })
      expect([answered.status, answered.json]).toEqual([401, UNAUTHORIZED])
    }
  })

  test('H02: another name for this computer is 403, whatever the token', async () => {
    const desk = theDesk()
    for (const host of ['evil.example', `evil.example:${desk.port}`, '127.0.0.1', `127.0.0.1:${desk.port + 1}`, `[::1]:${desk.port}`]) {
      const answered = await send(desk, { headers: { Host: host }, body: PING })
      expect([host, answered.status]).toEqual([host, 403])
    }
    expect((await send(desk, { headers: { Host: `localhost:${desk.port}` }, body: PING })).status).toBe(200)
  })

  test('H03: a page of another site is 403, and no header lets it read anything', async () => {
    const desk = theDesk()
    for (const origin of ['https://evil.example', 'null', `https://127.0.0.1:${desk.port}`, 'http://127.0.0.1:1', 'file://']) {
      const answered = await send(desk, { headers: { Origin: origin }, body: PING })
      expect([origin, answered.status]).toEqual([origin, 403])
      expect(Object.keys(answered.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
    expect((await send(desk, { headers: { Origin: `http://127.0.0.1:${desk.port}` }, body: PING })).status).toBe(200)
    expect((await send(desk, { headers: { 'Sec-Fetch-Site': 'cross-site' }, body: PING })).status).toBe(403)
  })

  test('H06: a preflight from another site is granted nothing', async () => {
    const desk = theDesk()
    const answered = await send(desk, {
      method: 'OPTIONS',
      token: null,
      headers: {
        Origin: 'https://evil.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type',
        'Access-Control-Request-Private-Network': 'true',
      },
    })
    expect(answered.status).toBe(403)
    expect(Object.keys(answered.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    expect((await send(desk, { method: 'OPTIONS' })).status).toBe(405)
  })

  test('what was refused at the door is counted in the log', async () => {
    const desk = await openDesk()
    for (let i = 0; i < 5; i++) await send(desk, { token: null, body: PING })
    await send(desk, { headers: { Host: 'evil.example' }, body: PING })
    await desk.clock.advance(60_000)
    const details = async () => {
      const rows = (await desk.rows()).filter(({ event }) => event === 'http.refused')
      return (await Promise.all(rows.map(({ seq }) => desk.window('audit.story', { seq })))).flat().map(({ detail }) => detail)
    }
    // Nobody waits for these entries: they are on disk a moment later.
    await expect
      .poll(async () => (await details()).map((detail) => JSON.stringify(detail)).toSorted())
      .toEqual(['{"count":1,"why":"page"}', '{"count":1,"why":"token"}', '{"count":4,"why":"token"}'])
  })

  test('H07: it listens on 127.0.0.1 and on no other address', async () => {
    const desk = theDesk()
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ address }) => address !== '127.0.0.1')
      .map(({ address, scopeid }) => (scopeid ? `${address}%${scopeid}` : address))
    for (const address of [...others, '::1', '127.0.0.2']) expect([address, await reaches(address, desk.port)]).toEqual([address, false])
    expect(await reaches('127.0.0.1', desk.port)).toBe(true)
  })
})

function reaches(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    socket.on('connect', () => (socket.destroy(), resolve(true)))
    socket.on('error', () => resolve(false))
  })
}

describe('what a request must look like', () => {
  test.each(['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD'])('%s is 405 and names what is allowed, token or not', async (method) => {
    const desk = theDesk()
    for (const token of [desk.token, null]) {
      const answered = await send(desk, { method, token })
      expect([answered.status, answered.headers.allow]).toEqual([405, 'POST'])
    }
  })

  test('there is one address', async () => {
    const desk = theDesk()
    for (const path of ['/', '/mcp/', '/MCP', '/mcp/x', '//mcp', '/rpc', '/login', '/.well-known/oauth-protected-resource'])
      expect([path, (await send(desk, { path, body: PING })).status]).toEqual([path, 404])
    expect((await send(desk, { path: '/mcp?x=1', body: PING })).status).toBe(200)
  })

  test('H05: only JSON is read: a form or a text, which a page may send without asking, is 415', async () => {
    const desk = theDesk()
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json; charset=latin1',
      '',
      undefined,
    ]) {
      const answered = await send(desk, { headers: { 'Content-Type': type }, body: JSON.stringify(PING) })
      expect([type, answered.status]).toEqual([type, 415])
    }
    expect((await send(desk, { headers: { 'Content-Encoding': 'gzip' }, body: PING })).status).toBe(415)
    for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"', 'application/json; x=1'])
      expect((await send(desk, { headers: { 'Content-Type': type }, body: PING })).status).toBe(200)
  })

  test('Accept must name both types', async () => {
    const desk = theDesk()
    const refused = {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: 'Invalid Request', data: 'Accept header must include application/json and text/event-stream' },
    }
    for (const accept of [
      undefined,
      '',
      '*/*',
      'application/json',
      'text/event-stream',
      'application/*, text/*',
      `application/json;q=0, text/event-stream`,
    ]) {
      const answered = await send(desk, { headers: { Accept: accept }, body: PING })
      expect([accept, answered.status, answered.json]).toEqual([accept, 400, refused])
    }
    for (const accept of ['text/event-stream,application/json', `${ACCEPT}, */*;q=0.1`, 'Application/JSON;q=0.5 , text/event-stream;q=1'])
      expect((await send(desk, { headers: { Accept: accept }, body: PING })).status).toBe(200)
  })

  test('they are asked in this order: Host, Origin, method, token, content type, Accept, size, version, body', async () => {
    const desk = theDesk()
    const wrong = {
      Host: 'evil.example',
      Origin: 'https://evil.example',
      Authorization: 'Bearer wrong',
      'Content-Type': 'text/plain',
      Accept: 'text/html',
      'MCP-Protocol-Version': '1999-01-01',
    }
    const right = {
      Host: `127.0.0.1:${desk.port}`,
      Origin: undefined,
      Authorization: `Bearer ${desk.token}`,
      'Content-Type': 'application/json',
      Accept: ACCEPT,
      'MCP-Protocol-Version': undefined,
    }
    const large = `"${'x'.repeat(1 << 20)}"`
    const steps: [keyof typeof wrong | 'method' | 'size' | 'body' | 'nothing', number][] = [
      ['Host', 403],
      ['Origin', 403],
      ['method', 405],
      ['Authorization', 401],
      ['Content-Type', 415],
      ['Accept', 400],
      ['size', 413],
      ['MCP-Protocol-Version', 400],
      ['body', 400],
    ]
    const mended = new Set<string>()
    const seen: [string, number, unknown][] = []
    for (const [step] of steps) {
      const headers = Object.fromEntries(
        Object.entries(wrong).map(([name, value]) => [name, mended.has(name) ? right[name as keyof typeof right] : value]),
      )
      const answered = await send(desk, {
        method: mended.has('method') ? 'POST' : 'PUT',
        headers,
        body: mended.has('size') ? '{' : large,
        token: null,
      })
      seen.push([step, answered.status, answered.json?.error?.code])
      mended.add(step)
    }
    expect(seen.map(([step, status]) => [step, status])).toEqual(steps)
    expect(seen.map(([, , code]) => code)).toEqual([undefined, undefined, undefined, undefined, -32600, -32600, -32600, -32022, -32700])
  })
})
