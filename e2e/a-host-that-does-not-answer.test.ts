// The time limit of a call that waits for nobody, in real time.

import { expect, test } from 'vitest'
import { openDesk } from './support/desk.ts'
import { REVISIONS, speak } from './support/revisions.ts'

test(
  'a call that takes too long is an error of its own, and an error result where the revision reserves that code',
  { timeout: 120_000 },
  async () => {
    const { client, process: host } = await openDesk()
    const speakers = await Promise.all(
      REVISIONS.map(async (revision) => ({ revision, speaker: await speak(await client(`c-${revision}`, { reads: 'always' }), revision) })),
    )
    for (const { speaker } of speakers) expect((await speaker.call('list_secrets', {})).result).toMatchObject({ content: [{ text: '[]' }] })
    host.kill('SIGSTOP')
    const answers = await Promise.all(
      speakers.map(async ({ revision, speaker }) => ({ revision, ...(await speaker.call('list_secrets', {})) })),
    )
    for (const { revision, result, error } of answers) {
      if (revision === '2026-07-28') expect(result).toMatchObject({ isError: true, content: [{ text: 'Error: Tool execution timeout' }] })
      else expect(error).toEqual({ code: -32000, message: 'Tool execution timeout', data: 'The call did not end in time' })
    }
    host.kill('SIGCONT')
    for (const { speaker } of speakers) expect((await speaker.call('list_secrets', {})).result).toMatchObject({ content: [{ text: '[]' }] })
  },
)
