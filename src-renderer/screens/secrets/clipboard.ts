// A secret on the clipboard of a browser: taken off after half a minute, if it is still there. The page keeps a digest to
// recognise it by, not the secret. (In a window of the desktop the shell does this, and the value never enters the page.)

export const CLEAR_AFTER_MS = 30_000

export type Held =
  | { is: 'nothing' }
  | { is: 'held'; name: string; until: number }
  | { is: 'cleared' }
  /** Something else is there by now. */
  | { is: 'gone' }
  /** The browser does not let the page look, so it leaves alone what may be somebody else's. */
  | { is: 'unknown'; name: string }

export interface ClipboardWorld {
  write: (text: string) => Promise<void>
  read: () => Promise<string>
  digest: (text: string) => Promise<string>
  /** Resolves as soon as the page has the focus, without which no browser lets it near the clipboard. */
  focused: () => Promise<void>
  after: (ms: number, run: () => void) => () => void
  now: () => number
}

export interface ClipboardKeeper {
  state: () => Held
  onState: (listener: () => void) => () => void
  put: (name: string, value: string) => Promise<void>
  /** Without looking: the person asks for it. */
  clear: () => Promise<void>
}

export function createClipboardKeeper(world: ClipboardWorld): ClipboardKeeper {
  const listeners = new Set<() => void>()
  let state: Held = { is: 'nothing' }
  let cancel = () => {}

  const become = (next: Held): void => {
    state = next
    for (const listener of listeners) listener()
  }

  const check = async (name: string, digest: string, isLatest: () => boolean): Promise<void> => {
    await world.focused()
    if (!isLatest()) return
    try {
      const isThere = (await world.digest(await world.read())) === digest
      if (isThere) await world.write('')
      if (isLatest()) become({ is: isThere ? 'cleared' : 'gone' })
    } catch {
      // The browser's no. What it means for the person is in the state.
      if (isLatest()) become({ is: 'unknown', name })
    }
  }

  return {
    state: () => state,
    onState: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    put: async (name, value) => {
      cancel()
      await world.write(value)
      const digest = await world.digest(value)
      const held: Held = { is: 'held', name, until: world.now() + CLEAR_AFTER_MS }
      become(held)
      cancel = world.after(CLEAR_AFTER_MS, () => void check(name, digest, () => state === held))
    },
    clear: async () => {
      cancel()
      await world.write('')
      become({ is: 'cleared' })
    },
  }
}

async function sha256(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function focused(): Promise<void> {
  if (document.hasFocus()) return Promise.resolve()
  return new Promise((resolve) => window.addEventListener('focus', () => resolve(), { once: true }))
}

/** The one clipboard of this browser. */
export const browserClipboard = createClipboardKeeper({
  write: (text) => navigator.clipboard.writeText(text),
  read: () => navigator.clipboard.readText(),
  digest: sha256,
  focused,
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
  now: () => Date.now(),
})
