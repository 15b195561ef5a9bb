import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ImportedSession } from '../reader.ts'
import { claudeReader } from './claude-reader.ts'
import { brokenPromises } from './fixtures/check-imported.ts'
import { SESSION, TranscriptBuilder } from './fixtures/lines.ts'
import { makePipe } from './fixtures/pipe.ts'

const OTHER = '7b9d2c10-0000-4000-8000-000000000002'
let home = ''
let project = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'espalier-claude-'))
  project = join(home, 'projects', '-home-kim-shop')
  mkdirSync(project, { recursive: true })
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function put(path: string, text: string): string {
  const full = join(project, path)
  mkdirSync(dirname(full), { recursive: true })
  writeFileSync(full, text)
  return full
}

const talk = (sessionId = SESSION) => new TranscriptBuilder({ sessionId }).user('Go').says('m1', 'Yes')
const helper = (agentId: string, sessionId = SESSION) =>
  new TranscriptBuilder({ sessionId, agentId, isSidechain: true })
    .user('Find it')
    .calls('a1', 't1', 'Grep')
    .result('t1')
    .says('a2', 'There')
const warmUp = (sessionId: string) =>
  new TranscriptBuilder({ sessionId, isSidechain: true }).user('Warmup').says('w1', 'Ready')

async function readAll(path = home) {
  const sessions: ImportedSession[] = []
  const skipped: [string, string][] = []
  for await (const item of claudeReader.read(path)) {
    if (item.kind === 'tree') sessions.push(...item.sessions)
    else skipped.push([basename(item.path), item.reason])
  }
  expect(brokenPromises(sessions)).toEqual([])
  return { sessions, ids: sessions.map(({ header }) => header.id.replace('claude-', '')), skipped }
}

describe('layouts', () => {
  it('with agents in the folder of their session, in workflow runs and beside the sessions are all read (P100)', async () => {
    put(`${SESSION}.jsonl`, talk().text())
    put(`${SESSION}/subagents/agent-a1.jsonl`, helper('a1').text())
    put(`${SESSION}/subagents/agent-a1.meta.json`, JSON.stringify({ description: 'Find the bug' }))
    put(`${SESSION}/subagents/workflows/wf_1/agent-w1.jsonl`, helper('w1').text())
    put(`${SESSION}/subagents/workflows/wf_1/journal.jsonl`, '{"type":"started"}\n')
    put(
      `${SESSION}/workflows/wf_1.json`,
      JSON.stringify({ workflowProgress: [{ agentId: 'w1', label: 'find:bug' }] }),
    )
    put('agent-f1.jsonl', helper('f1').text())
    put('agent-x9.jsonl', helper('x9', OTHER).text())
    put(`${OTHER}.jsonl`, talk(OTHER).text())
    const { sessions, ids, skipped } = await readAll()
    expect(ids).toEqual([
      SESSION,
      `${SESSION}.agent-a1`,
      `${SESSION}.agent-w1`,
      `${SESSION}.agent-f1`,
      OTHER,
      `${OTHER}.agent-x9`,
    ])
    expect(sessions.map(({ events }) => events[1]?.data)).toEqual([
      { title: 'Go', source: 'import' },
      { version: 2, mode: 'one-shot', provider: 'import', label: 'Find the bug' },
      { version: 2, mode: 'one-shot', provider: 'import', label: 'find:bug' },
      { version: 2, mode: 'one-shot', provider: 'import' },
      { title: 'Go', source: 'import' },
      { version: 2, mode: 'one-shot', provider: 'import' },
    ])
    expect(skipped).toEqual([])
  })

  it('may be pointed at from any height', async () => {
    const main = put(`${SESSION}.jsonl`, talk().text())
    const inner = put(`${SESSION}/subagents/agent-a1.jsonl`, helper('a1').text())
    const flat = put('agent-f1.jsonl', helper('f1').text())
    put(`${OTHER}.jsonl`, talk(OTHER).text())
    const whole = [SESSION, `${SESSION}.agent-a1`, `${SESSION}.agent-f1`]
    for (const path of [main, inner, flat, join(project, SESSION), dirname(inner)]) {
      expect((await readAll(path)).ids, path).toEqual(whole)
    }
    for (const path of [project, dirname(project), home]) {
      expect((await readAll(path)).ids, path).toEqual([...whole, OTHER])
    }
    cpSync(join(home, 'projects'), join(home, 'person', '.claude', 'projects'), { recursive: true })
    expect((await readAll(join(home, 'person'))).ids).toEqual([...whole, OTHER])
  })

  it('that were renamed keep their agents', async () => {
    put('copy of it.jsonl', talk().text())
    put('agent-f1.jsonl', helper('f1').text())
    const { ids } = await readAll()
    expect(ids).toHaveLength(2)
    expect(ids[1]).toBe(`${ids[0]}.agent-f1`)
  })

  it('take a summary from whatever file of the project has it', async () => {
    put(`${SESSION}.jsonl`, talk().text())
    put(
      `${OTHER}.jsonl`,
      `${JSON.stringify({ type: 'summary', summary: 'About the shop', leafUuid: 'assistant-1' })}\n`,
    )
    const { sessions, skipped } = await readAll()
    expect(sessions[0]?.events[1]?.data).toEqual({ title: 'About the shop', source: 'import' })
    expect(skipped).toEqual([[`${OTHER}.jsonl`, 'no conversation in it']])
  })
})

describe('files without a conversation', () => {
  it('make no session and are named', async () => {
    put('empty.jsonl', '')
    put('snapshot.jsonl', '{"type":"file-history-snapshot","messageId":"x","snapshot":{}}\n')
    put('agent-w1.jsonl', warmUp(OTHER).text())
    const { ids, skipped } = await readAll()
    expect(ids).toEqual([])
    expect(skipped).toEqual([
      ['empty.jsonl', 'no conversation in it'],
      ['snapshot.jsonl', 'no conversation in it'],
      ['agent-w1.jsonl', 'a warm-up agent whose session is gone'],
    ])
  })

  it('still stand for the agents they own, as does a file that is gone', async () => {
    put(`${SESSION}.jsonl`, '')
    put('agent-w1.jsonl', warmUp(SESSION).text())
    put('agent-x9.jsonl', helper('x9', OTHER).text())
    const { ids, skipped } = await readAll()
    expect(ids).toEqual([
      `${SESSION}.orphans`,
      `${SESSION}.orphans.agent-w1`,
      `${OTHER}.orphans`,
      `${OTHER}.orphans.agent-x9`,
    ])
    expect(skipped).toEqual([])
  })
})

describe('damage', () => {
  it('of lines costs one warning of that file', async () => {
    put(`${SESSION}.jsonl`, `\ufeff${talk().text().replaceAll('\n', '\r\n')}\r\nnot json\n[]\n{"type":"us`)
    const [session] = (await readAll()).sessions
    expect(session?.warnings).toEqual([
      '2 lines could not be read (line 4: not valid JSON, line 5: not an object); the last line is not finished and was left out',
    ])
    expect(session?.events.filter(({ type }) => type.endsWith('message'))).toHaveLength(2)
  })

  it('of one file leaves the others alone', async () => {
    put(`${OTHER}.jsonl`, talk(OTHER).text())
    symlinkSync(join(home, 'nowhere'), join(project, 'dangling.jsonl'))
    symlinkSync(put('../../outside.jsonl', talk().text()), join(project, 'link.jsonl'))
    mkdirSync(join(project, 'folder.jsonl'))
    if (process.platform !== 'win32') makePipe(join(project, 'pipe.jsonl'))
    put('garbage.jsonl', '\u0000\u0001\n{{{\n')
    const { ids, skipped } = await readAll()
    expect(ids).toEqual([OTHER])
    expect(skipped).toEqual([
      ['dangling.jsonl', 'a link: links inside the folder are not followed'],
      ['folder.jsonl', 'a folder with the name of a transcript'],
      ['link.jsonl', 'a link: links inside the folder are not followed'],
      ...(process.platform === 'win32' ? [] : [['pipe.jsonl', 'not a regular file']]),
      [
        'garbage.jsonl',
        'no conversation in it: 2 lines could not be read (line 1: not valid JSON, line 2: not valid JSON)',
      ],
    ])
  })

  it('cannot come in by a link to a folder outside (P117)', async () => {
    put(`${SESSION}.jsonl`, talk().text())
    mkdirSync(join(project, SESSION))
    const outside = join(home, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'agent-a1.jsonl'), helper('a1').text())
    symlinkSync(outside, join(project, SESSION, 'subagents'))
    symlinkSync(outside, join(home, 'projects', '-linked'))
    expect((await readAll()).ids).toEqual([SESSION])
  })

  it('is none where the folder of the tool is a link: it is read', async () => {
    put(`${SESSION}.jsonl`, talk().text())
    symlinkSync(join(home, 'projects'), join(home, 'moved'))
    mkdirSync(join(home, 'person', '.claude'), { recursive: true })
    symlinkSync(join(home, 'projects'), join(home, 'person', '.claude', 'projects'))
    expect((await readAll(join(home, 'moved'))).ids).toEqual([SESSION])
    expect((await readAll(join(home, 'person'))).ids).toEqual([SESSION])
  })

  it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'of rights costs one entry',
    async () => {
      chmodSync(put(`${SESSION}.jsonl`, talk().text()), 0)
      expect((await readAll()).skipped[0]?.[1]).toMatch(/^could not be read/)
    },
  )

  it('is never mended: the source stays as it is', async () => {
    const path = put(`${SESSION}.jsonl`, `${talk().text()}{"type":"us`)
    const before = [readFileSync(path, 'utf8'), readdirSync(project)]
    await readAll()
    expect([readFileSync(path, 'utf8'), readdirSync(project)]).toEqual(before)
  })
})

describe('recognising', () => {
  it('knows its own and no other tool', async () => {
    expect(await claudeReader.recognises(put(`${SESSION}.jsonl`, talk().text()))).toBe(true)
    expect(await claudeReader.recognises(home)).toBe(true)
    const others = [
      '{"type":"session_meta","payload":{}}',
      '{"type":"session","version":3,"id":"x"}',
      '{"id":"1","type":"user","content":"x"}',
      'plain words',
    ]
    for (const [index, line] of others.entries()) {
      const path = join(home, `other${index}`)
      mkdirSync(path)
      writeFileSync(join(path, 'one.jsonl'), `${line}\n`)
      expect(await claudeReader.recognises(path), line).toBe(false)
    }
    expect(await claudeReader.recognises(join(home, 'absent'))).toBe(false)
  })
})
