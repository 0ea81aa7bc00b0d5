// Putting a new file in place of an old one, and knowing for certain what was replaced. A plain rename does not tell: whatever
// another program puts there between our last look and the rename is gone. Linux can exchange two files in one step instead (docs/adr/0006).

import { spawnSync } from 'node:child_process'
import { perl } from './perl.ts'

/** renameat2 by architecture. */
const CALL: Partial<Record<NodeJS.Architecture, number>> = { x64: 316, arm64: 276 }

/**
 * Whoever writes in place may have opened the old file just before, and empty and write it only now, where nobody looks any more: the
 * disk lets an opening wait for milliseconds. So what came out is watched for a moment, and goes back at once when it changes.
 */
const WATCH_MS = 20

// Looks, exchanges, looks at what came out, and exchanges back if that was something else: a moment, not a process start, apart.
const SCRIPT = `
use strict;
my ($call, $draft, $real, $looks) = @ARGV;
binmode STDIN;
my $want = do { local $/; <STDIN> } // '';
sub content { open(my $f, '<:raw', $_[0]) or exit 4; local $/; my $t = <$f>; return $t // '' }
sub exchange { return syscall($call + 0, -100, $draft, -100, $real, 2) == 0 }
my $ours = content($draft);
exit 3 if content($real) ne $want;
exchange() or exit 5;
for (0 .. $looks) {
  if (content($draft) ne $want) {
    exchange() if $_ == 0 or content($real) eq $ours;
    exit 3;
  }
  select(undef, undef, undef, 0.001);
}
exit 0;
`

/** `unable`: nothing happened, because this system or its file system cannot. After `done` the draft is the old file. */
export function exchange(draft: string, real: string, expected: Buffer): 'done' | 'other content' | 'unable' {
  const call = process.platform === 'linux' ? CALL[process.arch] : undefined
  const program = perl()
  if (call === undefined || program === null) return 'unable'
  const { status } = spawnSync(program, ['-e', SCRIPT, '--', String(call), draft, real, String(WATCH_MS)], {
    input: expected,
    env: {},
    timeout: 10_000,
  })
  return status === 0 ? 'done' : status === 3 ? 'other content' : 'unable'
}
