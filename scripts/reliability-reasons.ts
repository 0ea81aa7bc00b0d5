// Why a promise of the report is not kept, or not shown yet. Written by hand, read by people; a promise that is kept needs no line here.

export const REASONS: Record<string, string> = {
  'violations under `kill -9`':
    'ten thousand kills, each with a start and a full check after it, take most of a day on two cores. Every run adds to it with a seed of its own, and every test run kills a hundred times.',
}
