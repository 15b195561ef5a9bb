import { Worker } from 'node:worker_threads'
import { WorkbenchError } from '#shared/errors.ts'
import { inSlices, SLICE_MS } from '../slices.ts'
import { mediumFault } from './medium.ts'
import type { Opening } from './opening.ts'
import type { SearchMethods } from './search/thread-search.ts'
import type { ThreadMethods as BackendMethods } from './sqlite/methods.ts'
import type { Answer, Answered, FromThread, ThreadData, ToThread } from './wire.ts'
import { fromWireError } from './wire-errors.ts'

type ThreadMethods = BackendMethods & SearchMethods
type MethodName = keyof ThreadMethods
export type ResultOf<M extends MethodName> = Answered<ReturnType<ThreadMethods[M]>>

/** An answer with the elements of its pieces: those that were parsed on arrival, and the texts of the rest. */
type Received = Pick<Answer<unknown>, 'text' | 'field' | 'bytes'> & Pick<Pending, 'items' | 'later'>

interface Pending {
  readonly resolve: (answer: Received) => void
  readonly reject: (error: unknown) => void
  readonly items: unknown[]
  readonly later: string[]
}

/** The main thread's end of the store thread. When the thread dies, everything pending and later fails. */
export class ThreadClient {
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  readonly #exited: Promise<void>
  #gone: WorkbenchError | null = null
  #lastId = 0
  /** Told whenever an answer failed because what is stored is damaged. */
  onDamage: () => void = () => {}
  /** When this turn of the main loop has parsed enough; `null` until it parses something. */
  #turnEnds: number | null = null

  private constructor(worker: Worker) {
    this.#worker = worker
    this.#exited = new Promise(resolve => worker.once('exit', () => resolve()))
  }

  /** @throws WorkbenchError `STORE_UNAVAILABLE` when the database cannot be opened. */
  static async start(
    url: URL,
    data: ThreadData,
    onNote: (sentence: string) => void = () => {},
  ): Promise<{ client: ThreadClient; readOnly: boolean; opening: Opening }> {
    const worker = new Worker(url, {
      workerData: data,
      name: 'store',
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    })
    const client = new ThreadClient(worker)
    const ready = await new Promise<{ readOnly: boolean; opening: Opening }>((resolve, reject) => {
      worker.on('message', (message: FromThread) => {
        if ('ready' in message) resolve(message.ready)
        else if ('failed' in message) reject(fromWireError(message.failed))
        else if ('note' in message) onNote(message.note)
        else if ('damaged' in message) client.onDamage()
        else client.#settle(message)
      })
      worker.on('messageerror', error => client.#fail('The store thread sent something unreadable.', error))
      worker.once('error', error => reject(client.#fail('The store thread failed.', error)))
      worker.once('exit', () => reject(client.#fail('The store thread has ended.')))
    }).catch(async (error: unknown) => {
      await worker.terminate()
      throw error
    })
    return { client, ...ready }
  }

  async call<M extends MethodName>(
    method: M,
    args: Parameters<ThreadMethods[M]>,
    signal?: AbortSignal,
  ): Promise<ResultOf<M>> {
    signal?.throwIfAborted()
    const raw = await this.#request(method, args, signal)
    const result: ResultOf<M> = await parseAnswer(raw)
    signal?.throwIfAborted()
    return result
  }

  /** Waits for what was asked so far. Idempotent. */
  async close(): Promise<void> {
    if (this.#gone === null) this.#post({ close: true })
    this.#gone ??= new WorkbenchError('STORE_UNAVAILABLE', 'The session store is closed.')
    await this.#exited
  }

  #request(method: MethodName, args: readonly unknown[], signal?: AbortSignal): Promise<Received> {
    if (this.#gone !== null) return Promise.reject(this.#gone)
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        if (this.#pending.delete(id)) this.#post({ cancel: id })
        reject(signal?.reason)
      }
      const settled =
        <T>(then: (value: T) => void) =>
        (value: T): void => {
          signal?.removeEventListener('abort', onAbort)
          then(value)
        }
      this.#pending.set(id, { resolve: settled(resolve), reject: settled(reject), items: [], later: [] })
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#post({ id, method, args })
    })
  }

  /** The buffers of byte arrays among the arguments are handed over, not copied. */
  #post(message: ToThread): void {
    const bytes = 'args' in message ? message.args.filter(arg => arg instanceof Uint8Array) : []
    this.#worker.postMessage(
      message,
      bytes.map(({ buffer }) => buffer as ArrayBuffer),
    )
  }

  #settle(message: Extract<FromThread, { readonly id: number }>): void {
    const pending = this.#pending.get(message.id)
    if (pending === undefined) return // aborted: nobody waits any more
    if ('piece' in message) {
      this.#take(pending, message.piece)
      return
    }
    this.#pending.delete(message.id)
    const { items, later } = pending
    if ('error' in message) {
      pending.reject(fromWireError(message.error))
      const { systemCode } = message.error
      if (systemCode !== undefined && mediumFault(systemCode) === 'damaged') this.onDamage()
    } else pending.resolve({ ...message.answer, items, later })
  }

  /** Parses while the thread makes the next piece, as long as this turn of the main loop stays short. */
  #take({ items, later }: Pending, piece: string): void {
    if (this.#turnEnds === null) {
      this.#turnEnds = performance.now() + SLICE_MS
      setImmediate(() => {
        this.#turnEnds = null
      })
    }
    if (later.length > 0 || performance.now() > this.#turnEnds) later.push(piece)
    else addItems(items, piece)
  }

  #fail(problem: string, cause?: unknown): WorkbenchError {
    this.#gone ??= new WorkbenchError('STORE_UNAVAILABLE', problem, { cause })
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    for (const { reject } of pending) reject(this.#gone)
    return this.#gone
  }
}

/** What is left of a long answer is parsed piece by piece, with turns for the main loop between them. */
async function parseAnswer({ text, field, bytes, items, later }: Received) {
  const result = JSON.parse(text)
  if (bytes !== undefined) result.bytes = bytes
  if (field === undefined) return result
  const parsing = inSlices(parsePieces(items, later))
  result[field] = 'done' in parsing ? parsing.done : await parsing.later
  return result
}

function* parsePieces(items: unknown[], pieces: readonly string[]): Generator<void, unknown[]> {
  for (const piece of pieces) {
    addItems(items, piece)
    yield
  }
  return items
}

function addItems(items: unknown[], piece: string): void {
  const parsed: unknown[] = JSON.parse(piece)
  for (const item of parsed) items.push(item)
}
