import { describe, expect, it } from 'vitest'
import { toSessionId } from '#shared/session/ids.ts'
import { createFakeHost } from '../../gallery/fake-host.ts'
import { createWorld } from '../../gallery/world.ts'
import { fileName, readExport } from './read-export.ts'

describe('reading an export', () => {
  const message = (text: string) => ({
    type: 'user/message' as const,
    data: { id: 'm', source: { kind: 'person' as const }, content: [{ type: 'text' as const, text }] },
  })
  const start = () => {
    const host = createFakeHost(createWorld(0, []))
    const sessionId = host.add(null, {
      label: 'Tidy up',
      cwd: '/',
      id: '0d9e1f2a-0000-4000-8000-000000000001',
    })
    for (let count = 0; count < 23; count++) host.append(sessionId, message(`number ${count}`))
    return { host, request: { sessionId, format: 'jsonl', tree: false, raw: false } as const }
  }

  it('puts the parts together in order, and tells how far it is', async () => {
    const { host, request } = start()
    const seen: number[] = []

    const { name, content } = await readExport(
      host.client,
      request,
      ({ events }) => seen.push(events),
      new AbortController().signal,
    )

    const lines = (await content.text())
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).seq)
    expect(lines).toEqual(Array.from({ length: lines.length }, (_, seq) => seq))
    expect(lines.length).toBeGreaterThanOrEqual(23)
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
    expect(seen.length).toBeGreaterThan(3)
    expect(name).toBe('tidy-up-0d9e1f2a.jsonl')
  })

  it('stops when it is told to, and tells the host', async () => {
    const { host, request } = start()
    const cancelled: string[] = []
    // A real host behind it, whose calls are counted.
    const exports = new Proxy(host.client.exports, {
      get(target, name) {
        if (name === 'cancel') cancelled.push(name)
        return Reflect.get(target, name)
      },
    })
    const abort = new AbortController()

    const reading = readExport({ exports }, request, () => abort.abort(), abort.signal)

    await expect(reading).rejects.toMatchObject({ name: 'AbortError' })
    expect(cancelled).toHaveLength(1)
  })

  it.each([
    ['../../etc/passwd', 'etc-passwd-aaaaaaaa.md'],
    ['日本語 の 名前', '日本語-の-名前-aaaaaaaa.md'],
    ['\u202e///', 'aaaaaaaa.md'],
  ])('makes a plain file name of %j', (label, name) => {
    expect(fileName(label, { sessionId: toSessionId('aaaaaaaa-1'), format: 'md' })).toBe(name)
  })
})
