import { afterEach, expect, test } from 'vitest'
import { mountSmallDisk, noSmallDisk, type SmallDisk } from '../../faults/fixtures/small-disk.ts'
import { type OpenLogs, openLogs, user } from './fixtures/search-logs.ts'

let disk: SmallDisk | null = null
let logs: OpenLogs | null = null
afterEach(() => {
  logs?.close()
  disk?.unmount()
})

const words = (from: number) =>
  Array.from({ length: 300 }, (_, at) =>
    user(`needle ${Array.from({ length: 40 }, (_, n) => `w${from + at}x${n}`).join(' ')}`),
  )

test.skipIf(noSmallDisk !== null)(
  `a full disk pauses the index, and nothing is lost (${noSmallDisk ?? 'tmpfs'})`,
  () => {
    disk = mountSmallDisk(24)
    logs = openLogs(disk.path)
    logs.create('s', words(0))
    logs.build()
    logs.append('s', words(1000))
    disk.fillUp()

    for (let steps = 0; steps < 200 && logs.index.step() === 0; steps += 1);
    const paused = logs.index.status()
    const found = logs.find('needle')
    const wait = logs.index.step()
    disk.free()
    logs.reopen()
    logs.build()

    expect(paused).toMatchObject({ problem: expect.stringMatching(/cannot be written/) })
    expect(found).toHaveLength(300)
    expect(wait).toBeGreaterThan(1000)
    expect(logs.notes).toHaveLength(1)
    expect(logs.find('needle')).toHaveLength(600)
  },
)
