import type { ChildProcess } from 'node:child_process'
import type { ShellCall, ToScreen, ToShell } from './messages.ts'

interface Pending {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** The screen's end of the channel to the process that runs main.ts. */
export class ShellLink {
  readonly #child: ChildProcess
  readonly #pending = new Map<number, Pending>()
  readonly #hear: (message: ToScreen) => void
  #lastCall = 0

  constructor(child: ChildProcess, hear: (message: ToScreen) => void) {
    this.#child = child
    this.#hear = hear
    child.on('message', (message: ToScreen) => {
      if (message.kind === 'answer') this.#settle(message)
      else hear(message)
    })
    child.on('exit', () => {
      for (const { reject } of this.#pending.values()) reject(new Error('The shell has ended.'))
      this.#pending.clear()
    })
  }

  /** Something the screen saw itself. */
  heard(message: ToScreen): void {
    this.#hear(message)
  }

  tell(message: ToShell): void {
    if (this.#child.connected) this.#child.send(message)
  }

  call(call: ShellCall): Promise<unknown> {
    if (!this.#child.connected) return Promise.reject(new Error('The shell has ended.'))
    this.#lastCall += 1
    const id = this.#lastCall
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      this.tell({ ...call, call: id })
    })
  }

  #settle({ call, value, error }: Extract<ToScreen, { kind: 'answer' }>) {
    const pending = this.#pending.get(call)
    this.#pending.delete(call)
    if (error === undefined) pending?.resolve(value)
    else pending?.reject(new Error(error))
  }
}
