// The page itself: figures in, Markdown out.

import { LOAD_PARTS, type Figures, type Kills, type Load, type Measured } from './reliability-figures.ts'
import { REASONS, REMARKS } from './reliability-reasons.ts'

const NOT_MEASURED = 'Not measured.'

interface Promised {
  promise: string
  target: string
  measured: string
  met: boolean | null
  by: string
  from: Measured | null
}

export interface Page {
  text: string
  /** Promises that are not kept and for which nobody has written down why. */
  unexplained: string[]
}

export function pageOf(figures: Figures): Page {
  const promises = promisesOf(figures)
  const broken = promises.filter(({ met }) => met === false)
  const sections = [
    INTRODUCTION,
    '## The promises',
    table(
      ['promise', 'target', 'measured', 'kept', 'measured by'],
      promises.map(({ promise, target, measured, met, by }) => [promise, target, measured, yesNo(met), code(by)]),
    ),
    '## What is not kept, or not shown yet, and why',
    promises.every(({ met }) => met === true) ? 'Every promise is kept.' : promises.flatMap(openPoint).join('\n'),
    LIMITS,
    '## Killed at any moment',
    KILLS,
    killsSection('SIGKILL of host, bridge and keychain helper', 'npm run crash', figures.kills),
    killsSection('The same with the power cut: what was not synced is lost', 'npm run crash -- --power-loss', figures['power-loss']),
    mutationsSection(figures),
    '## The log, attacked without its key',
    tamperSection(figures),
    '## Faults',
    faultsSection(figures),
    '## Hostile input',
    fuzzSection(figures),
    '## Load',
    LOAD,
    ...Object.entries(LOAD_PARTS).map(([part, title]) => loadSection(part, title, figures.load[part as keyof typeof LOAD_PARTS])),
    '## Where values go',
    sweepSection(figures),
  ]
  return {
    text: `${sections.join('\n\n')}\n`,
    unexplained: broken.map(({ promise }) => promise).filter((promise) => REASONS[promise] === undefined),
  }
}

const INTRODUCTION = `# Does it keep its promises?

This page is for whoever decides whether to trust Countersign. It holds what our own machines measured when they tried to break it: they kill it, starve it, lie to it, flood it, and look for your values where they should not be. The page is written by \`npm run reliability:report\` from the figures those machines leave behind; nobody types figures in by hand. Each table says which commit it is from, when it was measured, and the seed that repeats it.

A promise about a count (nothing lost, nothing twice, no value out of place) fails the run when it is off by one. A promise about a time or a size is measured and shown as it is, on a machine of two cores that does everything at once: host, bridges, clients and whoever measures.`

const LIMITS = `What no figure here can show: a value that a model has seen is out; on Linux and Windows any program you run can read your OS keychain; whoever reads the keychain can forge the log. See [what it protects](../README.md#what-it-protects-and-what-it-does-not) and the [threat model](threat-model.md). Everything here was measured on Linux; nothing yet on macOS and Windows.`

const KILLS = `Bridges call, a person allows and denies, policies and registrations change, and in the middle of it somebody is killed, at a random instant or at a named step of a write. Then the host is started again and eight things are checked: the chain and its anchor verify; every write a client was told of is there; the vault is what the log says; nothing was applied twice; no approval was decided twice; every answer had its outcome on disk first, and every write its intent; nothing is left open; the settings are some that the person was told of.`

const LOAD = `The host and its bridges as they are shipped, with the real keychain, on the machine that also plays the clients.`

/** The table of targets, in its order. */
function promisesOf({ kills, tamper, faults, load, sentinel }: Figures): Promised[] {
  const fromLoad = (promise: string, part: keyof typeof LOAD_PARTS, measure: string | RegExp): Promised => {
    const from = load[part]
    const row = from?.rows.find((one) => (typeof measure === 'string' ? one.measure === measure : measure.test(one.measure)))
    const by = `npm run load -- --only ${part}`
    return { promise, target: row?.target ?? '', measured: row?.measured ?? NOT_MEASURED, met: row?.met ?? null, by, from }
  }
  const limited = faults?.faults.filter(({ limitMs }) => limitMs !== undefined)
  const found = tamper?.attacks.slice(0, 7).filter((attack) => attack.found).length
  const worst = (promise: string, target: string, pattern: RegExp): Promised => {
    const from = load.million
    const rows = from?.rows.filter(({ measure, target: promised }) => promised !== null && pattern.test(measure)) ?? []
    const slowest = rows.toSorted((a, b) => Number.parseFloat(b.measured) - Number.parseFloat(a.measured))[0]
    const measured = slowest === undefined ? NOT_MEASURED : `${slowest.measured} (the slowest: ${slowest.measure})`
    const met = slowest === undefined ? null : rows.every((row) => row.met !== false)
    return { promise, target, measured, met, by: 'npm run load -- --only million', from }
  }
  return [
    {
      promise: 'violations under `kill -9`',
      target: '0 in 10,000',
      measured: kills === null ? NOT_MEASURED : `${kills.violations.length} in ${count(kills.kills)}`,
      // Too few kills show nothing yet, unless one of them already does.
      met: kills === null || (kills.violations.length === 0 && kills.kills < 10_000) ? null : kills.violations.length === 0,
      by: 'npm run crash -- --kills 10000',
      from: kills,
    },
    {
      promise: 'attacks on the log without its key that are found',
      target: '7 of 7',
      measured: found === undefined ? NOT_MEASURED : `${found} of 7`,
      met: found === undefined ? null : found === 7,
      by: 'npm run test:e2e -- the-log-cannot',
      from: tamper,
    },
    {
      promise: 'faults that are told within their limit',
      target: 'all',
      measured: limited === undefined ? NOT_MEASURED : `${limited.filter(inLimit).length} of ${limited.length}`,
      met: limited === undefined ? null : limited.every(inLimit),
      by: 'npm run faults',
      from: faults,
    },
    fromLoad('audited calls a second, for a minute', 'rate', /^audited calls a second/),
    fromLoad('50 bridges × 200 calls at once, answered exactly once', 'crowd', 'answered as they should be'),
    fromLoad('50 × 200: p99', 'crowd', /^p99/),
    fromLoad('50 × 200: memory of the host', 'crowd', /^memory of the host/),
    fromLoad('`get_secret` from client to client, p50', 'reads', /p50$/),
    fromLoad('`get_secret` from client to client, p99', 'reads', 'the same, p99'),
    fromLoad('a million entries: size', 'million', /^size/),
    fromLoad('a million entries: full verify beside the calls', 'million', /^full verify/),
    worst('a million entries: any page', '≤ 50 ms', /^(first|next|last) page|^page in/),
    worst('a million entries: any filter', '≤ 100 ms', /^filter|^the same, page/),
    fromLoad('a slow reader: memory on top', 'slow-reader', /^memory the host/),
    fromLoad('a slow reader: the others’ p99', 'slow-reader', /^the others/),
    growth(fromLoad('a quarter of an hour: growth of memory that is certain', 'soak', /^growth of the host/), load.soak),
    {
      promise: 'a value where it does not belong',
      target: '0',
      measured: sentinel === null ? NOT_MEASURED : String(sentinel.leaks.length),
      met: sentinel === null ? null : sentinel.leaks.length === 0,
      by: 'npm run sentinel',
      from: sentinel,
    },
  ]
}

/** Memory that may as well have grown by more than was promised is not shown to be level. */
function growth(promised: Promised, soak: Load | null): Promised {
  const slope = soak?.rows.find(({ measure }) => measure === 'the slope of its memory')?.measured ?? ''
  const atMost = Number(/ to (-?[\d.]+)\)/.exec(slope)?.[1])
  const isSure = atMost <= Number(/[\d.]+/.exec(promised.target)?.[0])
  return promised.met === true && !isSure ? { ...promised, measured: `${promised.measured}; slope ${slope}`, met: null } : promised
}

/** A line for a promise that is not kept, or for which there is too little to say so. */
function openPoint({ promise, target, measured, met, by }: Promised): string[] {
  if (met === true) return []
  if (met === false) return [`- **${promise}**, measured ${measured}: ${REASONS[promise] ?? 'nobody has said why yet.'}`]
  const why = REASONS[promise] ?? `${code(by)} shows it.`
  return [`- **${promise}** is not shown yet${measured === NOT_MEASURED ? '' : ` (${measured}, promised ${target})`}: ${why}`]
}

function killsSection(title: string, command: string, figures: Kills | null): string {
  if (figures === null) return `### ${title}\n\n${NOT_MEASURED}`
  const { kills, killsByVictim, deathsOfHosts, restarts, calls, answered, violations, seconds } = figures
  const rows = [
    ['kills', count(kills)],
    [
      'of these',
      Object.entries(killsByVictim)
        .map(([who, times]) => `${who} ${count(times)}`)
        .join(', '),
    ],
    [
      'the host died',
      Object.entries(deathsOfHosts)
        .map(([when, times]) => `${when} ${count(times)}`)
        .join(', '),
    ],
    ['starts after which everything was checked', count(restarts)],
    ['calls made, and answered before the kill', `${count(calls)}, ${count(answered)}`],
    ['violations', violations.length === 0 ? '0' : violations.map(plain).join('<br>')],
    ['how long', `${count(Math.round(seconds / 60))} min`],
  ]
  return `### ${title}\n\n${source(command, figures)}\n\n${table(['measure', 'measured'], rows)}`
}

function mutationsSection({ mutations }: Figures): string {
  const title = '### The checker, checked'
  if (mutations === null) return `${title}\n\n${NOT_MEASURED}`
  const rows = mutations.mutations.map(({ name, after, first }) => [
    name,
    after === null ? '**not found**' : `after ${after} kills`,
    plain((first ?? '').replace(/^seed[^:]*: /, '').slice(0, 120)),
  ])
  const why =
    'A checker that never complains proves nothing. So the host is broken on purpose, one way at a time; each must be found within 50 kills.'
  return `${title}\n\n${why}\n\n${source('npm run crash -- --mutations', mutations)}\n\n${table(['what was broken', 'found', 'by'], rows)}`
}

function tamperSection({ tamper }: Figures): string {
  if (tamper === null) return NOT_MEASURED
  const rows = tamper.attacks.map(({ attack, found }) => [attack, yesNo(found)])
  return `${source('npm run test:e2e -- the-log-cannot', tamper)}\n\n${table(['attack', 'found'], rows)}`
}

const inLimit = ({ tookMs, limitMs }: { tookMs: number; limitMs?: number | undefined }): boolean => tookMs <= (limitMs ?? Infinity)

function faultsSection({ faults }: Figures): string {
  if (faults === null) return NOT_MEASURED
  const rows = faults.faults.map(({ fault, clientSaw, personSaw, tookMs, limitMs, kept }) => [
    fault,
    [...clientSaw.map(said), ...(personSaw === undefined ? [] : [`(the person) ${said(personSaw)}`])].join('<br>') ||
      'nothing: nobody was calling',
    `${inLimit({ tookMs, limitMs }) ? `${count(tookMs)} ms` : `**${count(tookMs)} ms**`}${limitMs === undefined ? '' : ` (≤ ${count(limitMs)} ms)`}`,
    plain(kept),
  ])
  const more = `Which test shows what, fault by fault, is in [the table of faults](../e2e/faults/README.md). ${REMARKS['faults'] ?? ''}`
  return `${more}\n\n${source('npm run faults', faults)}\n\n${table(['fault', 'what the AI client saw', 'after', 'what shows that nothing was lost'], rows)}`
}

function fuzzSection({ fuzz }: Figures): string {
  if (fuzz === null) return NOT_MEASURED
  const rows = fuzz.campaigns.map(({ target, inputs, reactions, reached, broken, slowestMs }) => [
    target,
    count(inputs),
    count(reactions),
    reached === null ? '' : count(reached),
    `${count(Math.round(slowestMs))} ms`,
    count(broken.length),
  ])
  const head = ['target', 'inputs', 'different reactions', 'pieces of code reached', 'slowest', 'broken']
  const what =
    'Broken means: a crash, a hang, anything but JSON on standard output, an answer to somebody else, memory without bounds, or a value that came out.'
  return `${what}\n\n${source(`npm run fuzz -- --minutes ${fuzz.minutes}`, fuzz)}\n\n${table(head, rows)}`
}

function loadSection(part: string, title: string, figures: Load | null): string {
  if (figures === null) return `### ${title}\n\n${NOT_MEASURED}`
  const rows = figures.rows.map(({ measure, target, measured, met }) => [
    plain(measure),
    target ?? '',
    measured,
    target === null ? '' : yesNo(met),
  ])
  const command = `npm run load -- --only ${part}${figures.small ? ' --small' : ''}`
  const remark = REMARKS[part] === undefined ? '' : `\n\n${REMARKS[part]}`
  return `### ${title}\n\n${source(command, figures)}\n\n${table(['measure', 'target', 'measured', 'kept'], rows)}${remark}`
}

function sweepSection({ sentinel }: Figures): string {
  if (sentinel === null) return NOT_MEASURED
  const { files, logs, megabytes, programsStarted, taps, leaks, coreFiles, belongs, machines } = sentinel
  const rows = [
    ['machines that ran with recognisable values', machines.map(plain).join('; ')],
    ['files searched, again whenever they changed', `${count(files)} (${count(logs)} of them write-ahead logs), ${count(megabytes)} MB`],
    ['programs started, each with its arguments and environment', programsStarted === null ? NOT_MEASURED : count(programsStarted)],
    ['kinds of frames and streams searched', count(taps.length)],
    ['values where they do not belong', leaks.length === 0 ? '0' : leaks.map(({ where, form }) => `${code(where)} (${form})`).join('<br>')],
    ['core files left by crashed programs of ours, none with a value in it', count(coreFiles)],
  ]
  const places = belongs.map(({ what, why, seen }) => [plain(what), plain(why), seen ? 'yes' : 'not in this run'])
  const how = `Each machine runs in its small form with values that can be recognised. Everything it touched is then searched for them: raw, base64 at each of its three offsets, hex, URL, JSON-escaped, UTF-16 of both kinds, and reversed. Core files are a special case: our programs forbid them, and tell the kernel to leave all memory out of them if somebody should allow them again.`
  return [
    how,
    source('npm run sentinel', sentinel),
    table(['measure', 'measured'], rows),
    'Where a value belongs, and was found, which shows that the search can find:',
    table(['place', 'why', 'seen'], places),
  ].join('\n\n')
}

const source = (command: string, { commit, date, seed }: Measured): string =>
  [code(command), `commit ${code(commit)}`, date.slice(0, 16).replace('T', ' ') + ' UTC', ...(seed === null ? [] : [`seed ${seed}`])].join(
    ' · ',
  )

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

const count = (value: number): string => value.toLocaleString('en')
const yesNo = (met: boolean | null): string => (met === null ? 'not shown yet' : met ? 'yes' : '**no**')
const code = (text: string): string => `\`${text}\``
/** Words of others, in a cell. */
const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*')
const said = (text: string): string => `“${plain(text)}”`
