export const AUDIT_KEYS = [
  ['↑ ↓ j k', 'Move through the list'],
  ['← →', 'Move between cells'],
  ['↩', 'Look at an entry, or close it'],
  ['/', 'Search'],
  ['f', 'Only what has this value'],
  ['x', 'Without what has this value'],
  ['m', 'More to do with this cell'],
  ['c', 'Copy this cell'],
  ['l', 'Back to the newest, live'],
  ['[ ]', 'Earlier, later'],
  ['e', 'Export'],
] as const
