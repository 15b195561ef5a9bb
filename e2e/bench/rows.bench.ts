import type { Frame } from '#shared/frames.ts'
import { measureBare } from '../../electron/bench/measure.ts'
import { createRows } from '../../renderer/features/sidebar/rows.ts'
import { childId, largeState, rootId } from '../../renderer/gallery/large-state.ts'
import { applyFrames } from '../../renderer/store/apply-frames.ts'
import type { State } from '../../renderer/store/state.ts'
const sizes = { roots: 5000, children: 50_000, widest: 10_000 }
const start = largeState(sizes)
let state: State = { ...start, expanded: new Set([rootId(0)]), fullGroups: new Set(['folder:/home/someone/folder-0']) }
const rowsOf = createRows()
let rows = rowsOf(state)
console.log(rows.length)
let seq = 1
const batch = (n: number, of = 0): Frame[] => Array.from({length: n}, (_, i) => ({kind:'projection', sessionId: childId(of + i * 7), key:'usage', value: {own:{input:1,output:2+seq,costUsd:0},inherited:{input:0,output:0,costUsd:0}}, seq: seq++}))
const out = (kind: string): Frame[] => [{kind:'activity', sessionId: childId(77), activity: 'running'},{kind:'projection', sessionId: childId(77), key:'outcome', value: {kind}, seq: seq++}]
const group = (kind: string): Frame[] => [{kind:'activity', sessionId: rootId(77), activity: 'running'},{kind:'projection', sessionId: rootId(77), key:'outcome', value: {kind}, seq: seq++}]
const t = (name: string, times: number, f: (i: number) => void) => { let i = 0; const all = measureBare(times, () => f(i++)).ms.toSorted((a,b)=>a-b); console.log(name, all[0]!.toFixed(3), all[all.length>>1]!.toFixed(3), all.at(-1)!.toFixed(3)) }
t('apply 50', 50, () => { state = applyFrames(state, batch(50)) })
t('apply 1', 50, () => { state = applyFrames(state, batch(1)) })
t('rows after 1', 30, () => { state = applyFrames(state, batch(1)); rows = rowsOf(state) })
t('rows after 50', 30, () => { state = applyFrames(state, batch(50)); rows = rowsOf(state) })
t('rows after second line', 30, i => { state = applyFrames(state, out(i % 2 ? 'running' : 'completed')); rows = rowsOf(state) })
t('rows after group change', 30, i => { state = applyFrames(state, group(i % 2 ? 'running' : 'completed')); rows = rowsOf(state) })
t('expand all first', 1, () => { state = {...state, expanded: new Set(state.summaries.keys()), fullGroups: new Set(Array.from({length:24},(_,i)=>`folder:/home/someone/folder-${i}`))}; rows = rowsOf(state); })
console.log(rows.length)
t('all rows after 1', 20, () => { state = applyFrames(state, batch(1)); rows = rowsOf(state) })
t('all rows after group change', 30, i => { state = applyFrames(state, group(i % 2 ? 'running' : 'completed')); rows = rowsOf(state) })
t('query', 10, (i) => { state = {...state, query: 'part 77'.slice(0, 1 + i)}; rowsOf(state) })
t('query then frame', 10, (i) => {  state = applyFrames(state, batch(1)); rows = rowsOf(state) })
t('filter', 1, (i) => { state = {...state, query: '', filter: 'failed'}; rowsOf(state) })
t('query again', 10, (i) => { state = {...state, filter: 'all', query: i % 2 ? 'part' : 'part 1'}; rowsOf(state) })
t('query few', 10, (i) => { state = {...state, query: i % 2 ? 'part 4321' : 'part 4322'}; rowsOf(state) })
