// Figures as the cells of a table, on the terminal and on a page.

import type { OverStdio } from './over-stdio.ts'

export const fixed = (value: number | null, digits: number): string =>
  value === null ? '' : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })

/** A row for each server over stdio. */
export const serverRows = ({ servers }: OverStdio): string[][] =>
  servers.map((one) => [
    one.title,
    fixed(one.coldMs, 1),
    fixed(one.discoverMs, 1),
    fixed(one.toolsMs, 3),
    fixed(one.callMs, 3),
    fixed(one.callP99Ms, 2),
    fixed(one.callsPerSecond, 0),
    fixed(one.cpuMicros, 1),
    fixed(one.rssStart, 0),
    fixed(one.rssLoaded, 0),
    fixed(one.installMegabytes, 1),
  ])
