import { createHash } from 'node:crypto'
import { isSessionId } from '#shared/session/ids.ts'

/** No file system of today refuses a name this long. */
const LONGEST = 120

/** What Windows takes for a device, with or without an extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/

/**
 * The name of a file or folder that stands for `id`: another one for every id, also where upper and lower case are
 * the same, and one that Windows takes. `=` begins what is written differently: `=a` is A, `=0` a dot, `=1` nothing.
 * Other ids than those of sessions, and very long ones, are told apart by a hash.
 */
export function nameOf(id: string): string {
  if (!isSessionId(id)) return `=2${hash(id)}`
  const plain = id.replace(/[A-Z.]/g, sign => (sign === '.' ? '=0' : `=${sign.toLowerCase()}`))
  if (plain.length > LONGEST) return `${plain.slice(0, 40)}=2${hash(id)}`
  return DEVICE.test(plain) ? `${plain}=1` : plain
}

/** The id that a name stands for; `null` for a name that tells none. */
export function idOfName(name: string): string | null {
  if (name.includes('=2')) return null
  const id = name
    .replace(/=1$/, '')
    .replaceAll('=0', '.')
    .replace(/=([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return nameOf(id) === name ? id : null
}

/** Over the code units: lone surrogates are told apart as well. */
function hash(id: string): string {
  return createHash('sha256').update(Buffer.from(id, 'utf16le')).digest('hex')
}
