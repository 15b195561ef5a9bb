import { join } from 'node:path'
import process from 'node:process'
import { createRandom } from '../corpus/random.ts'
import { createScriptedModel } from '../model/scripted-model.ts'
import { takeLock } from '../store/lock.ts'
import { openStore } from '../store/store-client.ts'
import { openTestWorkbench } from '../workbench-fixture.ts'
import { decodePlan } from './kill-plan.ts'
import { Killer } from './killer.ts'
import { actForever } from './person.ts'
import { markerOf, play } from './scenes.ts'
import { say } from './testimony.ts'
import { witnessed } from './witnessed-store.ts'

/**
 * One life of the real workbench, with a scripted model and a scripted person: `node crash-life.ts <folder> <plan>`.
 * Works on what earlier lives left in the folder, says what it promises, and ends as the plan says, or from outside.
 */
const [at = '', planText = ''] = process.argv.slice(2)
const plan = decodePlan(planText)
const random = createRandom(plan.seed)
const killer = new Killer(plan, say)
let minted = 0
const mint = () => `m${plan.life}c${++minted}`

if (takeLock(join(at, 'data')).kind !== 'taken') throw new Error('somebody else holds the lock')
const model = createScriptedModel(
  request => {
    const marker = markerOf(request.lastUserText)
    if (marker !== null) say({ kind: 'asked', marker })
    return play(request, mint)
  },
  { newId: () => `call-${mint()}`, paceMs: 1 },
)
const { workbench, folder } = await openTestWorkbench({
  model,
  at,
  openStore: async options => witnessed(await openStore(options), killer, say),
})
workbench.live.onEvent((session, event) => killer.observe(session, event))
process.on('unhandledRejection', error => say({ kind: 'fault', what: `nobody handled ${String(error)}` }))
say({ kind: 'ready' })
await actForever({ workbench, folder, plan, random, mint, say })
