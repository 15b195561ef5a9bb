import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLive, type TestLive, titled } from './fixtures/live-store.ts'
import { untilSaved } from './until-saved.ts'

/* The barrier before a model request and before a tool's body (contracts §2; the study's §8.13.19). */

let bench: TestLive
beforeEach(async () => {
  bench = await openLive()
})
afterEach(() => bench.close())

const never = new AbortController().signal

describe('waiting until everything is saved', () => {
  it('is over when all that was said before is durable', async () => {
    const session = await bench.create('s')
    session.append(titled('x'))
    await untilSaved(bench.live, never)
    expect(session.savedSeq).toBe(1)
    expect(await bench.stored('s')).toHaveLength(1)
  })

  it('lasts while saving fails, and ends once it works again', async () => {
    const session = await bench.create('s')
    let tries = 0
    bench.hand.append = batches => {
      tries += 1
      return tries < 3 ? Promise.reject(new Error('the disk is full')) : bench.persistence.append(batches)
    }
    session.append(titled('x'))

    await untilSaved(bench.live, never)

    expect(tries).toBe(3)
    expect(session.savedSeq).toBe(1)
    expect(bench.troubles).toEqual(['unknown', null])
  })

  it('ends at an abort, saved or not: the caller looks at its signal', async () => {
    const session = await bench.create('s')
    const aborting = new AbortController()
    bench.hand.append = () => {
      setTimeout(() => aborting.abort(), 20)
      return Promise.reject(new Error('the disk is full'))
    }
    session.append(titled('x'))

    await untilSaved(bench.live, aborting.signal)

    expect(aborting.signal.aborted).toBe(true)
    expect(session.savedSeq).toBe(0)
  })

  it('ends at an abort also while a write neither fails nor ends', async () => {
    const session = await bench.create('s')
    const aborting = new AbortController()
    const disk = Promise.withResolvers<void>()
    bench.hand.append = async batches => {
      setTimeout(() => aborting.abort(), 20)
      await disk.promise
      return bench.persistence.append(batches)
    }
    session.append(titled('x'))

    await untilSaved(bench.live, aborting.signal)

    expect(session.savedSeq).toBe(0)
    disk.resolve()
    await bench.live.flush()
    expect(session.savedSeq).toBe(1)
  })

  it('does not begin when it is aborted already', async () => {
    const session = await bench.create('s')
    session.append(titled('x'))
    await untilSaved(bench.live, AbortSignal.abort())
    expect(bench.batches).toHaveLength(0)
  })
})
