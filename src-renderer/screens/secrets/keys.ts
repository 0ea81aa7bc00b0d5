export const SECRETS_KEYS = [
  ['↑ ↓ j k', 'The secret before, the next'],
  ['/', 'Search'],
  ['n', 'Add a secret'],
  ['i', 'Import a .env'],
  ['Esc', 'Close the details'],
] as const
