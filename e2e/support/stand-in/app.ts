import { EventEmitter } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { hear } from './link.ts'

export class PreventableEvent {
  defaultPrevented = false
  readonly facts: unknown
  preventDefault(): void {
    this.defaultPrevented = true
  }
}

class StandInApp extends EventEmitter {
  readonly isPackaged = false
  readonly commandLine = { appendSwitch: () => {} }
  readonly #paths = new Map<string, string>()
  readonly #ready = new Promise<void>(resolve => hear('ready', () => resolve()))
  #singleton: string | null = null
  /** Set by the windows, which the app closes. */
  closeWindows: () => void = () => {}

  setName(): void {}
  setAsDefaultProtocolClient(): boolean {
    return true
  }
  whenReady(): Promise<void> {
    return this.#ready
  }
  setPath(name: string, path: string): void {
    if (!existsSync(path)) throw new Error(`Failed to set path: ${path} does not exist`)
    this.#paths.set(name, path)
  }
  getPath(name: string): string {
    const path = this.#paths.get(name)
    if (!path) throw new Error(`Failed to get '${name}' path`)
    return path
  }

  /** By a file in `userData` and a signal, which is all a test needs. */
  requestSingleInstanceLock(): boolean {
    const file = join(this.getPath('userData'), 'SingletonLock')
    const owner = ownerOf(file)
    if (owner !== null && owner !== process.pid) {
      const handed = { argv: process.argv, cwd: process.cwd() }
      writeFileSync(
        join(this.getPath('userData'), `SingletonArguments-${process.pid}`),
        JSON.stringify(handed),
      )
      writeFileSync(`${file}.from`, String(process.pid))
      process.kill(owner, 'SIGUSR2')
      return false
    }
    rmSync(file, { force: true })
    const lock = openSync(file, 'wx')
    writeSync(lock, String(process.pid))
    closeSync(lock)
    this.#singleton = file
    process.on('SIGUSR2', () => {
      const from = readFileSync(`${file}.from`, 'utf8')
      const path = join(this.getPath('userData'), `SingletonArguments-${from}`)
      const { argv, cwd } = JSON.parse(readFileSync(path, 'utf8'))
      rmSync(path)
      this.emit('second-instance', new PreventableEvent(), argv, cwd, undefined)
    })
    return true
  }

  quit(): void {
    const event = new PreventableEvent()
    this.emit('before-quit', event)
    if (event.defaultPrevented) return
    this.closeWindows()
    this.exit(0)
  }

  exit(code = 0): void {
    if (this.#singleton) rmSync(this.#singleton, { force: true })
    this.emit('quit', new PreventableEvent(), code)
    process.exit(code)
  }
}

function ownerOf(file: string): number | null {
  if (!existsSync(file)) return null
  const pid = Number(readFileSync(file, 'utf8'))
  try {
    process.kill(pid, 0)
    return pid
  } catch {
    return null // it died and left the file
  }
}

export const app = new StandInApp()
hear('emit', ({ event, args }) => app.emit(event, new PreventableEvent(), ...args))
