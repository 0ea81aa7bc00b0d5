// Pictures of the figures as plain SVG that follows the reader's light or dark.

import { getGrowth, listGrowth, type Results } from './targets.ts'
import type { Growth } from './growth.ts'

const STYLE = `<style>
  text { font: 12px system-ui, sans-serif; fill: #57606a }
  .head { font-weight: 600; font-size: 13px; fill: #24292f }
  .ours { fill: #0a7d6c } .ours-text { fill: #0a7d6c; font-weight: 600 }
  .peer { fill: #afb8c1 } .rule { stroke: #d0d7de } .bound { stroke: #9a6700; stroke-dasharray: 4 3 }
  .line { fill: none; stroke-width: 2 } .get { stroke: #0a7d6c } .list { stroke: #6639ba }
  .get-dot { fill: #0a7d6c } .list-dot { fill: #6639ba }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1 } .head { fill: #f0f6fc } .ours { fill: #2fb8a3 } .ours-text { fill: #2fb8a3 }
    .peer { fill: #484f58 } .rule { stroke: #3d444d } .bound { stroke: #d29922 }
    .get { stroke: #2fb8a3 } .list { stroke: #a371f7 } .get-dot { fill: #2fb8a3 } .list-dot { fill: #a371f7 }
  }
</style>`

const WIDTH = 760
const LABELS = 200
const ROW = 22

interface Bar {
  label: string
  value: number
  text: string
  isOurs: boolean
}

/** Cold starts and calls over HTTP, shorter or longer bars as the figure wants. */
export function barsPicture({ stdio, http }: Results): string {
  const groups: { head: string; bars: Bar[] }[] = []
  if (stdio) {
    const floor = stdio.servers.find(({ id }) => id === 'floor')?.coldMs ?? 1
    const bars = stdio.servers.map(({ id, title, coldMs }) =>
      bar(title, coldMs, `${coldMs.toFixed(0)} ms, ${(coldMs / floor).toFixed(1)} ×`, id),
    )
    groups.push({
      head: 'Cold start to the first answer (shorter is better; × of the hand-written floor)',
      bars: bars.toSorted((a, b) => a.value - b.value),
    })
  }
  if (http) {
    const bars = http.map(({ id, title, perSecond }) => bar(title, perSecond, `${Math.round(perSecond).toLocaleString('en')} calls/s`, id))
    groups.push({ head: 'Calls over HTTP with 64 connections, ours with every call on record (longer is better)', bars })
  }
  let y = 8
  const drawn = groups.map(({ head, bars }) => {
    const most = Math.max(...bars.map(({ value }) => value))
    const parts = [`<text class="head" x="0" y="${(y += 16)}">${escaped(head)}</text>`]
    y += 8
    for (const { label, value, text, isOurs } of bars) {
      const width = Math.max(2, (value / most) * (WIDTH - LABELS - 130))
      parts.push(
        `<text${isOurs ? ' class="ours-text"' : ''} x="${LABELS - 10}" y="${y + 15}" text-anchor="end">${escaped(label)}</text>`,
        `<rect class="${isOurs ? 'ours' : 'peer'}" x="${LABELS}" y="${y + 4}" width="${width.toFixed(1)}" height="${ROW - 8}" rx="2"/>`,
        `<text${isOurs ? ' class="ours-text"' : ''} x="${(LABELS + width + 8).toFixed(1)}" y="${y + 15}">${escaped(text)}</text>`,
      )
      y += ROW
    }
    y += 12
    return parts.join('\n')
  })
  return svg(y, drawn.join('\n'))
}

const bar = (label: string, value: number, text: string, id: string): Bar => ({ label, value, text, isOurs: id === 'ours' })

const PANEL = { width: 230, height: 130, gap: 35, left: 30, top: 50 }
const MOST = 2

/** One panel for each thing that grows: the cost of a call over the cost when there is next to nothing. */
export function growthPicture(growth: Growth): string {
  const panels = [
    { head: 'secrets in the keychain', points: growth.secrets },
    { head: 'clients connected', points: growth.clients },
    { head: 'entries in the log', points: growth.rows },
  ]
  const drawn = panels.map(({ head, points }, index) => {
    const left = PANEL.left + index * (PANEL.width + PANEL.gap)
    const x = (n: number) => left + (points.length < 2 ? 0 : (n / (points.length - 1)) * (PANEL.width - 30)) + 12
    const y = (ratio: number) => PANEL.top + PANEL.height * (1 - Math.min(ratio, MOST) / MOST)
    const line = (kind: 'get' | 'list', values: number[]) => [
      `<polyline class="line ${kind}" points="${values.map((value, n) => `${x(n).toFixed(1)},${y(value).toFixed(1)}`).join(' ')}"/>`,
      ...values.map((value, n) => `<circle class="${kind}-dot" cx="${x(n).toFixed(1)}" cy="${y(value).toFixed(1)}" r="3"/>`),
    ]
    return [
      `<text class="head" x="${left}" y="${PANEL.top - 12}">${head}</text>`,
      ...[0, 1, 2].map((ratio) => `<line class="rule" x1="${left}" x2="${left + PANEL.width}" y1="${y(ratio)}" y2="${y(ratio)}"/>`),
      ...[0, 1, 2].map((ratio) => `<text x="${left - 6}" y="${y(ratio) + 4}" text-anchor="end">${ratio}×</text>`),
      `<line class="bound" x1="${left}" x2="${left + PANEL.width}" y1="${y(1.3)}" y2="${y(1.3)}"/>`,
      ...line('get', points.map(getGrowth)),
      ...line('list', points.map(listGrowth)),
      ...points.map(
        ({ at }, n) => `<text x="${x(n).toFixed(1)}" y="${PANEL.top + PANEL.height + 18}" text-anchor="middle">${short(at)}</text>`,
      ),
    ].join('\n')
  })
  const key = [
    `<text class="head" x="0" y="16">What a call costs as things pile up, over what it costs when there is next to nothing</text>`,
    `<circle class="get-dot" cx="${PANEL.left}" cy="${PANEL.top + PANEL.height + 40}" r="4"/>`,
    `<text x="${PANEL.left + 10}" y="${PANEL.top + PANEL.height + 44}">get_secret, without the keychain's own time</text>`,
    `<circle class="list-dot" cx="${PANEL.left + 310}" cy="${PANEL.top + PANEL.height + 40}" r="4"/>`,
    `<text x="${PANEL.left + 320}" y="${PANEL.top + PANEL.height + 44}">list_secrets</text>`,
    `<line class="bound" x1="${PANEL.left + 430}" x2="${PANEL.left + 460}" y1="${PANEL.top + PANEL.height + 40}" y2="${PANEL.top + PANEL.height + 40}"/>`,
    `<text x="${PANEL.left + 468}" y="${PANEL.top + PANEL.height + 44}">the bound, 1.3 ×</text>`,
  ]
  return svg(PANEL.top + PANEL.height + 60, [...key, ...drawn].join('\n'), PANEL.left + 3 * PANEL.width + 2 * PANEL.gap + 10)
}

function svg(height: number, body: string, width = WIDTH): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">\n${STYLE}\n${body}\n</svg>\n`
}

const short = (count: number): string => (count >= 1_000_000 ? `${count / 1_000_000}M` : count >= 1000 ? `${count / 1000}k` : String(count))
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
