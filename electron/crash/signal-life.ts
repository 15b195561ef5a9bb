import { join } from 'node:path'
import process from 'node:process'
import { silentLog } from '../log.ts'
import { createScriptedModel } from '../model/scripted-model.ts'
import { takeLock } from '../store/lock.ts'
import { delegatesOnce, isChild } from '../tree-fixture.ts'
import { endOnSignal } from '../web/end-on-signal.ts'
import { openTestWorkbench } from '../workbench-fixture.ts'

/**
 * A workbench in the middle of things, that ends as the browser shell does when it is told to: `node signal-life.ts
 * <folder>`. One root streams, one waits for a child that streams, one runs a command. Prints the ids of the
 * sessions once all are at it.
 */
const [at = ''] = process.argv.slice(2)
if (takeLock(join(at, 'data')).kind !== 'taken') throw new Error('somebody else holds the lock')
const lecture = { text: 'The posts stand in concrete. '.repeat(4000) }
const model = createScriptedModel(
  request => {
    if (isChild(request) || request.lastUserText === 'Stream') return lecture
    if (request.lastUserText === 'Run') return { calls: [{ name: 'shell', input: { command: 'sleep 100' } }] }
    return delegatesOnce({ mode: 'continuable', background: false })(request)
  },
  { paceMs: 2 },
)
const bench = await openTestWorkbench({ model, at })
const { activations, live } = bench.workbench
endOnSignal(() => bench.workbench.close(), silentLog)
for (const text of ['Stream', 'Run', 'Delegate']) await bench.send(await bench.root(), text)
const isAtIt = () => {
  const streaming = activations
    .list()
    .filter(({ agent }) => (agent.liveMessage?.pieces()[0]?.text.length ?? 0) > 100)
  const calls = live.list().flatMap(({ tail }) => tail.filter(({ type }) => type === 'tool/call'))
  return streaming.length === 2 && calls.length === 2
}
await bench.until(isAtIt)
process.stdout.write('at it\n')
