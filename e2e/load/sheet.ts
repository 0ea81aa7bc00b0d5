// What one part of the machine measured, beside what we promise. A count that is off fails the run at once; a time or a size only when
// it is ten times over, because the machine it runs on may be busy. The report has the figure itself.

export interface Row {
  measure: string
  /** As a person would say it; null where nothing was promised. */
  target: string | null
  measured: string
  /** Null where nothing was promised. */
  met: boolean | null
}

export interface Sheet {
  rows: Row[]
  /** What fails the run, as sentences. */
  broken: string[]
  /** A number that can only be right or wrong. */
  exactly: (measure: string, expected: number | string, measured: number | string) => void
  atMost: (measure: string, target: number, measured: number, unit: string) => void
  atLeast: (measure: string, target: number, measured: number, unit: string) => void
  note: (measure: string, measured: string) => void
}

const ROOM = 10

export function newSheet(): Sheet {
  const rows: Row[] = []
  const broken: string[] = []
  const put = (row: Row, isBroken: boolean): void => {
    rows.push(row)
    if (isBroken) broken.push(`${row.measure}: ${row.measured}, promised ${row.target}`)
  }
  return {
    rows,
    broken,
    exactly: (measure, expected, measured) => {
      const met = expected === measured
      put({ measure, target: told(expected), measured: told(measured), met }, !met)
    },
    atMost: (measure, target, measured, unit) => {
      const met = measured <= target
      put({ measure, target: `≤ ${amount(target, unit)}`, measured: amount(measured, unit), met }, !(measured <= target * ROOM))
    },
    atLeast: (measure, target, measured, unit) => {
      const met = measured >= target
      put({ measure, target: `≥ ${amount(target, unit)}`, measured: amount(measured, unit), met }, !(measured >= target / ROOM))
    },
    note: (measure, measured) => put({ measure, target: null, measured, met: null }, false),
  }
}

const told = (value: number | string): string => (typeof value === 'number' ? value.toLocaleString('en') : value)

function amount(value: number, unit: string): string {
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 1 ? 1 : 2
  const text = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return unit === '' ? text : `${text} ${unit}`
}
