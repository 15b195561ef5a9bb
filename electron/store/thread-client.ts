import { Worker } from 'node:worker_threads'
import { WorkbenchError } from '#shared/errors.ts'
import type { MethodName, ThreadMethods } from './methods.ts'
import { inSlices } from './slices.ts'
import type { Answer, Answered, FromThread, ThreadData, ToThread } from './wire.ts'
import { fromWireError } from './wire-errors.ts'

export type ResultOf<M extends MethodName> = Answered<ReturnType<ThreadMethods[M]>>

interface Pending {
  readonly resolve: (answer: Answer<unknown>) => void
  readonly reject: (error: unknown) => void
}

/** The main thread's end of the store thread. When the thread dies, everything pending and later fails. */
export class ThreadClient {
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  readonly #exited: Promise<void>
  #gone: WorkbenchError | null = null
  #lastId = 0

  private constructor(worker: Worker) {
    this.#worker = worker
    this.#exited = new Promise(resolve => worker.once('exit', () => resolve()))
  }

  /** @throws WorkbenchError `STORE_UNAVAILABLE` when the database cannot be opened. */
  static async start(url: URL, data: ThreadData): Promise<{ client: ThreadClient; readOnly: boolean }> {
    const worker = new Worker(url, { workerData: data, name: 'store' })
    const client = new ThreadClient(worker)
    const readOnly = await new Promise<boolean>((resolve, reject) => {
      worker.on('message', (message: FromThread) => {
        if ('ready' in message) resolve(message.ready.readOnly)
        else if ('failed' in message) reject(fromWireError(message.failed))
        else client.#settle(message)
      })
      worker.on('messageerror', error => client.#fail('The store thread sent something unreadable.', error))
      worker.once('error', error => reject(client.#fail('The store thread failed.', error)))
      worker.once('exit', () => reject(client.#fail('The store thread has ended.')))
    }).catch(async (error: unknown) => {
      await worker.terminate()
      throw error
    })
    return { client, readOnly }
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

  #request(method: MethodName, args: readonly unknown[], signal?: AbortSignal): Promise<Answer<unknown>> {
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
      this.#pending.set(id, { resolve: settled(resolve), reject: settled(reject) })
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#post({ id, method, args })
    })
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message)
  }

  #settle(message: Extract<FromThread, { readonly id: number }>): void {
    const pending = this.#pending.get(message.id)
    if (pending === undefined) return // aborted: nobody waits any more
    this.#pending.delete(message.id)
    if ('error' in message) pending.reject(fromWireError(message.error))
    else pending.resolve(message.answer)
  }

  #fail(problem: string, cause?: unknown): WorkbenchError {
    this.#gone ??= new WorkbenchError('STORE_UNAVAILABLE', problem, { cause })
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    for (const { reject } of pending) reject(this.#gone)
    return this.#gone
  }
}

/** Long answers are parsed piece by piece, with turns for the main loop between them. */
async function parseAnswer({ text, field, pieces = [] }: Answer<unknown>) {
  const result = JSON.parse(text)
  if (field === undefined) return result
  const parsing = inSlices(parsePieces(pieces))
  result[field] = 'done' in parsing ? parsing.done : await parsing.later
  return result
}

function* parsePieces(pieces: readonly string[]): Generator<void, unknown[]> {
  const items: unknown[] = []
  for (const piece of pieces) {
    const parsed: unknown[] = JSON.parse(piece)
    for (const item of parsed) items.push(item)
    yield
  }
  return items
}
