import { describe, expect, it } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { createDrafts } from './drafts.ts'

const id = toSessionId('s1')

function storageOf(values: Map<string, string>, fails = false): Storage {
  return {
    length: values.size,
    clear: () => values.clear(),
    key: () => null,
    getItem: key => values.get(key) ?? null,
    removeItem: key => void values.delete(key),
    setItem: (key, value) => {
      if (fails) throw new DOMException('full', 'QuotaExceededError')
      values.set(key, value)
    },
  }
}

describe('drafts', () => {
  it('are there again for the next window, until they are sent', () => {
    const kept = new Map<string, string>()
    createDrafts(storageOf(kept)).set(id, 'half a thought')
    const next = createDrafts(storageOf(kept))
    expect(next.get(id)).toBe('half a thought')
    next.set(id, '')
    expect(createDrafts(storageOf(kept)).get(id)).toBe('')
    expect(kept.size).toBe(0)
  })

  it('live on in memory where nothing can be kept', () => {
    for (const storage of [null, storageOf(new Map(), true)]) {
      const drafts = createDrafts(storage)
      drafts.set(id, 'text')
      expect(drafts.get(id)).toBe('text')
    }
  })
})
