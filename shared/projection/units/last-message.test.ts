import { describe, expect, it } from 'vitest'
import { answers, calls, changesOf, person, viewOf } from '../fixtures/unit-log.ts'
import { lastMessage } from './last-message.ts'

describe('the last message', () => {
  it('is the latest one with text, of either side, with its place and time', () => {
    expect(viewOf(lastMessage, [])).toBeNull()
    expect(viewOf(lastMessage, [person('Hello'), answers('Hi')])).toEqual({
      seq: 1,
      time: 2000,
      author: 'assistant',
      excerpt: 'Hi',
    })
  })

  it('is one line of at most 240 characters, and whole characters', () => {
    const { excerpt } = viewOf(lastMessage, [person(`a\n\n  b ${'🪴'.repeat(200)}`)]) as { excerpt: string }
    expect(excerpt.startsWith('a b 🪴')).toBe(true)
    expect(excerpt).toHaveLength(240)
    expect(excerpt.isWellFormed()).toBe(true)
  })

  it('passes over messages without text: calls, thoughts, images, blanks', () => {
    const thought = answers('x', { content: [{ type: 'reasoning', text: 'hm' }] })
    const blank = answers('y', { content: [{ type: 'text', text: ' \n ' }] })
    expect(changesOf(lastMessage, [person('Hello'), thought, blank, calls('c')])).toEqual([0])
  })

  it('passes over what was only put into the context', () => {
    const context = { id: 'c', source: { kind: 'context' }, content: [{ type: 'text', text: 'Rules' }] }
    expect(viewOf(lastMessage, [['user/message', context]])).toBeNull()
  })

  it('takes the first readable block of a message that is half nonsense', () => {
    const content = [null, 7, { type: 'text' }, { type: 'text', text: 'There' }]
    expect(viewOf(lastMessage, [answers('x', { content })])).toMatchObject({ excerpt: 'There' })
  })
})
