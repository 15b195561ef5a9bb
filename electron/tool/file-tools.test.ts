import { once } from 'node:events'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { applyPatch } from 'diff'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { textOf } from '#shared/session/content.ts'
import { toSessionId } from '#shared/session/ids.ts'
import { editTool, replaceText } from './edit.ts'
import { readTool } from './read.ts'
import { parseInput, type Tool, type ToolOutcome } from './tool.ts'
import { createToolOutput } from './tool-output.ts'
import { writeTool } from './write.ts'

let cwd: string
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'espalier tool 木 '))
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
const put = (name: string, content: string | Buffer) => writeFile(join(cwd, name), content)
const got = (name: string) => readFile(join(cwd, name), 'utf8')

describe('read', () => {
  it('numbers the lines of a file', async () => {
    await put('a.txt', 'one\ntwo\r\nthree')

    const outcome = await run(readTool, { path: 'a.txt' })

    expect(outcome).toEqual({
      status: 'ok',
      summary: '3 lines',
      content: [{ type: 'text', text: '1\tone\n2\ttwo\n3\tthree' }],
    })
  })

  it('reads a range and says where to read on', async () => {
    await put('a.txt', 'one\ntwo\nthree\nfour\n')

    const outcome = await run(readTool, { path: 'a.txt', offset: 2, limit: 2 })

    expect(textOf(outcome.content)).toBe(
      '2\ttwo\n3\tthree\n\n[Cut here. The file has 4 lines. Read on with offset 4.]',
    )
  })

  it('keeps a line of 30 MB and a file of gigabytes out of memory', async () => {
    await put('line.txt', 'x'.repeat(30_000_000))
    await put('huge.txt', `${'line\n'.repeat(300_000)}`)
    await truncate(join(cwd, 'huge.txt'), 8_000_000_000)
    const before = process.memoryUsage().rss
    const started = performance.now()

    const line = await run(readTool, { path: 'line.txt' })
    const huge = await run(readTool, { path: 'huge.txt', limit: 5 })

    expect(textOf(line.content).length).toBeLessThan(3000)
    expect(textOf(line.content)).toContain('1 long line cut after 2000 characters')
    expect(textOf(huge.content)).toContain('The file goes on. Read on with offset 6.')
    expect(performance.now() - started).toBeLessThan(5000)
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
  })

  it('keeps characters whole where chunks of the file split them', async () => {
    await put('cjk.txt', `x${'木'.repeat(300)}\n`.repeat(2000))

    const outcome = await run(readTool, { path: 'cjk.txt', limit: 100 })

    expect(textOf(outcome.content)).not.toContain('\uFFFD')
    expect(textOf(outcome.content)).toContain(`100\tx${'木'.repeat(300)}`)
  })

  it('says what binary, empty, missing, folder and device are instead of reading them', async () => {
    await put('data.bin', Buffer.from([1, 2, 0, 3]))
    await put('empty', '')
    await mkdir(join(cwd, 'folder'))
    const server = createServer().listen(join(cwd, 'socket'))
    await once(server, 'listening')

    const outcomes = []
    for (const path of ['data.bin', 'empty', 'gone', 'folder', 'socket', '/dev/zero', 'a\0b'])
      outcomes.push(await run(readTool, { path }))

    server.close()
    expect(outcomes.map(outcome => [outcome.status, outcome.code ?? null, textOf(outcome.content)])).toEqual([
      ['ok', null, 'data.bin is a binary file of 4 bytes. Its content is not shown.'],
      ['ok', null, 'empty is empty.'],
      ['error', 'ENOENT', '"gone" does not exist. Check the path, or use glob to find it.'],
      ['error', 'EISDIR', '"folder" is a folder. Use glob to list its files.'],
      ['error', 'NOT_A_FILE', '"socket" is a device, pipe or socket and is not read.'],
      ['error', 'NOT_A_FILE', '"/dev/zero" is a device, pipe or socket and is not read.'],
      ['error', 'ERR_INVALID_ARG_VALUE', expect.stringContaining('is not a path')],
    ])
  })

  it('shows an image by what it is, not by its name, up to a limit', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    await put('picture.txt', png)
    await put('large.png', Buffer.concat([png, Buffer.alloc(5_000_000)]))

    const small = await run(readTool, { path: 'picture.txt' })
    const large = await run(readTool, { path: 'large.png' })

    expect(small.content[1]).toEqual({ type: 'image', mediaType: 'image/png', data: png.toString('base64') })
    expect(large).toMatchObject({ status: 'error', code: 'TOO_LARGE' })
  })

  it('says so when the folder of the session is gone', async () => {
    await rm(cwd, { recursive: true })

    const outcome = await run(readTool, { path: 'a.txt' })

    expect(outcome).toMatchObject({ status: 'error', code: 'FOLDER_MISSING' })
    expect(textOf(outcome.content)).toContain(JSON.stringify(cwd))
  })

  it('tells calls that leave the folder, through links too', async () => {
    await symlink('/etc', join(cwd, 'etc'))
    await symlink('/nowhere/at/all', join(cwd, 'dangling'))
    await mkdir(join(cwd, 'in'))
    await symlink('in', join(cwd, 'link'))
    const paths = [
      'a.txt',
      '..x',
      'in/../a',
      'link/a',
      join(cwd, 'b'),
      '../a',
      '/etc/passwd',
      'etc/passwd',
      'dangling',
      `${cwd}x/a`,
    ]

    const leaving = paths.filter(path => readTool.leavesFolder?.({ path }, cwd))

    expect(leaving).toEqual(['../a', '/etc/passwd', 'etc/passwd', 'dangling', `${cwd}x/a`])
  })
})

describe('write', () => {
  it('creates a file with its folders and gives the diff', async () => {
    const outcome = await run(writeTool, { path: 'plan/trees.md', content: 'Pear\n' })

    expect(await got('plan/trees.md')).toBe('Pear\n')
    expect(outcome).toMatchObject({ status: 'ok', files: ['plan/trees.md'], summary: '+1 −0' })
    expect(outcome.diff).toContain('+Pear')
  })

  it('replaces a file, keeps its permissions and leaves nothing beside it', async () => {
    await put('run.sh', '#!/bin/sh\necho old\n')
    await chmod(join(cwd, 'run.sh'), 0o755)

    const outcome = await run(writeTool, { path: 'run.sh', content: '#!/bin/sh\necho new\n' })

    expect((await stat(join(cwd, 'run.sh'))).mode & 0o777).toBe(0o755)
    expect(await readdir(cwd)).toEqual(['run.sh'])
    expect(applyPatch('#!/bin/sh\necho old\n', outcome.diff ?? '')).toBe('#!/bin/sh\necho new\n')
  })

  it('writes through a link to the file it names', async () => {
    await put('real.txt', 'old')
    await symlink('real.txt', join(cwd, 'link.txt'))

    await run(writeTool, { path: 'link.txt', content: 'new' })

    expect(await got('real.txt')).toBe('new')
  })

  it('answers with a reason when it cannot write', async () => {
    await mkdir(join(cwd, 'folder'))
    await put('file', '')

    const folder = await run(writeTool, { path: 'folder', content: '' })
    const below = await run(writeTool, { path: 'file/x', content: '' })

    expect([folder.code, below.code]).toEqual(['EISDIR', expect.stringMatching(/ENOTDIR|EEXIST/)])
    expect(await readdir(cwd)).toEqual(['file', 'folder'])
  })

  it('keeps the diff of a 20 MB line small', async () => {
    await put('line.txt', 'a'.repeat(1_500_000))

    const outcome = await run(writeTool, { path: 'line.txt', content: 'b'.repeat(1_500_000) })

    expect(JSON.stringify(outcome).length).toBeLessThan(10_000)
    expect(textOf(outcome.content)).toContain('The diff is shown in part')
  })
})

describe('edit', () => {
  it('replaces the one place and returns a diff that applies', async () => {
    const before = 'a\nb\nc\nd\n'
    await put('a.txt', before)

    const outcome = await run(editTool, { path: 'a.txt', oldText: 'c\n', newText: "$& $' $1\n" })

    expect(await got('a.txt')).toBe("a\nb\n$& $' $1\nd\n")
    expect(outcome).toMatchObject({ status: 'ok', files: ['a.txt'], summary: '+1 −1' })
    expect(applyPatch(before, outcome.diff ?? '')).toBe(await got('a.txt'))
  })

  it('refuses what it cannot be sure of and changes nothing', async () => {
    await put('a.txt', 'x x')
    await put('latin.txt', Buffer.from([0x63, 0xe9]))
    const refused = [
      { path: 'a.txt', oldText: 'x', newText: 'y' },
      { path: 'a.txt', oldText: 'z', newText: 'y' },
      { path: 'a.txt', oldText: 'x', newText: 'x' },
      { path: 'latin.txt', oldText: 'c', newText: 'y' },
      { path: 'gone.txt', oldText: 'x', newText: 'y' },
    ]

    const outcomes = []
    for (const input of refused) outcomes.push(await run(editTool, input))

    expect(outcomes.map(outcome => outcome.code)).toEqual([
      'EDIT_REFUSED',
      'EDIT_REFUSED',
      'EDIT_REFUSED',
      'NOT_TEXT',
      'ENOENT',
    ])
    expect(textOf(outcomes[0]?.content ?? [])).toContain('occurs 2 times')
    expect(await got('a.txt')).toBe('x x')
    expect(await readFile(join(cwd, 'latin.txt'))).toEqual(Buffer.from([0x63, 0xe9]))
  })

  it('keeps byte order mark and Windows line ends', async () => {
    await put('a.txt', '\uFEFFone\r\ntwo\r\n')

    await run(editTool, { path: 'a.txt', oldText: 'one\ntwo', newText: 'one\nand\ntwo' })

    expect(await got('a.txt')).toBe('\uFEFFone\r\nand\r\ntwo\r\n')
  })

  it('loses none of many edits asked for at once', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `<${index}>`)
    await put('a.txt', names.join('\n'))

    await Promise.all(names.map(name => run(editTool, { path: 'a.txt', oldText: name, newText: `${name}!` })))

    expect(await got('a.txt')).toBe(names.map(name => `${name}!`).join('\n'))
  })

  it('replaces exactly what was there, for any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), (around, oldText, newText) => {
        const before = `${around}\u0001${oldText}\u0001${around}`

        const result = replaceText(before, { oldText, newText, replaceAll: true })

        if (result.problem !== null) return oldText === newText
        return result.times >= 1 && result.text === before.split(oldText).join(newText)
      }),
    )
  })
})
