import { EventEmitter } from 'node:events'
import { hear, tell } from './link.ts'

/** MessagePortMain whose other end is in a page. Messages wait until `start`, as the real one's do. */
export class StandInPort extends EventEmitter {
  readonly #window: number
  readonly #id: number
  #waiting: unknown[] | null = []
  #closed = false

  constructor(window: number, id: number) {
    super()
    this.#window = window
    this.#id = id
  }

  start(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = null
    for (const data of waiting) this.emit('message', { data, ports: [] })
  }

  postMessage(data: unknown): void {
    if (!this.#closed) tell({ kind: 'port', window: this.#window, port: this.#id, data })
  }

  close(): void {
    if (this.#closed) return
    tell({ kind: 'port-closed', window: this.#window, port: this.#id })
    this.ended()
  }

  receive(data: unknown): void {
    if (this.#waiting) this.#waiting.push(data)
    else this.emit('message', { data, ports: [] })
  }

  ended(): void {
    if (this.#closed) return
    this.#closed = true
    queueMicrotask(() => this.emit('close'))
  }
}

const ports = new Map<string, StandInPort>()
const keyOf = (window: number, port: number) => `${window}/${port}`

export function adoptPort(window: number, id: number): StandInPort {
  const port = new StandInPort(window, id)
  ports.set(keyOf(window, id), port)
  port.on('close', () => ports.delete(keyOf(window, id)))
  return port
}

/** The document that held the other ends is gone. */
export function endPorts(window: number): void {
  for (const [key, port] of ports) if (key.startsWith(`${window}/`)) port.ended()
}

hear('port', ({ window, port, data }) => ports.get(keyOf(window, port))?.receive(data))
hear('port-closed', ({ window, port }) => ports.get(keyOf(window, port))?.ended())
