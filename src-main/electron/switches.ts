// Chromium takes hundreds of switches, and some of them open our windows to any local program or change what runs in them. The
// packaged app knows these few and refuses the rest.

const OWN = ['--hidden', '--restore-daily-copy']

/** Chromium's own, without which the app does not run or is not legible on some desktops. None gives a program a way in. */
const DESKTOP = [
  '--no-sandbox',
  '--disable-gpu',
  '--lang',
  '--force-device-scale-factor',
  '--high-dpi-support',
  '--ozone-platform',
  '--ozone-platform-hint',
  '--enable-wayland-ime',
  '--wayland-text-input-version',
]

/** Dropped in silence rather than refused, so that asking for it tells nothing and stops nothing. */
export const DROPPED = ['remote-debugging-port', 'remote-debugging-pipe', 'remote-debugging-address', 'remote-allow-origins']

/** The first switch that the packaged app does not know, or null. */
export function unknownSwitch(args: readonly string[]): string | null {
  const known = new Set([...OWN, ...DESKTOP, ...DROPPED.map((name) => `--${name}`)])
  const names = args.filter((arg) => arg.startsWith('-') && !isFinderSerial(arg)).map(nameOf)
  return names.find((name) => !known.has(name)) ?? null
}

/** Chromium reads one dash like two. */
function nameOf(arg: string): string {
  return `--${arg.replace(/^-{1,2}/, '').split('=')[0]}`
}

/** Old versions of macOS pass one to whatever the Finder opens. */
function isFinderSerial(arg: string): boolean {
  return process.platform === 'darwin' && arg.startsWith('-psn_')
}
