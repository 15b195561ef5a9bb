import { createRandom } from '../../corpus/random.ts'
import { databaseFile } from '../data-folder.ts'
import { openDatabase } from '../sqlite/database.ts'

/*
 * Logs as a search meets them: words as rare as in a language (Zipf's law over 60,000 of them), identifiers, paths and
 * some Chinese. Only events with text. Made by plain inserts: a million take seconds.
 */

const VOCABULARY = 60_000
const SYLLABLES = 'ta ri mo ken lu sha ber no vi cro del ing ser pa ti on ex qua zem fol'.split(' ')
export const CHINESE =
  '的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经'
const DRAWS = 2 ** 18
const EVENTS_A_SESSION = 2500

export interface SearchCorpus {
  readonly dataFolder: string
  readonly events: number
}

export function makeSearchCorpus(dataFolder: string, events: number): SearchCorpus {
  const { db } = openDatabase(databaseFile(dataFolder))
  const session = db.prepare(
    'INSERT INTO session (key, id, version, created_at, end_seq, last_time) VALUES (?, ?, 1, ?, ?, ?)',
  )
  const insert = db.prepare('INSERT INTO event (session_key, seq, time, type, data) VALUES (?, ?, ?, ?, ?)')
  const write = createWriter()
  for (let made = 0, key = 1; made < events; key += 1) {
    const size = Math.min(EVENTS_A_SESSION, events - made)
    const begun = 1_760_000_000_000 + key * 4_000_000
    db.transaction(() => {
      session.run(key, `session-${key}`, begun, size, begun + size * 1600)
      for (let seq = 0; seq < size; seq += 1) {
        const [type, data] = write(made + seq)
        insert.run(key, seq, begun + seq * 1600, type, data)
      }
    }).immediate()
    made += size
  }
  db.close()
  return { dataFolder, events }
}

/** The `rank`-th most common word. */
export function wordOfRank(rank: number): string {
  let word = ''
  let rest = rank
  for (let left = 1 + Math.floor(Math.log(rank + 2) / Math.log(20)); left >= 0; left -= 1) {
    word += SYLLABLES[(rest + left * 7) % 20] ?? ''
    rest = Math.floor(rest / 20)
  }
  return word
}

function createWriter(): (event: number) => readonly [type: string, data: string] {
  const random = createRandom(7)
  const words = Array.from({ length: VOCABULARY }, (_, rank) => wordOfRank(rank))
  const draws = zipf(VOCABULARY, DRAWS)
  const word = () => words[draws[random.below(DRAWS)] ?? 0] ?? ''
  const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
  const special = (): string => {
    switch (random.below(4)) {
      case 0:
        return `${word()}${capital(word())}${capital(word())}`
      case 1:
        return `${word()}_${word()}`
      case 2:
        return `src/${word()}/${word()}.ts`
      default:
        return `${word()}()`
    }
  }
  const chinese = () => {
    const from = random.below(CHINESE.length - 12)
    return CHINESE.slice(from, from + 2 + random.below(10))
  }
  return event => {
    let text = ''
    for (let left = 10 + random.below(50); left > 0; left -= 1)
      text += random.below(14) === 0 ? `${special()} ` : `${word()} `
    if (event % 40 === 0) text += `${chinese()}，${chinese()}。`
    const content = JSON.stringify([{ type: 'text', text: `${capital(text.trimEnd())}.` }])
    switch (event % 10) {
      case 0:
        return ['user/message', `{"id":"u${event}","source":{"kind":"person"},"content":${content}}`]
      case 1:
      case 2:
      case 3:
      case 4:
        return [
          'assistant/message',
          `{"id":"a${event}","turn":1,"step":${event},"content":${content},"usage":{"input":1,"output":2},"model":null}`,
        ]
      default:
        return [
          'tool/result',
          `{"turn":1,"step":${event},"callId":"c${event}","name":"read","status":"ok","content":${content},"durationMs":12}`,
        ]
    }
  }
}

/** `size` draws, as many of each rank as its share. */
function zipf(ranks: number, size: number): Uint16Array {
  const sums: number[] = []
  let sum = 0
  for (let rank = 0; rank < ranks; rank += 1) {
    sum += 1 / (rank + 2.7)
    sums.push(sum)
  }
  let rank = 0
  return Uint16Array.from({ length: size }, (_, index) => {
    while ((sums[rank] ?? sum) < ((index + 0.5) / size) * sum) rank += 1
    return rank
  })
}
