import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const SLOW_MS = 60_000

/** The command as a person runs it: a process of its own. */
function espalier(...args: readonly string[]) {
  return new Promise<{ code: number | null; out: string; err: string }>(resolve => {
    const child = execFile(process.execPath, [MAIN, ...args], (_error, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    )
  })
}

let folder = ''
let home = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'espalier-cli-search-'))
  home = join(folder, 'data')
  await espalier('corpus', '--children', '6', '--events', '60', '--unrelated', '3', '--home', home)
}, SLOW_MS)
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('espalier search', { timeout: SLOW_MS }, () => {
  it('finds words in every session, a hit a line', async () => {
    const { code, out, err } = await espalier('search', 'brace', 'missing', '--limit', '7', '--home', home)
    const lines = out.trimEnd().split('\n')

    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(lines).toHaveLength(7)
    for (const line of lines) expect(line).toMatch(/^[0-9a-f-]{36} \d+ .*(missing|brace)/)
  })

  it('prints hits as JSON, with whose they are', async () => {
    const { out } = await espalier('search', '"brace"', '--limit', '1', '--json', '--home', home)

    const hit = JSON.parse(out)
    const { text, ranges } = hit.excerpt
    expect(hit).toMatchObject({
      sessionId: expect.any(String),
      seq: expect.any(Number),
      label: expect.any(String),
    })
    expect(ranges.map(([from, to]: [number, number]) => text.slice(from, to))).toContain('brace')
  })

  it('finds nothing where nothing is, and says nothing', async () => {
    const nothing = { code: 0, out: '', err: '' }

    expect(await espalier('search', 'NEAR(xyzzy', '--home', home)).toEqual(nothing)
    expect(await espalier('search', 'x', '--home', join(folder, 'nowhere'))).toEqual(nothing)
  })

  it('is used wrongly without a text', async () => {
    expect(await espalier('search', '--home', home)).toMatchObject({ code: 2, out: '' })
  })
})
