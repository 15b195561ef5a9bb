import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { oneShot, openCatalog, PARENT, type TestCatalog, turn } from './fixtures/catalog-fixture.ts'
import { listChildren } from './list-children.ts'

/*
 * Units that break. Numbers are those of the study's §8.1. On purpose different: 23 and 24, such a unit is quarantined
 * by key and costs no other its value; the row is corrupt all the same.
 */

let catalog: TestCatalog
beforeEach(async () => {
  catalog = await openCatalog({ hostile: true })
})
afterEach(() => catalog.close())

const children = () => listChildren(catalog.deps, PARENT)

describe('a unit that breaks', () => {
  it.each([
    ['when it is looked at', 'x/poison', 'lazy'],
    ['when it folds, without a view', 'x/bomb', 'eager'],
  ])('%s makes only that cold child corrupt (8.1.23)', async (_, type, unit) => {
    await catalog.cold('a', [oneShot(), [type, null]])
    await catalog.cold('b', [oneShot('Healthy')])

    expect(await listChildren(catalog.deps, PARENT, { with: ['detail'] })).toMatchObject([
      { kind: 'diagnostic', id: 'a', reason: 'corrupt', detail: { cause: 'unit-fault', unit } },
      { kind: 'child', id: 'b', label: 'Healthy' },
    ])
  })

  it.each([
    ['when it is looked at', 'x/poison', 'lazy'],
    ['when it folds, without a view', 'x/bomb', 'eager'],
  ])('%s makes a running child corrupt, not absent (8.1.24)', async (_, type, unit) => {
    await catalog.running('a', [oneShot(), [type, null]])
    await catalog.running('nameless', [[type, null]])
    await catalog.running('b', [oneShot('Healthy')])

    expect(await listChildren(catalog.deps, PARENT, { with: ['detail'] })).toMatchObject([
      { kind: 'diagnostic', id: 'a', reason: 'corrupt', detail: { cause: 'unit-fault', unit } },
      { kind: 'child', id: 'b', activity: 'running', label: 'Healthy' },
      { kind: 'diagnostic', id: 'nameless', reason: 'corrupt', detail: { cause: 'unit-fault', unit } },
    ])
  })

  it.each(['x/poison', 'x/bomb'])('on %s is found through a checkpoint as well', async type => {
    const session = await catalog.running('a', [oneShot(), ...turn, [type, null]])
    await catalog.live.dispose(session)
    await catalog.policy.settle()

    expect(await children()).toEqual([{ kind: 'diagnostic', id: 'a', reason: 'corrupt' }])
    expect(catalog.reads).toMatchObject({ checkpoints: 1, logs: ['a'] })
  })
})
