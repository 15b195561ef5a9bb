import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { importReportSchema } from '#shared/contract.ts'
import { WorkbenchError } from '#shared/errors.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { openStore, type Store } from '../store/store-client.ts'
import { createCheckpointWriter } from './checkpoint-writer.ts'
import { SESSION, TranscriptBuilder } from './claude/fixtures/lines.ts'
import { makePipe } from './claude/fixtures/pipe.ts'
import { type ImportDeps, importPaths } from './import-run.ts'

let folder = ''
let project = ''
let store: Store
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-import-'))
  project = join(folder, 'projects', '-shop')
  mkdirSync(join(project, SESSION, 'subagents'), { recursive: true })
  const call = { type: 'tool_use', id: 't1', name: 'Task', input: { description: 'Find it', prompt: 'Find' } }
  const main = new TranscriptBuilder()
    .user('Go')
    .assistant('m1', [call])
    .result('t1', 'ok', {}, { toolUseResult: { agentId: 'a1' } })
    .says('m2', 'Done')
  const agent = new TranscriptBuilder({ isSidechain: true }).user('Find').says('a1', 'Here', 7)
  writeFileSync(join(project, `${SESSION}.jsonl`), main.text())
  writeFileSync(join(project, SESSION, 'subagents', 'agent-a1.jsonl'), agent.text())
  store = await openStore({ dataFolder: join(folder, 'data') })
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const root = toSessionId(`claude-${SESSION}`)
const child = toSessionId(`claude-${SESSION}.agent-a1`)
const deps = (more: Partial<ImportDeps> = {}): ImportDeps => ({
  persistence: store.persistence,
  writeCheckpoints: createCheckpointWriter(store.checkpoints),
  ...more,
})

describe('an import', () => {
  it('stores roots and children, and a second one adds nothing', async () => {
    const [first] = await importPaths([folder], deps())
    expect(first).toEqual({
      source: folder,
      sessions: 1,
      children: 1,
      unchanged: 0,
      skipped: [],
      roots: [root],
    })
    expect(importReportSchema.safeParse(first).success).toBe(true)
    const before = await store.persistence.inspect(child)
    const [second] = await importPaths([folder], deps())
    expect(second).toEqual({
      source: folder,
      sessions: 0,
      children: 0,
      unchanged: 2,
      skipped: [],
      roots: [root],
    })
    expect(await store.persistence.inspect(child)).toEqual(before)
    expect(before.closers).toBe(0)
    expect((await store.persistence.list({ kind: 'all' })).sessions).toHaveLength(2)
  })

  it('of two sessions with one id takes the first and names the other, whichever way they are given', async () => {
    const other = join(folder, 'projects', '-copy')
    mkdirSync(other)
    const copy = join(other, `${SESSION}.jsonl`)
    writeFileSync(copy, new TranscriptBuilder().user('Something else').says('m1', 'Yes').text())
    const original = join(project, `${SESSION}.jsonl`)

    const reports = await importPaths([original, copy], deps())
    expect(reports.map(({ sessions, children, unchanged }) => [sessions, children, unchanged])).toEqual([
      [1, 1, 0],
      [0, 0, 0],
    ])
    expect(reports[1]?.skipped).toEqual([
      { path: copy, reason: `another file holds a session of the same id and was taken: ${original}` },
    ])
    const { events } = await store.persistence.inspect(root)
    expect(JSON.stringify(events)).not.toContain('Something else')

    const [together] = await importPaths([join(folder, 'projects')], deps())
    expect(together?.skipped).toHaveLength(1)
    expect((await store.persistence.list({ kind: 'all' })).sessions).toHaveLength(2)
    // The same file named twice is no second session.
    const again = await importPaths([original, original], deps())
    expect(again.flatMap(({ skipped }) => skipped)).toEqual([])
  })

  it('leaves checkpoints that tell who a child is without its log', async () => {
    await importPaths([folder], deps())
    const [values] = await store.checkpoints.read([child], ['subagent', 'usage', 'outcome'])
    expect(values?.values).toMatchObject({
      subagent: { mode: 'one-shot', label: 'Find it', seq: 1 },
      outcome: { kind: 'completed' },
    })
    const folded = await store.persistence.inspectFolded(child)
    expect(values?.values['usage']).toEqual(folded.snapshot.values['usage'])
    const { header, events } = await store.persistence.inspect(child)
    expect(values?.asOfSeq).toBe(events.length - 1)
    expect(header.parentSession).toBe(root)
  })

  it('completes one that was broken off', async () => {
    let created = 0
    const persistence: ImportDeps['persistence'] = {
      get: store.persistence.get,
      create: async (header, events) => {
        created += 1
        if (created === 2) throw new WorkbenchError('STORE_UNAVAILABLE', 'The disk is full.')
        await store.persistence.create(header, events)
      },
    }
    await expect(importPaths([folder], deps({ persistence }))).rejects.toThrow('The disk is full.')
    const [report] = await importPaths([folder], deps())
    expect(report).toMatchObject({ sessions: 0, children: 1, unchanged: 1, roots: [root] })
  })

  it('gives each path its own report, and each obstacle one entry', async () => {
    writeFileSync(join(folder, 'notes.txt'), 'plain words')
    symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'))
    if (process.platform !== 'win32') makePipe(join(folder, 'pipe'))
    const paths = [
      'absent',
      'dangling',
      'notes.txt',
      ...(process.platform === 'win32' ? [] : ['pipe']),
      'projects',
    ]
    const reports = await importPaths(
      paths.map(name => join(folder, name)),
      deps(),
    )
    expect(reports.map(({ sessions, skipped }) => [sessions, skipped.length])).toEqual([
      ...paths.slice(1).map(() => [0, 1]),
      [1, 0],
    ])
    expect(reports[2]?.skipped[0]?.reason).toBe('no history of a known tool')
  })

  it('names a file whose lines could not all be read, and stores the rest', async () => {
    appendFileSync(join(project, `${SESSION}.jsonl`), 'broken\n')
    const [report] = await importPaths([folder], deps())
    expect(report).toMatchObject({ sessions: 1, children: 1 })
    expect(report?.skipped).toEqual([
      {
        path: join(project, `${SESSION}.jsonl`),
        reason: 'one line could not be read (line 5: not valid JSON)',
      },
    ])
  })

  it('does not bring back what lies in the trash', async () => {
    await importPaths([folder], deps())
    await store.persistence.trash(root)
    const [report] = await importPaths([folder], deps())
    expect(report).toMatchObject({ sessions: 0, children: 0, unchanged: 0, roots: [] })
    expect(report?.skipped.map(({ reason }) => reason)).toEqual(['in the trash: restore it there'])
  })

  it('goes on without a checkpoint, and says so', async () => {
    const said: string[] = []
    const writeCheckpoints = async () => {
      throw new Error('no room')
    }
    const [report] = await importPaths(
      [folder],
      deps({ writeCheckpoints, log: message => said.push(message) }),
    )
    expect(report).toMatchObject({ sessions: 1, children: 1 })
    expect(said).toEqual([`no checkpoint for ${root}: no room`, `no checkpoint for ${child}: no room`])
  })

  it('tells how far it is, and stops when told to', async () => {
    const controller = new AbortController()
    const steps: number[] = []
    writeFileSync(join(project, '0000.jsonl'), '')
    const running = importPaths(
      [folder],
      deps({
        signal: controller.signal,
        onProgress: ({ sessions, skipped }) => {
          steps.push(sessions, skipped)
          controller.abort(new Error('enough'))
        },
      }),
    )
    await expect(running).rejects.toThrow('enough')
    expect(steps).toEqual([0, 1])
    expect(await store.persistence.get(root)).toBeNull()
  })

  it('of a file that is being written reads what is finished and locks nothing (P112)', async () => {
    const path = join(project, `${SESSION}.jsonl`)
    const line = JSON.stringify({
      type: 'user',
      uuid: 'late',
      timestamp: '2026-01-05T09:01:00Z',
      message: { content: 'And now?' },
    })
    appendFileSync(path, line.slice(0, 20))
    const [report] = await importPaths([folder], deps())
    appendFileSync(path, `${line.slice(20)}\n`)
    expect(report?.skipped).toEqual([{ path, reason: 'the last line is not finished and was left out' }])
    expect((await store.persistence.inspect(root)).damage).toEqual([])
  })
})
