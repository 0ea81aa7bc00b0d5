// A mistake of ours, for whoever reads the app's own log. What an error says may quote what was being handled, so only its kind and
// its place are told.

export function reportBug(error: unknown): void {
  process.stderr.write(`countersign: ${bugText(error)}\n`)
}

export function bugText(error: unknown): string {
  if (!(error instanceof Error)) return `a mistake of ours (${typeof error})`
  const { name, message, stack = '' } = error
  const at = stack.indexOf(message)
  return `a mistake of ours (${name})${at < 0 ? '' : stack.slice(at + message.length)}`
}
