import { describe, expect, it } from 'vitest'
import {
  folderName,
  formatAgo,
  formatCost,
  formatDuration,
  formatTokens,
  plural,
  shortPath,
} from './format.ts'

describe('numbers of a row', () => {
  it.each([
    [-5, '0s'],
    [59_999, '59s'],
    [60_000, '1m 00s'],
    [1_450_000, '24m 10s'],
    [4_080_000, '1h 08m'],
    [90_000_000, '1d 1h'],
  ])('write %i ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

  it.each([
    [30_000, 'now'],
    [660_000, '11m'],
    [7_200_000, '2h'],
    [3 * 86_400_000, '3d'],
    [40 * 86_400_000, '5w'],
  ])('write %i ms ago as %s', (ms, text) => expect(formatAgo(0, ms)).toBe(text))

  it.each([
    [940, '940'],
    [6200, '6k'],
    [142_300, '142k'],
    [999_499, '999k'],
    [999_900, '1.0M'],
    [12_400_000, '12M'],
  ])('write %i tokens as %s', (count, text) => expect(formatTokens(count)).toBe(text))

  it.each([
    [0, '$0.00'],
    [0.001, '<$0.01'],
    [0.24, '$0.24'],
    [140.4, '$140'],
  ])('write %f dollars as %s', (usd, text) => expect(formatCost(usd)).toBe(text))

  it('write counts with their noun', () => {
    expect(plural(1, 'child', 'children')).toBe('1 child')
    expect(plural(1000, 'agent')).toBe('1,000 agents')
  })
})

describe('paths', () => {
  it('are named by their last part, of either slash', () => {
    expect(folderName('/home/ada/code/quill/')).toBe('quill')
    expect(folderName('C:\\work\\quill')).toBe('quill')
  })

  it('are shortened at the home folder only', () => {
    expect(shortPath('/home/ada/code', '/home/ada')).toBe('~/code')
    expect(shortPath('/home/adam/code', '/home/ada')).toBe('/home/adam/code')
  })
})
