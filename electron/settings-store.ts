import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { DEFAULT_SETTINGS, type Settings, settingsSchema } from '#shared/settings.ts'
import type { Log } from './log.ts'

const FILE = 'settings.json'

/** A standing *always allow*. It holds for exactly this pattern in exactly this folder. */
const ruleSchema = z.object({ pattern: z.string(), folder: z.string() })
export type AllowRule = z.infer<typeof ruleSchema>

const fileSchema = settingsSchema.partial().extend({ allowed: z.array(ruleSchema).optional() })

/** `settings.json` of the data folder. Never holds a key. */
export interface SettingsStore {
  get(): Settings
  /** Replaces the named parts and saves them. @throws Error of the file system; then nothing changed. */
  update(change: Partial<Settings>): Settings
  allowed(): readonly AllowRule[]
  allow(rule: AllowRule): void
}

/** A file that cannot be read is set aside, never overwritten, and the defaults hold. */
export function openSettings(dataFolder: string, log: Log): SettingsStore {
  const path = join(dataFolder, FILE)
  const read = readSettings(path, log)
  let { settings, allowed } = read

  const save = (next: Settings, rules: readonly AllowRule[]) => {
    const draft = `${path}.new`
    writeFileSync(draft, `${JSON.stringify({ ...next, allowed: rules }, null, 2)}\n`, {
      mode: 0o600,
      flush: true,
    })
    renameSync(draft, path)
    settings = next
    allowed = rules
  }
  return {
    get: () => settings,
    update(change) {
      save(settingsSchema.parse({ ...settings, ...change }), allowed)
      return settings
    },
    allowed: () => allowed,
    allow(rule) {
      const isKnown = allowed.some(one => one.pattern === rule.pattern && one.folder === rule.folder)
      if (!isKnown) save(settings, [...allowed, rule])
    },
  }
}

function readSettings(path: string, log: Log): { settings: Settings; allowed: readonly AllowRule[] } {
  if (!existsSync(path)) return { settings: DEFAULT_SETTINGS, allowed: [] }
  try {
    chmodSync(path, 0o600)
    const { allowed = [], ...stored } = fileSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
    return { settings: settingsSchema.parse({ ...DEFAULT_SETTINGS, ...stored }), allowed }
  } catch (error) {
    const aside = `${path}.unreadable-${Date.now()}`
    log.error(`settings.json cannot be read; it is kept as ${aside} and the defaults hold.`, error)
    renameSync(path, aside)
    return { settings: DEFAULT_SETTINGS, allowed: [] }
  }
}

/** What is wrong with the file, in a sentence; nothing when it is absent. Changes nothing. */
export function settingsProblems(dataFolder: string): string[] {
  const path = join(dataFolder, FILE)
  if (!existsSync(path)) return []
  try {
    fileSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
    return []
  } catch {
    // Whatever it is, the next start sets the file aside and goes on with the defaults.
    return [`${path} cannot be understood; the next start sets it aside and uses the defaults.`]
  }
}
