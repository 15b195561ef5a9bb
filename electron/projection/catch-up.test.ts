import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { finishedTurn, log, sessionHeader } from '../store/fixtures/logs.ts'
import { openStore, type Store } from '../store/store-client.ts'
import { catchUpCheckpoints } from './catch-up.ts'

let at: string
let store: Store | null = null
beforeEach(async () => {
  at = await mkdtemp(join(tmpdir(), 'espalier-catch-up-'))
})
afterEach(async () => {
  await store?.close()
  await rm(at, { recursive: true })
})

async function start(unitsModule?: string) {
  await store?.close()
  store = await openStore({ dataFolder: at, ...(unitsModule !== undefined && { unitsModule }) })
  const { checkpoints, persistence } = store
  return {
    persistence,
    checkpoints,
    catchUp: async () => {
      const failures: unknown[] = []
      await catchUpCheckpoints(checkpoints, new AbortController().signal, error => failures.push(error))
      await expect.poll(() => checkpoints.behind()).toEqual([])
      expect(failures).toEqual([])
    },
  }
}

const S = toSessionId('s')

it('gives a log without a checkpoint one, and leaves the log as it is', async () => {
  const { persistence, checkpoints, catchUp } = await start()
  await persistence.create(sessionHeader('s'), log(finishedTurn))
  const before = await persistence.readFrom(S, 0, 1000)

  await catchUp()

  const [values] = await checkpoints.read([S], ['outcome', 'turns'])
  expect(values?.values).toMatchObject({ outcome: { kind: 'completed' }, turns: { own: 1 } })
  expect(await persistence.readFrom(S, 0, 1000)).toEqual(before)
})

it('folds anew what another version of a unit left behind', async () => {
  const first = await start()
  await first.persistence.create(sessionHeader('s'), log(finishedTurn))
  await first.catchUp()
  const module = join(at, 'units.mjs')
  const shared = new URL('../../shared/projection/units.ts', import.meta.url).href
  await writeFile(
    module,
    `import { UNITS as all } from ${JSON.stringify(shared)}
     export const UNITS = all.map(unit => unit.key === 'outcome' ? { ...unit, stateVersion: 99 } : unit)`,
  )

  const second = await start(pathToFileURL(module).href)
  expect((await second.checkpoints.read([S], ['outcome']))[0]?.values).toEqual({})
  await second.catchUp()

  expect((await second.checkpoints.read([S], ['outcome']))[0]?.values).toEqual({
    outcome: { kind: 'completed' },
  })
})

it('passes over a session that is gone by then', async () => {
  const { persistence, checkpoints } = await start()
  await persistence.create(sessionHeader('s'), log(finishedTurn))
  await persistence.create(sessionHeader('gone'), log(finishedTurn))
  await persistence.trash(toSessionId('gone'))

  await checkpoints.catchUp([toSessionId('gone'), S, toSessionId('nobody')])

  expect(await checkpoints.read([S], ['turns'])).toMatchObject([{ values: { turns: { own: 1 } } }])
})
