// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createPaintPace } from './paint-pace.ts'

/* jsdom paints every 16 ms, as long as anybody asks. */

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const isThere = async (promise: Promise<void>, ms: number) => {
  let there = false
  void promise.then(() => {
    there = true
  })
  await vi.advanceTimersByTimeAsync(ms)
  return there
}

it('lets the first update through at once, and the next one when that was painted', async () => {
  const paint = createPaintPace()
  expect(await isThere(paint(), 0)).toBe(true)
  const second = paint()
  expect(await isThere(second, 1)).toBe(false)
  expect(await isThere(second, 20)).toBe(true)
})

it('waits for a window that does not paint no longer than 50 ms, and for a hidden one not at all', async () => {
  vi.spyOn(globalThis, 'requestAnimationFrame').mockReturnValue(0)
  const paint = createPaintPace()
  await paint()
  const second = paint()
  expect(await isThere(second, 40)).toBe(false)
  expect(await isThere(second, 10)).toBe(true)

  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  await vi.advanceTimersByTimeAsync(50)
  await paint()
  expect(await isThere(paint(), 0)).toBe(true)
})
