import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closeAfterEach } from './fixtures/cleanup.ts'
import {
  expectHeldBack,
  expectRecovered,
  expectWhole,
  openInMidTurn,
  walSize,
} from './fixtures/fault-bench.ts'
import { limitFileSize, noFileLimit } from './fixtures/file-limit.ts'
import { noAttributes, setImmutable } from './fixtures/immutable.ts'
import { noSyscallFaults, syscallFaults } from './fixtures/syscall-faults.ts'

/*
 * Writes that the system itself refuses: by a limit on the size of files (`EFBIG`; no rights needed), by files made
 * immutable while they are open (`EPERM`: a file system with open files cannot be mounted read-only), by an I/O
 * error of the disk (`EIO`, put into the calls of this very process by strace), and calls that hang in the system.
 */

const atEnd = closeAfterEach()

async function midTurn() {
  const bench = await openInMidTurn()
  atEnd(bench.close)
  return bench
}

describe.skipIf(noFileLimit !== null)(`a limit on the size of files (${noFileLimit ?? 'prlimit'})`, () => {
  it('holds a turn back in its middle, and costs nothing once it is gone', async () => {
    const bench = await midTurn()
    atEnd(() => limitFileSize('unlimited'))

    limitFileSize(walSize(bench.one.dataFolder))
    const since = performance.now()
    bench.answer()
    await expectHeldBack(bench, since, /^The disk refuses to be written to: .* Check the disk/)
    limitFileSize('unlimited')
    await expectRecovered(bench)

    const second = await bench.one.restart()
    atEnd(second.dispose)
    await expectWhole(second, bench.root)
  })
})

describe.skipIf(noAttributes !== null)(
  `files that may not be written any more (${noAttributes ?? 'chattr'})`,
  () => {
    it('hold a turn back in its middle, and cost nothing when they may again', async () => {
      const bench = await midTurn()
      const files = ['espalier.db', 'espalier.db-wal'].map(name => join(bench.one.dataFolder, name))
      atEnd(() => setImmutable(files, false))

      setImmutable(files, true)
      const since = performance.now()
      bench.answer()
      await expectHeldBack(bench, since, /^The disk refuses to be written to/)
      setImmutable(files, false)
      await expectRecovered(bench)
    })
  },
)

describe.skipIf(noSyscallFaults !== null)(`a disk that fails (${noSyscallFaults ?? 'strace'})`, () => {
  it.each([
    ['cannot write', 'pwrite64'],
    ['cannot make durable what was written', 'fsync'],
  ])('and %s holds a turn back, and costs nothing when it works again', async (_what, call) => {
    const bench = await midTurn()
    const faults = await syscallFaults(`${call}:error=EIO`)
    atEnd(faults.end)

    const since = performance.now()
    bench.answer()
    await expectHeldBack(bench, since, /^The disk refuses to be written to/)
    await faults.end()
    await expectRecovered(bench)

    const second = await bench.one.restart()
    atEnd(second.dispose)
    await expectWhole(second, bench.root)
  })
})

describe.skipIf(noSyscallFaults !== null)(`a disk that hangs (${noSyscallFaults ?? 'strace'})`, () => {
  it('is told of within two seconds, holds the turn back, and costs nothing when it goes on', async () => {
    const bench = await midTurn()
    const faults = await syscallFaults('fsync:delay_enter=4000000:when=1')
    atEnd(faults.end)

    const since = performance.now()
    bench.answer()
    await expectHeldBack(bench, since, /^Saving takes unusually long: .* busy or disconnected/)
    await expectRecovered(bench)
  })

  it('does not keep a person from stopping the turn', async () => {
    const bench = await midTurn()
    const { messaging, activations } = bench.one.workbench
    const faults = await syscallFaults('fsync:delay_enter=3500000:when=1')
    atEnd(faults.end)
    bench.answer()
    await bench.within(5000, () => bench.window.told.length === 1)

    const asked = performance.now()
    await messaging.interrupt(bench.root)
    await bench.within(1500, () => activations.get(bench.root)?.agent.log.openTurn.isOpen === false)
    expect(performance.now() - asked).toBeLessThan(1500)

    await bench.within(8000, () => bench.window.texts().at(-1) === null)
    expect(await bench.one.outcome(bench.root)).toMatchObject({ kind: 'cancelled' })
  })
})
