import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { type SessionId, toSessionId } from '#shared/session/ids.ts'
import type { ScriptedRequest } from '../../model/scripted-model.ts'
import { delegate, isChild, openTestTree, type Play } from '../../tree-fixture.ts'
import type { TestWorkbench } from '../../workbench-fixture.ts'
import { transcriptOf } from './fixtures/transcript.ts'

/*
 * What a parent's model is told of the agents it can start, word for word. Whoever changes a sentence that models read
 * changes these files, and looks at them.
 */

const TOOLS = ['delegate', 'send_message', 'list_agents', 'interrupt_agent']
const open: TestWorkbench[] = []
afterEach(async () => {
  for (const bench of open.splice(0)) await bench.dispose()
})

async function bench(parts: { root: Play; child: Play }) {
  let ids = 0
  const newSessionId = (): SessionId => toSessionId(`session-${++ids}`)
  const one = await openTestTree(parts, { newSessionId })
  open.push(one)
  return one
}

const calls = (name: string, input: object) => ({ calls: [{ name, input }] })
const answered = ({ prompt }: ScriptedRequest) => prompt.at(-1)?.role === 'tool'

function lastOfRoot({ model }: TestWorkbench): ScriptedRequest {
  const request = model.requests.findLast(candidate => !isChild(candidate))
  if (request === undefined) throw new Error('the root asked nothing')
  return request
}

describe('what the model of a parent reads', () => {
  it('of a background agent that settles, and is then listed as complete', async () => {
    const one = await bench({
      root: request => {
        if (answered(request)) return 'Noted.'
        if (request.lastUserText === 'Begin.') return delegate({ mode: 'continuable' })
        return request.lastUserText === 'Who is there?' ? calls('list_agents', {}) : 'So it is done.'
      },
      child: () => 'The parser is sound.',
    })
    const root = await one.root()
    await one.prompt(root, 'Begin.')
    await one.prompt(root, 'Who is there?')

    await expect(transcriptOf(lastOfRoot(one), TOOLS)).toMatchFileSnapshot(
      'fixtures/background-delegation.txt',
    )
  })

  it('of an agent whose record is damaged: a diagnostic, and no way to send to it', async () => {
    const before = await bench({
      root: request => {
        if (answered(request)) return 'Noted.'
        if (request.lastUserText === 'Begin.') return delegate({ mode: 'continuable' })
        if (request.lastUserText === 'Who is there?') return calls('list_agents', {})
        if (request.lastUserText === 'Ask it.')
          return calls('send_message', { agent_id: 'session-2', message: 'Are you there?' })
        return 'So it is done.'
      },
      child: () => 'The parser is sound.',
    })
    const root = await before.root()
    await before.prompt(root, 'Begin.')
    await before.workbench.close()
    const db = new Database(join(before.dataFolder, 'espalier.db'))
    db.exec(`
      UPDATE event SET data = '{"version":2,"mode":"continuable"}' WHERE type = 'subagent/descriptor';
      DELETE FROM checkpoint; DELETE FROM checkpoint_row;
    `)
    db.close()
    const after = await before.restart()
    open.push(after)
    await after.prompt(root, 'Who is there?')
    await after.prompt(root, 'Ask it.')

    await expect(transcriptOf(lastOfRoot(after), TOOLS)).toMatchFileSnapshot('fixtures/damaged-agent.txt')
  })
})
