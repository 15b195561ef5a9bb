import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Fold } from '#shared/projection/fold.ts'
import { UNITS } from '#shared/projection/units.ts'
import type { StoredEvent } from '#shared/session/events.ts'
import { storableJson } from '#shared/session/fixtures/storable-json.ts'
import { lifecycleFacts, type SessionHeader } from '#shared/session/header.ts'
import { type SessionId, toSessionId } from '#shared/session/ids.ts'
import type { Backend } from './backend.ts'
import { databaseFile } from './data-folder.ts'
import { checkpointText } from './encode.ts'
import { answerOf, type DirectStore, directStore, encoded } from './fixtures/direct-store.ts'
import { finishedTurn, log, openTurn, user } from './fixtures/logs.ts'
import { ENCODINGS, type EncodingName } from './jsonl/encoding.ts'
import { nameOf } from './jsonl/folder-name.ts'
import { sessionsFolder } from './jsonl/format.ts'
import { openJsonlBackend } from './jsonl/jsonl-backend.ts'
import { makeSessionsFolder } from './jsonl/make-format.ts'
import { openSqliteBackend } from './sqlite/sqlite-backend.ts'

/*
 * Whatever is done to them, in whatever order, a database and a folder of files give the same answers (8.13.18).
 * What may differ is left out: the clock, the order of things that have none, the doctor's words.
 */

const RUNS = { text: 120, zstd: 60 } as const

interface Kept {
  backend: Backend
  ask: DirectStore
  reopen(): void
  /** The end of a write that a kill cut off: one event is known to be lost. */
  tear(id: string): void
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-differential-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function keep(open: () => Backend, tear: (id: string) => void): Kept {
  const backend = open()
  const kept: Kept = {
    backend,
    ask: directStore(backend),
    reopen() {
      kept.backend.close()
      kept.backend = open()
      kept.ask = directStore(kept.backend)
    },
    tear(id) {
      kept.backend.close()
      tear(id)
      kept.backend = open()
      kept.ask = directStore(kept.backend)
    },
  }
  return kept
}

function inDatabase(dataFolder: string): Kept {
  return keep(
    () => openSqliteBackend({ dataFolder, units: UNITS, readOnly: false }),
    id => {
      const db = new Database(databaseFile(dataFolder))
      db.prepare('UPDATE session SET end_seq = end_seq + 1 WHERE id = ?').run(id)
      db.close()
    },
  )
}

function inFiles(dataFolder: string, encoding: EncodingName): Kept {
  makeSessionsFolder(sessionsFolder(dataFolder), encoding)
  return keep(
    () => openJsonlBackend({ dataFolder, units: UNITS, readOnly: false }),
    id => {
      const file = join(sessionsFolder(dataFolder), nameOf(id), ENCODINGS[encoding].file)
      appendFileSync(
        file,
        ENCODINGS[encoding].pack(['{"seq":0,"time":1,"type":"x","data":1}']).bytes.subarray(0, 9),
      )
    },
  )
}

type Ask = (ask: DirectStore) => unknown
interface Act {
  readonly name: string
  readonly run: (both: Both) => void
}

/** The same question to both, with the same answer. */
class Both {
  readonly #one: Kept
  readonly #other: Kept
  /** Sessions whose end is torn: only a load may write to them. */
  readonly torn = new Set<string>()

  constructor(one: Kept, other: Kept) {
    this.#one = one
    this.#other = other
  }

  same(ask: Ask): unknown {
    const answer = answerOf(() => ask(this.#one.ask))
    const other = answerOf(() => ask(this.#other.ask))
    expect(other).toEqual(answer)
    return answer
  }

  reopen(which: 'one' | 'other' | 'both'): void {
    if (which !== 'other') this.#one.reopen()
    if (which !== 'one') this.#other.reopen()
  }

  together(asks: readonly Ask[]): void {
    const run = ({ backend, ask }: Kept) => backend.together(asks.map(one => () => answerOf(() => one(ask))))
    expect(run(this.#other)).toEqual(run(this.#one))
  }

  tear(id: string): void {
    const ends = this.#one.ask('get', id)
    if (ends === null || this.torn.has(id)) return
    this.torn.add(id)
    this.#one.tear(id)
    this.#other.tear(id)
  }

  endOf(id: string): number {
    const found = answerOf(() => this.#one.ask('get', id))
    return found !== null && 'endSeq' in found ? found.endSeq : 0
  }

  close(): void {
    this.#one.backend.close()
    this.#other.backend.close()
  }
}

const IDS = ['a', 'A', 'b', 'con', 'x.y'].map(toSessionId)
const id = fc.constantFrom(...IDS)
const items = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...finishedTurn, ...openTurn) },
    { weight: 8, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }).map(text => user(text)) },
    storableJson.map(data => ['todo/write', data] as const),
    fc.constant([
      'subagent/descriptor',
      { version: 2, mode: 'continuable', provider: 'spawn', label: 'Audit' },
    ] as const),
    fc.constant(['x/unknown', 1] as const),
    fc.constant(['x/long', 'y'.repeat(30_000)] as const),
  ),
  { maxLength: 40 },
)
const facts = fc.record({
  createdAt: fc.integer({ min: 0, max: 3 }),
  parentSession: fc.option(id, { nil: undefined }),
  seedLength: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
  origin: fc.constantFrom(undefined, 'subagent' as const, 'subagent' as const),
  cwd: fc.constantFrom(undefined, '/work'),
})

function headerOf(of: SessionId, optional: object): SessionHeader {
  const present = Object.entries(optional).filter(([, value]) => value !== undefined)
  return { version: 1, id: of, createdAt: 0, ...Object.fromEntries(present) }
}

function marked(events: readonly StoredEvent[], isIgnorable: boolean): StoredEvent[] {
  return events.map(event =>
    isIgnorable && event.type === 'x/unknown' ? { ...event, ignorable: true } : event,
  )
}

const sorted = <T>(values: readonly T[], key: (value: T) => string): T[] =>
  values.toSorted((one, other) => (key(one) < key(other) ? -1 : 1))

function act<T>(name: string, of: fc.Arbitrary<T>, run: (both: Both, value: T) => void): fc.Arbitrary<Act> {
  return of.map(value => ({ name: `${name} ${fc.stringify(value)}`, run: both => run(both, value) }))
}

function appendTo(
  both: Both,
  to: SessionId,
  content: readonly (readonly [string, unknown])[],
  back: number,
): Ask {
  const at = Math.max(0, both.endOf(to) - back)
  // A database lets a stated end be written behind; a folder never glues to a torn write.
  const batches = both.torn.has(to) ? [] : [{ sessionId: to, events: encoded(log(content, at), at) }]
  return ask => ask('append', batches)
}

const creation = act(
  'create',
  fc.tuple(id, facts, items, fc.boolean()),
  (both, [of, optional, content, isIgnorable]) => {
    both.same(ask => ask('create', headerOf(of, optional), encoded(marked(log(content), isIgnorable))))
  },
)

function load(both: Both, of: SessionId): void {
  const answer = both.same(ask => {
    const loaded = ask('commitLoad', of, ask('planLoad', of))
    return loaded === null ? null : { ...loaded, checkpoint: sorted(loaded.checkpoint, ({ key }) => key) }
  })
  if (typeof answer === 'object' && answer !== null && 'events' in answer) both.torn.delete(of)
}

const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: creation },
  {
    weight: 3,
    arbitrary: act(
      'append',
      fc.tuple(id, items, fc.constantFrom(0, 0, 0, 1)),
      (both, [to, content, back]) => {
        both.same(appendTo(both, to, content, back))
      },
    ),
  },
  act('append together', fc.array(fc.tuple(id, items), { maxLength: 4 }), (both, all) => {
    both.together(all.map(([to, content]) => appendTo(both, to, content, 0)))
  }),
  act('draft', fc.tuple(id, fc.option(fc.string())), (both, [of, text]) => {
    const content = [{ type: 'text', text }]
    const draft = text === null ? null : JSON.stringify({ id: 'd', turn: 1, step: 1, content, model: null })
    both.same(ask => ask('saveDrafts', [{ sessionId: of, text: draft }]))
  }),
  act('archive', fc.tuple(id, fc.boolean()), (both, [of, isArchived]) =>
    both.same(ask => ask('archive', of, isArchived)),
  ),
  act('trash', id, (both, of) => both.same(ask => ask('trash', of))),
  act('restore', id, (both, of) => both.same(ask => ask('restore', of))),
  act('purge', id, (both, of) => {
    both.same(ask => ask('condemn', of))
    both.same(ask => {
      while (!ask('purgeStep'));
    })
  }),
  act('checkpoint', fc.tuple(id, fc.nat({ max: 100 }), fc.boolean()), (both, [of, cut, isOfThisLife]) => {
    both.same(ask => {
      const { header, events } = ask('inspect', of)
      const fold = new Fold(UNITS, header)
      for (const event of events.slice(0, cut)) fold.apply(event)
      const life = isOfThisLife ? lifecycleFacts(header) : 'another life'
      ask('writeCheckpoints', [
        checkpointText({ sessionId: of, facts: life, faults: [], rows: fold.checkpoint() }),
      ])
    })
  }),
  act('catch up', id, (both, of) => both.same(ask => ask('catchUpCheckpoints', [of]))),
  act('load', id, load),
  act('tear and load', id, (both, of) => {
    both.tear(of)
    load(both, of)
  }),
  act(
    'page',
    fc.tuple(id, fc.option(fc.nat({ max: 60 })), fc.nat({ max: 30 })),
    (both, [of, before, limit]) => {
      both.same(ask => ask('page', of, before, limit, false))
    },
  ),
  act('read', fc.tuple(id, fc.nat({ max: 60 }), fc.nat({ max: 30 })), (both, [of, from, limit]) => {
    both.same(ask => ask('readFrom', of, from, limit))
    both.same(ask => ask('raw', of, from, limit))
  }),
  act('tear', id, (both, of) => both.tear(of)),
  {
    weight: 2,
    arbitrary: act('reopen', fc.constantFrom('one', 'other', 'both'), (both, which) => both.reopen(which)),
  },
)

/** Everything that can be asked without changing anything. */
function compareAll(both: Both): void {
  for (const kind of ['roots', 'all'] as const) both.same(ask => ask('list', { kind }))
  for (const of of IDS) {
    both.same(ask => ask('list', { kind: 'children', parent: of }))
    both.same(ask => ask('list', { kind: 'tree', root: of }))
    both.same(ask => ask('get', of))
    both.same(ask => ask('inspect', of))
    both.same(ask => ask('inspectFolded', of))
    both.same(ask => ask('revision', of))
    both.same(ask => ask('snapshot', of))
    both.same(ask => ask('recentSnapshot', of, 5))
    both.same(ask => ask('page', of, null, 3, false))
    both.same(ask => ask('page', of, 17, 9, true))
    both.same(ask => ask('readFrom', of, 4, 6))
    both.same(ask => ask('raw', of, 2, 3))
  }
  const keys = UNITS.map(({ key }) => key)
  both.same(ask => sorted(ask('readCheckpoints', IDS, keys).sessions, ({ sessionId }) => sessionId))
  both.same(ask => sorted(ask('behindCheckpoints'), of => of))
  both.same(ask => ask('waiting'))
  both.same(ask => sorted(ask('trashed'), tree => tree.id).map(({ trashedAt: _, ...tree }) => tree))
}

test.each(['text', 'zstd'] as const)(
  'a database and files as %s answer alike after any sequence of acts',
  encoding => {
    let run = 0
    fc.assert(
      fc.property(
        fc.array(creation, { minLength: 2, maxLength: 6 }),
        fc.array(acts, { maxLength: 25 }),
        (first, then) => {
          run += 1
          const [one, other] = [join(folder, `${run}-database`), join(folder, `${run}-files`)]
          mkdirSync(one)
          const both = new Both(inDatabase(one), inFiles(other, encoding))
          try {
            for (const step of [...first, ...then]) step.run(both)
            compareAll(both)
            both.reopen('both')
            compareAll(both)
          } finally {
            both.close()
          }
        },
      ),
      { numRuns: RUNS[encoding] },
    )
  },
  120_000,
)
