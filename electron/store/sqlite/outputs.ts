import type Database from 'better-sqlite3'
import { WorkbenchError } from '#shared/errors.ts'
import type { OutputSlice } from '../output-store.ts'
import { type Answer, answer, answerWithBytes } from '../wire.ts'
import type { LogTable } from './log-table.ts'

type OwnOutput = readonly [key: number, size: number, owners: number]
type Part = readonly [start: number, bytes: Uint8Array]

/** Outputs in parts of raw bytes, each session with references to its own and to those that it inherited. */
export class Outputs {
  readonly #db
  readonly #table
  readonly #find
  readonly #list
  readonly #add
  readonly #refer
  readonly #grow
  readonly #addPart
  readonly #parts
  readonly #inherit
  readonly #dropRefs
  readonly #dropParts
  readonly #dropUnnamed
  readonly #named

  constructor(db: Database.Database, table: LogTable) {
    this.#db = db
    this.#table = table
    this.#find = db
      .prepare<[number, string], OwnOutput>(
        `SELECT o.key, o.size, (SELECT count(*) FROM output_ref other WHERE other.output_key = o.key)
         FROM output_ref r JOIN output o ON o.key = r.output_key WHERE r.session_key = ? AND r.id = ?`,
      )
      .raw()
    this.#list = db.prepare<[number], { id: string; size: number }>(
      `SELECT r.id, o.size FROM output_ref r JOIN output o ON o.key = r.output_key
       WHERE r.session_key = ? ORDER BY r.id`,
    )
    this.#add = db.prepare('INSERT INTO output (size) VALUES (0)')
    this.#refer = db.prepare<[number, string, number]>(
      'INSERT INTO output_ref (session_key, id, output_key) VALUES (?, ?, ?)',
    )
    this.#grow = db.prepare<[number, number]>('UPDATE output SET size = ? WHERE key = ?')
    this.#addPart = db.prepare<[number, number, Uint8Array]>(
      'INSERT INTO output_part (output_key, start, bytes) VALUES (?, ?, ?)',
    )
    // The part that holds the first byte begins at or before it.
    this.#parts = db
      .prepare<{ key: number; from: number; to: number }, Part>(
        `SELECT start, bytes FROM output_part WHERE output_key = @key AND start < @to AND start >= coalesce(
           (SELECT max(start) FROM output_part WHERE output_key = @key AND start <= @from), 0)
         ORDER BY start`,
      )
      .raw()
    this.#inherit = db.prepare<{ key: number; parent: string; end: number }>(
      `INSERT INTO output_ref (session_key, id, output_key)
       SELECT @key, r.id, r.output_key FROM output_ref r JOIN session p ON p.key = r.session_key
       WHERE p.id = @parent AND r.id IN (
         SELECT json_extract(data, '$.callId') FROM event
         WHERE session_key = @key AND seq < @end AND type = 'tool/call')`,
    )
    this.#named = db
      .prepare<[number], number>('SELECT output_key FROM output_ref WHERE session_key = ?')
      .pluck()
    this.#dropRefs = db.prepare<[number]>('DELETE FROM output_ref WHERE session_key = ?')
    const unnamed = '(SELECT value FROM json_each(?) WHERE value NOT IN (SELECT output_key FROM output_ref))'
    this.#dropParts = db.prepare<[string]>(`DELETE FROM output_part WHERE output_key IN ${unnamed}`)
    this.#dropUnnamed = db.prepare<[string]>(`DELETE FROM output WHERE key IN ${unnamed}`)
  }

  /** The outputs of the calls that `key` inherited from `parent`, all below `end`. In the transaction of its creation. */
  inherit(key: number, parent: string, end: number): void {
    this.#inherit.run({ key, parent, end })
  }

  /** Lets go of a session's outputs, and of those that no other session names. In the transaction of its caller. */
  dropOutputs(key: number): void {
    const named = JSON.stringify(this.#named.all(key))
    this.#dropRefs.run(key)
    this.#dropParts.run(named)
    this.#dropUnnamed.run(named)
  }

  get reads() {
    return {
      readOutput: (
        id: string,
        outputId: string,
        from: number,
        length: number,
      ): Answer<OutputSlice | null> => {
        const found = this.#find.get(this.#table.session(id).key, outputId)
        if (found === undefined) return answer(null)
        const [key, size] = found
        return answerWithBytes<OutputSlice>({ size }, this.#bytes(key, from, Math.min(from + length, size)))
      },
      listOutputs: (id: string): Answer<readonly { id: string; size: number }[]> =>
        answer(this.#list.all(this.#table.session(id).key)),
    }
  }

  get writes() {
    const append = this.#db.transaction(
      (sessionId: string, id: string, from: number, bytes: Uint8Array): void => {
        const { key, size } = this.#writable(sessionId, id)
        if (size !== from) {
          throw new WorkbenchError('SEQ_CONFLICT', `An output of ${size} bytes cannot go on at ${from}.`)
        }
        this.#addPart.run(key, from, bytes)
        this.#grow.run(from + bytes.length, key)
      },
    )
    return {
      appendOutput: (id: string, outputId: string, from: number, bytes: Uint8Array): Answer<null> => {
        if (bytes.length > 0) append.immediate(id, outputId, from, bytes)
        return answer(null)
      },
    }
  }

  #writable(sessionId: string, id: string): { readonly key: number; readonly size: number } {
    const sessionKey = this.#table.keyOf(sessionId)
    const found = this.#find.get(sessionKey, id)
    if (found === undefined) {
      const key = Number(this.#add.run().lastInsertRowid)
      this.#refer.run(sessionKey, id, key)
      return { key, size: 0 }
    }
    const [key, size, owners] = found
    if (owners > 1) throw new WorkbenchError('BAD_REQUEST', 'An inherited output does not change any more.')
    return { key, size }
  }

  /** A buffer of its own, so that it can be handed over. It ends where a part is missing. */
  #bytes(key: number, from: number, to: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(Math.max(0, to - from))
    let read = 0
    for (const [start, part] of bytes.length === 0 ? [] : this.#parts.iterate({ key, from, to })) {
      const first = from + read - start
      if (first < 0) break
      const piece = part.subarray(first, to - start)
      bytes.set(piece, read)
      read += piece.length
    }
    if (read === bytes.length) return bytes
    if (read === 0)
      throw new WorkbenchError('SESSION_DAMAGED', `This output lacks its bytes from ${from} on.`)
    return bytes.slice(0, read)
  }
}
