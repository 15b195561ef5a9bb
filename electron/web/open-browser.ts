import { spawn } from 'node:child_process'
import process from 'node:process'

/** Opens the default browser if there can be one. Never throws; a browser that does not come is no failure. */
export function openBrowser(address: string, env = process.env, platform = process.platform): void {
  const command = commandFor(address, env, platform)
  if (!command) return
  const [program, ...args] = command
  const child = spawn(program, args, { stdio: 'ignore', detached: true })
  child.on('error', () => {}) // no such program: the printed address is there for that
  child.unref()
}

function commandFor(
  address: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): readonly [string, ...string[]] | null {
  if (platform === 'darwin') return ['open', address]
  // Not `cmd /c start`: it would read the address as a command line.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', address]
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open', address] : null
}
