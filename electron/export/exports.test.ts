import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import type { ExportRequest } from '#shared/contract/export-shapes.ts'
import { run } from '#shared/redaction/fixtures/corpus.ts'
import { textContent } from '#shared/session/content.ts'
import { type SessionId, toSessionId } from '#shared/session/ids.ts'
import { delegatesOnce, openTestTree } from '../tree-fixture.ts'
import type { TestWorkbench } from '../workbench-fixture.ts'

const SECRET = `ghp_${run(36)}`
const made: TestWorkbench[] = []
afterEach(async () => {
  for (const bench of made.splice(0)) await bench.dispose()
})

async function openTree() {
  const bench = await openTestTree({
    root: delegatesOnce({ description: 'Look around', prompt: `Use ${SECRET}.` }),
    child: () => `The child was given ${SECRET}.`,
  })
  made.push(bench)
  const root = await bench.root()
  await bench.prompt(root, 'Please begin.')
  return { bench, root }
}

type Request = Partial<ExportRequest> & Pick<ExportRequest, 'sessionId' | 'format'>

async function exported({ workbench }: TestWorkbench, request: Request): Promise<string> {
  const { exportId } = await workbench.exports.start({ tree: false, raw: false, ...request })
  const parts: string[] = []
  for (;;) {
    const { text, done } = await workbench.exports.read(exportId)
    parts.push(text)
    if (done) return parts.join('')
  }
}

function linesOf(text: string) {
  return text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
}

describe('an export', () => {
  it('holds a tree as lines of JSON, from the root down, whole and without its secrets', async () => {
    const { bench, root } = await openTree()

    const lines = linesOf(await exported(bench, { sessionId: root, tree: true, format: 'jsonl' }))

    const sessions = lines.filter(({ kind }) => kind === 'session')
    expect(lines[0]).toMatchObject({ kind: 'export', root, tree: true, redacted: true, sessions: 2 })
    expect(sessions.map(({ session, depth }) => [session === root, depth])).toEqual([
      [true, 0],
      [false, 1],
    ])
    for (const { session } of sessions) {
      const events = lines.filter(line => line.kind === 'event' && line.session === session)
      const log = await bench.log(session)
      expect(events.map(({ seq, type, time }) => [seq, type, time])).toEqual(
        log.map(({ seq, type, time }) => [seq, type, time]),
      )
    }
    expect(lines.at(-1)).toEqual({
      kind: 'end',
      sessions: 2,
      events: lines.filter(({ kind }) => kind === 'event').length,
    })
    expect(JSON.stringify(lines)).not.toContain(SECRET)
    expect(JSON.stringify(lines)).toContain('[redacted: GitHub token]')
  })

  it('is lossless when it is raw', async () => {
    const { bench, root } = await openTree()

    const lines = linesOf(await exported(bench, { sessionId: root, format: 'jsonl', raw: true }))

    const events = lines.filter(({ kind }) => kind === 'event').map(({ kind, session, ...event }) => event)
    expect(events).toEqual(await bench.log(root))
    expect(lines[0]).toMatchObject({ redacted: false })
  })

  it('takes out the values that are known to be secret', async () => {
    const { bench, root } = await openTree()
    const known = ['Please begin.']
    Object.assign(bench.workbench.options.secrets, { known: () => known })

    expect(await exported(bench, { sessionId: root, format: 'md' })).not.toContain('Please begin.')
  })

  it.each(['md', 'html'] as const)(
    'reads as a conversation in %s, children below, in the same state after a restart',
    async format => {
      const { bench, root } = await openTree()
      const withoutTime = (text: string) => text.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, '')

      const live = await exported(bench, { sessionId: root, tree: true, format })
      await bench.workbench.close()
      const again = await openTestTree(
        { root: () => '', child: () => '' },
        { at: join(bench.dataFolder, '..') },
      )
      made.push(again)
      const cold = await exported(again, { sessionId: root, tree: true, format })

      expect(withoutTime(cold)).toBe(withoutTime(live))
      const places = [
        'You',
        'Please begin.',
        'Delegate Look around',
        'Summed up.',
        'session-2',
        'The child was given',
      ].map(text => live.lastIndexOf(text))
      expect(places.every(place => place > 0)).toBe(true)
      expect(live.indexOf('The child was given')).toBeGreaterThan(live.indexOf('Delegate Look around'))
      expect(live).not.toContain(SECRET)
    },
  )

  it('says what is missing, where it is missing, and goes on behind it', async () => {
    const { bench, root } = await openTree()
    const log = await bench.log(root)
    await bench.workbench.close()
    const db = new Database(join(bench.dataFolder, 'espalier.db'))
    db.prepare(
      'DELETE FROM event WHERE seq IN (3, 4) AND session_key = (SELECT key FROM session WHERE id = ?)',
    ).run(root)
    db.close()
    const again = await openTestTree(
      { root: () => '', child: () => '' },
      { at: join(bench.dataFolder, '..') },
    )
    made.push(again)

    const lines = linesOf(await exported(again, { sessionId: root, tree: true, format: 'jsonl' }))
    const md = await exported(again, { sessionId: root, format: 'md' })

    const own = lines.filter(({ session, kind }) => session === root && kind !== 'session')
    expect(own.map(({ kind, seq }) => seq ?? kind)).toEqual([
      0,
      1,
      2,
      'damage',
      ...log.slice(5).map(({ seq }) => seq),
    ])
    expect(own[3].damage).toEqual({ kind: 'log-gap', fromSeq: 3, toSeq: 4 })
    expect(md).toContain('Events 3 to 4 are missing here')
    expect(lines.filter(({ kind }) => kind === 'session')).toHaveLength(2)
  })

  it('joins a gap of any length, and reads each event once however long the log is', async () => {
    const { bench } = await openTree()
    const id = toSessionId('long')
    const events = Array.from({ length: 1234 }, (_, seq) => ({
      seq,
      time: seq,
      type: 'x/unknown',
      data: { seq },
      ignorable: true as const,
    }))
    await bench.workbench.store.persistence.create({ version: 1, id, createdAt: 1 }, events)
    const db = new Database(join(bench.dataFolder, 'espalier.db'))
    db.prepare(
      'DELETE FROM event WHERE seq BETWEEN 100 AND 899 AND session_key = (SELECT key FROM session WHERE id = ?)',
    ).run(id)
    db.close()

    const lines = linesOf(await exported(bench, { sessionId: id, format: 'jsonl', raw: true }))

    const body = lines.slice(2, -1)
    expect(body.filter(({ kind }) => kind === 'damage').map(({ damage }) => damage)).toEqual([
      { kind: 'log-gap', fromSeq: 100, toSeq: 899 },
    ])
    expect(body.filter(({ kind }) => kind === 'event').map(({ seq }) => seq)).toEqual(
      events.map(({ seq }) => seq).filter(seq => seq < 100 || seq > 899),
    )
  })

  it('gives the rows of a record whose header cannot be read', async () => {
    const { bench, root } = await openTree()
    await bench.workbench.close()
    const db = new Database(join(bench.dataFolder, 'espalier.db'))
    db.prepare('UPDATE session SET delegation_depth = ? WHERE id = ?').run('deep', root)
    db.close()
    const again = await openTestTree(
      { root: () => '', child: () => '' },
      { at: join(bench.dataFolder, '..') },
    )
    made.push(again)

    const lines = linesOf(await exported(again, { sessionId: root, format: 'jsonl' }))
    const html = await exported(again, { sessionId: root, format: 'html' })

    expect(lines[1]).toMatchObject({ kind: 'session', header: null })
    expect(lines[2].kind).toBe('problem')
    expect(lines.filter(({ kind }) => kind === 'row').length).toBeGreaterThan(3)
    expect(html).toContain('Please begin.')
  })

  it('holds large outputs: whole in jsonl and, when they are not too large, in html', async () => {
    const { bench } = await openTree()
    const { persistence, outputs } = bench.workbench.store
    const id = toSessionId('outputs')
    const text = `${'a line of output\n'.repeat(30_000)}password=hunter2\n`
    const bytes = new TextEncoder().encode(text)
    const result = (output: object) => ({
      turn: 1,
      step: 1,
      callId: 'c',
      name: 'shell',
      status: 'ok',
      content: textContent('head … tail'),
      output,
    })
    await persistence.create({ version: 1, id, createdAt: 1 }, [
      { seq: 0, time: 1, type: 'tool/result', data: result({ id: 'big', bytes: bytes.length }) },
      { seq: 1, time: 1, type: 'tool/result', data: result({ id: 'small', bytes: 16 }) },
      { seq: 2, time: 1, type: 'tool/result', data: result({ id: 'blob', bytes: 3, binary: true }) },
    ])
    await outputs.append(id, 'big', 0, new Uint8Array(bytes))
    await outputs.append(id, 'small', 0, new TextEncoder().encode('token=abc123defg'))
    await outputs.append(id, 'blob', 0, new Uint8Array([0, 255, 1]))
    const outputOf = (lines: { kind: string; id: string; text: string }[], name: string) =>
      lines.filter(line => line.kind === 'output' && line.id === name).map(line => line.text)

    const redacted = linesOf(await exported(bench, { sessionId: id, format: 'jsonl' }))
    const raw = linesOf(await exported(bench, { sessionId: id, format: 'jsonl', raw: true }))
    const html = await exported(bench, { sessionId: id, format: 'html' })

    expect(outputOf(redacted, 'big').join('')).toBe(text.replace('hunter2', '[redacted: password]'))
    expect(outputOf(redacted, 'blob')).toEqual([])
    expect(Buffer.concat(outputOf(raw, 'big').map(part => Buffer.from(part, 'base64'))).toString()).toBe(text)
    expect(outputOf(raw, 'blob')).toEqual([Buffer.from([0, 255, 1]).toString('base64')])
    expect(html).toContain('token=[redacted: token]')
    expect(html).toContain('510 KB; it is not in this file')
  })

  it('ends when it is cancelled, and says so to whoever reads on', async () => {
    const { bench, root } = await openTree()
    const { exports } = bench.workbench
    const request = { sessionId: root, format: 'md', tree: false, raw: false } as const
    const cancelled = await exports.start(request)
    const aborted = await exports.start(request)

    exports.cancel(cancelled.exportId)
    const abort = new AbortController()
    const reading = exports.read(aborted.exportId, abort.signal)
    abort.abort()

    await expect(exports.read(cancelled.exportId)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' })
    await expect(exports.read(aborted.exportId)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    await expect(exports.start({ ...request, sessionId: 'nobody' as SessionId })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    })
  })

  it('stops at the event that was the last when it began', async () => {
    const { bench, root } = await openTree()
    const { exports } = bench.workbench
    const before = (await bench.log(root)).length
    const { exportId, events } = await exports.start({
      sessionId: root,
      format: 'jsonl',
      tree: false,
      raw: false,
    })

    const lines = linesOf((await exports.read(exportId)).text)

    expect(events).toBe(before)
    expect(lines.filter(({ kind }) => kind === 'event')).toHaveLength(before)
  })
})
