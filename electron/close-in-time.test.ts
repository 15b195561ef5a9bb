import { describe, expect, it } from 'vitest'
import { closeInTime } from './close-in-time.ts'

describe('closing in time', () => {
  it('ends as the work does', async () => {
    await expect(closeInTime(async () => {})).resolves.toBeUndefined()
    await expect(closeInTime(() => Promise.reject(new Error('unsaved')))).rejects.toThrow('unsaved')
  })

  it('gives up on work that does not end', async () => {
    await expect(closeInTime(() => new Promise(() => {}), 20)).rejects.toThrow(
      'did not end within 0.02 seconds',
    )
  })
})
