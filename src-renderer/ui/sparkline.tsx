import { useId } from 'react'
import css from './sparkline.module.css'

const WIDTH = 7
const GAP = 2
const HEIGHT = 18

const weekday = new Intl.DateTimeFormat('en', { weekday: 'short' })

/** A bar per day. The numbers are in its title, for eyes that want them and for those that cannot see bars. */
export function Sparkline({ counts, days }: { counts: readonly number[]; days: readonly number[] }) {
  const id = useId()
  const most = Math.max(1, ...counts)
  const total = counts.reduce((sum, count) => sum + count, 0)
  const perDay = counts.map((count, index) => `${weekday.format(days[index] ?? 0)} ${count}`).join(', ')
  return (
    <svg className={css.bars} width={counts.length * (WIDTH + GAP) - GAP} height={HEIGHT} role="img" aria-labelledby={id}>
      <title id={id}>{total === 0 ? 'Not read in 7 days' : `Read ${total} ${total === 1 ? 'time' : 'times'} in 7 days: ${perDay}`}</title>
      {counts.map((count, index) => {
        const height = count === 0 ? 1 : Math.max(3, Math.round((count / most) * HEIGHT))
        return (
          <rect
            key={days[index] ?? index}
            className={count === 0 ? css.none : css.some}
            x={index * (WIDTH + GAP)}
            y={HEIGHT - height}
            width={WIDTH}
            height={height}
            rx={count === 0 ? 0 : 1.5}
          />
        )
      })}
    </svg>
  )
}
