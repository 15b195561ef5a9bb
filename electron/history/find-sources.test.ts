import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findSources } from './find-sources.ts'

let home = ''
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'espalier-home-'))
})
afterAll(() => rmSync(home, { recursive: true }))

describe('what other tools left in a home folder', () => {
  it('is nothing where there is nothing', async () => {
    expect(await findSources(home)).toEqual([])
    expect(await findSources(join(home, 'absent'))).toEqual([])
  })

  it('is counted by names, agents left out', async () => {
    const projects = join(home, '.claude', 'projects')
    for (const name of ['-a', '-b']) mkdirSync(join(projects, name), { recursive: true })
    for (const name of ['-a/one.jsonl', '-a/agent-1.jsonl', '-b/two.jsonl', '-b/notes.txt', 'stray.jsonl']) {
      writeFileSync(join(projects, name), '')
    }
    expect(await findSources(home)).toEqual([{ tool: 'claude-code', path: projects, sessions: 2 }])
  })
})
