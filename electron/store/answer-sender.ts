import type { FromThread } from './wire.ts'
import { toWireError } from './wire-errors.ts'

export type AnswerMessage = Extract<FromThread, { readonly answer: unknown } | { readonly error: unknown }>

/** Sends what the store thread answers; a long answer is made while it is sent. */
export function createAnswerSender(post: (message: FromThread, handedOver?: readonly ArrayBuffer[]) => void) {
  /** Whose pieces are being made, `null` as soon as nobody waits for them. */
  let making: number | null = null

  return {
    send(message: AnswerMessage): void {
      if ('error' in message) {
        post(message)
        return
      }
      const { id, answer } = message
      const { pieces, ...rest } = answer
      try {
        if (pieces !== undefined) {
          making = id
          for (const piece of pieces) {
            if (making !== id) return
            post({ id, piece })
          }
        }
        post({ id, answer: rest }, rest.bytes === undefined ? [] : [rest.bytes.buffer])
      } catch (error) {
        post({ id, error: toWireError(error) })
      }
    },

    /** May come while the answer is being made. */
    cancel(id: number): void {
      if (making === id) making = null
    },
  }
}
