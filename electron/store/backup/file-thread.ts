import { parentPort, workerData } from 'node:worker_threads'
import { toWireError } from '../wire-errors.ts'
import { doTask, type FileTask } from './file-tasks.ts'

/*
 * A short-lived thread with a connection of its own, for work that reads a whole database: copying and checking one
 * never keeps the store thread, and so no append, waiting.
 */

try {
  const task: FileTask = workerData
  parentPort?.postMessage({ done: await doTask(task) })
} catch (error) {
  parentPort?.postMessage({ failed: toWireError(error) })
}
