import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { Rectangle } from 'electron'
import { z } from 'zod'
import type { Log } from '../log.ts'

const windowStateSchema = z.object({
  /** Absent: centred. */
  place: z.object({ x: z.number().int(), y: z.number().int() }).optional(),
  width: z.number().int().min(480).max(20_000),
  height: z.number().int().min(360).max(20_000),
  maximized: z.boolean(),
})
export type WindowState = z.infer<typeof windowStateSchema>

type Place = NonNullable<WindowState['place']>

const FIRST: WindowState = { width: 1360, height: 860, maximized: false }

export interface WindowStateFile {
  /** As it was left, if a screen still shows that place; else centred. */
  read(screens: readonly Rectangle[]): WindowState
  /** A failure is logged: the place of a window is worth no more. */
  write(state: WindowState): Promise<void>
}

export function createWindowStateFile(path: string, log: Log): WindowStateFile {
  return {
    read(screens) {
      const state = readState(path)
      const { place, ...rest } = state
      return place && screens.some(screen => showsTitleBar(screen, place, state.width)) ? state : rest
    },
    write: state =>
      writeFile(path, JSON.stringify(state), { mode: 0o600 }).catch((error: unknown) =>
        log.error('The place of the window was not remembered', error),
      ),
  }
}

function readState(path: string): WindowState {
  try {
    return windowStateSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return FIRST // none yet, or torn by a crash: a window opens anyway
  }
}

/** Enough of the top edge to drag the window back with. */
function showsTitleBar(screen: Rectangle, { x, y }: Place, width: number): boolean {
  const seen = Math.min(x + width, screen.x + screen.width) - Math.max(x, screen.x)
  return seen >= 100 && y >= screen.y && y <= screen.y + screen.height - 40
}
