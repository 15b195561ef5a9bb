import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { Background } from './background.ts'

let background: Background
let steps: number[] = []
let isFree = true
let wait = Number.POSITIVE_INFINITY

function start(): void {
  steps = []
  isFree = true
  wait = Number.POSITIVE_INFINITY
  const step = () => {
    steps.push(performance.now())
    return wait
  }
  background = new Background({ step }, () => isFree, 500)
}
afterEach(() => background.close())

describe('background work', () => {
  it('begins by itself a while after the start, and then when it is told to', async () => {
    start()
    background.rest()
    await setTimeout(100)
    const early = steps.length
    await setTimeout(700)
    const begun = steps.length
    background.within(0)
    background.rest()
    await setTimeout(50)

    expect([early, begun, steps.length]).toEqual([0, 1, 2])
  })

  it('takes no step while a request waits', async () => {
    start()
    isFree = false
    background.within(0)
    background.rest()
    await setTimeout(100)
    const busy = steps.length
    isFree = true
    await setTimeout(50)

    expect([busy, steps.length]).toEqual([0, 1])
  })

  it('gets its turn however many requests come, and leaves them the rest', async () => {
    start()
    wait = 0
    background.within(0)
    const end = performance.now() + 1000
    while (performance.now() < end) {
      background.answered()
      background.rest()
      await setTimeout(4)
    }

    expect(steps.length).toBeGreaterThanOrEqual(2)
    expect(steps.length).toBeLessThanOrEqual(60)
  })

  it('takes no step once it is closed', async () => {
    start()
    background.within(0)
    background.rest()
    background.close()
    background.rest()
    await setTimeout(50)

    expect(steps).toEqual([])
  })
})
