import { join } from 'node:path'
import process from 'node:process'
import { safeStorage } from 'electron'
import { createFileSecrets } from '../file-secrets.ts'
import type { Log } from '../log.ts'
import type { SecretStore } from '../secrets.ts'

/** Keys encrypted by the system's keychain. After `ready`. Where there is no keychain it says so and keeps them readable. */
export function openKeychain(folder: string, log: Log): SecretStore {
  if (!hasKeychain()) return createFileSecrets({ path: join(folder, 'secrets.json'), log })
  return createFileSecrets({
    path: join(folder, 'secrets-encrypted.json'),
    log,
    place: "Keys are encrypted with this system's keychain.",
    cipher: {
      encode: key => safeStorage.encryptString(key).toString('base64'),
      decode: stored => safeStorage.decryptString(Buffer.from(stored, 'base64')),
    },
  })
}

/** On Linux without a keyring the "encryption" is a fixed password: that is none. */
function hasKeychain(): boolean {
  if (!safeStorage.isEncryptionAvailable()) return false
  return process.platform !== 'linux' || safeStorage.getSelectedStorageBackend() !== 'basic_text'
}
