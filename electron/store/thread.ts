import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { WorkbenchError } from '#shared/errors.ts'
import type { Unit } from '#shared/projection/unit.ts'
import { UNITS } from '#shared/projection/units.ts'
import { type AnswerMessage, createAnswerSender } from './answer-sender.ts'
import type { Backend } from './backend.ts'
import { Background } from './background.ts'
import { openBackend } from './open-backend.ts'
import { RequestQueue } from './request-queue.ts'
import { createThreadSearch } from './search/thread-search.ts'
import type { Answer, FromThread, Request, ThreadData, ToThread, WireError } from './wire.ts'
import { toWireError } from './wire-errors.ts'

/*
 * The store thread: the one owner of what keeps the logs. It answers one read at a time, or the writes that
 * wait together, and looks for cancellations before each.
 */

/** The disk is waited for once for so many writes. */
const MOST_WRITES_AT_ONCE = 64
/** What people and models wait for: it is done in the midst of a long read. */
const URGENT: ReadonlySet<string> = new Set([
  'append',
  'appendOutput',
  'archive',
  'create',
  'saveDrafts',
  'writeCheckpoints',
])
/** How long a read may keep it waiting. */
const PAUSE_EVERY_MS = 10

const { dataFolder, unitsModule, readOnly = false } = workerData as ThreadData
const port = parentPort
if (port === null) throw new Error('the store thread was started without a parent')

function send(message: FromThread, handedOver: readonly ArrayBuffer[] = []): void {
  port?.postMessage(message, handedOver)
}

const answers = createAnswerSender(send)

async function loadUnits(): Promise<readonly Unit[]> {
  if (unitsModule === undefined) return UNITS
  const loaded: { readonly UNITS: readonly Unit[] } = await import(unitsModule)
  return loaded.UNITS
}

/** Set once requests are answered. */
let pause = (): void => {}

try {
  const units = await loadUnits()
  const backend = await openBackend({
    dataFolder,
    units,
    readOnly,
    onDamage: () => send({ damaged: true }),
    pause: () => pause(),
  })
  serve(backend)
  send({ ready: { readOnly: backend.readOnly, opening: backend.opening ?? {} } })
} catch (error) {
  send({ failed: toWireError(error) })
}

function serve(backend: Backend): void {
  const { readOnly } = backend
  const { reads, writes } = backend.methods
  const search = createThreadSearch({
    dataFolder,
    source: backend.logSource,
    readOnly,
    note: sentence => send({ note: sentence }),
    within: ms => background.within(ms),
  })
  const background = new Background(search.work, isFree)
  const isWrite = (method: string): boolean => Object.hasOwn(writes, method)
  const methods = new Map<string, (...args: never[]) => Answer<unknown>>(
    Object.entries({ ...reads, ...writes, ...search.methods }),
  )
  const queue = new RequestQueue(isWrite)
  let isScheduled = false
  let isClosing = false

  function accept(message: ToThread): void {
    if ('cancel' in message) cancel(message.cancel)
    else if ('close' in message) isClosing = true
    else queue.add(message)
  }

  function cancel(id: number): void {
    queue.cancel(id)
    answers.cancel(id)
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(work)
  }

  function acceptAll(): void {
    if (port === null) return
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      accept(next.message)
    }
  }

  function isFree(): boolean {
    acceptAll()
    if (queue.isEmpty && !isClosing) return true
    schedule()
    return false
  }

  function work(): void {
    isScheduled = false
    if (port === null) return
    acceptAll()
    const requests = queue.take(MOST_WRITES_AT_ONCE)
    if (requests.length > 0) {
      for (const message of answerAll(requests)) answers.send(message)
      if (requests.some(search.heard)) background.answered()
      schedule()
    } else if (isClosing) {
      background.close()
      search.close()
      backend.close()
      port.close()
    } else {
      background.rest()
    }
  }

  let isTogether = false
  let pausedAt = 0

  pause = () => {
    // Inside a transaction an append would be said to be durable before it is.
    if (isTogether || performance.now() < pausedAt + PAUSE_EVERY_MS) return
    acceptAll()
    const urgent = queue.takeUrgent(method => URGENT.has(method), MOST_WRITES_AT_ONCE)
    if (urgent.length > 0) for (const message of answerAll(urgent)) answers.send(message)
    pausedAt = performance.now()
  }

  function answerAll(requests: readonly Request[]): AnswerMessage[] {
    return readOnly || requests.length === 1 ? requests.map(answerTo) : answerTogether(requests)
  }

  function answerTo({ id, method, args }: Request): AnswerMessage {
    try {
      if (readOnly && isWrite(method)) throw refusal()
      const handler = methods.get(method)
      if (handler === undefined) throw new Error(`no such method: ${method}`)
      return { id, answer: handler(...(args as never[])) }
    } catch (error) {
      return { id, error: toWireError(error) }
    }
  }

  /** Durable together before any of them is answered. One that is refused is undone alone. */
  function answerTogether(requests: readonly Request[]): AnswerMessage[] {
    // When the medium gives up, the refusal of the step that met it says why.
    let lastRefusal: WireError | null = null
    const steps = requests.map(request => () => {
      const message = answerTo(request)
      if ('error' in message) lastRefusal = message.error
      return message
    })
    isTogether = true
    try {
      return backend.together(steps)
    } catch (error) {
      const refusal = lastRefusal ?? toWireError(error)
      return requests.map(({ id }) => ({ id, error: refusal }))
    } finally {
      isTogether = false
    }
  }

  port?.on('message', (message: ToThread) => {
    accept(message)
    schedule()
  })
  background.rest()
}

function refusal(): WorkbenchError {
  const why = readOnly ? '' : ' were written by a newer Espalier: they'
  return new WorkbenchError(
    'STORE_READ_ONLY',
    `The sessions of this data folder${why} can be read, not changed.`,
  )
}
