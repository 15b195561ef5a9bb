import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { textOf } from '#shared/session/content.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { globTool } from './glob.ts'
import { grepTool } from './grep.ts'
import { parseInput, type Tool, type ToolOutcome } from './tool.ts'
import { createToolOutput } from './tool-output.ts'

let cwd: string
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'espalier search '))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

function run(tool: Tool, input: unknown, signal = new AbortController().signal): Promise<ToolOutcome> {
  const parsed = parseInput(tool, input as never)
  if (!parsed.ok) throw new Error(parsed.problem)
  return tool.execute(parsed.input, {
    sessionId: toSessionId('s'),
    callId: 'c',
    cwd,
    signal,
    output: createToolOutput({ id: 'c', keep: async () => {} }),
  })
}
async function tree(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true })
    await writeFile(join(cwd, name), content)
  }
}
const lines = async (outcome: Promise<ToolOutcome>) => textOf((await outcome).content).split('\n')

describe('glob', () => {
  it('lists files in order without what git ignores', async () => {
    await tree({
      '.git/HEAD': '',
      '.gitignore': 'dist/\n*.log\n!keep.log\n',
      'src/.gitignore': 'secret.ts\n',
      'src/b.ts': '',
      'src/a.ts': '',
      'src/secret.ts': '',
      'dist/a.ts': '',
      'x.log': '',
      'keep.log': '',
      'node_modules/m/index.ts': '',
    })

    expect(await lines(run(globTool, { pattern: '**/*' }))).toEqual([
      '.gitignore',
      'keep.log',
      'src/.gitignore',
      'src/a.ts',
      'src/b.ts',
    ])
  })

  it('heeds the ignore files above the folder it searches', async () => {
    await tree({ '.git/HEAD': '', '.gitignore': '*.tmp\n', 'a/b/one.tmp': '', 'a/b/two.txt': '' })

    expect(await lines(run(globTool, { pattern: '*', path: 'a/b' }))).toEqual(['a/b/two.txt'])
  })

  it('searches an ignored folder when it is named', async () => {
    await tree({
      '.git/HEAD': '',
      '.gitignore': 'dist\n*.js\n',
      'dist/a.js': 'x',
      'node_modules/m/b.js': 'x',
    })

    expect(await lines(run(globTool, { pattern: '*', path: 'dist' }))).toEqual(['dist/a.js'])
    expect(await lines(run(grepTool, { pattern: 'x', path: 'node_modules/m' }))).toEqual([
      'node_modules/m/b.js:1: x',
    ])
  })

  it('matches names at any depth only when the pattern has no slash', async () => {
    await tree({ 'a.md': '', 'docs/b.md': '', 'docs/deep/c.md': '' })

    expect(await lines(run(globTool, { pattern: '*.md' }))).toEqual(['a.md', 'docs/b.md', 'docs/deep/c.md'])
    expect(await lines(run(globTool, { pattern: 'docs/*.md' }))).toEqual(['docs/b.md'])
    expect(await lines(run(globTool, { pattern: 'docs/b.md' }))).toEqual(['docs/b.md'])
    expect(await lines(run(globTool, { pattern: './docs/**' }))).toEqual(['docs/b.md', 'docs/deep/c.md'])
  })

  it('caps the list and says so', async () => {
    await tree(Object.fromEntries(Array.from({ length: 510 }, (_, index) => [`f${index}.txt`, ''])))

    const outcome = await run(globTool, { pattern: '**' })

    expect(textOf(outcome.content)).toContain('[Cut after 500 files. Use a narrower pattern or path.]')
    expect(outcome.summary).toBe('500 files, cut')
  })

  it('answers an empty folder, a missing one and a file', async () => {
    await tree({ 'a.txt': '' })

    const outcomes = [
      await run(globTool, { pattern: '*.rs' }),
      await run(globTool, { pattern: '*', path: 'gone' }),
      await run(globTool, { pattern: '*', path: 'a.txt' }),
    ]

    expect(outcomes.map(outcome => [outcome.status, outcome.code ?? outcome.summary])).toEqual([
      ['ok', 'no files'],
      ['error', 'ENOENT'],
      ['error', 'ENOTDIR'],
    ])
  })

  it('does not follow links in circles and tells patterns that leave the folder', async () => {
    await tree({ 'a/b.txt': '' })
    await symlink('..', join(cwd, 'a/loop'))
    await symlink('/etc', join(cwd, 'etc'))

    expect(await lines(run(globTool, { pattern: '**/*.txt' }))).toEqual(['a/b.txt'])
    const patterns = ['**/*', 'a/*', '../*', '/etc/*', '/etc/passwd', 'etc/*', 'a/../../*']
    expect(patterns.filter(pattern => globTool.leavesFolder?.({ pattern }, cwd))).toEqual(patterns.slice(2))
  })

  it('gives up a glob that would take for ever, without holding the host', async () => {
    await tree({ [`${'a'.repeat(200)}`]: '' })
    const started = performance.now()

    const outcome = await run(globTool, { pattern: `${'*a'.repeat(12)}b` })

    expect(outcome.code).toBe('PATTERN_TOO_SLOW')
    expect(performance.now() - started).toBeLessThan(3000)
  })
})

describe('grep', () => {
  it('answers with path, line and text', async () => {
    await tree({ 'a.txt': 'one\nTwo 木\nthree', 'b/c.txt': 'two\r\n' })

    const outcome = await run(grepTool, { pattern: 'two', ignoreCase: true })

    expect(textOf(outcome.content)).toBe('a.txt:2: Two 木\nb/c.txt:1: two')
    expect(outcome.summary).toBe('2 matches in 2 files')
  })

  it('narrows by path, file and glob', async () => {
    await tree({ 'a.ts': 'x', 'a.md': 'x', 'src/b.ts': 'x' })

    expect(await lines(run(grepTool, { pattern: 'x', glob: '*.ts' }))).toEqual(['a.ts:1: x', 'src/b.ts:1: x'])
    expect(await lines(run(grepTool, { pattern: 'x', path: 'src' }))).toEqual(['src/b.ts:1: x'])
    expect(await lines(run(grepTool, { pattern: 'x', path: 'a.md' }))).toEqual(['a.md:1: x'])
  })

  it('leaves out binary files, links and files that are too large, and says the last', async () => {
    await tree({ 'a.bin': Buffer.from('find\0me'), 'big.txt': 'find\n'.repeat(1_200_000), 'in.txt': 'find' })
    await symlink('/etc/passwd', join(cwd, 'passwd'))

    const found = await run(grepTool, { pattern: 'find|root' })

    expect(textOf(found.content)).toBe('in.txt:1: find\n\n[1 file above 5 MB not searched.]')
  })

  it('caps matches and long lines', async () => {
    await tree({
      'many.txt': 'hit\n'.repeat(1000),
      'long.txt': `${'x'.repeat(1_000_000)}hit${'y'.repeat(1_000_000)}`,
    })

    const outcome = await run(grepTool, { pattern: 'hit' })

    const text = textOf(outcome.content)
    expect(text.split('\n').filter(line => line.includes('hit'))).toHaveLength(200)
    expect(text).toContain('Cut here')
    expect(text.length).toBeLessThan(10_000)
    expect(outcome.summary).toBe('200 matches in 2 files, cut')
  })

  it('takes plain text literally and lenient escapes as they are meant', async () => {
    await tree({ 'a.txt': 'f(x) = "y"\nfx = y' })

    expect(await lines(run(grepTool, { pattern: 'f(x)', literal: true }))).toEqual(['a.txt:1: f(x) = "y"'])
    expect(await lines(run(grepTool, { pattern: '\\"y\\"' }))).toEqual(['a.txt:1: f(x) = "y"'])
    expect((await run(grepTool, { pattern: 'f(' })).code).toBe('BAD_PATTERN')
  })

  it('gives up a pattern of exponential time, without holding the host', async () => {
    await tree({ 'a.txt': `${'a'.repeat(60)}b` })
    const started = performance.now()

    const outcome = await run(grepTool, { pattern: '(a+)+$' })

    expect(outcome.code).toBe('PATTERN_TOO_SLOW')
    expect(performance.now() - started).toBeLessThan(2000)
  })

  it('stops when the turn is stopped', async () => {
    await tree({ 'a.txt': 'x' })
    const outcome = await run(grepTool, { pattern: 'x' }, AbortSignal.abort())

    expect(outcome).toMatchObject({ status: 'error', code: 'CANCELLED' })
  })
})
