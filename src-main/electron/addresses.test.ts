import { expect, test, vi } from 'vitest'

vi.mock('electron', () => ({}))
const { screenAsked } = await import('./addresses.ts')

test.each([
  ['countersign://audit', 'audit'],
  ['countersign://clients/', 'clients'],
])('%s asks for the %s screen, wherever it stands among the words', (address, screen) => {
  expect(screenAsked(['/opt/Countersign/countersign', '--no-sandbox', address])).toBe(screen)
})

test.each([
  'countersign://',
  'countersign://nowhere',
  'countersign://audit?q=client:cursor',
  'countersign://audit#/settings',
  'countersign://audit/../secrets',
  'countersign://user@audit',
  'COUNTERSIGN://audit',
  'xcountersign://audit',
  'countersign://audit\nsecrets',
  'https://audit',
  'audit',
])('%j asks for nothing', (address) => {
  expect(screenAsked([address])).toBeUndefined()
})
