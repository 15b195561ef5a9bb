import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { WorkbenchError } from '#shared/errors.ts'
import type { NewEvent } from '#shared/session/events.ts'
import { IMPORTED_PRESET, type SessionHeader } from '#shared/session/header.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { createScriptedModel } from './model/scripted-model.ts'
import { delegate, delegatesOnce, eventsOf, onlyChild, openTestTree, writes } from './tree-fixture.ts'
import { openTestWorkbench, type TestWorkbench } from './workbench-fixture.ts'

const made: TestWorkbench[] = []
afterEach(async () => {
  for (const bench of made.splice(0)) await bench.dispose()
})

async function bench() {
  const one = await openTestTree({
    root: delegatesOnce({ mode: 'continuable' }),
    child: ({ lastUserText }) => `Heard ${lastUserText}`,
  })
  made.push(one)
  const root = await one.root()
  await one.prompt(root, 'Go')
  const { id } = await onlyChild(one, root)
  await one.until(() => one.workbench.activations.get(id) === undefined)
  return { one, root, id }
}

/** Ends the workbench, lets `sql` loose on its database, and opens it again. */
async function tamper(one: TestWorkbench, sql: string) {
  await one.workbench.close()
  const db = new Database(join(one.dataFolder, 'espalier.db'))
  db.exec(sql)
  db.close()
  const again = await one.restart()
  made.push(again)
  return again
}

const keyOf = (id: string) => `(SELECT key FROM session WHERE id = '${id}')`

describe('resuming a session', () => {
  it('whose record is torn at its end goes on with what is readable, and keeps the rest aside', async () => {
    const { one, id } = await bench()
    const log = await one.log(id)
    const last = log.length - 1
    const again = await tamper(
      one,
      `UPDATE event SET data = '{"torn' WHERE session_key = ${keyOf(id)} AND seq = ${last}`,
    )

    await again.prompt(id, 'Still there?')

    const after = await again.log(id)
    expect(after.slice(0, last)).toEqual(log.slice(0, last))
    expect(eventsOf(after, 'turn/end').map(({ data }) => data.reason.kind)).toEqual([
      'interrupted',
      'completed',
    ])
  })

  it('with a hole in its record is refused in words, and its record is left as it is', async () => {
    const { one, root, id } = await bench()
    const again = await tamper(one, `DELETE FROM event WHERE session_key = ${keyOf(id)} AND seq = 5`)
    const before = await again.log(id)

    await expect(again.send(id, 'Still there?')).rejects.toMatchObject({
      code: 'SESSION_DAMAGED',
      message: expect.stringContaining('not resumed'),
    })

    expect(await again.log(id)).toEqual(before)
    expect(again.workbench.activations.get(id)).toBeUndefined()
    await again.prompt(root, 'And you?')
    expect(await again.outcome(root)).toMatchObject({ kind: expect.stringMatching(/completed|waiting/) })
  })

  it('from a newer Espalier is refused in words; its history can be read', async () => {
    const { one, root, id } = await bench()
    const again = await tamper(one, 'PRAGMA user_version = 9999')

    const { sessions } = await again.workbench.overview.list(false)
    const page = await again.workbench.history.page(id, { limit: 100 })
    await again.workbench.sample.playAtFirstStart()

    expect(sessions.map(({ header }) => header.id)).toEqual([root])
    expect(JSON.stringify(page.events)).toContain('Heard Audit it.')
    for (const session of [root, id]) {
      await expect(again.send(session, 'More')).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
    }
    await expect(again.root()).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
    await expect(again.workbench.actions.rename(root, 'New')).rejects.toMatchObject({
      code: 'STORE_READ_ONLY',
    })
  })

  it('that was imported is refused in words; it can be continued as a new one', async () => {
    const { one } = await bench()
    const { live } = one.workbench
    const id = toSessionId('imported')
    const header: SessionHeader = {
      version: 1,
      id,
      createdAt: 1,
      cwd: one.folder,
      preset: IMPORTED_PRESET,
    }
    const own: NewEvent[] = [
      { type: 'user/message', data: { id: 'm', source: { kind: 'person' }, content: [] } },
    ]
    await live.dispose(await live.create(header, own))

    await expect(one.send(id, 'More')).rejects.toMatchObject({ code: 'SESSION_READ_ONLY' })
    await expect(one.workbench.actions.rename(id, 'Mine')).rejects.toMatchObject({
      code: 'SESSION_READ_ONLY',
    })
    expect(await one.workbench.messaging.stopTree(id)).toBe(0)
    const fork = await one.workbench.actions.fork(id)

    expect(await one.log(id)).toHaveLength(1)
    expect((await one.log(fork))[0]?.type).toBe('user/message')
  })
})

describe('a child that waits for an answer and cannot be resumed', () => {
  it('keeps nobody from stopping the rest, nor from putting the tree into the trash', async () => {
    const one = await openTestTree({ root: delegatesOnce({ mode: 'continuable' }), child: writes })
    made.push(one)
    const root = await one.root('ask')
    await one.send(root, 'Go')
    await one.until(async () => (await one.workbench.approvals.open()).length === 1)
    const { id } = await onlyChild(one, root)
    const again = await tamper(
      one,
      `UPDATE event SET type = 'future/fact' WHERE session_key = ${keyOf(id)} AND seq = 5`,
    )

    await expect(again.workbench.messaging.stopTree(root)).rejects.toMatchObject({ code: 'SESSION_DAMAGED' })
    expect(await again.workbench.actions.trash(root)).toBe(2)

    expect((await again.workbench.overview.list(false)).sessions).toEqual([])
    await again.workbench.actions.restore(root)
    expect((await again.workbench.overview.list(false)).sessions).toHaveLength(1)
  })
})

describe('a session whose model cannot be used', () => {
  for (const code of ['MODEL_UNKNOWN', 'MODEL_KEY_MISSING'] as const) {
    it(`refuses messages with ${code}, takes another model, and goes on (also when resident)`, async () => {
      const model = createScriptedModel(({ lastUserText }) => `Heard ${lastUserText}`)
      let broken = false
      const one = await openTestWorkbench({
        model,
        requireRoute: ({ model: name }) => {
          if (broken && name === 'rehearsal')
            throw new WorkbenchError(code, 'It is not there. Choose another.')
        },
      })
      made.push(one)
      const root = await one.root()
      await one.prompt(root, 'First')
      broken = true

      await expect(one.send(root, 'Second')).rejects.toMatchObject({ code })
      await one.workbench.live.flush()
      const again = await one.restart()
      made.push(again)
      await expect(again.send(root, 'Third')).rejects.toMatchObject({ code })
      await again.workbench.actions.setModel(root, { provider: 'rehearsal', model: 'other' })
      await again.prompt(root, 'Fourth')

      expect(await again.outcome(root)).toEqual({ kind: 'completed' })
      const texts = JSON.stringify(
        eventsOf(await again.log(root), 'user/message').map(({ data }) => data.content),
      )
      expect(texts).not.toMatch(/Second|Third/)
    })
  }

  it('ends a turn with code and sentence when it is lost in the middle', async () => {
    const model = createScriptedModel([{ calls: [{ name: 'todo', input: { items: [] } }] }, 'Hello.'])
    let broken = false
    const one = await openTestWorkbench({
      model,
      requireRoute: () => {
        if (broken) throw new WorkbenchError('MODEL_KEY_MISSING', 'Acme needs a key.')
      },
    })
    made.push(one)
    const root = await one.root()
    const stop = one.workbench.live.onEvent((_, { type }) => {
      if (type === 'tool/result') broken = true
    })

    await one.prompt(root, 'Go')
    expect(await one.outcome(root)).toMatchObject({
      kind: 'failed',
      code: 'MODEL_KEY_MISSING',
      message: 'Acme needs a key.',
    })
    stop()
    broken = false
    await one.prompt(root, 'Again')

    expect(await one.outcome(root)).toEqual({ kind: 'completed' })
  })
})

describe('an answer for the session', () => {
  it('holds in the whole tree, also in children that start after a restart', async () => {
    const shell = { calls: [{ name: 'shell', input: { command: 'echo hi' } }] }
    const one = await openTestTree({
      root: ({ prompt, lastUserText }) => {
        if (prompt.at(-1)?.role === 'tool') return 'Ran.'
        return lastUserText === 'Go' ? shell : delegate({})
      },
      child: ({ prompt }) => (prompt.at(-1)?.role === 'tool' ? 'Ran too.' : shell),
    })
    made.push(one)
    const root = await one.root('ask')
    await one.send(root, 'Go')
    await one.until(async () => (await one.workbench.approvals.open()).length === 1)
    const [pending] = await one.workbench.approvals.open()
    await one.workbench.approvals.decide(root, pending!.approval.approvalId, {
      kind: 'allow',
      scope: 'session',
    })
    await one.until(async () => (await one.outcome(root))?.kind === 'completed')
    const again = await one.restart()
    made.push(again)

    await again.prompt(root, 'Delegate it')

    const { id } = await onlyChild(again, root)
    expect(eventsOf(await again.log(id), 'approval/asked')).toEqual([])
    expect(eventsOf(await again.log(id), 'tool/result')).toMatchObject([{ data: { status: 'ok' } }])
  })
})
