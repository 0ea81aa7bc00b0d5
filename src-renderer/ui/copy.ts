import type { HostLink } from '../link/host-link.ts'

/** To the clipboard: by way of the shell where there is one, which lets no page near it, and by the browser's own otherwise. */
export async function copyText(link: HostLink, text: string): Promise<void> {
  const { clipboard } = await link.call('shell.state', {})
  if (clipboard) await link.call('shell.copy', { text })
  else await navigator.clipboard.writeText(text)
}
