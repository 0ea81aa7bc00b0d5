import { useLayoutEffect, useRef, type KeyboardEvent } from 'react'
import css from './cell-menu.module.css'

export interface MenuItem {
  label: string
  /** The key that does the same in the list. */
  hint: string | null
  act: () => void
}

interface Props {
  /** Where it opens, in the window. */
  at: { x: number; y: number }
  /** What it is about. */
  label: string
  items: MenuItem[]
  onClose: () => void
}

const EDGE = 8

export function CellMenu({ at, label, items, onClose }: Props) {
  const menu = useRef<HTMLDivElement>(null)

  useLayoutEffect(() => {
    const element = menu.current
    if (element === null) return
    element.showPopover()
    const { width, height } = element.getBoundingClientRect()
    element.style.setProperty('left', `${Math.max(EDGE, Math.min(at.x, window.innerWidth - width - EDGE))}px`)
    element.style.setProperty('top', `${Math.max(EDGE, Math.min(at.y, window.innerHeight - height - EDGE))}px`)
    element.querySelector('button')?.focus()
  }, [at])

  function keyDown(event: KeyboardEvent): void {
    const buttons = [...(menu.current?.querySelectorAll('button') ?? [])]
    const focused = buttons.findIndex((button) => button === document.activeElement)
    const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    buttons[(focused + step + buttons.length) % buttons.length]?.focus()
  }

  return (
    <div
      ref={menu}
      popover="auto"
      role="menu"
      aria-label={label}
      className={css.menu}
      onKeyDown={keyDown}
      onToggle={({ newState }) => newState === 'closed' && onClose()}
    >
      {items.map(({ label: does, hint, act }) => (
        <button
          key={does}
          type="button"
          role="menuitem"
          onClick={() => {
            menu.current?.hidePopover()
            act()
          }}
        >
          <span>{does}</span>
          {hint !== null && <kbd>{hint}</kbd>}
        </button>
      ))}
    </div>
  )
}
