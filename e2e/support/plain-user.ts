// A user without rights, as whom tests that run as root start programs of this tree.

import { statSync } from 'node:fs'
import path from 'node:path'

const NOBODY = 65_534
const root = path.join(import.meta.dirname, '..', '..')

/** Null where the tests have no rights to give up. */
export const plainUser = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : null

/** Shows the tree to everybody, in its place, by putting another folder over the one that hides it, for this program alone. */
const SHOW = `
umask 022
view=$(mktemp -d)
mount --bind "$1" "$view"
mount -t tmpfs -o mode=0755 tmpfs "$2"
mkdir -p "$1"
mount --bind "$view" "$1"
umount "$view"
rmdir "$view"
cd "$1"
shift 2
exec "$@"
`

/** What to put before a program's name so that it runs as that user: a tree in the home of root is in nobody else's sight. */
export function asPlainUser(): string[] {
  if (plainUser === null) return []
  const hidden = foldersAbove(root).find((folder) => (statSync(folder).mode & 0o001) === 0)
  const show = hidden === undefined ? [] : ['unshare', '--mount', '--', 'sh', '-euc', SHOW, 'sh', root, hidden]
  return [...show, 'setpriv', `--reuid=${plainUser.uid}`, `--regid=${plainUser.gid}`, '--clear-groups']
}

/** From the top down. */
function foldersAbove(folder: string): string[] {
  const above = path.dirname(folder)
  return above === folder ? [] : [...foldersAbove(above), above]
}
