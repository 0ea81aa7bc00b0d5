/** The only addresses that a window may have opened in the person's browser. Compared to the letter. */
const LINKS: readonly string[] = ['https://modelcontextprotocol.io/']

/** Refuses everything else by doing nothing. */
export function openListed(url: string, open: (url: string) => Promise<void>): boolean {
  if (!LINKS.includes(url)) return false
  void open(url)
  return true
}
