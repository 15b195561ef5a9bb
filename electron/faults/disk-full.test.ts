import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SessionId } from '#shared/session/ids.ts'
import { openTestWorkbench, type TestWorkbench } from '../workbench-fixture.ts'
import { closeAfterEach } from './fixtures/cleanup.ts'
import { expectHeldBack, expectRecovered, expectWhole, openInMidTurn } from './fixtures/fault-bench.ts'
import { mountSmallDisk, noSmallDisk, type SmallDisk } from './fixtures/small-disk.ts'

/* A real disk of 8 MiB that fills up. Where none can be mounted, `refused-writes.test.ts` stands in. */

const atEnd = closeAfterEach()

async function openOn(small: SmallDisk) {
  const bench = await openInMidTurn({ at: join(small.path, 'bench') })
  atEnd(bench.close)
  return bench
}

function mount(): SmallDisk {
  const small = mountSmallDisk(8)
  atEnd(small.unmount)
  return small
}

const title = (one: TestWorkbench, id: SessionId, text: string) =>
  one.workbench.live.get(id)?.append({ type: 'session/title', data: { title: text, source: 'person' } })

describe.skipIf(noSmallDisk !== null)(`a disk that is full (${noSmallDisk ?? 'a tmpfs'})`, () => {
  it('holds a turn back in its middle, and costs nothing once there is room', async () => {
    const small = mount()
    const bench = await openOn(small)

    small.fillUp()
    const since = performance.now()
    bench.answer()
    await expectHeldBack(bench, since, /^The disk is full: .* Nothing is lost .* Free some space/)
    small.free()
    await expectRecovered(bench)

    const second = await bench.one.restart()
    atEnd(second.dispose)
    await expectWhole(second, bench.root)
  })

  it('costs what was never said to be taken, and nothing else, when the process dies of it', async () => {
    const small = mount()
    const bench = await openOn(small)
    title(bench.one, bench.root, 'Saved')
    await bench.one.workbench.live.flush()
    const acknowledged = bench.one.workbench.live.get(bench.root)!.nextSeq

    small.fillUp()
    bench.answer()
    await bench.within(5000, () => bench.window.told.length === 1)
    await bench.one.workbench.store.close()
    small.free()
    const second = await bench.one.restart()
    atEnd(second.dispose)

    const log = await second.log(bench.root)
    expect(log.slice(0, acknowledged).map(({ seq }) => seq)).toEqual([...Array(acknowledged).keys()])
    expect(await second.workbench.store.persistence.check()).toEqual([])
    await second.prompt(bench.root, 'Go on')
    expect(await second.outcome(bench.root)).toMatchObject({ kind: 'completed' })
  })

  it('still lets everything be read', async () => {
    const small = mount()
    const bench = await openOn(small)
    small.fillUp()
    bench.answer()
    await bench.within(5000, () => bench.window.told.length === 1)

    const { persistence, checkpoints } = bench.one.workbench.store
    expect((await persistence.list({ kind: 'roots' })).sessions.map(({ header }) => header.id)).toEqual([
      bench.root,
    ])
    expect((await persistence.page(bench.root, { limit: 50 })).events.length).toBeGreaterThan(0)
    expect((await checkpoints.snapshot(bench.root)).values).toHaveProperty('outcome')
    small.free()
    await expectRecovered(bench)
  })

  it('refuses settings and new sessions in words, and changes neither', async () => {
    const small = mount()
    const one = await openTestWorkbench({
      model: (await openOn(small)).one.model,
      at: join(small.path, 'other'),
    })
    atEnd(one.dispose)
    const before = one.workbench.settings.get()
    small.fillUp()

    expect(() => one.workbench.settings.update({ theme: 'dark' })).toThrow(
      expect.objectContaining({ code: 'NOT_SAVED', message: expect.stringContaining('The disk is full.') }),
    )
    expect(one.workbench.settings.get()).toEqual(before)
    await expect(one.root()).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: 'The disk is full.',
    })
    small.free()
    await one.root()
  })
})
