import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { textOf } from '#shared/session/content.ts'
import type { SessionId } from '#shared/session/ids.ts'
import { createScriptedModel, type ScriptedStep } from '../model/scripted-model.ts'
import { eventsOf } from '../tree-fixture.ts'
import { openTestWorkbench, type TestWorkbench } from '../workbench-fixture.ts'

/*
 * Two processes on one data folder. The lock keeps the second out (lock.test.ts, browser-shell.test.ts); here it does
 * not hold, and a real second process writes all the same. The cases are those of the complaints P57, P64, P65 and P66.
 */

const rivalScript = fileURLToPath(new URL('./rival.ts', import.meta.url))
const made: TestWorkbench[] = []
afterEach(async () => {
  for (const bench of made.splice(0)) await bench.dispose()
})

async function bench(answer: () => ScriptedStep | string = () => 'Hello.') {
  const one = await openTestWorkbench({ model: createScriptedModel(answer) })
  made.push(one)
  return one
}

/** @returns what the store told the other process of its append. */
async function rival({ dataFolder }: TestWorkbench, id: SessionId, seq?: number): Promise<string> {
  const args = [rivalScript, dataFolder, id, ...(seq === undefined ? [] : [String(seq)])]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return stdout.trim()
}

async function again(one: TestWorkbench) {
  const opened = await one.restart()
  made.push(opened)
  return opened
}

async function said(one: TestWorkbench, id: SessionId): Promise<string[]> {
  return eventsOf(await one.log(id), 'user/message').map(({ data }) => textOf(data.content))
}

describe('a second process', () => {
  it('that would write at an earlier place, or past the end, is refused, and the log stays as it is (P57)', async () => {
    const one = await bench()
    const root = await one.root()
    await one.prompt(root, 'First')
    const before = await one.log(root)

    const results = [await rival(one, root, 3), await rival(one, root, before.length + 5)]

    expect(results).toEqual(['conflict', 'conflict'])
    expect(await one.log(root)).toEqual(before)
  })

  it('that went on with the log wins: what is said here is not taken, and the person is told (P64)', async () => {
    const one = await bench()
    const root = await one.root()
    await one.prompt(root, 'First')
    expect(await rival(one, root)).toBe('written')

    const saying = one.send(root, 'From here')

    await expect(saying).rejects.toMatchObject({
      code: 'SEQ_CONFLICT',
      message: expect.stringContaining('not taken'),
    })
    await one.until(() => one.workbench.activations.get(root) === undefined)
    expect(await said(one, root)).toEqual(['First', 'From elsewhere'])
    expect(one.model.requests).toHaveLength(1)
    await one.prompt(root, 'From here, again')
    expect(await said(one, root)).toEqual(['First', 'From elsewhere', 'From here, again'])
  })

  it('that went on while a turn runs here ends that turn here, and neither log is mixed (P64)', async () => {
    const one = await bench(() => ({ text: 'So far', stall: true }))
    const root = await one.root()
    await one.send(root, 'First')
    await one.until(() => one.model.requests.length === 1)
    expect(await rival(one, root)).toBe('written')
    const theirs = await one.log(root)

    await one.workbench.messaging.interrupt(root)
    await one.until(() => one.workbench.activations.get(root) === undefined)

    expect(await one.log(root)).toEqual(theirs)
    expect(theirs.map(({ seq }) => seq)).toEqual(theirs.map((_, index) => index))
  })

  it('is still there after this one idled, took a note and ended (P65, P66)', async () => {
    const one = await bench()
    const root = await one.root()
    await one.prompt(root, 'First')
    expect(await rival(one, root)).toBe('written')
    const theirs = await one.log(root)

    const naming = one.workbench.actions.rename(root, 'My name for it')
    await expect(naming).rejects.toMatchObject({ code: 'SEQ_CONFLICT' })
    await one.workbench.close()
    const second = await again(one)

    expect(await second.log(root)).toEqual(theirs)
    expect(await second.outcome(root)).toEqual({ kind: 'completed' })
    await second.prompt(root, 'Second')
    expect(await said(second, root)).toEqual(['First', 'From elsewhere', 'Second'])
  })

  it('leaves nothing of this one behind when this one ends without having said a word since (P66)', async () => {
    const one = await bench()
    const root = await one.root()
    await one.prompt(root, 'First')
    expect(await rival(one, root)).toBe('written')
    const theirs = await one.log(root)

    await one.workbench.close()
    const second = await again(one)

    expect(await second.log(root)).toEqual(theirs)
    const { values } = await second.workbench.store.checkpoints.snapshot(root)
    const { snapshot } = await second.workbench.store.persistence.inspectFolded(root)
    expect(values).toEqual(snapshot.values)
  })
})
