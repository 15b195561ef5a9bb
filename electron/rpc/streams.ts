import type { Banner } from '#shared/banner.ts'
import { WorkbenchError } from '#shared/errors.ts'
import type { Frame, FrameBatch, Watch } from '#shared/frames.ts'
import type { FoldSnapshot } from '#shared/projection/fold.ts'
import type { SessionId } from '#shared/session/ids.ts'
import type { TextPiece } from '../agent/live-message.ts'
import type { ProjectionRegistry } from '../projection/registry.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { Activations } from '../subagent/activations.ts'
import type { Rollups } from '../subagent/rollup.ts'
import { type StreamSource, WindowStream } from './window-stream.ts'

export interface StreamsDeps {
  readonly live: LiveSessions
  readonly registry: ProjectionRegistry
  readonly rollups: Rollups
  readonly activations: () => Activations
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
    live.onAdded(({ header }) => {
      this.#tell(window => {
        if (!window.isSeen(header)) return
        window.latest(`added ${header.id}`, { kind: 'added', header })
        window.latest(`activity ${header.id}`, {
          kind: 'activity',
          sessionId: header.id,
          activity: 'running',
        })
        // Its values from the start: a resumed session knows more than its listing did.
        window.watchAgain(header.id)
      })
    })
    live.onRemoved(({ header, id }) => {
      this.#tell(window => {
        window.removed(id)
        if (!window.isSeen(header)) return
        window.latest(`activity ${id}`, { kind: 'activity', sessionId: id, activity: 'inactive' })
      })
    })
    live.onEvent((session, event) => this.#tell(window => window.event(session.id, event)))
    registry.onChanged(({ session, key, seq }) =>
      this.#tell(window => window.changed(session.header, key, seq)),
    )
    rollups.onChanged((sessionId, rollup) => {
      this.#tell(window => window.latest(`rollup ${sessionId}`, { kind: 'rollup', sessionId, ...rollup }))
    })
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
    this.#tell(window => window.latest(`banner ${id}`, { kind: 'banner', id, banner }))
  }

  /** Rejects as the attempt does: the banner stays until whoever raised it takes it down. */
  async retryBanner(id: string): Promise<void> {
    await this.#banners.get(id)?.retry?.()
  }

  dismissBanner(id: string): void {
    if (this.#banners.get(id)?.banner.dismissible === true) this.banner(id, null)
  }

  /** A root that came or went without becoming live: created by an import, restored, or put into the trash. */
  root(frame: Extract<Frame, { kind: 'added' | 'removed' }>): void {
    const id = frame.kind === 'added' ? frame.header.id : frame.sessionId
    this.#tell(window => window.latest(`added ${id}`, frame))
  }

  /** Values of a cold session that were folded after its page was served. One that came alive meanwhile knows better. */
  lateSnapshot(id: SessionId, { asOfSeq, values }: FoldSnapshot): void {
    if (this.#deps.live.get(id) !== undefined) return
    this.#tell(window => window.cold(id, asOfSeq, values))
  }

  async *subscribe(id: string, watch: Watch, signal: AbortSignal): AsyncGenerator<FrameBatch> {
    const window = new WindowStream(this.#source(), watch)
    for (const [bannerId, { banner }] of this.#banners) {
      window.latest(`banner ${bannerId}`, { kind: 'banner', id: bannerId, banner })
    }
    this.#windows.set(id, window)
    try {
      yield* window.batches(signal)
    } finally {
      if (this.#windows.get(id) === window) this.#windows.delete(id)
    }
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
    for (const window of this.#windows.values()) what(window)
  }

  #source(): StreamSource {
    const { live, registry, activations } = this.#deps
    return {
      valueOf: (id, key) => registry.valueOf(id, key),
      snapshot: id => registry.snapshot(id),
      livePieces: id => activations().get(id)?.agent.liveMessage?.pieces() ?? [],
      liveHeaders: () => live.list().map(({ header }) => header),
    }
  }
}
