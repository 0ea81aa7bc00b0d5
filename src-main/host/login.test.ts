import { describe, expect, test } from 'vitest'
import { firstPinFrom, noteDesktop } from './first-pin.ts'
import { openTestHost, type TestHost } from './testing/test-host.ts'
import { testVault } from './vault/testing.ts'

const MINUTE = 60_000

describe('the first PIN', () => {
  test('of a folder that holds nothing is free to choose', async () => {
    const { host } = await openTestHost()
    expect(host.login.makeCode()).toBeNull()
    expect(host.login.mode()).toBe('set pin')
    expect(await host.login.enter('1234')).toEqual({ ok: true })
  })

  test.each([
    ['a secret', (desk: TestHost) => desk.window('secrets.store', { name: 'a', value: 'x' })],
    ['a client', (desk: TestHost) => desk.window('clients.register', { id: 'cursor', name: 'Cursor', policy: 'default' })],
    ['a policy', (desk: TestHost) => desk.window('policies.save', { name: 'dev', description: '', allow: [], deny: [], reads: 'ask' })],
  ])('of a folder that holds %s is not taken from whoever comes first', async (_, furnish) => {
    const desk = await openTestHost()
    await furnish(desk)
    const { host } = await desk.restart()
    expect(host.login.mode()).toBe('set pin elsewhere')
    expect(await host.login.enter('1234')).toMatchObject({ ok: false, message: expect.stringContaining('has to come from you') })
    expect(host.login.mode()).toBe('set pin elsewhere')
  })

  test('is taken with the code that the host printed to its terminal, once', async () => {
    const desk = await openTestHost()
    await desk.window('secrets.store', { name: 'a', value: 'x' })
    const { login } = desk.host
    const code = login.makeCode()!
    expect(code).toMatch(/^[A-Z2-9]{4}-[A-Z2-9]{4}$/)
    expect(login.mode()).toBe('set pin with code')
    expect(await login.enter('1234')).toMatchObject({ ok: false, message: 'That is not the code in the terminal.' })
    expect(await login.enter('1234', 'AAAA-AAAA')).toMatchObject({ ok: false })
    expect(await login.enter('1234', code.toLowerCase().replace('-', ' '))).toEqual({ ok: true })
    expect(login.mode()).toBe('pin')
    expect(login.makeCode()).toBeNull()
  })

  test('is set from the window, where the person is, and only once so', async () => {
    const desk = await openTestHost()
    await desk.window('secrets.store', { name: 'a', value: 'x' })
    expect(await desk.window('pin.state')).toEqual({ set: false })
    await desk.window('pin.set', { pin: '1234' })
    expect(await desk.window('pin.state')).toEqual({ set: true })
    await expect(desk.window('pin.set', { pin: '9999' })).rejects.toThrow('There is a PIN already')
    expect(await desk.host.login.enter('1234')).toEqual({ ok: true })
  })

  test('comes from the window alone once a desktop had the folder, since a program can give itself a terminal', async () => {
    const { rows, vault } = await testVault()
    expect(firstPinFrom(rows, vault)).toBe('anybody')
    await vault.store({ name: 'a', value: 'x', by: 'me', expect: null })
    expect(firstPinFrom(rows, vault)).toBe('code')
    noteDesktop(rows)
    expect(firstPinFrom(rows, vault)).toBe('window')
  })
})

describe('wrong tries', () => {
  test('never keep the right PIN out for longer than a minute', async () => {
    const { host, clock } = await openTestHost()
    await host.login.enter('1234')
    for (let tries = 0; tries < 20; tries++) {
      expect(await host.login.enter('wrong')).toMatchObject({ ok: false, message: 'That is not the PIN.' })
      await clock.advance(MINUTE)
    }
    expect(await host.login.enter('wrong')).toMatchObject({ ok: false, waitMs: MINUTE })
    await clock.advance(MINUTE)
    expect(await host.login.enter('1234')).toEqual({ ok: true })
  })

  test('count on after a restart, which grants no free ones', async () => {
    const desk = await openTestHost()
    await desk.host.login.enter('1234')
    for (let tries = 0; tries < 3; tries++) await desk.host.login.enter('wrong')
    const again = await desk.restart()
    expect(await again.host.login.enter('1234')).toMatchObject({ ok: false, message: 'Too many tries; wait a moment.' })
    await again.clock.advance(MINUTE)
    expect(await again.host.login.enter('wrong')).toMatchObject({ ok: false, waitMs: 2000 })
  })

  test('are on record, and an alarm when there were many, until a person acknowledges it', async () => {
    const desk = await openTestHost()
    await desk.host.login.enter('1234')
    for (let tries = 0; tries < 9; tries++) {
      await desk.host.login.enter('wrong')
      await desk.clock.advance(MINUTE)
    }
    expect(desk.host.status().alarms).toEqual([])
    const again = await desk.restart()
    await again.clock.advance(MINUTE)
    await again.host.login.enter('wrong')
    await again.clock.advance(MINUTE)
    await again.host.login.enter('1234')
    expect(again.host.status().alarms).toEqual([{ id: 'login', text: expect.stringContaining('10 wrong tries to log in') }])
    expect((await again.rows()).filter(({ event }) => event === 'login.refused')).toHaveLength(10)
    await again.window('alarms.acknowledge', { id: 'login' })
    expect(again.host.status().alarms).toEqual([])
    expect(JSON.stringify(await again.rows())).not.toContain('1234')
  })
})
