// Why a promise of the report is not kept, or not shown yet. Written by hand, read by people; a promise that is kept needs no line here.

export const REASONS: Record<string, string> = {
  'a quarter of an hour: growth of memory that is certain':
    'in fourteen minutes 576,171 calls were made; the slope is 11 bytes for each of them. Of it 3 MB an hour are alive in the main thread; where the rest lies is not known yet. If it comes with the calls, somebody who makes a thousand a day would see 4 MB a year.',
}

/** What a reader must know about how figures came about, by part of the load machine or section. */
export const REMARKS: Record<string, string> = {
  faults: 'From one run of the faults alone, three files at a time, on a machine that did nothing else.',
  million:
    'Entries come two thousand at a time here; lone ones cost the same in an empty log and in a long one ([measured](benchmark.md#as-things-pile-up)). So many at once probably touch more pages of the indexes the longer the log is. A log whose hours do not follow each other, as after a clock that was set back far, is slower to look at: on a slower machine a page in the middle took 0.45 s there and the last one 1.2 s.',
  soak: 'The crash machine ran beside it, on the same two cores. Earlier runs, on a slower and busy machine, ended with a slope of -668 (95 %: -1457 to 120) and of +212 (17 to 406) MB an hour in five minutes each, and before the soak began with a hot minute with a certain 177, 107 and 237 MB an hour.',
}
