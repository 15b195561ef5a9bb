import { describe, expect, it } from 'vitest'
import { drawChart, type Point } from './scaling-chart.ts'

const panel = (points: readonly Point[], name = 'measured') => ({
  title: 'Size',
  series: [{ name, isLimit: false, colour: 'a' as const, points }],
})

/** Where the dots are, in the order in which they are drawn. */
function dots(svg: string): { x: number; y: number }[] {
  return [...svg.matchAll(/cx="([^"]+)" cy="([^"]+)"/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }))
}

describe('the chart', () => {
  it('puts equal factors at equal distances on both axes', () => {
    const points = [10, 100, 1000].map(x => ({ x, y: x / 2 }))

    const [a, b, c] = dots(drawChart([panel(points)], 'ms'))

    expect((b?.x ?? 0) - (a?.x ?? 0)).toBeCloseTo((c?.x ?? 0) - (b?.x ?? 0), 0)
    expect((a?.y ?? 0) - (b?.y ?? 0)).toBeCloseTo((b?.y ?? 0) - (c?.y ?? 0), 0)
    expect(a?.x).toBeLessThan(b?.x ?? 0)
    expect(a?.y).toBeGreaterThan(b?.y ?? 0)
  })

  it('gives zero a place left of everything, and labels every power of ten', () => {
    const svg = drawChart([panel([100, 0].map(x => ({ x, y: 7 })))], 'ms')

    const [zero, hundred] = dots(svg)
    expect(zero?.x).toBeLessThan((hundred?.x ?? 0) - 30)
    for (const label of ['>0<', '>100<', '>1 ms<', '>10 ms<']) expect(svg).toContain(label)
  })

  it('is a picture without holes when there is a single point, or none', () => {
    for (const points of [[{ x: 10, y: 10 }], []]) {
      expect(drawChart([panel(points)], 'ms')).not.toMatch(/NaN|Infinity|undefined/)
    }
  })

  it('escapes what it is told to write', () => {
    expect(drawChart([panel([{ x: 1, y: 1 }], '<script>&')], 'ms')).toContain('&lt;script>&amp;')
  })
})
