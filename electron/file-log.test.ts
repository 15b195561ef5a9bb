import { mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFileLog } from './file-log.ts'

describe('the log file', () => {
  it('holds every line at once, with stacks and causes, readable by its owner alone', () => {
    const folder = mkdtempSync(join(tmpdir(), 'espalier-log-'))
    const log = createFileLog(folder, 'shell')

    log.info('Ready')
    log.error('It failed', new Error('outer', { cause: new Error('inner') }))

    const path = join(folder, 'logs', 'shell.log')
    const text = readFileSync(path, 'utf8')
    expect(text).toMatch(/Ready\n.*It failed: Error: outer\n\s+at .*[\s\S]*caused by: Error: inner/)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('redacts what looks like a secret and what is known to be one, in stacks and causes too', () => {
    const folder = mkdtempSync(join(tmpdir(), 'espalier-log-'))
    const known: string[] = []
    const log = createFileLog(folder, 'shell', () => known)
    known.push('a key nobody would guess')

    log.info('Authorization: Bearer abc.def.ghi-123')
    log.warn('the key is a key nobody would guess')
    log.error(
      'It failed',
      new Error('PASSWORD=hunter2', { cause: new Error('https://me:hunter3@example.org') }),
    )

    const text = readFileSync(join(folder, 'logs', 'shell.log'), 'utf8')
    expect(text).not.toMatch(/ghi-123|guess|hunter/)
    expect(text.match(/\[redacted: [\w ]+\]/g)).toEqual(
      expect.arrayContaining([
        '[redacted: bearer token]',
        '[redacted: known secret]',
        '[redacted: password]',
      ]),
    )
  })

  it('writes an error that is its own cause', () => {
    const folder = mkdtempSync(join(tmpdir(), 'espalier-log-'))
    const error = new Error('round and round')
    error.cause = error

    createFileLog(folder, 'shell').error('It failed', error)

    expect(readFileSync(join(folder, 'logs', 'shell.log'), 'utf8')).toContain('round and round')
  })
})
