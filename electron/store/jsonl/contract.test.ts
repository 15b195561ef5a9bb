import { openFilesDirectly } from '../fixtures/direct-store.ts'
import { outputContract } from '../output-store.contract.ts'
import { persistenceContract } from '../persistence.contract.ts'
import { openStore } from '../store-client.ts'
import { sessionsFolder } from './format.ts'
import { makeSessionsFolder } from './make-format.ts'

const asText = (dataFolder: string) => {
  makeSessionsFolder(sessionsFolder(dataFolder), 'text')
  return openStore({ dataFolder })
}
persistenceContract('JSONL as text', asText)
outputContract('JSONL as text', asText)

/** The thread is the same: once is enough. */
const asZstd = async (dataFolder: string) => {
  makeSessionsFolder(sessionsFolder(dataFolder), 'zstd')
  return openFilesDirectly(dataFolder)
}
persistenceContract('JSONL as zstd', asZstd)
outputContract('JSONL as zstd', asZstd)
