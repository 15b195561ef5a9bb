import { describe, expect, it } from 'vitest'
import { asRecord, type JsonValue } from '../json-fields.ts'
import { chat, dataOf, only } from './fixtures/read.ts'

describe('branches', () => {
  const fork = () =>
    chat()
      .user('First')
      .says('m1', 'One')
      .user('Old wording')
      .says('m2', 'Old answer')
      .user('New wording', { parentUuid: 'assistant-1' })
      .says('m3', 'New answer')

  it('show the one with the latest message and keep the other as raw lines', () => {
    const root = only(fork())
    expect(
      dataOf(root, 'user/message').map(({ content }) => asRecord(content[0] as JsonValue)?.['text']),
    ).toEqual(['First', 'New wording'])
    expect(dataOf(root, 'import/raw').map(({ line }) => line)).toEqual([3, 4])
  })

  it('that parallel tool calls make are all shown', () => {
    const root = only(
      chat()
        .user('Go')
        .calls('m1', 't1', 'Read')
        .calls('m1', 't2', 'Read')
        .result('t1', 'one', {}, { parentUuid: 'assistant-1' })
        .result('t2', 'two', {}, { parentUuid: 'assistant-2' })
        .says('m2', 'Done'),
    )
    expect(dataOf(root, 'tool/result').map(({ callId, status }) => [callId, status])).toEqual([
      ['t1', 'ok'],
      ['t2', 'ok'],
    ])
    expect(dataOf(root, 'import/raw')).toEqual([])
    expect(dataOf(root, 'assistant/message')).toHaveLength(2)
  })

  it('survive a line that is written twice, a missing parent and a circle', () => {
    const doubled = chat().user('Go').says('m1', 'Yes')
    doubled.records.push(doubled.records[1]!)
    expect(dataOf(only(doubled), 'assistant/message')).toHaveLength(1)
    const lost = only(chat().user('Go', { parentUuid: 'nowhere' }).says('m1', 'Yes'))
    expect(dataOf(lost, 'user/message')).toHaveLength(1)
    const circle = only(chat().user('Go', { parentUuid: 'assistant-1' }).says('m1', 'Yes'))
    expect(dataOf(circle, 'user/message')).toHaveLength(1)
    expect(dataOf(circle, 'assistant/message')).toHaveLength(1)
  })

  it('never hide two lines that only share a uuid', () => {
    const root = only(
      chat().user('Go', { uuid: 'x' }).says('m1', 'Yes').user('More', { uuid: 'x' }).says('m2', 'Ok'),
    )
    const ids = dataOf(root, 'user/message').map(({ id }) => id)
    expect(new Set(ids).size).toBe(2)
  })

  it('put no line before its parent', () => {
    const late = chat().user('Go').says('m1', 'Yes').user('More').says('m2', 'Ok')
    const [a, b, c, d] = late.records
    late.records.splice(0, 4, a!, d!, c!, b!)
    expect(dataOf(only(late), 'assistant/message').map(({ id }) => id)).toEqual(['m1', 'm2'])
  })
})
