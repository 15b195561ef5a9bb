import type { IndexStatus, SearchAnswer } from './search/search-index.ts'
import type { SearchRequest } from './search/search-reads.ts'
import type { ThreadClient } from './thread-client.ts'

/** Full-text search over all logs (contracts §2), answered by an index that is made in the background. */
export interface SearchStore {
  /** What is indexed so far: `status` says how far that is. Never fails for what the text holds. */
  query(request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer>
  status(signal?: AbortSignal): Promise<IndexStatus>
}

export function createSearchStore(thread: ThreadClient): SearchStore {
  return {
    query: (request, signal) => thread.call('searchQuery', [request], signal),
    status: signal => thread.call('searchStatus', [], signal),
  }
}
