import { readByteLines } from '../byte-lines.ts'
import { asRecord, type JsonRecord, listField, textField } from '../json-fields.ts'
import { parseLine } from '../parse-line.ts'

/** `agent-x.meta.json` beside `agent-x.jsonl`. `null` where there is none; its absence of sense costs the label only. */
export async function readMeta(agentPath: string, signal?: AbortSignal): Promise<JsonRecord | null> {
  return readJson(agentPath.replace(/\.jsonl$/, '.meta.json'), signal)
}

/** Label by agent id from the record of a workflow run. */
export async function readWorkflowLabels(
  path: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const labels = new Map<string, string>()
  for (const item of listField(await readJson(path, signal), 'workflowProgress')) {
    const agentId = textField(asRecord(item), 'agentId')
    const label = textField(asRecord(item), 'label')
    if (agentId !== null && label !== null) labels.set(agentId, label)
  }
  return labels
}

async function readJson(path: string, signal?: AbortSignal): Promise<JsonRecord | null> {
  const parts: Buffer[] = []
  try {
    for await (const batch of readByteLines(path, signal)) {
      for (const { bytes } of batch) if (bytes !== null) parts.push(bytes, Buffer.from('\n'))
    }
  } catch {
    signal?.throwIfAborted()
    // A sidecar that is absent or unreadable: the transcript says the same things less well.
    return null
  }
  const parsed = parseLine(Buffer.concat(parts))
  return parsed.kind === 'record' ? parsed.value : null
}
