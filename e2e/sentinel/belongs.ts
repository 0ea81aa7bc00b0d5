// The places where a value belongs. Everywhere else it is a leak. Each of these must be seen to hold one in a sweep: a search that
// finds nothing there would find nothing anywhere.

import { readFileSync } from 'node:fs'

export interface Place {
  what: string
  why: string
  fits: (where: string) => boolean
  /** A sweep without any did not look. */
  expected: boolean
}

const tapOf = (name: RegExp) => (where: string) => /\/taps\/[^/]+$/.test(where) && name.test(where.slice(where.lastIndexOf('/') + 1))

export const BELONGS: readonly Place[] = [
  {
    what: 'the bridge’s answer to get_secret',
    why: 'the client was allowed to read it; this is what it asked for',
    fits: tapOf(/^bridge-get_secret$/),
    expected: true,
  },
  {
    what: 'the answer to get_secret over HTTP',
    why: 'the same',
    fits: tapOf(/^http-get_secret$/),
    expected: true,
  },
  {
    what: 'the frame that shows a value to the person',
    why: 'the person asked to see it, which is on record',
    fits: tapOf(/^page-secrets\.reveal$/),
    expected: true,
  },
  {
    what: '`countersign get NAME` on a terminal',
    why: 'the person asked for it there',
    fits: tapOf(/^cli-get-stdout$/),
    expected: true,
  },
  {
    what: 'the core file of a program that is not ours and takes no care',
    why: 'crashed on purpose, to show that the search looks into core files',
    fits: (where) => /\/cores\/careless\//.test(where),
    expected: coreFilesAreWritten(),
  },
]

/** Not where the kernel hands them to a crash reporter. */
function coreFilesAreWritten(): boolean {
  return process.platform === 'linux' && !/[|/]/.test(readFileSync('/proc/sys/kernel/core_pattern', 'utf8')) && process.getuid?.() === 0
}

export const belongs = (where: string): Place | undefined => BELONGS.find(({ fits }) => fits(where))
