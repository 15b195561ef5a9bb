import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { textContent } from '#shared/session/content.ts'
import { eventsOf } from '../tree-fixture.ts'
import { closeAfterEach } from './fixtures/cleanup.ts'
import {
  expectHeldBack,
  expectRecovered,
  expectWhole,
  openInMidTurn,
  pause,
  within,
} from './fixtures/fault-bench.ts'
import { lockFromOutside } from './fixtures/lock-holder.ts'

/*
 * A second process holds `BEGIN EXCLUSIVE` on the session database (P78). Every second of it is like the one
 * before: three of them here, thirty in the nightly run (`ESPALIER_LOCK_SECONDS=30`).
 */

const SECONDS = Number(process.env['ESPALIER_LOCK_SECONDS'] ?? 3)
const atEnd = closeAfterEach()

async function lockedInMidTurn() {
  const bench = await openInMidTurn()
  atEnd(bench.close)
  const holder = await lockFromOutside(join(bench.one.dataFolder, 'espalier.db'))
  atEnd(holder.end)
  return { bench, holder }
}

describe('a session database that another program has locked', () => {
  it(
    'holds a turn back with a warning; the turn goes on by itself and completes (P78)',
    async () => {
      const { bench, holder } = await lockedInMidTurn()

      const since = performance.now()
      bench.answer()
      await expectHeldBack(bench, since, /^Another program has locked the session database: .* by itself/)
      await pause(Math.max(0, SECONDS * 1000 - (performance.now() - since)))
      await holder.end()

      await expectRecovered(bench)
      const second = await bench.one.restart()
      atEnd(second.dispose)
      await expectWhole(second, bench.root)
    },
    (SECONDS + 20) * 1000,
  )

  it('can still be read meanwhile, without waiting for it', async () => {
    const { bench, holder } = await lockedInMidTurn()
    bench.answer()
    await within(5000, () => bench.window.told.length === 1)

    const asked = performance.now()
    const page = await bench.one.workbench.store.persistence.page(bench.root, { limit: 50 })
    expect(page.events.length).toBeGreaterThan(0)
    expect(performance.now() - asked).toBeLessThan(1500)
    await holder.end()
    await expectRecovered(bench)
  })

  it('for ever: the turn can be stopped, messages are refused in words, and closing says what is not saved', async () => {
    const { bench, holder } = await lockedInMidTurn()
    const { messaging, activations, live } = bench.one.workbench
    await live.flush().catch(() => undefined)
    const acknowledged = live.get(bench.root)!.savedSeq
    bench.answer()
    await within(5000, () => bench.window.told.length === 1)

    await expect(bench.one.send(bench.root, 'More')).rejects.toMatchObject({
      code: 'NOT_SAVED',
      message: expect.stringContaining('not taken'),
    })
    await messaging.interrupt(bench.root)
    await within(2000, () => activations.get(bench.root)?.agent.isRunning === false)
    await expect(bench.one.workbench.close()).rejects.toMatchObject({
      code: 'NOT_SAVED',
      message: expect.stringMatching(/^Another program has locked/),
    })

    await holder.end()
    const second = await bench.one.restart()
    atEnd(second.dispose)
    const log = await second.log(bench.root)
    expect(log.length).toBeGreaterThanOrEqual(acknowledged)
    expect(eventsOf(log, 'user/message').map(({ data }) => data.content)).toEqual([textContent('Go')])
    expect(await second.workbench.store.persistence.check()).toEqual([])
  })

  it('by a program that is stopped in its middle is the same: the system keeps its lock', async () => {
    const { bench, holder } = await lockedInMidTurn()
    holder.process.kill('SIGSTOP')
    const since = performance.now()
    bench.answer()
    await expectHeldBack(bench, since, /^Another program has locked/)
    await holder.end()
    await expectRecovered(bench)
  })
})
