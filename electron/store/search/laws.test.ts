import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { type Items, type OpenLogs, openLogs, TIME, user } from './fixtures/search-logs.ts'

/*
 * The index against a scan of what was said. Texts are made of pieces of which it is known what must find them, so
 * that nothing here splits a text into words.
 */

interface Piece {
  readonly text: string
  /** What finds it, each alone. */
  readonly keys: readonly string[]
}

const plain = fc
  .constantFrom('parser', 'lexer', 'brace', 'the', 'of', 'x', '42')
  .map(word => ({ text: word, keys: [word] }))
const accented = fc.constant({ text: 'Café', keys: ['cafe', 'CAFÉ'] })
const names = fc.tuple(fc.constantFrom('get', 'read', 'fold'), fc.constantFrom('User', 'Token', 'Log'))
const camel = names.map(([verb, noun]) => ({
  text: verb + noun,
  keys: [
    verb,
    noun.toLowerCase(),
    verb + noun,
    `${verb}${noun}`.toLowerCase(),
    `${verb}_${noun}`.toLowerCase(),
  ],
}))
const snake = names.map(([verb, noun]) => ({
  text: `${verb}_${noun.toLowerCase()}`,
  keys: [verb, noun.toLowerCase(), verb + noun, `${verb}_${noun}`.toLowerCase()],
}))
const path = names.map(([verb, noun]) => {
  const small = noun.toLowerCase()
  return {
    text: `src/${verb}/${small}.ts`,
    keys: ['src', verb, small, 'ts', `src/${verb}`, `${verb}/${small}.ts`, verb + noun, `${verb}_${small}`],
  }
})
const unspaced = fc
  .array(fc.constantFrom(...'全文検索한국어中エン'), { minLength: 1, maxLength: 6 })
  .map(characters => ({
    text: characters.join(''),
    keys: [...characters, ...characters.slice(1).map((next, index) => (characters[index] ?? '') + next)],
  }))
const piece: fc.Arbitrary<Piece> = fc.oneof(plain, plain, accented, camel, snake, path, unspaced)
const pieces = fc.array(piece, { minLength: 1, maxLength: 5 })

const act = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('say' as const), session: fc.nat(3), pieces }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('trash' as const), session: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore' as const), session: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fork' as const), session: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('steps' as const), count: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
)
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never

interface Said {
  readonly place: string
  readonly keys: ReadonlySet<string>
}

/** Does it to the logs; returns what a scan of all that is not in the trash sees. */
function live(logs: OpenLogs, acts: readonly Act[]): Said[] {
  const sessions = new Map<string, { readonly own: Said[]; items: Items; isTrashed: boolean }>()
  let forks = 0
  for (const [index, one] of acts.entries()) {
    const id = 'session' in one ? `s${one.session}` : ''
    const session = sessions.get(id)
    if (one.kind === 'say') {
      const item = user(one.pieces.map(({ text }) => text).join(' '), TIME + index * 600_000)
      if (session === undefined) logs.create(id, [item])
      else logs.append(id, [item])
      const { own, items, isTrashed } = session ?? { own: [], items: [], isTrashed: false }
      own.push({ place: `${id} ${items.length}`, keys: new Set(one.pieces.flatMap(({ keys }) => keys)) })
      sessions.set(id, { own, items: [...items, item], isTrashed })
    } else if (one.kind === 'steps') {
      for (let step = 0; step < one.count; step += 1) logs.index.step()
    } else if (one.kind === 'reopen') {
      logs.reopen()
    } else if (session !== undefined) {
      if (one.kind === 'fork') {
        forks += 1
        const fork = `f${forks}`
        const facts = { seedLength: session.items.length, createdAt: 2000 + index }
        logs.create(fork, session.items, facts)
        sessions.set(fork, { own: [], items: session.items, isTrashed: false })
      } else if (session.isTrashed !== (one.kind === 'trash')) {
        if (one.kind === 'trash') logs.writes.trash(toSessionId(id))
        else logs.writes.restore(toSessionId(id))
        session.isTrashed = one.kind === 'trash'
      }
    }
  }
  return [...sessions.values()].flatMap(({ own, isTrashed }) => (isTrashed ? [] : own))
}

test('finds every pair of things that were said together and nothing else, also when it is made anew', () => {
  fc.assert(
    fc.property(
      fc.array(act, { maxLength: 40 }),
      fc.array(fc.tuple(piece, piece), { minLength: 3 }),
      (acts, pairs) => {
        const logs = openLogs()
        try {
          const said = live(logs, acts)
          logs.build()
          const queries = [
            ...pairs.flatMap(([a, b]) => [...a.keys.map(key => [key, b.keys[0] ?? '']), [a.keys[0] ?? '']]),
          ]
          const answers = queries.map(keys => logs.find(keys.join(' ')))
          const expected = queries.map(keys =>
            said
              .filter(one => keys.every(key => one.keys.has(key)))
              .map(({ place }) => place)
              .sort(),
          )
          expect(answers.map(found => [...found].sort())).toEqual(expected)

          logs.reopen()
          rmSync(logs.file, { force: true })
          logs.build()
          expect(queries.map(keys => logs.find(keys.join(' ')))).toEqual(answers)
          expect(logs.notes).toEqual([])
        } finally {
          logs.remove()
        }
      },
    ),
    { numRuns: 40 },
  )
}, 120_000)
