import {
  appendFileSync,
  existsSync,
  ftruncateSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { GroupCommit, type Written } from './group-commit.ts'
import { writeAll } from './side-files.ts'

let folder: string
let commit: GroupCommit
let committed: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-commit-'))
  commit = new GroupCommit()
  committed = []
})
afterEach(() => rmSync(folder, { recursive: true }))

function file(name: string): Written {
  const path = join(folder, name)
  writeFileSync(path, 'old')
  return { path, committed: () => void committed.push(name) }
}

function write(to: Written, text: string): void {
  const size = readFileSync(to.path).length
  const fd = commit.touch(to, descriptor => ftruncateSync(descriptor, size))
  writeAll(fd, Buffer.from(text), size)
}

const textOf = ({ path }: Written) => readFileSync(path, 'utf8')
const fail = (words: string) => () => {
  throw new Error(words)
}

test('what several steps write is committed once for each file', () => {
  const [one, other] = [file('one'), file('other')]
  commit.run(() => {
    commit.run(() => write(one, ' 1'))
    commit.run(() => write(other, ' 2'))
    commit.run(() => write(one, ' 3'))
    expect(committed).toEqual([])
  })
  expect([textOf(one), textOf(other)]).toEqual(['old 1 3', 'old 2'])
  expect(committed).toEqual(['one', 'other'])
})

test('a step that fails takes back its own writes and no other’s', () => {
  const [one, other] = [file('one'), file('other')]
  commit.run(() => {
    commit.run(() => write(one, ' kept'))
    const step = () =>
      commit.run(() => {
        write(one, ' gone')
        write(other, ' gone')
        fail('no')()
      })
    expect(step).toThrow('no')
  })
  expect([textOf(one), textOf(other)]).toEqual(['old kept', 'old'])
})

test('when it fails as a whole, everything is taken back, the last first', () => {
  const one = file('one')
  const made = join(folder, 'made')
  const all = () =>
    commit.run(() => {
      commit.touchFolder(folder, () => rmSync(made))
      writeFileSync(made, '')
      commit.run(() => write(one, ' 1'))
      commit.run(() => write(one, ' 2'))
      fail('the medium gave up')()
    })
  expect(all).toThrow('the medium gave up')
  expect(textOf(one)).toBe('old')
  expect(existsSync(made)).toBe(false)
  expect(committed).toEqual([])
  commit.run(() => write(one, ' again'))
  expect(textOf(one)).toBe('old again')
})

test('that something could not be taken back is said as well, and the rest is taken back (8.13.8)', () => {
  const [one, other] = [file('one'), file('other')]
  const all = () =>
    commit.run(() => {
      write(one, ' 1')
      commit.touch(other, fail('it is stuck'))
      appendFileSync(other.path, ' 2')
      fail('the disk is full.')()
    })
  expect(all).toThrow(/the disk is full\..*could not be taken back: it is stuck/)
  expect([textOf(one), textOf(other)]).toEqual(['old', 'old 2'])
})
