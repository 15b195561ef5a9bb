import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { WorkbenchError } from '#shared/errors.ts'
import { storedApprovalModeSchema } from '#shared/session/approval-mode.ts'
import { DEFAULT_SETTINGS, type Settings, settingsSchema } from '#shared/settings.ts'
import type { Log } from './log.ts'
import { mediumSentence, systemCodeOf } from './store/medium.ts'

const FILE = 'settings.json'

/** A standing *yes*. It holds for exactly this pattern, in exactly this folder or, where that is `null`, in every one. */
const ruleSchema = z.object({ pattern: z.string(), folder: z.string().nullable() })
export type AllowRule = z.infer<typeof ruleSchema>

const fileSchema = settingsSchema.partial().extend({
  approvalMode: storedApprovalModeSchema.optional(),
  allowed: z.array(ruleSchema).optional(),
})

/** `settings.json` of the data folder. Never holds a key. */
export interface SettingsStore {
  get(): Settings
  /** Replaces the named parts and saves them. @throws WorkbenchError `NOT_SAVED`; then nothing changed. */
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
    const text = `${JSON.stringify({ ...next, allowed: rules }, null, 2)}\n`
    try {
      writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true })
      renameSync(`${path}.new`, path)
    } catch (error) {
      throw new WorkbenchError('NOT_SAVED', `${mediumSentence(error)} The settings are as before.`, {
        cause: error,
      })
    }
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
  closeToOthers(path, log)
  try {
    const { allowed = [], ...stored } = fileSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
    return { settings: settingsSchema.parse({ ...DEFAULT_SETTINGS, ...stored }), allowed }
  } catch (error) {
    const aside = `${path}.unreadable-${Date.now()}`
    log.error(`settings.json cannot be read; it is kept as ${aside} and the defaults hold.`, error)
    setAside(path, aside, log)
    return { settings: DEFAULT_SETTINGS, allowed: [] }
  }
}

function setAside(path: string, aside: string, log: Log): void {
  try {
    renameSync(path, aside)
  } catch (error) {
    // In a folder that can only be read it is overwritten by nobody either.
    log.error('The unreadable settings.json could not be set aside', error)
  }
}

/** In a folder that can only be read it stays as it is. */
function closeToOthers(path: string, log: Log): void {
  try {
    chmodSync(path, 0o600)
  } catch (error) {
    log.warn(`settings.json could not be closed to other users (${systemCodeOf(error) ?? 'unknown reason'}).`)
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
