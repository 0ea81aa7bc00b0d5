import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { offsetShowing, placeAt, ROW, scrolled, trackHeight, visible, type Place } from './windowing.ts'

const LONG = { rows: 1_000_000, view: 480 }
const SHORT = { rows: 500, view: 480 }

describe('a list', () => {
  test('that is short scrolls as any other', () => {
    expect(trackHeight(SHORT)).toBe(500 * ROW)
    expect(scrolled(SHORT, { offset: 0, scrollTop: 0 }, 9_000)).toEqual({ offset: 9_000, scrollTop: 9_000 })
    expect(placeAt(SHORT, 123)).toEqual({ offset: 123, scrollTop: 123 })
  })

  test('that fits has nothing to scroll', () => {
    expect(trackHeight({ rows: 3, view: 480 })).toBe(480)
    expect(placeAt({ rows: 3, view: 480 }, 50)).toEqual({ offset: 0, scrollTop: 0 })
    expect(visible({ rows: 3, view: 480 }, 0)).toEqual({ first: 0, end: 3, shift: 0 })
    expect(visible({ rows: 0, view: 480 }, 0)).toEqual({ first: 0, end: 0, shift: 0 })
  })

  test('of a million rows moves pixel by pixel under the wheel', () => {
    const middle = placeAt(LONG, 16_000_000)
    expect(scrolled(LONG, middle, middle.scrollTop + 100).offset).toBe(16_000_100)
  })

  test('of a million rows goes by proportion under a pull', () => {
    const end = trackHeight(LONG) - LONG.view
    expect(scrolled(LONG, { offset: 0, scrollTop: 0 }, end).offset).toBe(1_000_000 * ROW - LONG.view)
    expect(scrolled(LONG, { offset: 0, scrollTop: 0 }, end / 2).offset).toBeCloseTo((1_000_000 * ROW - LONG.view) / 2)
  })

  test('has the same place for the same offset, whichever way it came there', () => {
    fc.assert(
      fc.property(fc.nat(2_000_000), fc.nat(32_000_000), (rows, offset) => {
        const track = { rows, view: 480 }
        const place = placeAt(track, offset)
        expect(place.offset).toBeLessThanOrEqual(Math.max(0, rows * ROW - 480))
        expect(place.scrollTop).toBeLessThanOrEqual(trackHeight(track) - 480)
        expect(scrolled(track, place, place.scrollTop).offset).toBeCloseTo(place.offset, 3)
      }),
    )
  })

  test('can be left with the wheel at any place, up and down, to either end', () => {
    for (const step of [-90, 90]) {
      let place: Place = placeAt(LONG, step < 0 ? 5_000 : 1_000_000 * ROW - 5_000)
      for (let n = 0; n < 100; n++) place = scrolled(LONG, place, Math.min(Math.max(0, place.scrollTop + step), trackHeight(LONG) - 480))
      expect(place.offset).toBe(step < 0 ? 0 : 1_000_000 * ROW - LONG.view)
    }
  })

  test('shows every row that is even partly in view, and no other', () => {
    expect(visible(LONG, 16)).toEqual({ first: 0, end: 16, shift: 16 })
    fc.assert(
      fc.property(fc.nat(31_999_000), (offset) => {
        const { first, end, shift } = visible(LONG, offset)
        expect(first * ROW + shift).toBe(offset)
        expect(shift).toBeLessThan(ROW)
        expect((end - 1) * ROW).toBeLessThan(offset + LONG.view)
        expect(end * ROW).toBeGreaterThanOrEqual(Math.min(offset + LONG.view, LONG.rows * ROW))
      }),
    )
  })

  test('moves no further than it must to show a row', () => {
    expect(offsetShowing(LONG, 100, 0)).toBe(0)
    expect(offsetShowing(LONG, 0, 5)).toBe(0)
    expect(offsetShowing(LONG, 0, 20)).toBe(21 * ROW - 480)
  })
})
