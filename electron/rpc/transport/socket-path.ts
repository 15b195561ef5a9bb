import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

/** `sun_path` holds 104 bytes on macOS and 108 on Linux, with the closing zero. */
const LONGEST_PATH_BYTES = 103

export interface SocketPathSource {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly platform?: NodeJS.Platform
  readonly temporaryFolder?: string
}

/** Where the workbench of a data folder listens: always the same place for the same folder. */
export function socketPathOf(dataFolder: string, source: SocketPathSource = {}): string {
  const { env = process.env, platform = process.platform, temporaryFolder = tmpdir() } = source
  const name = createHash('sha256').update(dataFolder).digest('hex').slice(0, 24)
  if (platform === 'win32') return `\\\\.\\pipe\\espalier-${name}`
  const inside = join(dataFolder, 'host.sock')
  if (Buffer.byteLength(inside) <= LONGEST_PATH_BYTES) return inside
  // A folder of one's own in the runtime folder: others may write to the temporary one.
  return join(env['XDG_RUNTIME_DIR'] || temporaryFolder, `espalier-${userName()}`, `${name}.sock`)
}

function userName() {
  return process.getuid?.() ?? 'user'
}
