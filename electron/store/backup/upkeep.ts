import { statSync } from 'node:fs'
import type { Banner } from '#shared/banner.ts'
import { messageOf } from '#shared/errors.ts'
import { databaseFile } from '../data-folder.ts'
import type { Opening } from '../opening.ts'
import type { Backups } from './backups.ts'
import { noteDamage } from './found-damage.ts'
import { isCheckDue, noteSound } from './last-check.ts'
import { newestBackupText, openingText } from './rescue-text.ts'
import { runFileTask } from './run-file-task.ts'

/** A start is over by then. */
const FIRST_LOOK_MS = 10_000
const LOOK_AGAIN_MS = 3_600_000

export interface UpkeepDeps {
  readonly dataFolder: string
  readonly readOnly: boolean
  readonly opening: Opening
  readonly backups: Backups
  readonly banner: (id: string, banner: Banner | null) => void
  readonly log: {
    info(sentence: string): void
    warn(sentence: string): void
    error(sentence: string, error?: unknown): void
  }
  readonly now?: () => number
}

/** What keeps a data folder sound while it is used: it says what a start met, looks for damage, and backs up every day. */
export class Upkeep {
  readonly #deps: UpkeepDeps
  readonly #timers: NodeJS.Timeout[] = []
  readonly #ending = new AbortController()
  #check: Promise<void> | null = null
  #isDamaged = false

  constructor(deps: UpkeepDeps) {
    this.#deps = deps
  }

  start(): void {
    const { readOnly, log } = this.#deps
    this.#announce()
    if (readOnly) return
    const look = () => {
      this.#backUpDaily().catch((error: unknown) => log.error('The daily backup failed', error))
    }
    const first = () => {
      if (this.#isCheckDue()) this.look().then(look, look)
      else look()
    }
    this.#timers.push(setTimeout(first, FIRST_LOOK_MS).unref(), setInterval(look, LOOK_AGAIN_MS).unref())
  }

  /** Looks through the database in a thread of its own, and says what it found. Something read may have been damaged. */
  look(): Promise<void> {
    this.#check ??= this.#lookOnce().finally(() => {
      this.#check = null
    })
    return this.#check
  }

  /** Nothing works on the files when it resolves. */
  async stop(): Promise<void> {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer)
    this.#ending.abort()
    await this.#check
    await this.#deps.backups.stop()
  }

  async #lookOnce(): Promise<void> {
    const { dataFolder, log, now = Date.now } = this.#deps
    if (this.#isDamaged || this.#ending.signal.aborted) return
    try {
      const found = await runFileTask('quickCheck', { dataFolder }, this.#ending.signal)
      if (found === null) noteSound(dataFolder, now())
      else this.#damaged(found)
    } catch (error) {
      if (!this.#ending.signal.aborted) log.error('The session database could not be looked through', error)
    }
  }

  #damaged(cause: string): void {
    const { dataFolder, log } = this.#deps
    this.#isDamaged = true
    log.error(`The session database is damaged: ${cause}`)
    noteDamage(dataFolder, cause)
    this.#alert(
      'damaged',
      'The session database is damaged. What can be read stays usable; start Espalier again, and it saves that into a new database and keeps the damaged one.',
    )
  }

  #announce(): void {
    const { opening, log } = this.#deps
    const text = openingText(opening)
    if (text !== null) {
      log.warn(opening.rescued === undefined ? text : `${text} (${opening.rescued.cause})`)
      this.#alert('rescued', text)
    }
    if (opening.migratedFrom !== undefined) {
      log.info(`The database was brought up to date from version ${opening.migratedFrom}, after a backup.`)
    }
  }

  async #backUpDaily(): Promise<void> {
    const { backups, banner, log } = this.#deps
    // A damaged database must not push the backups from before its damage out.
    if (this.#isDamaged || !backups.isDailyDue()) return
    try {
      const { name } = await backups.create('daily')
      banner('backup', null)
      log.info(`Backed up as ${name}.`)
    } catch (error) {
      if (this.#ending.signal.aborted) return
      log.error('The daily backup failed', error)
      const text = `The daily backup could not be made: ${messageOf(error)} Work goes on; it is tried again every hour.`
      banner('backup', {
        level: 'alert',
        text,
        action: { call: 'open-storage', label: 'Open storage' },
        dismissible: true,
      })
    }
  }

  #alert(id: string, text: string): void {
    const newest = this.#deps.backups.newest()
    this.#deps.banner(id, {
      level: 'alert',
      text: `${text} ${newestBackupText(newest?.at ?? null)}`,
      dismissible: true,
      ...(newest !== null && {
        action: { call: 'restore-backup', label: 'Restore backup', name: newest.name },
      }),
    })
  }

  #isCheckDue(): boolean {
    const { dataFolder, opening, now = Date.now } = this.#deps
    const bytes = statSync(databaseFile(dataFolder), { throwIfNoEntry: false })?.size
    if (bytes === undefined) return false
    return isCheckDue(dataFolder, { bytes, afterCrash: opening.afterCrash === true, now: now() })
  }
}
