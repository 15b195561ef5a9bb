import { existsSync } from 'node:fs'
import process from 'node:process'

const DEBIAN = '/usr/bin/chromium'

/** How Chromium is started wherever a journey starts one itself. */
export function chromiumOptions() {
  const named = process.env['ESPALIER_CHROMIUM']
  const executablePath = named ?? (existsSync(DEBIAN) ? DEBIAN : undefined)
  return {
    ...(executablePath ? { executablePath } : {}),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  }
}
