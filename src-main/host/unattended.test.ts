import { describe, expect, it } from 'vitest'
import { auditError, AuditError } from './audit/errors.ts'
import { KeychainError } from './ports.ts'
import { reportsMistakes } from './unattended.ts'

function reportedOf(error: unknown): unknown[] {
  const reported: unknown[] = []
  reportsMistakes((bug) => reported.push(bug))(error)
  return reported
}

describe('an error of work that nobody waits for', () => {
  it.each([
    ['a full disk', Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })],
    ['a full disk, as SQLite tells it', Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })],
    ['a log that takes no entry', auditError(Object.assign(new Error('full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 }))],
    ['a log that is closed', new AuditError('the audit log is closed')],
    ['a keychain that is locked', new KeychainError('locked', 'locked')],
  ])('is no news where it is %s', (_, error) => {
    expect(reportedOf(error)).toEqual([])
  })

  it('is reported where it is a mistake of ours, also one that the log has wrapped', () => {
    const bug = new TypeError('undefined is not a function')
    expect(reportedOf(bug)).toEqual([bug])
    expect(reportedOf(auditError(bug))).toEqual([bug])
  })

  it('is reported where SQLite was asked something it cannot do', () => {
    const misuse = Object.assign(new Error('no such table'), { code: 'ERR_SQLITE_ERROR', errcode: 1 })
    expect(reportedOf(misuse)).toEqual([misuse])
    expect(reportedOf(auditError(misuse))).toEqual([misuse])
  })
})
