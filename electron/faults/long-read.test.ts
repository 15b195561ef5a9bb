import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { openStore } from '../store/store-client.ts'
import { BIG, writeBigLog } from './fixtures/big-log.ts'

test('appends pass while a long log is read, in their order, and checkpoints do not hold them up', async () => {
  const dataFolder = join(mkdtempSync(join(tmpdir(), 'espalier-long-')), 'data')
  mkdirSync(dataFolder)
  await writeBigLog(dataFolder, 16)
  const { persistence, checkpoints, close } = await openStore({ dataFolder })
  const small = toSessionId('small')
  const order: string[] = []
  const title = (seq: number) => ({
    seq,
    time: 0,
    type: 'session/title',
    data: { title: String(seq), source: 'person' },
  })

  const reading = persistence.inspectFolded(BIG).then(({ damage }) => {
    order.push('read')
    return damage
  })
  await new Promise(resolve => setTimeout(resolve, 5)) // it has begun
  const writes = [1, 2, 3].map(async seq => {
    const results = await persistence.append([{ sessionId: small, expectedSeq: seq, events: [title(seq)] }])
    order.push(`${seq} ${results[0]}`)
    await checkpoints.write([])
  })
  await Promise.all([...writes, reading])

  expect(order).toEqual(['1 written', '2 written', '3 written', 'read'])
  expect(await reading).toEqual([])
  expect((await persistence.readFrom(small, 0, 10)).map(({ seq }) => seq)).toEqual([0, 1, 2, 3])
  await close()
  rmSync(join(dataFolder, '..'), { recursive: true, force: true })
}, 60_000)
