export const POLICIES_KEYS = [
  ['n', 'New policy'],
  ['Esc', 'Close the policy'],
] as const
