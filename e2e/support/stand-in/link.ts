import { EventEmitter } from 'node:events'
import process from 'node:process'
import type { ToScreen, ToShell } from './messages.ts'

/** The channel to the screen, in the process that runs main.ts. It ends when the screen is gone, as a display would. */

type Kind = ToShell['kind']
export type Heard<K extends Kind> = Extract<ToShell, { kind: K }>

const heard = new EventEmitter()

export function hear<K extends Kind>(kind: K, listener: (message: Heard<K>) => void): void {
  heard.on(kind, listener)
}

export function tell(message: ToScreen): void {
  if (process.connected) process.send?.(message)
}

/** A call of the screen is answered, also when answering fails. */
export function answer(call: number, work: () => unknown): void {
  Promise.resolve()
    .then(work)
    .then(
      value => tell({ kind: 'answer', call, value }),
      (error: unknown) => tell({ kind: 'answer', call, error: String(error) }),
    )
}

if (!process.send)
  throw new Error('The stand-in for Electron is started by launchWorkbench (e2e/support/launch.ts).')
process.on('message', (message: ToShell) => heard.emit(message.kind, message))
process.on('disconnect', () => process.exit(1))
