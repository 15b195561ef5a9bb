import { describe, expect, test } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { log, sessionHeader, user } from '../fixtures/logs.ts'
import type { BackendLab } from './backend-lab.contract.ts'

const S = toSessionId('s')

export function describeAborts(lab: BackendLab): void {
  const { create } = lab

  describe('aborts', () => {
    test('a read that is aborted before it is asked for rejects with the very reason (7)', async () => {
      await create(sessionHeader('s'))
      const reason = new Error('changed my mind')
      const signal = AbortSignal.abort(reason)
      const { persistence, checkpoints } = lab.backend
      const reads = [
        persistence.list({ kind: 'all' }, signal),
        persistence.get(S, signal),
        persistence.inspect(S, signal),
        persistence.inspectFolded(S, signal),
        persistence.load(S, signal),
        persistence.readFrom(S, 0, 1, signal),
        persistence.page(S, { limit: 1 }, signal),
        persistence.revision(S, signal),
        checkpoints.read([S], ['title'], signal),
        checkpoints.snapshot(S, signal),
        checkpoints.waiting(signal),
      ]
      for (const read of await Promise.allSettled(reads)) expect(read).toEqual({ status: 'rejected', reason })
    })

    test('a read that is aborted on the way rejects at once and disturbs no other', async () => {
      await create(sessionHeader('s'), log(Array.from({ length: 20_000 }, (_, index) => user(`m${index}`))))
      const reason = new Error('enough')
      const abort = new AbortController()
      const reads = [
        lab.backend.persistence.inspect(S, abort.signal),
        lab.backend.persistence.inspectFolded(S, abort.signal),
      ]
      const other = lab.backend.persistence.get(S)
      abort.abort(reason)
      for (const read of await Promise.allSettled(reads)) expect(read).toEqual({ status: 'rejected', reason })
      expect(await other).toMatchObject({ endSeq: 20_000 })
    })
  })
}
