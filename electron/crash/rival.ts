import process from 'node:process'
import type { NewEvent } from '#shared/session/events.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { openStore } from '../store/store-client.ts'

/**
 * Another process that writes to the log of a session, as where a lock does not hold (a folder on a network):
 * `node rival.ts <data folder> <session> [seq]`. Appends a whole turn, at the end or where it is told, and prints what
 * came of it.
 */
const [dataFolder = '', id = '', at] = process.argv.slice(2)
const sessionId = toSessionId(id)
const store = await openStore({ dataFolder })
const { events: seen, closers } = await store.persistence.inspect(sessionId)
const from = at === undefined ? seen.length - closers : Number(at)
const message = { id: `rival-${process.pid}`, source: { kind: 'person' as const } }
const turn: NewEvent[] = [
  { type: 'turn/start', data: { turn: 99 } },
  { type: 'user/message', data: { ...message, content: [{ type: 'text', text: 'From elsewhere' }] } },
  { type: 'turn/end', data: { turn: 99, reason: { kind: 'completed' } } },
]
const events = turn.map((event, index) => ({ ...event, seq: from + index, time: Date.now() }))
const [result] = await store.persistence.append([{ sessionId, expectedSeq: from, events }])
process.stdout.write(`${result}\n`)
await store.close()
