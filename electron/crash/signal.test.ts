import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { textOf } from '#shared/session/content.ts'
import { openStore } from '../store/store-client.ts'
import { eventsOf } from '../tree-fixture.ts'

const script = fileURLToPath(new URL('./signal-life.ts', import.meta.url))

let at = ''
beforeEach(async () => {
  at = await mkdtemp(join(tmpdir(), 'espalier-signal-'))
})
afterEach(() => rm(at, { recursive: true, force: true }))

it.each(['SIGTERM', 'SIGHUP'] as const)(
  'an end by %s while models stream and a command runs keeps all of it, marked as cut off (P76)',
  async signal => {
    const life = spawn(process.execPath, [script, at], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(life.stdout, 'data')

    life.kill(signal)
    const [exitCode] = await once(life, 'close')

    expect(exitCode).toBe(0)
    const store = await openStore({ dataFolder: join(at, 'data') })
    try {
      const { sessions } = await store.persistence.list({ kind: 'all' })
      const looks = await Promise.all(sessions.map(({ header }) => store.persistence.inspect(header.id)))
      expect(looks).toHaveLength(4)
      for (const { events, closers, damage } of looks) {
        expect([closers, damage]).toEqual([0, []])
        const [end] = eventsOf(events, 'turn/end')
        expect(end?.data.reason).toEqual({ kind: 'aborted', by: 'disposed' })
      }
      const messages = looks.flatMap(({ events }) => eventsOf(events, 'assistant/message'))
      const cutOff = messages.filter(({ data }) => data.interrupted === true)
      expect(cutOff).toHaveLength(2)
      for (const { data } of cutOff) expect(textOf(data.content).length).toBeGreaterThan(100)
      const results = looks.flatMap(({ events }) => eventsOf(events, 'tool/result'))
      expect(results.map(({ data }) => [data.name, data.status]).toSorted()).toEqual([
        ['delegate', 'error'],
        ['shell', 'error'],
      ])
    } finally {
      await store.close()
    }
  },
  40_000,
)
