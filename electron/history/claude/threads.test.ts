import { describe, expect, it } from 'vitest'
import { Fold } from '#shared/projection/fold.ts'
import { UNITS } from '#shared/projection/units.ts'
import { parseDescriptor } from '#shared/subagent/descriptor.ts'
import { asRecord, type JsonValue } from '../json-fields.ts'
import { agent, SESSION, session, TranscriptBuilder } from './fixtures/lines.ts'
import { chat, dataOf, endsOf, read } from './fixtures/read.ts'

describe('agents', () => {
  const side = { isSidechain: true }
  const task = (id: string, prompt: string) => ({
    type: 'tool_use',
    id,
    name: 'Task',
    input: { description: `Do ${prompt}`, prompt },
  })
  const agentFile = (prompt: string) => new TranscriptBuilder(side).user(prompt).says('a1', 'Found it')

  it('inside the main file are told apart by their prompts', () => {
    const builder = chat()
      .user('Go')
      .assistant('m1', [task('t1', 'alpha'), task('t2', 'beta')])
    const last = 'assistant-1'
    builder
      .user('beta', { ...side, parentUuid: null })
      .assistant('b1', [{ type: 'text', text: 'B' }], {}, side)
    builder
      .user('alpha', { ...side, parentUuid: null })
      .assistant('a1', [{ type: 'text', text: 'A' }], {}, side)
    builder
      .result('t1', 'A', {}, { parentUuid: last })
      .result('t2', 'B', {}, { parentUuid: last })
      .says('m2', 'Both')
    const [root, beta, alpha, ...rest] = read(session(builder))
    expect(rest).toEqual([])
    expect(dataOf(root!, 'tool/call').map(({ callId, childId }) => [callId, childId])).toEqual([
      ['t1', alpha?.header.id],
      ['t2', beta?.header.id],
    ])
    expect(beta?.header).toMatchObject({
      id: `claude-${SESSION}.side-user-2`,
      parentSession: root?.header.id,
      origin: 'subagent',
      delegationDepth: 1,
    })
    expect(parseDescriptor(alpha?.events[1]?.data)).toMatchObject({
      kind: 'descriptor',
      descriptor: { mode: 'one-shot', label: 'Do alpha' },
    })
    expect(dataOf(alpha!, 'user/message')[0]?.source).toEqual({ kind: 'parent', from: root?.header.id })
    expect(dataOf(root!, 'assistant/message')).toHaveLength(2)
  })

  it('in files are linked by the id in the result, nested ones by the results of their own caller', () => {
    const main = chat()
      .user('Go')
      .assistant('m1', [task('t1', 'x')])
      .result('t1', 'ok', {}, { toolUseResult: { agentId: 'aaa1' } })
      .says('m2', 'Done')
    const outer = new TranscriptBuilder(side)
      .user('something else')
      .assistant('o1', [task('t9', 'y')])
      .result('t9', [{ type: 'text', text: 'fine\nagentId: bbb2 (use it)' }])
      .says('o2', 'Done')
    const [root, first, second] = read(
      session(main, { agents: [agent('bbb2', agentFile('z')), agent('aaa1', outer)] }),
    )
    expect(first?.header).toMatchObject({
      id: `claude-${SESSION}.agent-aaa1`,
      parentSession: root?.header.id,
      delegationDepth: 1,
    })
    expect(second?.header).toMatchObject({ parentSession: first?.header.id, delegationDepth: 2 })
    expect(second?.events[1]?.data).toMatchObject({ label: 'Do y' })
    expect(dataOf(first!, 'tool/call')[0]?.childId).toBe(second?.header.id)
  })

  it('take their label from the sidecar, then the call, then the workflow, else none', () => {
    const main = chat()
      .user('Go')
      .assistant('m1', [task('t1', 'x')])
      .says('m2', 'Done')
    const label = (more: Parameters<typeof agent>[2], labels: [string, string][] = []) => {
      const input = session(main, {
        agents: [agent('aaa1', agentFile('unlinked'), more)],
        workflowLabels: new Map(labels),
      })
      return asRecord(read(input)[1]?.events[1]?.data as JsonValue)?.['label']
    }
    expect(label({})).toBeUndefined()
    expect(label({}, [['aaa1', 'find:it']])).toBe('find:it')
    expect(label({ meta: { toolUseId: 't1' } }, [['aaa1', 'find:it']])).toBe('Do x')
    expect(label({ meta: { description: ' Look\n around ', toolUseId: 't1' } })).toBe('Look around')
  })

  it('of a workflow hang on the session that started the run', () => {
    const main = chat()
      .user('Go')
      .calls('m1', 't1', 'Workflow')
      .result('t1', 'started', {}, { toolUseResult: { runId: 'wf_1' } })
    const done = new TranscriptBuilder(side).user('do').calls('a1', 's1', 'StructuredOutput').result('s1')
    const [root, child] = read(session(main, { agents: [agent('aaa1', done, { workflow: 'wf_1' })] }))
    expect(child?.header.parentSession).toBe(root?.header.id)
    expect(endsOf(child!)).toEqual([{ kind: 'completed' }])
  })

  it('that name each other as caller hang on the main session', () => {
    const call = (id: string, other: string) =>
      new TranscriptBuilder(side)
        .user(`I am ${id}`)
        .assistant(id, [task(`t-${id}`, '')])
        .result(`t-${id}`, 'ok', {}, { toolUseResult: { agentId: other } })
    const [root, ...children] = read(
      session(chat().user('Go').says('m', 'x'), {
        agents: [agent('a111', call('a111', 'b222')), agent('b222', call('b222', 'a111'))],
      }),
    )
    expect(children).toHaveLength(2)
    expect(children.some(({ header }) => header.parentSession === root?.header.id)).toBe(true)
  })

  it('that went to the background and were killed are not taken for finished', () => {
    const killed = () => new TranscriptBuilder(side).user('x').calls('a1', 't5', 'Bash').result('t5')
    const end = (detail: Record<string, string>) => {
      const main = chat()
        .user('Go')
        .assistant('m1', [task('t1', 'x')])
        .result('t1', 'ok', {}, { toolUseResult: { agentId: 'aaa1', ...detail } })
        .says('m2', 'Ok')
      return endsOf(read(session(main, { agents: [agent('aaa1', killed())] }))[1]!)
    }
    expect(end({ status: 'completed' })).toEqual([{ kind: 'completed' }])
    expect(end({ status: 'async_launched' })).toEqual([{ kind: 'interrupted' }])
  })

  it('whose file lacks the task get it from the call', () => {
    const main = chat()
      .user('Go')
      .assistant('m1', [task('t1', 'the task')])
      .result('t1', 'ok', {}, { toolUseResult: { agentId: 'aaa1' } })
    const [, child] = read(
      session(main, { agents: [agent('aaa1', new TranscriptBuilder(side).says('a1', 'Found'))] }),
    )
    expect(dataOf(child!, 'user/message')[0]?.content).toEqual([{ type: 'text', text: 'the task' }])
  })

  it('asked again go on in a further turn', () => {
    const [, child] = read(
      session(chat().user('Go').says('m', 'x'), {
        agents: [agent('aaa1', agentFile('one').user('And two?').says('a2', 'Two'))],
      }),
    )
    expect(dataOf(child!, 'turn/start')).toHaveLength(2)
    expect(endsOf(child!)).toEqual([{ kind: 'completed' }, { kind: 'completed' }])
  })

  it('do not repeat what they inherited from the main transcript (P105)', () => {
    const main = chat().user('Secret plan').says('m1', 'Yes')
    const copy = new TranscriptBuilder(side)
    copy.records.push(...main.records.map(record => ({ ...record, ...side })))
    copy
      .user('Own task', { uuid: 'own-1' })
      .assistant('a1', [{ type: 'text', text: 'Own' }], {}, { uuid: 'own-2' })
    const [, child] = read(session(main, { agents: [agent('aaa1', copy)] }))
    expect(dataOf(child!, 'user/message')).toHaveLength(1)
    expect(dataOf(child!, 'assistant/message').map(({ id }) => id)).toEqual(['a1'])
  })

  it('without a session get one that says so, and leaves its id free', () => {
    const [root, child] = read(session(null, { agents: [agent('aaa1', agentFile('x'))] }))
    expect(root?.header.id).toBe(`claude-${SESSION}.orphans`)
    expect(dataOf(root!, 'session/title')[0]?.title).toBe('Session 3f1c0a52 (its own transcript is missing)')
    expect(child?.header.parentSession).toBe(root?.header.id)
  })

  it('wake their session when they end in the background', () => {
    const note = '<task-notification>\n<task-id>aaa1</task-id>\n</task-notification>'
    const main = chat()
      .user('Go')
      .assistant('m1', [task('t1', 'x')])
      .result('t1', 'started', {}, { toolUseResult: { agentId: 'aaa1', status: 'async_launched' } })
      .says('m2', 'Started')
      .user(note)
      .says('m3', 'It is done')
    const [root, child] = read(session(main, { agents: [agent('aaa1', agentFile('x'))] }))
    expect(dataOf(root!, 'user/message')[1]?.source).toEqual({ kind: 'settlement', from: child?.header.id })
    const fold = new Fold(UNITS, root!.header)
    for (const event of root!.events) fold.apply(event)
    expect(fold.valueOf('outcome')).toEqual({ kind: 'completed' })
  })
})
