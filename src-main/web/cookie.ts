// Browsers share cookies between all ports of a host, so the port is part of the name: two hosts on one machine never log each
// other out. For the same reason the cookie alone opens nothing (PAGE_TOKEN_HEADER).

function cookieName(port: number): string {
  return `countersign-${port}`
}

/** No Secure: the page is plain HTTP on the loopback. No Max-Age: it goes with the browser. */
export function sessionCookie(port: number, token: string): string {
  return `${cookieName(port)}=${token}; HttpOnly; SameSite=Strict; Path=/`
}

export function clearedCookie(port: number): string {
  return `${cookieName(port)}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0`
}

/** The token in a Cookie header; null when there is none, or more than one: then somebody else set one. */
export function tokenIn(header: string | undefined, port: number): string | null {
  const prefix = `${cookieName(port)}=`
  const found = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix))
  return found.length === 1 && found[0] !== undefined ? found[0].slice(prefix.length) : null
}
