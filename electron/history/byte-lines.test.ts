import { appendFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ByteLine, readByteLines } from './byte-lines.ts'
import { makePipe } from './claude/fixtures/pipe.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-lines-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

async function linesOf(path: string): Promise<ByteLine[]> {
  const lines: ByteLine[] = []
  for await (const batch of readByteLines(path)) lines.push(...batch)
  return lines
}

function file(content: string | Buffer): string {
  const path = join(folder, `${Math.random()}.jsonl`)
  writeFileSync(path, content)
  return path
}

describe('the lines of a file', () => {
  it('are split as bytes, numbered from one, the last one without its end', async () => {
    const lines = await linesOf(file('a\n\nüber\r\nlast'))
    expect(lines.map(({ no, bytes, ended }) => [no, bytes?.toString(), ended])).toEqual([
      [1, 'a', true],
      [2, '', true],
      [3, 'über\r', true],
      [4, 'last', false],
    ])
  })

  it('come whole however many chunks they fill, characters included', async () => {
    const long = 'ä'.repeat(3 << 20)
    const lines = await linesOf(file(`x\n${long}\ny\n`))
    expect(lines.map(({ bytes }) => bytes?.toString().length)).toEqual([1, long.length, 1])
    expect(lines[1]?.bytes?.toString() === long).toBe(true)
  })

  it('lose a byte order mark', async () => {
    expect((await linesOf(file('\ufeffa\n')))[0]?.bytes?.toString()).toBe('a')
  })

  it('end where the file ended when it was opened', async () => {
    const path = file('a\n'.repeat(1 << 20))
    let count = 0
    for await (const batch of readByteLines(path)) {
      count += batch.length
      appendFileSync(path, 'more\n')
    }
    expect(count).toBe(1 << 20)
  })

  it('of an empty file are none', async () => {
    expect(await linesOf(file(''))).toEqual([])
  })

  it.skipIf(process.platform === 'win32')('of a pipe are refused at once', async () => {
    const path = join(folder, 'pipe')
    makePipe(path)
    await expect(linesOf(path)).rejects.toThrow('not a regular file')
  })

  it.skipIf(process.platform === 'win32')('of a link are refused, wherever it leads', async () => {
    const path = join(folder, 'link')
    symlinkSync(file('a\n'), path)
    await expect(linesOf(path)).rejects.toThrow('ELOOP')
  })

  it('of a folder are refused', async () => {
    await expect(linesOf(folder)).rejects.toThrow()
  })

  it('stop coming when the reader is told to stop', async () => {
    const signal = AbortSignal.abort(new Error('stopped'))
    await expect(readByteLines(file('a\n'), signal).next()).rejects.toThrow('stopped')
  })
})
