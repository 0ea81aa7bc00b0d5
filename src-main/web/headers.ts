/** On every answer. There is no CORS header among them, and there never will be: no other page has any business here. */
export const pageHeaders = (connect: "'self'" | "'none'"): Record<string, string> => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${connect}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
})

/** The page in a browser talks to the server it came from. */
export const HEADERS = pageHeaders("'self'")
