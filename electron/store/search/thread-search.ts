import type { BackgroundWork } from '../background.ts'
import { type Answer, answer, type EncodedBatch, type Request } from '../wire.ts'
import type { LogSource } from './log-source.ts'
import { searchFile } from './search-file.ts'
import { type IndexStatus, type SearchAnswer, SearchIndex } from './search-index.ts'
import type { SearchRequest } from './search-reads.ts'

export interface ThreadSearchOptions {
  readonly dataFolder: string
  readonly source: LogSource
  readonly readOnly: boolean
  /** A sentence for the log. */
  readonly note: (sentence: string) => void
  /** There is work to do in so many milliseconds. */
  readonly within: (ms: number) => void
}

export interface SearchMethods {
  searchQuery(request: SearchRequest): Answer<SearchAnswer>
  searchStatus(): Answer<IndexStatus>
}

export interface ThreadSearch {
  readonly methods: SearchMethods
  readonly work: BackgroundWork
  /** A request was answered. False when it was about the index itself: that is no reason to leave it alone. */
  heard(request: Request): boolean
  close(): void
}

/** The index as it lives in the store thread: it hears what is written, and answers beside the backend. */
export function createThreadSearch({ dataFolder, within, ...options }: ThreadSearchOptions): ThreadSearch {
  const index = new SearchIndex({ ...options, file: searchFile(dataFolder) })

  function hear(method: string, args: readonly unknown[]): void {
    for (const id of writtenIn(method, args)) within(index.touch(id))
    if (method === 'condemn' || method === 'purgeStep') within(index.compareAll())
  }

  return {
    methods: {
      searchQuery: request => answer(index.query(request)),
      searchStatus: () => answer(index.status()),
    },
    work: { step: () => index.step() },
    heard: ({ method, args }) => {
      if (method === 'searchQuery' || method === 'searchStatus') {
        within(0)
        return false
      }
      hear(method, args)
      return true
    },
    close: () => index.close(),
  }
}

/** The sessions whose logs a request may have changed. One that was refused costs a look at its record. */
function writtenIn(method: string, args: readonly unknown[]): string[] {
  const [first] = args as readonly (readonly EncodedBatch[] | { readonly id: string } | string | undefined)[]
  if (method === 'append' && Array.isArray(first)) return first.map(({ sessionId }) => sessionId)
  if (method === 'create' && typeof first === 'object' && 'id' in first) return [first.id]
  return method === 'commitLoad' && typeof first === 'string' ? [first] : []
}
