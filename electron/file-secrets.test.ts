import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createFileSecrets, type SecretCipher } from './file-secrets.ts'
import type { Log } from './log.ts'

let folder: string
let path: string
const lines: string[] = []
const log: Log = {
  info: () => {},
  warn: text => lines.push(text),
  error: (text, error) => lines.push(`${text} ${error}`),
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-secrets-'))
  path = join(folder, 'secrets.json')
  lines.length = 0
})

describe('secrets in a file', () => {
  it('are found again by the next run, and forgotten when told', async () => {
    const secrets = createFileSecrets({ path, log })
    await Promise.all([secrets.set('one', 'sk-1'), secrets.set('two', 'sk-2'), secrets.set('three', 'sk-3')])
    await secrets.set('two', null)

    const again = createFileSecrets({ path, log })

    expect(['one', 'two', 'three', 'four'].map(id => again.get(id))).toEqual(['sk-1', null, 'sk-3', null])
  })

  it('can be read by their owner alone, and leave nothing else behind', async () => {
    await createFileSecrets({ path, log }).set('one', 'sk-1')

    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['secrets.json'])
  })

  it('say honestly that they are not encrypted', () => {
    expect(createFileSecrets({ path, log }).place).toBe(
      `There is no keychain here: keys are kept unencrypted in ${path}, readable only by you.`,
    )
  })

  it('keep a file they cannot read, and do not quote it in the log', async () => {
    writeFileSync(path, '{"one": "sk-precious')

    const secrets = createFileSecrets({ path, log })
    expect(secrets.get('one')).toBeNull()
    await secrets.set('two', 'sk-2')

    const kept = readdirSync(folder).filter(name => name.includes('unreadable'))
    expect(kept.map(name => readFileSync(join(folder, name), 'utf8'))).toEqual(['{"one": "sk-precious'])
    expect(lines).toHaveLength(1)
    expect(lines.join()).not.toContain('precious')
  })

  it('go through the cipher, and one that cannot be decrypted costs that key alone', async () => {
    const cipher: SecretCipher = {
      encode: key => [...key].reverse().join(''),
      decode: stored => {
        if (stored === 'terces') throw new Error('another keychain')
        return [...stored].reverse().join('')
      },
    }
    const secrets = createFileSecrets({ path, log, cipher })
    await secrets.set('bad', 'secret')
    await secrets.set('good', 'abc')

    expect(readFileSync(path, 'utf8')).toBe('{"bad":"terces","good":"cba"}')
    expect([secrets.get('bad'), secrets.get('good')]).toEqual([null, 'abc'])
  })

  it('tell the caller when they could not be kept, and go on', async () => {
    const secrets = createFileSecrets({ path: join(path, 'below-a-file'), log })
    writeFileSync(path, '{}')

    await expect(secrets.set('one', 'sk-1')).rejects.toThrow()

    expect(secrets.get('one')).toBeNull()
  })
})
