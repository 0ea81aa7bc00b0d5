// Why a promise of the report is not kept, or not shown yet. Written by hand, read by people; a promise that is kept needs no line here.

export const REASONS: Record<string, string> = {
  'violations under `kill -9`':
    'ten thousand kills, each with a start and a full check after it, take hours on two cores. Every test run kills a hundred times, from a new seed.',
  'faults that are told within their limit':
    'these were measured while other tests kept both cores busy, with a dozen programs waiting for each; starting a host alone took seconds. What was told and what was kept does not hang on that. The late ones are bold in the table of faults.',
  'a million entries: full verify beside the calls':
    'the log has 1.1 million entries, since a write has two, and the two cores also had four clients and other work to serve. Nobody waits for it: meanwhile calls and pages of the log went on as the table below shows.',
}
