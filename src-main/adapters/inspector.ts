// No program of ours can be opened to a debugger. Whoever attaches one to the host runs code in it, and so has every value that the
// keychain gives to it, without a question to anybody.

/** Node opens its inspector at this signal, on a port that every program of this computer reaches. A listener takes the place of that. */
export function ignoreDebugSignal(): void {
  process.on('SIGUSR1', () => {})
}

/**
 * Whether Node was told to open its inspector. Asking `node:inspector` itself takes as long as the rest of the bridge's start, and
 * the bridge is waited for by every AI client.
 */
export function asksForInspector(execArgv: readonly string[], nodeOptions = ''): boolean {
  // Node takes quotes out of the variable, wherever they stand. A file of options may ask for the same.
  return [...execArgv, nodeOptions.replaceAll(/["'\\]/g, '')].some((options) => /-inspect|config-file/.test(options))
}

/** For programs that hold values: also what no option tells, such as a signal that came before our first line. */
export async function endIfInspected(): Promise<void> {
  const { url } = await import('node:inspector')
  if (url() !== undefined) refuseInspector()
}

export const NOT_UNDER_A_DEBUGGER =
  'this program does not run under a debugger. Start it without --inspect, and without NODE_OPTIONS or a config file of Node that ask for it.'

export function refuseInspector(): never {
  process.stderr.write(`countersign: ${NOT_UNDER_A_DEBUGGER}\n`)
  process.exit(2)
}

/** For our own children: options meant for our process (inspectors, loaders, reports) have no business in them. */
export function withoutNodeOptions(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(NODE_|ELECTRON_RUN_AS_NODE$|VSCODE_INSPECTOR_OPTIONS$)/.test(name)))
}

/** For children that run on our own Node: with it no signal is heard even before their first line. An old Node does not know it. */
export function noDebugSignal(): string[] {
  return process.allowedNodeEnvironmentFlags.has('--disable-sigusr1') ? ['--disable-sigusr1'] : []
}
