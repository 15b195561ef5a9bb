import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { toSessionId } from '#shared/session/ids.ts'
import { type BenchResult, compare, type Lab, runBench, type TrialArguments } from '../../bench/lab.ts'
import { measure, measureBare, type Trial } from '../../bench/measure.ts'
import { databaseFile } from '../data-folder.ts'
import { openDatabase } from '../sqlite/database.ts'
import { createLogSource } from '../sqlite/log-source.ts'
import { openStore, type Store } from '../store-client.ts'
import { CHINESE, makeSearchCorpus, wordOfRank } from './fixtures/search-corpus.ts'
import { readableText } from './readable-text.ts'
import { removeSearchFile, searchFile } from './search-file.ts'
import { SearchIndex } from './search-index.ts'

/** Index and limit take turns: what else the machine does meanwhile meets both. */
const TURNS = 5
const BARE_BATCH = 256 * 1024
const APPENDS = 200
const APPEND_EVERY_MS = 25

const QUERIES: Readonly<Record<string, string>> = {
  'the most common word': wordOfRank(0),
  'a common word': wordOfRank(200),
  'a rare word': wordOfRank(50_000),
  'the two most common words': `${wordOfRank(0)} ${wordOfRank(1)}`,
  'a common and a rare word': `${wordOfRank(0)} ${wordOfRank(20_000)}`,
  'a phrase': `"${wordOfRank(2)} ${wordOfRank(5)}"`,
  'two Chinese characters': CHINESE.slice(20, 22),
  nothing: 'nosuchword',
}

await runBench(import.meta.url, {
  benchmarks: {
    'search/build': build,
    'search/first-results': firstResults,
    'search/append-behind': appendBehind,
  },
  trials: {
    build: buildTrial,
    'bare build': bareBuildTrial,
    query: queryTrial,
    'bare query': async ({ folder, text }) => {
      const db = new Database(bareFile(String(folder)), { readonly: true })
      const find = db.prepare('SELECT rowid FROM bare WHERE bare MATCH ? ORDER BY rowid DESC LIMIT 50')
      return measureBare(10, () => find.all(`"${String(text).replaceAll('"', '').replaceAll(' ', '" "')}"`))
    },
    append: appendTrial,
  },
})

/** Made once for all of them, and indexed by the first. */
function corpusOf(lab: Lab): { readonly folder: string; readonly events: number } {
  const events = lab.size(1_000_000, 20_000)
  const folder = join(lab.folder, 'search')
  if (mkdirSync(folder, { recursive: true }) !== undefined) makeSearchCorpus(folder, events)
  return { folder, events }
}

async function* build(lab: Lab): AsyncIterable<BenchResult> {
  const { folder, events } = corpusOf(lab)
  const trials: Trial[] = []
  const limits: Trial[] = []
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const upTo = Math.ceil((events * turn) / TURNS)
    trials.push(...(await lab.trials('build', { folder, upTo }, 1)))
    limits.push(
      ...(await lab.trials(
        'bare build',
        { folder, upTo, from: Math.ceil((events * (turn - 1)) / TURNS) },
        1,
      )),
    )
  }
  const what = 'FTS5 inserts of the same texts as they are, a transaction per 256 KiB'
  const all = { trials: [together(trials)], limits: [together(limits)], what, run: 'first' as const }
  yield compare({ name: 'search/build', sizes: { events }, ...all })
}

async function* firstResults(lab: Lab): AsyncIterable<BenchResult> {
  const { folder, events } = await indexed(lab)
  for (const [query, text] of Object.entries(QUERIES)) {
    const trials = await lab.trials('query', { folder, text }, 3)
    const limits = await lab.trials('bare query', { folder, text }, 3)
    const what = 'the newest 50 rows of a bare MATCH'
    yield compare({
      name: 'search/first-results',
      sizes: { events, query },
      trials,
      limits,
      what,
      run: 'later',
    })
  }
}

async function* appendBehind(lab: Lab): AsyncIterable<BenchResult> {
  const { folder, events } = await indexed(lab)
  const limits = await lab.trials('append', { folder, isBuilding: false }, 1)
  const trials = await lab.trials('append', { folder, isBuilding: true }, 3)
  const what = 'the same appends when the index is complete'
  yield compare({ name: 'search/append-behind', sizes: { events }, trials, limits, what, run: 'later' })
}

async function indexed(lab: Lab): Promise<{ readonly folder: string; readonly events: number }> {
  const corpus = corpusOf(lab)
  const { folder, events } = corpus
  await lab.trials('build', { folder, upTo: events }, 1)
  await lab.trials('bare build', { folder, upTo: events, from: 0 }, 1)
  return corpus
}

function together(trials: readonly Trial[]): Trial {
  const ms = trials.reduce((sum, trial) => sum + (trial.ms[0] ?? 0), 0)
  return {
    ms: [ms],
    stallMs: Math.max(...trials.map(({ stallMs }) => stallMs)),
    rssMiB: Math.max(...trials.map(({ rssMiB }) => rssMiB)),
  }
}

/** All work of the index, in this thread and without pauses. Its stall is its longest step. */
async function buildTrial({ folder, upTo }: TrialArguments): Promise<Trial> {
  const { db } = openDatabase(databaseFile(String(folder)))
  const source = createLogSource(db)
  const index = new SearchIndex({ file: searchFile(String(folder)), source, readOnly: false, note: () => {} })
  let longestMs = 0
  const trial = measureBare(1, () => {
    for (let steps = 1; ; steps += 1) {
      const start = performance.now()
      const wait = index.step()
      longestMs = Math.max(longestMs, performance.now() - start)
      if (wait > 0 || (steps % 20 === 0 && index.status().indexedEvents >= Number(upTo))) break
    }
  })
  index.close()
  db.close()
  return { ...trial, stallMs: longestMs }
}

async function bareBuildTrial({ folder, from, upTo }: TrialArguments): Promise<Trial> {
  const { db } = openDatabase(databaseFile(String(folder)))
  const source = createLogSource(db)
  const bare = new Database(bareFile(String(folder)))
  bare.pragma('journal_mode = WAL')
  bare.pragma('synchronous = NORMAL')
  bare.pragma('cache_size = -8000')
  bare.exec("CREATE VIRTUAL TABLE IF NOT EXISTS bare USING fts5(text, content = '', contentless_delete = 1)")
  const insert = bare.prepare('INSERT INTO bare (rowid, text) VALUES (?, ?)')
  const done = Number(bare.prepare('SELECT count(*) FROM bare_docsize').pluck().get())
  let row = 0
  let ms = 0
  let texts: string[] = []
  let length = 0
  const write = () => {
    const start = performance.now()
    bare.exec('BEGIN')
    for (const [index, text] of texts.entries()) insert.run(row - texts.length + index + 1, text)
    bare.exec('COMMIT')
    ms += performance.now() - start
    texts = []
    length = 0
  }
  for (const { key } of source.sessions(-1, 1_000_000)) {
    for (const event of rowsOf(key)) {
      row += 1
      if (row <= Math.max(done, Number(from))) continue
      if (row > Number(upTo)) break
      const text = readableText(event) ?? ''
      texts.push(text)
      length += text.length
      if (length >= BARE_BATCH) write()
    }
  }
  row = Math.min(row, Number(upTo))
  write()
  bare.close()
  db.close()
  return { ...measureBare(1, () => {}), ms: [ms] }

  function* rowsOf(key: number) {
    for (let seq = 0; ; ) {
      const rows = source.rows(key, seq, 500)
      yield* rows
      if (rows.length < 500) return
      seq = Number(rows.at(-1)?.[0]) + 1
    }
  }
}

async function queryTrial({ folder, text }: TrialArguments): Promise<Trial> {
  const store = await openStore({ dataFolder: String(folder) })
  await settled(store)
  const request = { text: String(text), limit: 50, cursor: null, sessions: null }
  const trial = await measure(10, () => store.search.query(request))
  await store.close()
  return trial
}

/** One event at a time, each made durable, while the store thread has an index to build or has none. */
async function appendTrial({ folder, isBuilding }: TrialArguments): Promise<Trial> {
  const dataFolder = `${String(folder)}-append`
  rmSync(dataFolder, { recursive: true, force: true })
  cpSync(String(folder), dataFolder, { recursive: true })
  if (isBuilding === true) removeSearchFile(searchFile(dataFolder))
  const store = await openStore({ dataFolder })
  const id = toSessionId('appended')
  await store.persistence.create({ version: 1, id, createdAt: Date.now() }, [])
  if (isBuilding !== true) await settled(store)
  await setTimeout(1000) // the index is being built, or has nothing left to do
  const ms: number[] = []
  const { stallMs, rssMiB } = await measure(1, async () => {
    for (let seq = 0; seq < APPENDS; seq += 1) {
      const event = {
        seq,
        time: Date.now(),
        type: 'session/title',
        data: { title: `${seq}`, source: 'person' },
      }
      const start = performance.now()
      await store.persistence.append([{ sessionId: id, expectedSeq: seq, events: [event] }])
      ms.push(performance.now() - start)
      await setTimeout(APPEND_EVERY_MS)
    }
  })
  const { state } = await store.search.status()
  await store.close()
  rmSync(dataFolder, { recursive: true, force: true })
  if (isBuilding === true && state !== 'building')
    throw new Error('the index was complete before the appends')
  return { ms, stallMs, rssMiB }
}

async function settled(store: Store): Promise<void> {
  while ((await store.search.status()).state === 'building') await setTimeout(50)
}

function bareFile(folder: string): string {
  return join(folder, 'bare.db')
}
