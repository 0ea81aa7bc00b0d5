import type { Outcome } from '../../src-shared/audit.ts'
import { Badge, type Tone } from './badge.tsx'

const LOOKS: Record<Outcome, { glyph: string; tone: Tone }> = {
  allowed: { glyph: '✓', tone: 'good' },
  denied: { glyph: '✕', tone: 'bad' },
  waiting: { glyph: '…', tone: 'warn' },
  expired: { glyph: '◔', tone: 'bad' },
  cancelled: { glyph: '–', tone: 'quiet' },
  rejected: { glyph: '✕', tone: 'bad' },
  limited: { glyph: '≈', tone: 'warn' },
  timeout: { glyph: '◔', tone: 'warn' },
  failed: { glyph: '!', tone: 'bad' },
  recovered: { glyph: '↻', tone: 'warn' },
}

/** `outcome` may come from anywhere; what is none is quiet. */
export function toneOf(outcome: string): Tone {
  return Object.hasOwn(LOOKS, outcome) ? LOOKS[outcome as Outcome].tone : 'quiet' // Just found among the keys.
}

export function OutcomeLabel({ outcome }: { outcome: Outcome }) {
  const { glyph, tone } = LOOKS[outcome]
  return (
    <Badge tone={tone} glyph={glyph}>
      {outcome}
    </Badge>
  )
}
