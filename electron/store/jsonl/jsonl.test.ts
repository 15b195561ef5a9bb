import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UNITS } from '#shared/projection/units.ts'
import { lifecycleFacts } from '#shared/session/header.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { directStore, encoded, openFilesDirectly } from '../fixtures/direct-store.ts'
import { childHeader, finishedTurn, log, openTurn, sessionHeader, user } from '../fixtures/logs.ts'
import { openStore } from '../store-client.ts'
import { ENCODINGS, type EncodingName } from './encoding.ts'
import { nameOf } from './folder-name.ts'
import { formatFile, sessionsFolder } from './format.ts'
import { openJsonlBackend } from './jsonl-backend.ts'
import { makeSessionsFolder } from './make-format.ts'
import { packFrame } from './zstd-frames.ts'

/*
 * What can become of files, with real edits. Numbers are those of the study's §8.13. On purpose different: 14 and 17,
 * damage of one session costs its row and never the list; sessions of both encodings may stand side by side, since a
 * log's name says how it is kept; a whole frame or line that cannot be read at a log's very end is cut off like a
 * torn one, and kept. 3, 6 (races of several writers) and 13 (packing of runs) do not exist here: the header has a
 * file of its own, one process holds the data folder, a line is an event.
 */

const S = toSessionId('s')
const events = log([...finishedTurn, ...openTurn])
let folder: string
let store: ReturnType<typeof openFilesDirectly>

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-jsonl-'))
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

async function begin(encoding: EncodingName): Promise<void> {
  makeSessionsFolder(sessionsFolder(folder), encoding)
  store = openFilesDirectly(folder)
}

/** Edits files while nobody has them open. */
async function edit(change: () => void): Promise<void> {
  await store.close()
  change()
  store = openFilesDirectly(folder)
}

const inSession = (...names: string[]) => join(sessionsFolder(folder), 's', ...names)
const tornFiles = () => readdirSync(inSession()).filter(name => name.startsWith('torn-'))
const textOf = (name: string) => readFileSync(inSession(name), 'utf8')
const shown = async () =>
  (await store.persistence.page(S, { limit: 100 })).events
    .map(({ seq }) => seq)
    .filter(seq => seq < events.length)

describe.each(['text', 'zstd'] as const)('a log as %s', encoding => {
  const { file } = ENCODINGS[encoding]
  beforeEach(async () => {
    await begin(encoding)
    await store.persistence.create(sessionHeader('s'), events.slice(0, 6))
    await store.persistence.append([{ sessionId: S, expectedSeq: 6, events: events.slice(6) }])
  })

  test('a torn tail is left out, and moved aside byte for byte before anything is written behind it (8.11.50, 8.13.7)', async () => {
    const fragment =
      encoding === 'text' ? Buffer.from('{"seq":11,"time":5,"ty') : packFrame(Buffer.alloc(90)).subarray(0, 9)
    await edit(() => appendFileSync(inSession(file), fragment))
    const inspection = await store.persistence.inspect(S)
    expect(inspection.damage).toEqual([{ kind: 'damaged-tail', fromSeq: 11, lost: 1 }])
    expect(inspection.events.slice(0, 11)).toEqual(events)
    for (const expectedSeq of [11, 12]) {
      const late = { sessionId: S, expectedSeq, events: log([user('x')], expectedSeq) }
      expect(await store.persistence.append([late])).toEqual(['conflict'])
    }
    expect((await store.persistence.check()).join()).toContain(
      `${fragment.length} bytes of a write that was cut off`,
    )

    const before = await store.persistence.revision(S)
    const whole = readFileSync(inSession(file)).subarray(0, -fragment.length)
    const loaded = await store.persistence.load(S)
    expect(loaded.events).toEqual(inspection.events)
    expect(await store.persistence.revision(S)).not.toBe(before)
    expect(readFileSync(inSession('torn-1')).equals(fragment)).toBe(true)
    expect(readFileSync(inSession(file)).subarray(0, whole.length).equals(whole)).toBe(true)
    await edit(() => {})
    expect((await store.persistence.load(S)).events).toEqual(loaded.events)
    expect(await store.persistence.check()).toEqual([])
    expect(tornFiles()).toEqual(['torn-1'])
  })

  test('cut anywhere, it reads as its own beginning and can be gone on with', async () => {
    await store.close()
    const bytes = readFileSync(inSession(file))
    const kept = join(folder, 'kept')
    cpSync(inSession(), kept, { recursive: true })
    for (let length = 0; length < bytes.length; length += 19) {
      rmSync(inSession(), { recursive: true })
      cpSync(kept, inSession(), { recursive: true })
      truncateSync(inSession(file), length)
      const hasIndex = length % 2 === 1
      if (!hasIndex) rmSync(inSession('index'))
      const backend = openJsonlBackend({ dataFolder: folder, units: UNITS, readOnly: false })
      const ask = directStore(backend)
      const { events: found, closers, damage } = ask('inspect', 's')
      const own = found.slice(0, found.length - closers)
      expect(own).toEqual(events.slice(0, own.length))
      expect(damage.map(({ kind }) => kind)).toEqual(damage.length === 0 ? [] : ['damaged-tail'])
      // What the stored index knew is missed; without it a clean cut cannot be told.
      if (hasIndex) expect(damage).toMatchObject([{ lost: 11 - own.length }])
      expect(ask('commitLoad', 's', ask('planLoad', 's'))?.events).toEqual(found)
      const more = { sessionId: 's', events: encoded(log([user('x')], found.length)) }
      expect(ask('append', [more])).toEqual(['written'])
      expect(ask('inspect', 's').events.slice(0, found.length)).toEqual(found)
    }
    store = openFilesDirectly(folder)
  }, 60_000)

  test('the index can be gone, stale, garbled or of another log: reads are the same', async () => {
    const many = log(Array.from({ length: 3000 }, (_, index) => user(`m${index} ${'x'.repeat(200)}`)))
    await store.persistence.create(sessionHeader('t'), many)
    const index = () => join(sessionsFolder(folder), 't', 'index')
    const other = readFileSync(inSession('index'), 'utf8')
    const good = readFileSync(index(), 'utf8')
    expect(good.split('\n').length).toBeGreaterThan(10)
    for (const change of [
      () => rmSync(index(), { force: true }),
      () => writeFileSync(index(), other),
      () => writeFileSync(index(), good.slice(0, good.length / 2)),
      () => writeFileSync(index(), good.replace(/\n\[/, '\n[9')),
      () => writeFileSync(index(), Buffer.alloc(5000, 7)),
      () => writeFileSync(index(), ''),
      () => {
        rmSync(index(), { force: true })
        mkdirSync(index())
      },
    ]) {
      await edit(change)
      const page = await store.persistence.page(toSessionId('t'), { before: 2000, limit: 50 })
      expect(page).toMatchObject({ endSeq: 3000, damage: [], nextBefore: 1950 })
      expect(page.events).toEqual(many.slice(1950, 2000))
      expect(await store.persistence.readFrom(toSessionId('t'), 2990, 100)).toEqual(many.slice(2990))
      rmSync(index(), { recursive: true, force: true })
    }
  })

  test('an index of a log that was edited to the same length is found out', async () => {
    const many = log(Array.from({ length: 2000 }, (_, index) => user(`m${index} ${'x'.repeat(index % 300)}`)))
    await store.persistence.create(sessionHeader('t'), many)
    const path = (name: string) => join(sessionsFolder(folder), 't', name)
    const { pack, units } = ENCODINGS[encoding]
    await edit(() => {
      const bytes = readFileSync(path(file))
      const lines = [...units(bytes, true)].flatMap(unit => unit.lines.map(String))
      // Shorter lines at the beginning, one longer line at the end: every place in between moved.
      const moved = lines.map((line, at) => (at < 50 ? line.replace(/ x+/, '') : line))
      const packed = pack(moved).bytes
      if (packed.length > bytes.length) throw new Error('the edit made the log longer')
      const rest = bytes.length - packed.length
      const filler = encoding === 'text' ? Buffer.alloc(rest, '\n') : skippable(rest)
      writeFileSync(path(file), Buffer.concat([packed, filler]))
    })
    const page = await store.persistence.page(toSessionId('t'), { before: 1500, limit: 40 })
    expect(page.events).toEqual(many.slice(1460, 1500))
    expect(page.damage).toEqual([])
  })

  test('a page of a long log is one read of a few stretches of it', async () => {
    const many = log(Array.from({ length: 20_000 }, (_, index) => user(`m${index} ${'x'.repeat(200)}`)))
    await store.persistence.create(sessionHeader('t'), many)
    await edit(() => {})
    const path = join(sessionsFolder(folder), 't', file)
    const groups = readFileSync(join(sessionsFolder(folder), 't', 'index'), 'utf8')
      .trim()
      .split('\n')
    const size = statSync(path).size
    expect(groups.length).toBeGreaterThan(50)
    const [, second] = groups
    expect(JSON.parse(second?.split(' ')[0] ?? '')[1]).toBeLessThan(size / 50)
    expect((await store.persistence.page(toSessionId('t'), { limit: 50 })).events).toEqual(many.slice(-50))
  })

  test('an event may be longer than anything that is read at once', async () => {
    const long = Array.from({ length: 60_000 }, (_, at) => `${at} ünï 🪴 ${at * 7919}`)
      .join('\n')
      .repeat(4)
    const more = log([user('before'), ['todo/write', long], user('behind')], 11)
    expect(await store.persistence.append([{ sessionId: S, expectedSeq: 11, events: more }])).toEqual([
      'written',
    ])
    await edit(() => rmSync(inSession('index')))
    expect(await store.persistence.readFrom(S, 11, 10)).toEqual(more)
    expect((await store.persistence.page(S, { before: 13, limit: 1 })).events).toEqual(more.slice(1, 2))
    expect((await store.persistence.inspect(S)).events.slice(0, 14)).toEqual([...events, ...more])
  })

  test('closers and drafts survive a restart, and a new session is made whole or not at all', async () => {
    mkdirSync(join(sessionsFolder(folder), '.new-half'))
    writeFileSync(join(sessionsFolder(folder), '.new-half', 'session.json'), '{}')
    await edit(() => {})
    expect(readdirSync(sessionsFolder(folder)).toSorted()).toEqual(['format.json', 's'])
    const listing = await store.persistence.list({ kind: 'all' })
    expect(listing).toMatchObject({ sessions: [{ header: { id: 's' } }], unreadable: [] })
  })

  test('a checkpoint past a cut never fits again', async () => {
    const rows = [{ key: 'title', stateVersion: 1, seq: 10, state: { given: 'lost', first: null } }]
    const { header } = await store.persistence.inspect(S)
    await store.checkpoints.write([{ sessionId: S, facts: lifecycleFacts(header), faults: [], rows }])
    await edit(() => truncateSync(inSession(file), encoding === 'text' ? cutAtLine(9) : firstFrame()))
    expect((await store.checkpoints.read([S], ['title']))[0]?.values).toEqual({})
    expect((await store.persistence.check()).join()).toMatch(/has lost its last \d+ events/)
    await store.persistence.load(S)
    expect(await store.checkpoints.read([S], ['title'])).toEqual([])
  })

  test('a failing write leaves the log as it was, and the next one goes on (8.13.8)', async () => {
    const before = readFileSync(inSession(file))
    await store.close()
    const full = spawnWithLimit(before.length + 200)
    expect(full).toMatch(/STORE_UNAVAILABLE|EFBIG/)
    expect(full).toContain('then written')
    expect(readFileSync(inSession(file)).subarray(0, before.length).equals(before)).toBe(true)
    store = openFilesDirectly(folder)
    expect(await store.persistence.get(S)).toMatchObject({ endSeq: 12 })
    expect((await store.persistence.inspect(S)).damage).toEqual([])
  })

  function firstFrame(): number {
    const [frame] = ENCODINGS.zstd.units(readFileSync(inSession(file)), true)
    return frame?.to ?? 0
  }
})

function cutAtLine(count: number): number {
  return Buffer.byteLength(textOf('log.jsonl').split('\n').slice(0, count).join('\n')) + 1
}

function skippable(length: number): Buffer {
  const frame = Buffer.alloc(length)
  frame.writeUInt32LE(0x184d2a51, 0)
  frame.writeUInt32LE(length - 8, 4)
  return frame
}

/** An append that meets the end of the medium half-way: the system lets this process write no longer file. */
function spawnWithLimit(bytes: number): string {
  const script = `
    process.on('SIGXFSZ', () => {})
    import { openStore } from ${JSON.stringify(new URL('../store-client.ts', import.meta.url).href)}
    const store = await openStore({ dataFolder: ${JSON.stringify(folder)} })
    const at = (await store.persistence.get('s')).endSeq
    const event = text => [{ seq: at, time: 1, type: 'x', data: text }]
    const noise = Array.from({ length: 9000 }, () => Math.random().toString(36)).join('')
    await store.persistence.append([{ sessionId: 's', expectedSeq: at, events: event(noise) }])
      .then(() => console.log('written although full'), error => console.log(error.code, String(error.cause)))
    const { damage } = await store.persistence.inspect('s')
    if (damage.length > 0) console.log('damaged', JSON.stringify(damage))
    console.log('then', ...(await store.persistence.append([{ sessionId: 's', expectedSeq: at, events: event('') }])))
    await store.close()`
  const file = join(folder, 'full.mjs')
  writeFileSync(file, script)
  const blocks = Math.ceil(bytes / 512)
  return execFileSync('sh', ['-c', `ulimit -f ${blocks}; exec "$0" "$1"`, process.execPath, file], {
    encoding: 'utf8',
    // What it writes by itself counts towards the limit as well.
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
  })
}

describe('a log as text', () => {
  beforeEach(async () => {
    await begin('text')
    await store.persistence.create(sessionHeader('s'), events)
  })

  const editLines = (change: (lines: string[]) => void) =>
    edit(() => {
      const lines = textOf('log.jsonl').split('\n')
      change(lines)
      writeFileSync(inSession('log.jsonl'), lines.join('\n'))
    })

  test('can be read and searched with the tools of any system', () => {
    expect(textOf('session.json')).toBe('{"version":1,"id":"s","createdAt":1000}\n')
    const found = execFileSync('grep', ['-c', 'turn/start', inSession('log.jsonl')], { encoding: 'utf8' })
    expect(found.trim()).toBe('2')
    expect(textOf('log.jsonl').split('\n')[0]).toBe(
      '{"seq":0,"time":2000,"type":"turn/start","data":{"turn":1}}',
    )
  })

  test('a line that is gone is a gap, one that is broken costs itself; both sides can be read, resuming is refused', async () => {
    await editLines(lines => {
      lines[2] = lines[2]?.slice(3) ?? ''
      lines[4] = '42'
      lines.splice(6, 2)
    })
    const damage = [
      { kind: 'log-undecodable', seq: 2 },
      { kind: 'log-undecodable', seq: 4 },
      { kind: 'log-gap', fromSeq: 6, toSeq: 7 },
    ]
    expect(await store.persistence.page(S, { limit: 100 })).toMatchObject({ damage, endSeq: 11 })
    expect(await shown()).toEqual([0, 1, 3, 5, 8, 9, 10])
    expect((await store.persistence.inspect(S)).damage).toEqual(damage)
    expect((await store.persistence.inspectFolded(S)).damage).toEqual(damage)
    await expect(store.persistence.load(S)).rejects.toMatchObject({ code: 'SESSION_DAMAGED' })
    expect((await store.persistence.raw(S, 2, 1))[0]?.text).toContain('step/start')
    expect((await store.persistence.readFrom(S, 3, 3)).map(({ seq }) => seq)).toEqual([3, 5, 8])
    const found = (await store.persistence.check()).join('\n')
    expect(found).toMatch(/Session s lacks 2 events \(6 to 7\)/)
    expect(found).toMatch(/Session s holds 2 events that cannot be read \(2, 4\)/)
  })

  test('bytes that are no text cost their line', async () => {
    await edit(() => {
      const bytes = readFileSync(inSession('log.jsonl'))
      bytes.writeUInt8(0xff, bytes.indexOf('hello'))
      writeFileSync(inSession('log.jsonl'), bytes)
    })
    expect((await store.persistence.inspect(S)).damage).toEqual([{ kind: 'log-undecodable', seq: 1 }])
  })

  test('a broken number costs its line, and a line that is there twice is read once', async () => {
    await editLines(lines => {
      lines[3] = lines[3]?.replace('"seq":3', '"seq":83') ?? ''
      lines.splice(7, 0, lines[6] ?? '')
    })
    expect((await store.persistence.inspect(S)).damage).toEqual([{ kind: 'log-undecodable', seq: 3 }])
    expect(await shown()).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9, 10])
  })

  test('a broken end is kept aside when it is cut off', async () => {
    await editLines(lines => {
      lines[9] = 'garbage'
      lines[10] = '{"turn":'
    })
    expect((await store.persistence.inspect(S)).damage).toEqual([
      { kind: 'damaged-tail', fromSeq: 9, lost: 2 },
    ])
    await store.persistence.load(S)
    expect(textOf('torn-1')).toBe('garbage\n{"turn":\n')
    expect(await store.persistence.check()).toEqual([])
  })

  test('carriage returns and empty lines of editors and of version control do no harm', async () => {
    await editLines(lines => {
      for (const [index, line] of lines.entries()) if (line !== '') lines[index] = `${line}\r`
      lines.splice(4, 0, '')
    })
    expect(await store.persistence.inspect(S)).toMatchObject({ damage: [], events: { length: 15 } })
    expect((await store.persistence.load(S)).events.slice(0, 11)).toEqual(events)
  })
})

describe('a log of frames', () => {
  beforeEach(async () => {
    await begin('zstd')
    await store.persistence.create(sessionHeader('s'), events.slice(0, 4))
    for (const [at, end] of [
      [4, 8],
      [8, 11],
    ] as const) {
      await store.persistence.append([{ sessionId: S, expectedSeq: at, events: events.slice(at, end) }])
    }
  })

  test('a frame is a flushed batch, and the standard tool unpacks them all', () => {
    const frames = [...ENCODINGS.zstd.units(readFileSync(inSession('log.jsonl.zst')), true)]
    expect(frames.map(({ lines }) => lines.length)).toEqual([4, 4, 3])
  })

  test('one that is broken costs its events: both sides can be read (8.13.17)', async () => {
    await edit(() => {
      const bytes = readFileSync(inSession('log.jsonl.zst'))
      const [, second] = ENCODINGS.zstd.units(bytes, true)
      const at = (second?.at ?? 0) + 20
      bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at)
      writeFileSync(inSession('log.jsonl.zst'), bytes)
    })
    expect((await store.persistence.inspect(S)).damage).toEqual([
      { kind: 'log-undecodable', seq: 4 },
      { kind: 'log-gap', fromSeq: 5, toSeq: 7 },
    ])
    expect(await shown()).toEqual([0, 1, 2, 3, 8, 9, 10])
    await expect(store.persistence.load(S)).rejects.toMatchObject({ code: 'SESSION_DAMAGED' })
    expect(await store.persistence.raw(S, 4, 1)).toMatchObject([{ seq: 4, type: '' }])
  })

  test('a whole frame with a torn record at the end keeps its good ones when it is cut', async () => {
    await edit(() => {
      const payload = '{"seq":11,"time":5,"type":"todo/write","data":1}\n{"seq":12,"ti'
      appendFileSync(inSession('log.jsonl.zst'), packFrame(Buffer.from(payload)))
    })
    const inspection = await store.persistence.inspect(S)
    expect(inspection.damage).toEqual([{ kind: 'damaged-tail', fromSeq: 12, lost: 1 }])
    expect(inspection.events[11]).toEqual({ seq: 11, time: 5, type: 'todo/write', data: 1 })
    expect((await store.persistence.load(S)).events).toEqual(inspection.events)
    await edit(() => {})
    expect((await store.persistence.load(S)).events).toEqual(inspection.events)
    expect(tornFiles()).toEqual(['torn-1'])
  })
})

describe('one session that is damaged costs one row', () => {
  beforeEach(async () => {
    await begin('text')
    await store.persistence.create(sessionHeader('p'), log(finishedTurn))
    await store.persistence.create(childHeader('s', 'p'), log(finishedTurn))
  })

  test.each([
    ['a header of a newer version', 'SESSION_VERSION', /newer/, () => header({ version: 2, extra: {} })],
    ['a header of an older version', 'SESSION_VERSION', /older/, () => header({ version: 0 })],
    ['a field that is not known', 'SESSION_DAMAGED', /kind/, () => header({ kind: 'x' })],
    ['a fractional depth', 'SESSION_DAMAGED', /delegationDepth/, () => header({ delegationDepth: 0.5 })],
    [
      'a header that is no object',
      'SESSION_DAMAGED',
      /no object/,
      () => writeFileSync(inSession('session.json'), '[]'),
    ],
    [
      'a header that is no JSON',
      'SESSION_DAMAGED',
      /not JSON/,
      () => writeFileSync(inSession('session.json'), '{'),
    ],
    ['no header', 'SESSION_DAMAGED', /no session\.json/, () => rmSync(inSession('session.json'))],
    ['a header of another session', 'SESSION_DAMAGED', /another session \(p\)/, () => header({ id: 'p' })],
    ['no log', 'SESSION_DAMAGED', /missing/, () => rmSync(inSession('log.jsonl'))],
    ['two logs', 'SESSION_DAMAGED', /two logs/, () => writeFileSync(inSession('log.jsonl.zst'), '')],
    ['a folder as its log', 'SESSION_DAMAGED', /ordinary file/, () => replace(path => mkdirSync(path))],
    [
      'a link as its log',
      'SESSION_DAMAGED',
      /ordinary file/,
      () => replace(path => symlinkSync('/etc/hosts', path)),
    ],
    [
      'a pipe as its log',
      'SESSION_DAMAGED',
      /ordinary file/,
      () => replace(path => void execFileSync('sh', ['-c', 'mkfifo "$0"', path])),
    ],
    ['a link as its folder', 'SESSION_DAMAGED', /not a folder/, linkFolder],
  ])('%s (8.11.46, 8.11.47, 8.13.2, 8.13.14)', async (_, code, problem, change) => {
    await edit(change)
    for (const kind of ['all', 'roots'] as const) {
      const listing = await store.persistence.list({ kind })
      expect(
        listing.sessions.map(({ header, hasSubagentChildren }) => [header.id, hasSubagentChildren]),
      ).toEqual([['p', false]])
      expect(listing.unreadable).toEqual([{ id: 's', problem: expect.stringMatching(problem) }])
    }
    const children = { kind: 'children', parent: toSessionId('p') } as const
    expect(await store.persistence.list(children)).toEqual({ sessions: [], unreadable: [] })
    const reads = [
      store.persistence.get(S),
      store.persistence.inspect(S),
      store.persistence.load(S),
      store.checkpoints.snapshot(S),
    ]
    for (const read of await Promise.allSettled<unknown>(reads)) {
      expect(read).toMatchObject({ status: 'rejected', reason: { code } })
    }
    expect(await store.persistence.raw(S, 0, 10)).toBeInstanceOf(Array)
    expect((await store.persistence.check()).join()).toMatch(/Session s cannot be opened/)
    await expect(store.persistence.create(sessionHeader('s'), [])).rejects.toMatchObject({
      code: 'SESSION_EXISTS',
    })
    const batch = (id: string) => ({
      sessionId: toSessionId(id),
      expectedSeq: 6,
      events: log([user('x')], 6),
    })
    const hasLog = !/missing|logs|file|folder/.test(problem.source)
    expect(await store.persistence.append([batch('s'), batch('p')])).toEqual([
      hasLog ? 'written' : 'missing',
      'written',
    ])
  })

  test('a folder that disappears while we run is a session that is gone, and costs no other', async () => {
    const first = { sessionId: S, expectedSeq: 6, events: log([user('x')], 6) }
    expect(await store.persistence.append([first])).toEqual(['written'])
    renameSync(inSession(), join(folder, 'elsewhere'))
    const batch = (id: string, at: number) => ({
      sessionId: toSessionId(id),
      expectedSeq: at,
      events: log([user('x')], at),
    })
    expect(await store.persistence.append([batch('s', 7), batch('p', 6)])).toEqual(['missing', 'written'])
    expect((await store.persistence.list({ kind: 'roots' })).sessions).toHaveLength(1)
  })

  test('bytes that someone else wrote meanwhile are never written over', async () => {
    appendFileSync(inSession('log.jsonl'), '{"seq":6,"time":1,"type":"x","data":"theirs"}\n')
    const mine = { sessionId: S, expectedSeq: 6, events: log([user('mine')], 6) }
    expect(await store.persistence.append([mine])).toEqual(['conflict'])
    expect(
      await store.persistence.append([{ ...mine, expectedSeq: 7, events: log([user('mine')], 7) }]),
    ).toEqual(['written'])
    expect((await store.persistence.inspect(S)).events.slice(6).map(({ data }) => data)).toMatchObject([
      'theirs',
      {},
    ])
  })

  test('a garbled checkpoint, draft or file of marks is as good as absent, and said', async () => {
    await store.persistence.trash(toSessionId('p'))
    await edit(() => {
      for (const name of ['checkpoint.json', 'draft.json']) writeFileSync(inSession(name), '{"')
      writeFileSync(join(sessionsFolder(folder), 'marks.json'), '{"trashed":')
    })
    expect((await store.persistence.list({ kind: 'all' })).sessions).toHaveLength(2)
    expect(await store.checkpoints.read([S], ['title'])).toEqual([])
    expect((await store.persistence.inspect(S)).events).toHaveLength(6)
    expect((await store.persistence.check()).join()).toContain('marks.json could not be read')
    expect(readdirSync(sessionsFolder(folder)).join()).toContain('marks.json-damaged-')
  })

  function header(change: object): void {
    const facts = JSON.parse(textOf('session.json'))
    writeFileSync(inSession('session.json'), JSON.stringify({ ...facts, ...change }))
  }

  function replace(put: (path: string) => void): void {
    rmSync(inSession('log.jsonl'))
    put(inSession('log.jsonl'))
  }

  function linkFolder(): void {
    renameSync(inSession(), join(folder, 'elsewhere'))
    symlinkSync(join(folder, 'elsewhere'), inSession())
  }
})

describe('the folder', () => {
  beforeEach(() => begin('text'))

  test('ids that differ in case alone, and names that Windows keeps for itself, are sessions like others (8.13.1)', async () => {
    const ids = ['a', 'A', 'con', 'CON', 'nul', 'a.', 'A.b', `${'X'.repeat(127)}y`, `${'X'.repeat(127)}Y`]
    for (const id of ids) await store.persistence.create(sessionHeader(id), log([user(id)]))
    await edit(() => {})
    const { sessions } = await store.persistence.list({ kind: 'all' })
    expect(sessions.map(({ header }) => header.id).toSorted()).toEqual(ids.toSorted())
    expect(new Set(ids.map(id => nameOf(id).toLowerCase())).size).toBe(ids.length)
  })

  test('it and all in it are their owner’s alone', async () => {
    await store.persistence.create(sessionHeader('s'), log(finishedTurn))
    await store.persistence.archive(S, true)
    await store.persistence.saveDrafts([
      { sessionId: S, draft: { id: 'a', turn: 1, step: 1, content: [], model: null } },
    ])
    await store.outputs.append(S, 'call', 0, new Uint8Array([1]))
    for (const path of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const mode = statSync(join(path.parentPath, path.name)).mode & 0o777
      if (path.parentPath.startsWith(sessionsFolder(folder)))
        expect([path.name, mode & 0o077]).toEqual([path.name, 0])
    }
  })

  test('one of a newer version can be read and refuses every write', async () => {
    await store.persistence.create(sessionHeader('s'), log(finishedTurn))
    await edit(() =>
      writeFileSync(formatFile(sessionsFolder(folder)), '{"format":"espalier-sessions","version":2}'),
    )
    expect(store.readOnly).toBe(true)
    expect((await store.persistence.inspect(S)).events).toHaveLength(finishedTurn.length)
    await expect(store.persistence.archive(S, true)).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
  })

  test('one whose format cannot be understood is not opened, and no database is made beside it', async () => {
    await store.close()
    writeFileSync(formatFile(sessionsFolder(folder)), '{"format":"another"}')
    await expect(openStore({ dataFolder: folder })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(existsSync(join(folder, 'espalier.db'))).toBe(false)
    makeSessionsFolder(sessionsFolder(folder), 'text')
    store = openFilesDirectly(folder)
  })

  test('logs of both kinds stand side by side: each says by its name how it is kept', async () => {
    await store.persistence.create(sessionHeader('s'), log(finishedTurn))
    await edit(() => makeSessionsFolder(sessionsFolder(folder), 'zstd'))
    await store.persistence.create(sessionHeader('t'), log(finishedTurn))
    await store.persistence.append([{ sessionId: S, expectedSeq: 6, events: log([user('x')], 6) }])
    expect(existsSync(inSession('log.jsonl'))).toBe(true)
    expect(existsSync(join(sessionsFolder(folder), 't', 'log.jsonl.zst'))).toBe(true)
    expect((await store.persistence.list({ kind: 'all' })).sessions).toHaveLength(2)
  })

  test('a file of no session does no harm', async () => {
    writeFileSync(join(sessionsFolder(folder), 'notes.txt'), 'mine')
    mkdirSync(join(sessionsFolder(folder), '.git'))
    await store.persistence.create(sessionHeader('s'), log(finishedTurn))
    await edit(() => chmodSync(inSession(), 0o700))
    expect(await store.persistence.list({ kind: 'all' })).toMatchObject({
      unreadable: [],
      sessions: { length: 1 },
    })
  })
})
