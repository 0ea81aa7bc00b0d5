import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { isOwnUser, ownsEnd } from './peer.ts'

describe('the user at the other end', () => {
  test('our own connection is let in', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const [socket] = (await once(server, 'connection')) as [Socket]
    expect(isOwnUser(socket)).toBe(true)
    client.destroy()
    server.close()
  })

  const line = (state: string, uid: number) =>
    `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   1: 0100007F:D431 0100007F:220E ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 1 1 0 20 4 30 10 -1\n`

  test.each([
    ['our user', '01', 1000, true],
    ['our user, who has stopped sending', '05', 1000, true],
    ['another user', '01', 1001, false],
    ['root', '01', 0, true],
    ['an end that its owner closed, which is listed as root’s', '05', 0, false],
  ])('%s', (_who, state, uid, welcome) => {
    expect(ownsEnd(line(state, uid), 0xd431, 0x220e, 1000)).toBe(welcome)
  })

  test('an end that is not listed is refused', () => {
    expect(ownsEnd(line('01', 1000), 0xd432, 0x220e, 1000)).toBe(false)
    expect(ownsEnd('', 0xd431, 0x220e, 1000)).toBe(false)
  })
})
