import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitInto, placePrompt } from './placing.ts'

const display = { x: 0, y: 0, width: 1280, height: 800 }
const size = { width: 460, height: 420 }

test('the prompt goes to the right upper corner, unless the pointer is there', () => {
  expect(placePrompt({ x: 100, y: 700 }, display, size)).toEqual({ x: 796, y: 24 })
  expect(placePrompt({ x: 1000, y: 100 }, display, size)).toEqual({ x: 24, y: 24 })
})

test('on any display that has room for it, the prompt keeps clear of the pointer and inside the display', () => {
  const displays = fc.record({
    x: fc.integer({ min: -4000, max: 4000 }),
    y: fc.integer({ min: -2000, max: 2000 }),
    width: fc.integer({ min: 1200, max: 5000 }),
    height: fc.integer({ min: 600, max: 3000 }),
  })
  fc.assert(
    fc.property(displays, fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }), (area, right, down) => {
      const pointer = { x: area.x + right * area.width, y: area.y + down * area.height }
      const { x, y } = placePrompt(pointer, area, size)
      expect(x >= area.x && y >= area.y && x + size.width <= area.x + area.width && y + size.height <= area.y + area.height).toBe(true)
      const inside = pointer.x >= x && pointer.x <= x + size.width && pointer.y >= y && pointer.y <= y + size.height
      expect(inside).toBe(false)
    }),
  )
})

test('where there is no room to keep clear, it goes as far away as it can', () => {
  const small = { x: 0, y: 0, width: 600, height: 480 }
  expect(placePrompt({ x: 10, y: 10 }, small, size).x).toBeGreaterThan(100)
})

test('a remembered place is used only where its title bar can be reached', () => {
  const wanted = { x: 1400, y: 100, width: 900, height: 600 }
  expect(fitInto(wanted, [display])).toBe(null)
  expect(fitInto(wanted, [display, { x: 1280, y: 0, width: 1280, height: 800 }])).toEqual(wanted)
  expect(fitInto({ ...wanted, x: 100, y: -300 }, [display])).toBe(null)
})
