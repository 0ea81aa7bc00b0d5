import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ACCEPT, callOf, openDesk, sharedDesk, type Desk } from './testing.ts'

const theDesk = sharedDesk()

/** Sends one request after the other over one and the same connection; resolves with the status and body of each answer. */
function overOneConnection({ port }: Desk) {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  onTestFinished(() => void socket.destroy())
  return (changes: { line?: string; token: string; more?: string[]; body?: string }): Promise<string> => {
    const { line = 'POST /mcp HTTP/1.1', token, more = [], body = JSON.stringify(callOf('list_secrets')) } = changes
    const usual = [`Host: 127.0.0.1:${port}`, 'Content-Type: application/json', `Accept: ${ACCEPT}`, `Authorization: Bearer ${token}`]
    const answer = new Promise<string>((resolve, reject) => {
      let received = ''
      const hear = (chunk: string) => {
        received += chunk
        const [, status, length = '0'] = /^HTTP\/1\.1 (\d+)[^]*?\r\nContent-Length: (\d+)\r\n/.exec(received) ?? []
        const [, ...rest] = received.split('\r\n\r\n')
        const text = rest.join('\r\n\r\n')
        if (status === undefined || text.length < Number(length)) return
        socket.off('data', hear).off('close', gone)
        resolve(`${status} ${text}`)
      }
      const gone = () => reject(new Error(`the connection ended after '${received}'`))
      socket.on('data', hear).on('close', gone)
    })
    socket.write([line, ...usual, ...more, `Content-Length: ${body.length}`, '', body].join('\r\n'))
    return answer
  }
}

describe('a second request with the headers of the first', () => {
  test('is answered like it, and each call is on record', async () => {
    const desk = await openDesk()
    const ask = overOneConnection(desk)
    const first = await ask({ token: desk.token })
    expect(first).toMatch(/^200 .*"text":"\[\]"/)
    expect(await ask({ token: desk.token })).toBe(first)
    const calls = (await desk.rows()).filter(({ tool }) => tool === 'list_secrets')
    expect(calls.map(({ client, outcome }) => [client, outcome])).toEqual([
      ['curl', 'allowed'],
      ['curl', 'allowed'],
    ])
  })

  test('is refused when the token was revoked in between', async () => {
    const desk = await openDesk()
    const ask = overOneConnection(desk)
    expect(await ask({ token: desk.token })).toMatch(/^200 /)
    await desk.window('tokens.revoke', { id: 'curl' })
    expect(await ask({ token: desk.token })).toMatch(/^401 /)
  })

  test('is refused when its client was revoked and came back with another token', async () => {
    const desk = await openDesk()
    const ask = overOneConnection(desk)
    expect(await ask({ token: desk.token })).toMatch(/^200 /)
    await desk.window('tokens.revoke', { id: 'curl' })
    await desk.client('curl')
    expect(await ask({ token: desk.token })).toMatch(/^401 /)
  })

  test('is refused once a newer token has been used', async () => {
    const desk = await openDesk()
    const ask = overOneConnection(desk)
    expect(await ask({ token: desk.token })).toMatch(/^200 /)
    const { token } = await desk.window('tokens.rotate', { id: 'curl' })
    expect(await ask({ token: desk.token })).toMatch(/^200 /)
    expect(await overOneConnection(desk)({ token })).toMatch(/^200 /)
    expect(await ask({ token: desk.token })).toMatch(/^401 /)
  })

  test.each([
    ['another path', { line: 'POST /other HTTP/1.1' }, 404],
    ['another method', { line: 'PUT /mcp HTTP/1.1' }, 405],
    ['an Origin', { more: ['Origin: https://evil.example'] }, 403],
    ['a second Host', { more: ['Host: evil.example'] }, 403],
    ['a coding', { more: ['Content-Encoding: gzip'] }, 415],
    ['a version nobody knows', { more: ['MCP-Protocol-Version: 1999-01-01'] }, 400],
  ])('but for %s, is not served because the first was', async (_what, changes, status) => {
    const desk = theDesk()
    const ask = overOneConnection(desk)
    expect(await ask({ token: desk.token })).toMatch(/^200 /)
    expect(await ask({ token: desk.token, ...changes })).toMatch(new RegExp(`^${status} `))
  })

  test('is its own client’s when it shows another token', async () => {
    const desk = await openDesk()
    const other = await desk.client('other')
    const ask = overOneConnection(desk)
    for (const token of [desk.token, other, other, desk.token]) expect(await ask({ token })).toMatch(/^200 /)
    expect(await ask({ token: `${other.slice(0, -1)}${other.endsWith('A') ? 'B' : 'A'}` })).toMatch(/^401 /)
    const calls = (await desk.rows()).filter(({ tool }) => tool === 'list_secrets')
    expect(calls.map(({ client }) => client)).toEqual(['curl', 'other', 'other', 'curl'])
  })
})
