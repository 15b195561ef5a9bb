import { Worker } from 'node:worker_threads'
import { WorkbenchError } from '#shared/errors.ts'
import type { WireError } from '../wire.ts'
import { fromWireError } from '../wire-errors.ts'
import type { FileTaskName, FileTasks } from './file-tasks.ts'

type FromFileThread<N extends FileTaskName> =
  | { readonly done: FileTasks[N]['answer'] }
  | { readonly failed: WireError }

/**
 * Does it in a thread of its own, which ends with it. An aborted `signal` ends it before, and rejects with its reason.
 * @throws WorkbenchError `STORE_UNAVAILABLE` when the files cannot be read or written.
 */
export async function runFileTask<N extends FileTaskName>(
  name: N,
  ask: FileTasks[N]['ask'],
  signal?: AbortSignal,
): Promise<FileTasks[N]['answer']> {
  signal?.throwIfAborted()
  const worker = new Worker(threadUrl(), { workerData: { name, ask }, name: 'files' })
  const stop = () => void worker.terminate()
  signal?.addEventListener('abort', stop)
  const answer = new Promise<FileTasks[N]['answer']>((resolve, reject) => {
    worker.once('message', (message: FromFileThread<N>) => {
      if ('done' in message) resolve(message.done)
      else reject(fromWireError(message.failed))
    })
    worker.once('error', cause => reject(gone(cause)))
    worker.once('exit', () => reject(signal?.aborted ? signal.reason : gone()))
  })
  return answer.finally(() => signal?.removeEventListener('abort', stop))
}

function gone(cause?: unknown): WorkbenchError {
  return new WorkbenchError('STORE_UNAVAILABLE', 'The thread that works on files has ended.', { cause })
}

/** Beside this file unbundled, in one folder with it bundled; see `store-client.ts` for why it is no literal. */
function threadUrl(): URL {
  const name = import.meta.url.endsWith('.ts') ? 'file-thread.ts' : 'file-thread.js'
  const url = new URL(`./${name}`, import.meta.url)
  return new URL(url.href.replace('/app.asar/', '/app.asar.unpacked/'))
}
