import type { Banner } from '#shared/banner.ts'
import { WorkbenchError } from '#shared/errors.ts'
import type { FrameBatch, Watch } from '#shared/frames.ts'
import type { FoldSnapshot } from '#shared/projection/fold.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { TextPiece } from '../agent/live-message.ts'
import type { ProjectionRegistry } from '../projection/registry.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { Rollups } from '../subagent/rollup.ts'
import type { StateFrame } from './pending-session.ts'
import { type StreamSource, WindowStream } from './window-stream.ts'

export interface StreamsDeps {
  readonly live: LiveSessions
  readonly registry: ProjectionRegistry
  readonly rollups: Rollups
  readonly livePieces: StreamSource['livePieces']
  readonly onError: (error: unknown) => void
}

interface RaisedBanner {
  readonly banner: Banner
  readonly retry: (() => Promise<void>) | undefined
}

/** The streams of all windows: what happens in the workbench, told to those who look at it. */
export class Streams {
  readonly #deps: StreamsDeps
  readonly #windows = new Map<string, WindowStream>()
  readonly #banners = new Map<string, RaisedBanner>()

  /** To be made after the registry follows the live sessions, and before anything that lets sessions go. */
  constructor(deps: StreamsDeps) {
    this.#deps = deps
    const { live, registry, rollups } = deps
    live.onAdded(({ header }) => this.#tell(window => window.added(header)))
    live.onRemoved(({ header }) => this.#tell(window => window.leaves(header)))
    live.onEvent((session, event) => this.#tell(window => window.event(session.id, event)))
    registry.onChanged(({ session, key, seq }) =>
      this.#tell(window => window.changed(session.header, key, seq)),
    )
    rollups.onChanged((header, rollup) => this.#tell(window => window.rollup(header, rollup)))
  }

  text(sessionId: SessionId, piece: TextPiece): void {
    this.#tell(window => window.text(sessionId, piece))
  }

  textEnd(sessionId: SessionId, messageId: string): void {
    this.#tell(window => window.textEnd(sessionId, messageId))
  }

  /**
   * Shown in every window until it is `null`; windows that open later see it too. `retry` is what its button does
   * when its action is `retry`.
   */
  banner(id: string, banner: Banner | null, retry?: () => Promise<void>): void {
    if (banner === null) this.#banners.delete(id)
    else this.#banners.set(id, { banner, retry })
    this.#tell(window => window.banner({ kind: 'banner', id, banner }))
  }

  /** Rejects as the attempt does: the banner stays until whoever raised it takes it down. */
  async retryBanner(id: string): Promise<void> {
    await this.#banners.get(id)?.retry?.()
  }

  dismissBanner(id: string): void {
    if (this.#banners.get(id)?.banner.dismissible === true) this.banner(id, null)
  }

  /** What happened to a session that did not come alive: imported, restored, put into the trash, put away, taken back. */
  listed(frame: Extract<StateFrame, { kind: 'added' | 'removed' | 'archived' }>): void {
    this.#tell(window => window.listed(frame))
  }

  /** Values of a cold session that were folded after its page was served. One that came alive meanwhile knows better. */
  lateSnapshot(id: SessionId, snapshot: FoldSnapshot): void {
    if (this.#deps.live.get(id) !== undefined) return
    this.#tell(window => window.cold(id, snapshot))
  }

  /**
   * Stands when it returns: what happens from now on is told. Ends with `signal`, when the same id subscribes anew,
   * and when a window that does not answer would have too much kept for it.
   */
  subscribe(id: string, watch: Watch, signal: AbortSignal): AsyncGenerator<FrameBatch> {
    this.#windows.get(id)?.end()
    const window = new WindowStream(this.#source(), watch)
    for (const [bannerId, { banner }] of this.#banners) {
      window.banner({ kind: 'banner', id: bannerId, banner })
    }
    this.#windows.set(id, window)
    // Also where nobody asks for the next batch any more: nothing is kept for a window that is gone.
    window.over.addEventListener('abort', () => {
      if (this.#windows.get(id) === window) this.#windows.delete(id)
    })
    if (signal.aborted) window.end()
    else signal.addEventListener('abort', () => window.end(), { once: true, signal: window.over })
    return window.batches()
  }

  watch(id: string, watch: Watch): void {
    this.#window(id).watch(watch)
  }

  acknowledge(id: string, batch: number): void {
    this.#window(id).acknowledge(batch)
  }

  /** @throws WorkbenchError `BAD_REQUEST`: the subscription ended; the window subscribes again. */
  #window(id: string): WindowStream {
    const window = this.#windows.get(id)
    if (window === undefined) throw new WorkbenchError('BAD_REQUEST', 'This subscription is over.')
    return window
  }

  #tell(what: (window: WindowStream) => void): void {
    for (const window of this.#windows.values()) {
      try {
        what(window)
      } catch (error) {
        // Nobody's stream, and no writer, suffers from another window's.
        this.#deps.onError(error)
      }
    }
  }

  #source(): StreamSource {
    const { live, registry, rollups, livePieces, onError } = this.#deps
    return {
      valueOf: (id, key) => registry.valueOf(id, key),
      snapshot: id => registry.snapshot(id),
      liveSession: id => live.get(id),
      rollupOf: id => rollups.of(id),
      rollups: () => rollups.list(),
      livePieces,
      liveHeaders: () => live.list().map(({ header }) => header),
      onSkipped: problem => onError(new Error(problem)),
    }
  }
}
