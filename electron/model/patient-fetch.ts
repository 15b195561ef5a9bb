/** A provider that stopped talking without saying so. */
export class SilentModelError extends Error {
  override readonly name = 'SilentModelError'
  readonly seconds: number

  constructor(seconds: number) {
    super(`no answer for ${seconds} seconds`)
    this.seconds = seconds
  }
}

/**
 * `fetch` that does not wait for ever: it fails with `SilentModelError` when nothing comes for `silenceMs`, be it the first
 * byte or the next one. Every piece that arrives starts the time anew, so a long answer may take as long as it likes.
 */
export function createPatientFetch(silenceMs: number): typeof fetch {
  return async (input, init) => {
    const silent = new AbortController()
    const fail = () => silent.abort(new SilentModelError(silenceMs / 1000))
    let timer = setTimeout(fail, silenceMs)
    const restart = () => {
      clearTimeout(timer)
      timer = setTimeout(fail, silenceMs)
    }
    const given = init?.signal
    const signal = given ? AbortSignal.any([given, silent.signal]) : silent.signal
    try {
      const response = await fetch(input, { ...init, signal })
      if (response.body === null) {
        clearTimeout(timer)
        return response
      }
      restart()
      const body = response.body.pipeThrough(
        watch(restart, () => clearTimeout(timer)),
        { signal },
      )
      const { status, statusText, headers } = response
      return new Response(body, { status, statusText, headers })
    } catch (error) {
      clearTimeout(timer)
      throw error
    }
  }
}

function watch(
  onPiece: () => void,
  onEnd: () => void,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  return new TransformStream({
    transform(piece, controller) {
      onPiece()
      controller.enqueue(piece)
    },
    flush: onEnd,
  })
}
