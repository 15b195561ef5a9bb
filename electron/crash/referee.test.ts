import { appendFile, cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createScriptedModel } from '../model/scripted-model.ts'
import { databaseFile } from '../store/data-folder.ts'
import { openStore } from '../store/store-client.ts'
import { openTestWorkbench } from '../workbench-fixture.ts'
import type { KillPlan } from './kill-plan.ts'
import { Killer } from './killer.ts'
import { Referee } from './referee.ts'
import { direction, EFFECTS_FILE, play } from './scenes.ts'
import type { Statement } from './testimony.ts'
import { FAULTS, type Fault, Verdict } from './verdict.ts'
import { witnessed } from './witnessed-store.ts'

/* The referee is only worth something if it sees what is wrong: one life without a death, and then it is tampered with. */

vi.setConfig({ testTimeout: 60_000 })

const plan: KillPlan = { seed: 1, life: 1, when: { kind: 'facts', count: 1_000_000 } }
const statements: Statement[] = []
let at = ''
beforeAll(async () => {
  at = await mkdtemp(join(tmpdir(), 'espalier-referee-'))
  await mkdir(join(at, 'original'))
  let minted = 0
  const mint = () => `m1c${++minted}`
  const say = (statement: Statement) => void statements.push(statement)
  const killer = new Killer(plan, say)
  const bench = await openTestWorkbench({
    model: createScriptedModel(request => play(request, mint), { newId: () => `call-${mint()}` }),
    at: join(at, 'original'),
    openStore: async options => witnessed(await openStore(options), killer, say),
  })
  const root = await bench.root()
  await bench.prompt(root, direction(mint(), 'shell'))
  await bench.prompt(root, direction(mint(), 'continuable'))
  await bench.workbench.close()
}, 60_000)
afterAll(() => rm(at, { recursive: true, force: true }))

/** @returns what the referee finds in a copy that was tampered with. */
async function found(
  tamper: (folder: string) => void | Promise<void>,
  when: 'judge' | 'judgeFinally' = 'judge',
) {
  const copy = await mkdtemp(join(at, 'copy-'))
  await cp(join(at, 'original'), copy, { recursive: true })
  await tamper(copy)
  const verdict = new Verdict()
  const referee = new Referee(copy, verdict)
  referee.hear({ plan, statements, at: 'outside' })
  await referee[when]()
  return { verdict, faults: FAULTS.filter(fault => verdict.of(fault) > 0) }
}

const edit = (statement: string) => (folder: string) => {
  const db = new Database(databaseFile(join(folder, 'data')))
  db.exec(statement)
  db.close()
}
const ofRoot = 'session_key = (SELECT key FROM session WHERE origin IS NULL)'
const addEvent = (key: string, type: string, data: string) => `
  INSERT INTO event (session_key, seq, time, type, data) SELECT key, end_seq, 0, ${type}, ${data} FROM session WHERE key = ${key};
  UPDATE session SET end_seq = end_seq + 1 WHERE key = ${key};`

it('finds nothing where nothing is wrong', async () => {
  const { verdict, faults } = await found(() => {}, 'judgeFinally')

  expect([...faults, ...verdict.problems]).toEqual([])
  expect(verdict.of('acknowledged')).toBeGreaterThan(50)
  expect(verdict.of('settled')).toBe(1)
  expect(verdict.of('resumed')).toBe(2)
})

it.each<[Fault, string]>([
  [
    'lost',
    `DELETE FROM event WHERE ${ofRoot} AND seq = (SELECT MAX(seq) FROM event WHERE ${ofRoot});
     UPDATE session SET end_seq = end_seq - 1 WHERE origin IS NULL`,
  ],
  ['altered', `UPDATE event SET time = time + 1 WHERE ${ofRoot} AND seq = 3`],
  ['holes', `DELETE FROM event WHERE ${ofRoot} AND seq = 3`],
  ['unloadable', `UPDATE event SET data = '{"turn":' WHERE ${ofRoot} AND seq = 3`],
  ['misstated', `UPDATE event SET type = 'session/title' WHERE ${ofRoot} AND type = 'tool/result'`],
  ['checkpointsAhead', `UPDATE checkpoint_row SET seq = 10000 WHERE key = 'title'`],
  [
    'foldsApart',
    `UPDATE checkpoint_row SET state = '[{"content":"x","status":"pending"}]' WHERE key = 'todos'`,
  ],
])('sees what is %s', async (fault, statement) => {
  expect((await found(edit(statement))).faults).toContain(fault)
})

it('sees an effect that happened twice, and one that nobody declared', async () => {
  const { faults, verdict } = await found(async folder => {
    const effects = join(folder, 'project', EFFECTS_FILE)
    await appendFile(effects, 'm9c9\nm9c9\n')
  })

  expect(faults).toEqual(['ranTwice', 'undeclared'])
  expect(verdict.problems).toHaveLength(2)
})

it('sees a call that is said to have run, and has not', async () => {
  const { faults } = await found(folder => rm(join(folder, 'project', EFFECTS_FILE)))

  expect(faults).toEqual(['misstated'])
})

it('sees the end of a child that is told twice, and a second identity', async () => {
  const child = `(SELECT key FROM session WHERE origin = 'subagent' AND parent_session IN (SELECT id FROM session WHERE origin IS NULL))`
  const told = `json_object('childId', (SELECT id FROM session WHERE key = ${child}), 'label', 'x', 'outcome', 'completed', 'text', '',
    'childSeq', (SELECT MAX(seq) FROM event WHERE session_key = ${child} AND type = 'turn/end'))`
  const { faults } = await found(
    edit(
      addEvent('(SELECT key FROM session WHERE origin IS NULL)', "'subagent/settled'", told) +
        addEvent(
          child,
          "'subagent/descriptor'",
          `(SELECT data FROM event WHERE session_key = ${child} AND type = 'subagent/descriptor')`,
        ),
    ),
    'judgeFinally',
  )

  expect(faults).toContain('settlements')
  expect(faults).toContain('identities')
})
