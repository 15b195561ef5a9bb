import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import process from 'node:process'

export interface DataFolderSource {
  /** What `--home` said. */
  readonly home?: string | undefined
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly platform?: NodeJS.Platform
  readonly userFolder?: string
}

/** Where everything is kept: `--home`, else ESPALIER_HOME, else the system's place for it. Creates nothing. */
export function resolveDataFolder(source: DataFolderSource = {}): string {
  const { home, env = process.env, platform = process.platform, userFolder = homedir() } = source
  const named = home || env['ESPALIER_HOME']
  if (named) return resolve(named)
  if (platform === 'darwin') return join(userFolder, 'Library', 'Application Support', 'Espalier')
  if (platform === 'win32') return join(env['APPDATA'] || join(userFolder, 'AppData', 'Roaming'), 'Espalier')
  const xdg = env['XDG_DATA_HOME'] // relative values are to be ignored (XDG base directory specification)
  return join(xdg && isAbsolute(xdg) ? xdg : join(userFolder, '.local', 'share'), 'espalier')
}
