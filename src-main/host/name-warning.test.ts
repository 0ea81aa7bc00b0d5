import { describe, expect, test } from 'vitest'
import { nameWarning } from './name-warning.ts'

const clients = [
  { id: 'cursor', name: 'Cursor' },
  { id: 'claude-desktop', name: 'Claude Desktop' },
]
const stranger = { clientId: 'unregistered', clientName: 'unregistered' }

describe('a caller that could be taken for another client', () => {
  test.each(['Cursоr', 'CURSOR', 'Cursor'])('by its own name %s is told of, with the one it resembles', (clientName) => {
    expect(nameWarning({ clientId: 'c2', clientName }, null, clients)).toBe('The name of this client looks like that of another, “Cursor”.')
  })

  test.each(['Cursor 1.2.3', 'Cursоr 1.2.3', 'cursor'])('because it calls itself %s is told of when it is not that client', (says) => {
    expect(nameWarning(stranger, says, clients)).toBe('It calls itself what another client is called, “Cursor”.')
    expect(nameWarning({ clientId: 'claude-desktop', clientName: 'Claude Desktop' }, says, clients)).toContain('“Cursor”')
  })

  test('is not one that is that client, or that has a name of its own', () => {
    expect(nameWarning({ clientId: 'cursor', clientName: 'Cursor' }, 'Cursor 1.2.3', clients)).toBe(null)
    expect(nameWarning({ clientId: 'cursor', clientName: 'Cursor' }, 'cursor-vscode 1.0.0', clients)).toBe(null)
    expect(nameWarning(stranger, 'Zed 0.2', clients)).toBe(null)
    expect(nameWarning(stranger, null, clients)).toBe(null)
  })
})
