import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { StoredEvent } from '#shared/session/events.ts'
import { createScriptedModel, type ScriptedAnswer } from '../model/scripted-model.ts'
import { openTestWorkbench, type TestWorkbench } from '../workbench-fixture.ts'

const open: TestWorkbench[] = []
afterEach(async () => {
  for (const bench of open.splice(0)) await bench.dispose()
})

async function bench(script: readonly ScriptedAnswer[]) {
  const made = await openTestWorkbench({ model: createScriptedModel(script) })
  open.push(made)
  return made
}

const types = (events: readonly StoredEvent[]) => events.map(({ type }) => type)

describe('agent loop', () => {
  it('logs a turn from its message to its end, in order', async () => {
    const { prompt, root, log } = await bench(['Hello.'])
    const id = await root()

    await prompt(id, 'Hi')

    expect(types(await log(id))).toEqual([
      'approval/policy',
      'model/changed',
      'inbox/queued',
      'turn/start',
      'inbox/claimed',
      'user/message',
      'request/header',
      'step/start',
      'assistant/message',
      'step/end',
      'turn/end',
    ])
  })

  it('runs a tool on the real folder and gives its result to the model', async () => {
    const { prompt, root, log, folder, model } = await bench([
      { calls: [{ name: 'read', input: { path: 'a.txt' } }] },
      'Read it.',
    ])
    await writeFile(join(folder, 'a.txt'), 'forty-two')
    const id = await root()

    await prompt(id, 'Read a.txt')

    const result = (await log(id)).find(({ type }) => type === 'tool/result')
    expect(JSON.stringify(result?.data)).toContain('forty-two')
    expect(JSON.stringify(model.requests[1]?.prompt)).toContain('forty-two')
  })

  it('gives the model a result for an unknown tool and for bad input', async () => {
    const { prompt, root, log } = await bench([
      {
        calls: [
          { name: 'fly', input: {} },
          { name: 'read', input: { path: 7 } },
        ],
      },
      'I see.',
    ])
    const id = await root()

    await prompt(id, 'Fly')

    const codes = (await log(id)).flatMap(({ type, data }) =>
      type === 'tool/result' ? [(data as { code?: string }).code] : [],
    )
    expect(codes).toEqual(['UNKNOWN_TOOL', 'BAD_INPUT'])
  })
})
