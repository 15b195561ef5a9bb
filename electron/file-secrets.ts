import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { hasFsCode } from './fs-code.ts'
import type { Log } from './log.ts'
import type { SecretStore } from './secrets.ts'

/** How keys are turned into what lies on the disk and back. `decode` may throw: that key is then unknown. */
export interface SecretCipher {
  encode(key: string): string
  decode(stored: string): string
}

const plain: SecretCipher = { encode: key => key, decode: stored => stored }
const fileSchema = z.record(z.string(), z.string())

export interface FileSecretsOptions {
  readonly path: string
  readonly log: Log
  readonly cipher?: SecretCipher
  readonly place?: string
}

/** Keys in one file only its owner can read. A file that cannot be read is left alone and set aside on the first write. */
export function createFileSecrets(options: FileSecretsOptions): SecretStore {
  const { path, log, cipher = plain } = options
  const read = readSecrets(path, log)
  let stored: ReadonlyMap<string, string> = read.secrets
  let unreadable = read.unreadable
  let writing: Promise<void> = Promise.resolve()
  let known: { readonly of: ReadonlyMap<string, string>; readonly keys: readonly string[] } | null = null

  const write = async (next: ReadonlyMap<string, string>) => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    if (unreadable) await rename(path, `${path}.unreadable-${randomUUID()}`)
    unreadable = false
    await replaceFile(path, JSON.stringify(Object.fromEntries(next)))
    stored = next
  }

  const decoded = (value: string): readonly string[] => {
    try {
      return [cipher.decode(value)]
    } catch {
      // Said when the key is asked for. Not here: the log itself asks.
      return []
    }
  }

  return {
    place:
      options.place ??
      `There is no keychain here: keys are kept unencrypted in ${path}, readable only by you.`,
    get(providerId) {
      const value = stored.get(providerId)
      if (value === undefined) return null
      try {
        return cipher.decode(value)
      } catch (error) {
        log.error(`The key of provider ${providerId} cannot be decrypted`, error)
        return null
      }
    },
    known() {
      if (known?.of !== stored) known = { of: stored, keys: [...stored.values()].flatMap(decoded) }
      return known.keys
    },
    set(providerId, key) {
      const change = async () => {
        const next = new Map(stored)
        if (key === null) next.delete(providerId)
        else next.set(providerId, cipher.encode(key))
        await write(next)
      }
      const done = writing.then(change)
      writing = done.catch(() => {}) // the caller has the failure; the next change must not inherit it
      return done
    },
  }
}

function readSecrets(path: string, log: Log) {
  const none = { secrets: new Map<string, string>(), unreadable: false }
  try {
    return {
      ...none,
      secrets: new Map(Object.entries(fileSchema.parse(JSON.parse(readFileSync(path, 'utf8'))))),
    }
  } catch (error) {
    if (hasFsCode(error, 'ENOENT')) return none
    // Not the error itself: a parser quotes what it read.
    log.error(`${path} cannot be read, so no key is known`)
    return { ...none, unreadable: true }
  }
}

/** All or nothing, and never readable by others, not even for a moment. */
async function replaceFile(path: string, text: string) {
  const fresh = `${path}.${randomUUID()}.tmp`
  try {
    const file = await open(fresh, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(fresh, path)
    await chmod(path, 0o600)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
}
