import { describe, expect, it } from 'vitest'
import { changesOf, type Logged, person, viewOf } from '../fixtures/unit-log.ts'
import { title } from './title.ts'

const named = (name: unknown): Logged => ['session/title', { title: name, source: 'person' }]

describe('a title', () => {
  it('is none before anything was said', () => {
    expect(viewOf(title, [])).toBeNull()
  })

  it('is the last one given', () => {
    expect(viewOf(title, [person('Hello'), named('One'), named('Two')])).toBe('Two')
  })

  it('is else the beginning of the first message, in one line', () => {
    expect(viewOf(title, [person('Fix\n the   parser'), person('Another')])).toBe('Fix the parser')
  })

  it('is at most 90 characters, and whole characters', () => {
    const cut = viewOf(title, [person(`${'x'.repeat(88)}🪴 and more`)])
    expect(cut).toBe(`${'x'.repeat(88)}…`)
  })

  it('is not taken from the context, nor from a message without text', () => {
    const context: Logged = [
      'user/message',
      { id: 'c', source: { kind: 'context' }, content: [{ type: 'text', text: 'Rules' }] },
    ]
    expect(viewOf(title, [context, ['user/message', { content: [{ type: 'image' }] }], person('Real')])).toBe(
      'Real',
    )
  })

  it('is not inherited', () => {
    expect(viewOf(title, [person('Parent'), named('Parent'), person('Own')], { seedLength: 2 })).toBe('Own')
  })

  it('is kept when a new one cannot be read', () => {
    expect(viewOf(title, [named('Kept'), named(7), named(null)])).toBe('Kept')
    expect(changesOf(title, [named('Kept'), named(7)])).toEqual([0])
  })
})
