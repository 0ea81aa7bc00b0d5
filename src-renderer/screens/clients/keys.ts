export const CLIENTS_KEYS = [['n', 'Register by hand']] as const
