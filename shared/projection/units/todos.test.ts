import { describe, expect, it } from 'vitest'
import { changesOf, starts, viewOf } from '../fixtures/unit-log.ts'
import { todos } from './todos.ts'

const item = (content: string, status = 'pending') => ({ content, status })
const write = (items: unknown) => ['todo/write', { items }] as const

describe('the task list', () => {
  it('is the one last written, whole', () => {
    expect(viewOf(todos, [])).toEqual([])
    expect(viewOf(todos, [write([item('a'), item('b')]), write([item('b', 'completed')])])).toEqual([
      item('b', 'completed'),
    ])
  })

  it('stays through turns, and goes on in a fork', () => {
    expect(viewOf(todos, [write([item('a')]), starts(2)], { seedLength: 1 })).toEqual([item('a')])
  })

  it('is kept when a new one cannot be read', () => {
    const log = [
      write([item('a')]),
      write('b'),
      write([{ content: 'b' }]),
      write([item('b', 'later')]),
    ] as const
    expect(viewOf(todos, log)).toEqual([item('a')])
    expect(changesOf(todos, log)).toEqual([0])
  })
})
