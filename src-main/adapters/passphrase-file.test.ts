import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readPassphraseFile } from './passphrase-file.ts'

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'passphrase-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

function fileWith(content: string, mode: number): string {
  const file = path.join(folder(), 'passphrase')
  writeFileSync(file, content)
  chmodSync(file, mode)
  return file
}

test('a file of our own that is closed to others is read, without its last line feed', () => {
  expect(readPassphraseFile(fileWith('correct horse\n', 0o600))).toBe('correct horse')
  expect(readPassphraseFile(fileWith('correct horse \r\n', 0o400))).toBe('correct horse ')
  expect(readPassphraseFile(undefined)).toBeNull()
  expect(readPassphraseFile('')).toBeNull()
})

test.runIf(process.platform !== 'win32').each([0o604, 0o640, 0o644, 0o620, 0o602])(
  'a file that others can read or write is refused, and the sentence says how to close it: %o',
  (mode) => {
    const file = fileWith('correct horse', mode)
    expect(() => readPassphraseFile(file)).toThrow(
      `COUNTERSIGN_PASSPHRASE_FILE is not used: '${file}' is open to other users. Close it to them: chmod 600 '${file}'`,
    )
  },
)

test.runIf(process.platform !== 'win32')('behind a link it is the file that counts, not the link', () => {
  const link = path.join(folder(), 'link')
  const open = fileWith('correct horse', 0o644)
  symlinkSync(open, link)
  expect(() => readPassphraseFile(link)).toThrow(/is open to other users/)
  chmodSync(open, 0o600)
  expect(readPassphraseFile(link)).toBe('correct horse')
})

test.runIf(process.getuid?.() === 0)('a file of another user is refused', async () => {
  const { chownSync } = await import('node:fs')
  const file = fileWith('correct horse', 0o600)
  chownSync(file, 65_534, 65_534)
  expect(() => readPassphraseFile(file)).toThrow(`COUNTERSIGN_PASSPHRASE_FILE is not used: '${file}' belongs to another user.`)
})

test('what is no file, or not there, is told in a sentence that names the variable', () => {
  const home = folder()
  mkdirSync(path.join(home, 'sub'))
  expect(() => readPassphraseFile(path.join(home, 'sub'))).toThrow(/^COUNTERSIGN_PASSPHRASE_FILE is not used: '.*' is not a plain file\.$/)
  expect(() => readPassphraseFile(path.join(home, 'none'))).toThrow(
    /^COUNTERSIGN_PASSPHRASE_FILE is not used: there is no file '.*\/none'\. Make it, or unset the variable\.$/,
  )
})
