import process from 'node:process'
import { closeInTime } from '../close-in-time.ts'
import type { Log } from '../log.ts'

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/**
 * The first signal closes and leaves with 0 (1 when closing failed); the second leaves at once. An unhandled
 * rejection is logged and survived: agents go on. After an uncaught exception nothing can be relied on: it ends.
 */
export function endOnSignal(close: () => Promise<void>, log: Log): void {
  let ending = false
  const end = async (exitCode: number) => {
    ending = true
    try {
      await closeInTime(close)
      process.exit(exitCode)
    } catch (error) {
      log.error('Espalier did not end cleanly', error)
      process.stderr.write('Espalier could not save everything before it ended; its log says why.\n')
      process.exit(1)
    }
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (ending) process.exit(EXIT_CODES[signal])
      void end(0)
    })
  }
  process.on('unhandledRejection', error => log.error('A failure that nobody handled', error))
  process.on('uncaughtException', error => {
    log.error('A failure that nobody caught', error)
    if (ending) process.exit(1)
    void end(1)
  })
}
