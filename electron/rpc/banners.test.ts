import { afterEach, describe, expect, it } from 'vitest'
import type { Frame } from '#shared/frames.ts'
import { openTestTree } from '../tree-fixture.ts'
import type { TestWorkbench } from '../workbench-fixture.ts'

const made: TestWorkbench[] = []
afterEach(async () => {
  for (const bench of made.splice(0)) await bench.dispose()
})

async function open() {
  const bench = await openTestTree({ root: () => 'Hello.', child: () => '' })
  made.push(bench)
  const { streams } = bench.workbench
  const told: Extract<Frame, { kind: 'banner' }>[] = []
  const follow = async (id: string) => {
    for await (const { batch, frames } of streams.subscribe(
      id,
      { open: [], listed: [] },
      AbortSignal.timeout(5000),
    )) {
      for (const frame of frames) if (frame.kind === 'banner') told.push(frame)
      streams.acknowledge(id, batch)
    }
  }
  return { bench, streams, told, follow: (id: string) => void follow(id).catch(() => undefined) }
}

describe('a banner', () => {
  it('is told to windows that open later, with its button, until it is taken down', async () => {
    const { bench, streams, told, follow } = await open()
    const action = { call: 'open-storage', label: 'What uses space' } as const
    streams.banner('unsaved', { level: 'alert', text: 'Full.', action })
    follow('late')
    await bench.until(() => told.length === 1)
    expect(told[0]).toEqual({
      kind: 'banner',
      id: 'unsaved',
      banner: { level: 'alert', text: 'Full.', action },
    })
    streams.banner('unsaved', null)
    await bench.until(() => told.length === 2)
    expect(told[1]?.banner).toBeNull()
  })

  it('is put away only where that is allowed', async () => {
    const { bench, streams, told, follow } = await open()
    streams.banner('must', { level: 'alert', text: 'Full.' })
    streams.banner('may', { level: 'status', text: 'Done.', dismissible: true })
    follow('w')
    await bench.until(() => told.length === 2)
    streams.dismissBanner('must')
    streams.dismissBanner('may')
    streams.dismissBanner('gone')
    await bench.until(() => told.length === 3)
    expect(told[2]).toEqual({ kind: 'banner', id: 'may', banner: null })
  })

  it('tries again what it was raised with, and fails as that fails', async () => {
    const { streams } = await open()
    let tries = 0
    const retry = async () => {
      tries += 1
      if (tries > 1) throw new Error('Still full.')
    }
    const banner = { level: 'alert', text: 'Full.', action: { call: 'retry', label: 'Try now' } } as const
    streams.banner('unsaved', banner, retry)
    await streams.retryBanner('unsaved')
    await expect(streams.retryBanner('unsaved')).rejects.toThrow('Still full.')
    await streams.retryBanner('gone')
    expect(tries).toBe(2)
  })
})
