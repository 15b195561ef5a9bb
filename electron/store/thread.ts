import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { WorkbenchError } from '#shared/errors.ts'
import type { Unit } from '#shared/projection/unit.ts'
import { UNITS } from '#shared/projection/units.ts'
import { databaseFile } from './data-folder.ts'
import { openDatabase } from './database.ts'
import { createMethods } from './methods.ts'
import { RequestQueue } from './request-queue.ts'
import type { Answer, FromThread, Request, ThreadData, ToThread } from './wire.ts'
import { toWireError } from './wire-errors.ts'

/*
 * The store thread: the one owner of the database connection. It answers one request at a time and looks for
 * cancellations before each.
 */

const { dataFolder, unitsModule, readOnly = false } = workerData as ThreadData
const port = parentPort
if (port === null) throw new Error('the store thread was started without a parent')

function send(message: FromThread): void {
  port?.postMessage(message)
}

async function loadUnits(): Promise<readonly Unit[]> {
  if (unitsModule === undefined) return UNITS
  const loaded: { readonly UNITS: readonly Unit[] } = await import(unitsModule)
  return loaded.UNITS
}

try {
  const units = await loadUnits()
  const opened = openDatabase(databaseFile(dataFolder), { readOnly })
  serve(opened, createMethods(opened.db, units))
  send({ ready: { readOnly: opened.readOnly } })
} catch (error) {
  send({ failed: toWireError(error) })
}

function serve(
  { db, readOnly }: ReturnType<typeof openDatabase>,
  { reads, writes }: ReturnType<typeof createMethods>,
): void {
  const isWrite = (method: string): boolean => Object.hasOwn(writes, method)
  const methods = new Map<string, (...args: never[]) => Answer<unknown>>(
    Object.entries({ ...reads, ...writes }),
  )
  const queue = new RequestQueue(isWrite)
  let isScheduled = false
  let isClosing = false

  function accept(message: ToThread): void {
    if ('cancel' in message) queue.cancel(message.cancel)
    else if ('close' in message) isClosing = true
    else queue.add(message)
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(work)
  }

  function work(): void {
    isScheduled = false
    if (port === null) return
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      accept(next.message)
    }
    const request = queue.take()
    if (request !== undefined) {
      run(request)
      schedule()
    } else if (isClosing) {
      db.close()
      port.close()
    }
  }

  function run({ id, method, args }: Request): void {
    try {
      if (readOnly && isWrite(method)) throw refusal()
      const handler = methods.get(method)
      if (handler === undefined) throw new Error(`no such method: ${method}`)
      send({ id, answer: handler(...(args as never[])) })
    } catch (error) {
      send({ id, error: toWireError(error) })
    }
  }

  port?.on('message', (message: ToThread) => {
    accept(message)
    schedule()
  })
}

function refusal(): WorkbenchError {
  return new WorkbenchError(
    'STORE_READ_ONLY',
    'The sessions of this data folder were written by a newer Espalier: they can be read, not changed.',
  )
}
