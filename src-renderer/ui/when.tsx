import { absolute, ago } from './time.ts'

/** A time gone by, in words; the exact one on hover. */
export function When({ wall, now }: { wall: number; now: number }) {
  return (
    <time dateTime={new Date(wall).toISOString()} title={absolute(wall)}>
      {ago(wall, now)}
    </time>
  )
}
