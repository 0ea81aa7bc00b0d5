import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'
import { useSize } from '../../ui/use-size.ts'
import { barsOf, barText, ticksOf, type Bar } from './bars.ts'
import css from './histogram.module.css'
import type { AuditShape } from './use-audit-shape.ts'

const HEIGHT = 52
const AXIS = 18
const LABEL_WIDTH = 92
/** A press that moves less is a click. */
const CLICK_PX = 4

interface Props {
  shape: AuditShape
  /** Whether it shows a part of the time only. */
  zoomed: boolean
  onZoom: (time: { from: number; to: number } | null) => void
}

/** From one bar to another, in the order they were chosen. */
type Choice = { anchor: number; at: number }

/**
 * Bars over time. A drag across some of them zooms in, a click into one; by keys: arrows choose a bar, with Shift more of them,
 * Enter zooms in and Backspace out again.
 */
export function HistogramChart({ shape, zoomed, onZoom }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const { width } = useSize(frame)
  const [choice, setChoice] = useState<Choice | null>(null)
  const pressed = useRef<{ id: number; x: number } | null>(null)
  const { histogram } = shape
  const bars = barsOf(histogram, HEIGHT)
  const step = bars.length === 0 ? 0 : width / bars.length
  const last = bars.length - 1
  const at = choice === null ? last : Math.min(choice.at, last)

  function zoom({ anchor, at: to }: Choice): void {
    const first = bars[Math.min(anchor, to)]
    const end = bars[Math.max(anchor, to)]
    setChoice(null)
    if (first !== undefined && end !== undefined) onZoom({ from: first.from, to: end.to })
  }

  const barAt = (event: PointerEvent<HTMLElement>) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left
    return Math.min(Math.max(0, Math.floor(x / step)), last)
  }

  function down(event: PointerEvent<HTMLElement>): void {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    pressed.current = { id: event.pointerId, x: event.clientX }
    setChoice({ anchor: barAt(event), at: barAt(event) })
  }

  function drag(event: PointerEvent<HTMLElement>): void {
    const bar = barAt(event)
    setChoice((before) => (pressed.current === null || before === null ? { anchor: bar, at: bar } : { ...before, at: bar }))
  }

  function up(event: PointerEvent<HTMLElement>): void {
    const start = pressed.current
    pressed.current = null
    if (start === null || choice === null) return
    const isClick = Math.abs(event.clientX - start.x) < CLICK_PX
    const bar = bars[choice.at]
    if (isClick && (bar === undefined || bar.total === 0)) return
    zoom(choice)
  }

  function keyDown(event: KeyboardEvent): void {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key]
    if (to !== undefined) {
      const bar = Math.min(Math.max(0, to), last)
      setChoice({ anchor: event.shiftKey ? (choice?.anchor ?? at) : bar, at: bar })
    } else if (event.key === 'Enter' || event.key === ' ') zoom(choice ?? { anchor: at, at })
    else if (event.key === 'Backspace' || event.key === 'Delete') onZoom(null)
    else if (event.key === 'Escape' && choice !== null) {
      pressed.current = null
      setChoice(null)
    } else return
    event.preventDefault()
  }

  const pointed = histogram.buckets[at]
  const said = pointed === undefined ? 'nothing' : barText(pointed, histogram.bucketMs)
  return (
    <div className={css.histogram}>
      <div
        ref={frame}
        className={css.frame}
        role="slider"
        tabIndex={0}
        aria-label="Entries over time. Enter zooms in, Backspace out."
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={Math.max(0, at)}
        aria-valuetext={said}
        onPointerDown={down}
        onPointerMove={drag}
        onPointerUp={up}
        onPointerLeave={() => pressed.current === null && setChoice(null)}
        onKeyDown={keyDown}
        onBlur={() => setChoice(null)}
      >
        <svg width={width} height={HEIGHT + AXIS} aria-hidden="true">
          {choice !== null && (
            <rect
              className={css.brush}
              x={Math.min(choice.anchor, choice.at) * step}
              width={(Math.abs(choice.at - choice.anchor) + 1) * step}
              y={0}
              height={HEIGHT}
            />
          )}
          {bars.map((bar, index) => (
            <BarShape key={bar.from} bar={bar} x={index * step} width={step} />
          ))}
          <line className={css.ground} x1={0} x2={width} y1={HEIGHT + 0.5} y2={HEIGHT + 0.5} />
          {ticksOf(bars, Math.floor(width / LABEL_WIDTH))
            .filter(({ at: place }) => place * step < width - LABEL_WIDTH)
            .map(({ at: place, label }) => (
              <text key={place} className={css.tick} x={place * step} y={HEIGHT + 14}>
                {label}
              </text>
            ))}
        </svg>
        {choice !== null && <p className={choice.at > last / 2 ? css.noteLeft : css.noteRight}>{rangeText(histogram, choice)}</p>}
      </div>
      {zoomed && (
        <button type="button" className={css.out} title="Back to all of the time (Backspace in the chart)" onClick={() => onZoom(null)}>
          Zoom out
        </button>
      )}
    </div>
  )
}

function BarShape({ bar, x, width }: { bar: Bar; x: number; width: number }) {
  const gap = width > 4 ? 1 : 0
  return (
    <g>
      {bar.parts.map(({ tone, y, height }) => (
        <rect key={tone} className={css[tone]} x={x} y={y} width={Math.max(1, width - gap)} height={height} />
      ))}
    </g>
  )
}

/** What lies between two bars, all together. */
function rangeText({ bucketMs, buckets }: AuditShape['histogram'], { anchor, at }: Choice): string {
  const chosen = buckets.slice(Math.min(anchor, at), Math.max(anchor, at) + 1)
  const counts: Record<string, number> = {}
  for (const bucket of chosen)
    for (const [outcome, count] of Object.entries(bucket.counts)) counts[outcome] = (counts[outcome] ?? 0) + count
  return barText({ from: chosen[0]?.from ?? 0, counts }, bucketMs * chosen.length)
}
