import type { Unit } from '#shared/projection/unit.ts'
import type { Opening } from './opening.ts'
import type { LogSource } from './search/log-source.ts'
import type { Methods } from './sqlite/methods.ts'

/** What keeps the logs: it lives in the store thread and is used from there alone. */
export interface Backend {
  /** Asked for, or written by a newer Espalier: reading works, writing is refused. */
  readonly readOnly: boolean
  readonly methods: Methods
  /** The same logs for who makes something of all of them. */
  readonly logSource: LogSource
  /** What was met when it opened; absent: nothing worth telling. */
  readonly opening?: Opening
  /**
   * Does all of it, in order; what it wrote is durable when this returns. A step that fails as a value costs only
   * itself. Throws when the medium gave up on all of it: then nothing was written.
   */
  together<T>(steps: readonly (() => T)[]): T[]
  close(): void
}

export interface BackendOptions {
  readonly dataFolder: string
  readonly units: readonly Unit[]
  readonly readOnly: boolean
  /** Told whenever a part of what is stored cannot be read, and an answer was made without it. */
  readonly onDamage?: () => void
  /** Called now and then while a long log is read, outside of any write: appends may be made in it. */
  readonly pause?: () => void
}
