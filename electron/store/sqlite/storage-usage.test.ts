import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { log, sessionHeader, user } from '../fixtures/logs.ts'
import { openStore } from '../store-client.ts'
import { usageContract } from '../stored-usage.contract.ts'
import { type Sized, treesOf } from '../usage-trees.ts'

usageContract('sqlite', dataFolder => openStore({ dataFolder }))

const sized = (id: string, parent: string | null, facts: Partial<Sized> = {}): Sized => ({
  key: 1,
  id,
  parent,
  act: null,
  isGone: false,
  archived: 0,
  endSeq: 1,
  bytes: 1,
  ...facts,
})
const found = (all: readonly Sized[]) => {
  const summing = treesOf(all)
  let step = summing.next()
  while (step.done !== true) step = summing.next()
  return step.value.trees.map(({ root, sessions, bytes }) => [root.id, sessions, bytes])
}

test('a child whose parent is gone or in the trash is a tree of its own, and a circle is counted once', () => {
  expect(found([sized('orphan', 'nobody'), sized('below', 'orphan')])).toEqual([['orphan', 2, 2]])
  expect(found([sized('p', null, { act: 'p' }), sized('c', 'p', { bytes: 3 })])).toEqual([['c', 1, 3]])
  const circle = found([sized('a', 'c'), sized('b', 'a'), sized('c', 'b')])
  expect(circle.reduce((sum, [, sessions]) => sum + Number(sessions), 0)).toBe(3)
  expect(found([sized('gone', null, { isGone: true })])).toEqual([])
})

test('a chain of 20,000 children is one tree', () => {
  const chain = Array.from({ length: 20_000 }, (_, index) =>
    sized(`n${index}`, index === 0 ? null : `n${index - 1}`),
  )
  expect(found(chain.toReversed())).toEqual([['n0', 20_000, 20_000]])
})

test('appends go between the steps of a measuring', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-usage-'))
  const store = await openStore({ dataFolder: folder })
  const id = toSessionId('long')
  await store.persistence.create(
    sessionHeader('long'),
    log(Array.from({ length: 120_000 }, () => user('x'.repeat(200)))),
  )
  let steps = 0
  const measured = store.usage.measure(() => {
    steps += 1
  })
  const events = log([user('meanwhile')], 120_000)
  const appended = store.persistence.append([{ sessionId: id, expectedSeq: 120_000, events }])
  expect(await Promise.race([appended, measured])).toEqual(['written'])
  await measured
  expect(steps).toBeGreaterThan(1)
  await store.close()
  rmSync(folder, { recursive: true })
})
