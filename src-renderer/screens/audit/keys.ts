export const AUDIT_KEYS = [
  ['↑ ↓ j k', 'Move through the list'],
  ['← →', 'Move between the cells of a row'],
  ['↩', 'Look at an entry; back to the list'],
  ['/', 'Search'],
  ['f', 'Show only what has this value'],
  ['x', 'Leave out what has this value'],
  ['m', 'All that can be done with this cell'],
  ['l', 'Newest first, and live'],
  ['[ ]', 'Earlier, later'],
  ['e', 'Export'],
] as const
