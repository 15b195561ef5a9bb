import { app, dialog } from 'electron'
import { messageOf } from '#shared/errors.ts'
import { closeInTime } from '../close-in-time.ts'
import type { Log } from '../log.ts'

export interface QuitOptions {
  /** Names of what runs now, for people. */
  running(): Promise<readonly string[]>
  /** Resolves when everything is flushed and given back. */
  close(): Promise<void>
  readonly log: Log
}

export interface Quit {
  /** Without a question: the system or a terminal wants it. */
  now(): void
}

/** Quitting waits for the flush. With running work it asks first, with the list. Nothing unsaved is dropped unasked. */
export function quitWhenFlushed({ running, close, log }: QuitOptions): Quit {
  let state: 'running' | 'asking' | 'closing' | 'closed' = 'running'
  let asks = true

  const quit = async () => {
    state = 'asking'
    if (asks && !(await mayStop(await namesOf(running, log)))) {
      state = 'running'
      return
    }
    state = 'closing'
    try {
      await closeInTime(close)
    } catch (error) {
      log.error('Espalier could not save everything before it ended', error)
      if (asks) dialog.showErrorBox('Espalier could not save everything', messageOf(error))
    }
    state = 'closed'
    app.quit()
  }

  app.on('before-quit', event => {
    if (state === 'closed') return
    event.preventDefault()
    if (state === 'running') quit().catch((error: unknown) => log.error('Quitting failed', error))
  })

  return {
    now() {
      asks = false
      app.quit()
    },
  }
}

/** A workbench that cannot say what runs must not become one that cannot be quit. */
async function namesOf(running: QuitOptions['running'], log: Log): Promise<readonly string[]> {
  try {
    return await running()
  } catch (error) {
    log.error('What runs could not be listed', error)
    return []
  }
}

const LISTED = 10

async function mayStop(names: readonly string[]): Promise<boolean> {
  if (names.length === 0) return true
  const more = names.length > LISTED ? [`and ${names.length - LISTED} more`] : []
  const { response } = await dialog.showMessageBox({
    type: 'question',
    message: 'Quit while agents are working?',
    detail: [...names.slice(0, LISTED), ...more, '', 'Their turns stop and can be resumed later.'].join('\n'),
    buttons: ['Quit', 'Keep working'],
    defaultId: 1,
    cancelId: 1,
  })
  return response === 0
}
