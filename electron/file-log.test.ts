import { mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFileLog, withoutSecrets } from './file-log.ts'

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

  it.each([
    ['key sk-proj-abcdefgh12345678 refused', 'key [hidden] refused'],
    ['Authorization: Bearer abc.def.ghi-123', 'Authorization: Bearer [hidden]'],
    ['http://127.0.0.1:1/#token=abcdef', 'http://127.0.0.1:1/#token=[hidden]'],
    ['{"api_key": "abcdef"}', '{"api_key": "[hidden]"}'],
    ['https://me:hunter2@example.org/x', 'https://me:[hidden]@example.org/x'],
    [
      'session 01890a5d-ac96-774b-bcce-b302099a8057 ended',
      'session 01890a5d-ac96-774b-bcce-b302099a8057 ended',
    ],
  ])('blanks what looks like a secret: %s', (text, expected) => {
    expect(withoutSecrets(text)).toBe(expected)
  })
})
