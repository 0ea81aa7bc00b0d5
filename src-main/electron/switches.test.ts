import { expect, test } from 'vitest'
import { unknownSwitch } from './switches.ts'

test('our own switches and the few that desktops need are known', () => {
  expect(unknownSwitch(['--hidden', '--restore-daily-copy', '--lang=de', '--ozone-platform=wayland', '/some/file'])).toBe(null)
})

test('a debugging port is dropped, not refused', () => {
  expect(unknownSwitch(['--remote-debugging-port=9222', '-remote-debugging-port=9222'])).toBe(null)
})

test.each([
  ['--inspect', '--inspect'],
  ['--inspect-brk=0', '--inspect-brk'],
  ['-load-extension=/x', '--load-extension'],
  ['--js-flags=--x', '--js-flags'],
  ['--hiddenx', '--hiddenx'],
  ['-r', '--r'],
  ['--', '--'],
])('%s is refused', (given, named) => {
  expect(unknownSwitch(['--hidden', given])).toBe(named)
})
