import { describe, expect, it } from 'vitest'
import type { HistoryPage } from '#shared/contract/session-shapes.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { applyFrames } from './apply-frames.ts'
import type { Client } from './client.ts'
import { createTranscriptLoader } from './load-transcripts.ts'
import { createWorkbenchStore } from './state.ts'

/* Pages of an open log. The study's §8.15, RT: single flight, trailing refresh, generation guards, gap repair. */

const S = toSessionId('s')
const event = (seq: number) => ({ seq, time: seq, type: 'turn/start', data: { turn: seq } })
const page = (endSeq: number, snapshot: HistoryPage['snapshot'] = null): HistoryPage => ({
  events: Array.from({ length: endSeq }, (_, seq) => event(seq)),
  nextBefore: null,
  endSeq,
  seedLength: 0,
  live: true,
  snapshot,
  damage: [],
})

/** Pages are answered by hand, in the order in which they were asked for. */
function begin() {
  const asked: PromiseWithResolvers<HistoryPage>[] = []
  const history = {
    page: () => {
      const answer = Promise.withResolvers<HistoryPage>()
      asked.push(answer)
      return answer.promise
    },
  }
  const store = createWorkbenchStore()
  const loader = createTranscriptLoader({ store, client: { history } as unknown as Client })
  const held = () => store.getState().transcripts.get(S)
  const settle = () => new Promise(resolve => setTimeout(resolve, 1))
  const told = (...frames: Parameters<typeof applyFrames>[1]) =>
    store.setState(state => applyFrames(state, frames), true)
  return { store, loader, asked, held, settle, told }
}

const events = (...seqs: number[]) => ({ kind: 'events', sessionId: S, events: seqs.map(event) })

describe('a transcript that is opened', () => {
  it('is loading until its page is here, never empty, and joins what came meanwhile', async () => {
    const { loader, asked, held, settle, told } = begin()
    void loader.open(S)
    expect(held()).toMatchObject({ status: { kind: 'loading' } })
    told(events(3), events(4))
    expect(held()).toMatchObject({ status: { kind: 'loading' }, events: [] })

    asked[0]?.resolve(page(3))
    await settle()
    expect(held()).toMatchObject({ status: { kind: 'ready' }, endSeq: 5, behind: null })
    expect(asked).toHaveLength(1)
  })

  it('has something to show when opening it is over, however often that is asked for', async () => {
    const { loader, asked, held } = begin()
    const twice = Promise.all([loader.open(S), loader.open(S)])
    asked[0]?.resolve(page(4))
    await twice
    expect(asked).toHaveLength(1)
    expect(held()?.status.kind).toBe('ready')
    await loader.open(S)
    expect(asked).toHaveLength(1)
  })

  it('is read once however often that is asked for, and once more for those who asked meanwhile', async () => {
    const { loader, asked, settle } = begin()
    void loader.open(S)
    for (let time = 0; time < 5; time += 1) void loader.reload(S)
    expect(asked).toHaveLength(1)
    asked[0]?.resolve(page(3))
    await settle()
    expect(asked).toHaveLength(2)
    asked[1]?.resolve(page(3))
    await settle()
    expect(asked).toHaveLength(2)
  })

  it('is read again when the page is older than what the host told of meanwhile, and not for ever', async () => {
    const { loader, asked, held, settle, told } = begin()
    void loader.open(S)
    told({ kind: 'behind', sessionId: S, fromSeq: 2, endSeq: 8 })
    asked[0]?.resolve(page(4))
    await settle()
    expect(asked).toHaveLength(2)
    loader.catchUp()
    expect(asked).toHaveLength(2)
    asked[1]?.resolve(page(8))
    await settle()
    expect(held()).toMatchObject({ endSeq: 8, behind: null })

    told({ kind: 'behind', sessionId: S, fromSeq: 8, endSeq: 99 })
    loader.catchUp()
    asked[2]?.resolve(page(8))
    await settle()
    expect(asked).toHaveLength(3)
  })

  it('takes no page that was asked for under an earlier subscription, but reads anew', async () => {
    const { store, loader, asked, held, settle } = begin()
    void loader.open(S)
    store.setState(({ epoch }) => ({ epoch: epoch + 1 }))
    loader.reloadAll()
    asked[0]?.resolve(page(9, { asOfSeq: 8, values: { title: 'lost' }, faults: [] }))
    await settle()
    expect(held()?.status.kind).toBe('loading')
    expect(store.getState().live.has(S)).toBe(false)
    asked[1]?.resolve(page(2, { asOfSeq: 1, values: { title: 'kept' }, faults: [] }))
    await settle()
    expect(asked).toHaveLength(2)
    expect(held()).toMatchObject({ endSeq: 2 })
    expect(store.getState().live.get(S)?.cells.get('title')?.value).toBe('kept')
  })

  it('says when it cannot be read, keeps what it has when only a refresh fails, and can be tried again', async () => {
    const { loader, asked, held, settle } = begin()
    void loader.open(S)
    asked[0]?.reject(new Error('no'))
    await settle()
    expect(held()).toMatchObject({ status: { kind: 'failed', failure: { detail: 'no' } } })
    void loader.open(S)
    expect(held()?.status.kind).toBe('loading')
    asked[1]?.resolve(page(3))
    await settle()
    void loader.reload(S)
    asked[2]?.reject(new Error('again'))
    await settle()
    expect(held()).toMatchObject({ status: { kind: 'ready' }, endSeq: 3 })
  })

  it('is let go with the visits of long ago, and what still comes for it changes nothing', async () => {
    const { store, loader, asked, settle } = begin()
    void loader.open(S)
    for (let number = 0; number < 6; number += 1) void loader.open(toSessionId(`other-${number}`))
    asked[0]?.resolve(page(3))
    await settle()
    expect(store.getState().transcripts.has(S)).toBe(false)
    expect(store.getState().transcripts.size).toBe(6)
  })
})
