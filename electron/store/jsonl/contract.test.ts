import { outputContract } from '../output-store.contract.ts'
import { persistenceContract } from '../persistence.contract.ts'
import { openStore } from '../store-client.ts'
import { usageContract } from '../stored-usage.contract.ts'
import { sessionsFolder } from './format.ts'
import { makeSessionsFolder } from './make-format.ts'

for (const encoding of ['text', 'zstd'] as const) {
  const open = (dataFolder: string) => {
    makeSessionsFolder(sessionsFolder(dataFolder), encoding)
    return openStore({ dataFolder })
  }
  persistenceContract(`JSONL as ${encoding}`, open)
  outputContract(`JSONL as ${encoding}`, open)
  usageContract(`JSONL as ${encoding}`, open)
}
