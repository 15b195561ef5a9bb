import { describe, expect, it } from 'vitest'
import { changesOf, queues, viewOf } from '../fixtures/unit-log.ts'
import { inbox } from './inbox.ts'

const claims = (...messageIds: string[]) => ['inbox/claimed', { messageIds }] as const
const cancels = (...messageIds: string[]) => ['inbox/cancelled', { messageIds, by: 'person' }] as const
const ids = (...log: Parameters<typeof viewOf>[1]) =>
  (viewOf(inbox, log) as { messageId: string }[]).map(({ messageId }) => messageId)

describe('an inbox', () => {
  it('holds what was queued and neither read nor taken back, in its order', () => {
    expect(ids(queues('a'), queues('b'), queues('c'), claims('a'), queues('d'), cancels('c'))).toEqual([
      'b',
      'd',
    ])
  })

  it('shows the text, where it came from and whether it steers', () => {
    expect(viewOf(inbox, [queues('a', 'Stop there')])).toEqual([
      { messageId: 'a', mode: 'queue', source: { kind: 'person' }, text: 'Stop there' },
    ])
  })

  it('keeps the whole message in its state, so that a cold one can be delivered', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'AA==' }
    const queued = { messageId: 'a', mode: 'steer', source: { kind: 'parent' }, content: [image] }
    expect(viewOf(inbox, [['inbox/queued', queued]])).toMatchObject([{ text: '' }])
  })

  it('is not inherited: a fork does not answer its parent’s messages', () => {
    expect(viewOf(inbox, [queues('a')], { seedLength: 1 })).toEqual([])
  })

  it('is not changed by a claim of what it does not hold, or by what it cannot read', () => {
    const log = [
      queues('a'),
      claims('b'),
      ['inbox/queued', { messageId: 'c' }],
      ['inbox/claimed', null],
    ] as const
    expect(changesOf(inbox, log)).toEqual([0])
  })
})
