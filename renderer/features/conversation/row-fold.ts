import { type Content, textContent, textOf } from '#shared/session/content.ts'
import { type EventOf, isKnownType, type SessionEvent, type StoredEvent } from '#shared/session/events.ts'
import { type ImportedPart, importedParts } from './imported-text.ts'
import type { RowDraft } from './row-draft.ts'
import { readOnce } from './row-draft.ts'
import { bubbleHeight, DIVIDER_HEIGHT, FOLD_HEIGHT, proseHeight, TOOL_HEIGHT } from './row-height.ts'
import {
  addCall,
  closeCalls,
  decideCall,
  reportChild,
  settleCall,
  settleChild,
  startCall,
} from './tool-rows.ts'

/** Folds one stored event into rows. Never throws: what cannot be read becomes an opaque row. */
export function foldEvent(draft: RowDraft, stored: StoredEvent): void {
  const event = readOnce(stored)
  if (event === null) addOpaque(draft, stored)
  else foldKnown(draft, event)
}

function foldKnown(draft: RowDraft, event: SessionEvent): void {
  switch (event.type) {
    case 'turn/start':
      draft.turnStart = event.time
      draft.open.clear()
      break
    case 'turn/end':
      endTurn(draft, event)
      break
    case 'step/start':
      draft.stepStart = event.time
      break
    case 'user/message':
      addMessage(draft, event)
      break
    case 'assistant/message':
      addAnswer(draft, event)
      break
    case 'tool/call':
      startCall(draft, event)
      break
    case 'tool/result':
      settleCall(draft, event)
      break
    case 'approval/decided':
      decideCall(draft, event)
      break
    case 'subagent/settled':
      settleChild(draft, event)
      break
    case 'subagent/report':
      reportChild(draft, event)
      break
    case 'compaction/summary':
      addCompaction(draft, event)
      break
    default:
      addNote(draft, event)
      break
  }
}

function addOpaque(draft: RowDraft, stored: StoredEvent): void {
  // Identity is read by its own parser: a descriptor in any shape has no place in the conversation.
  if (isKnownType(stored.type) && stored.type === 'subagent/descriptor') return
  const type = typeof stored.type === 'string' ? stored.type.slice(0, 80) : 'unknown'
  draft.add(stored, { kind: 'opaque', key: `opaque:${stored.seq}`, height: FOLD_HEIGHT, type })
}

function endTurn(draft: RowDraft, event: EventOf<'turn/end'>): void {
  closeCalls(draft)
  const startedAt = draft.turnStart
  draft.turnStart = null
  draft.stepStart = null
  const { reason } = event.data
  draft.add(event, { kind: 'turn-end', key: `end:${event.seq}`, height: DIVIDER_HEIGHT, reason, startedAt })
}

function addMessage(draft: RowDraft, event: EventOf<'user/message'>): void {
  const { content } = event.data
  const parts = importedParts(textOf(content))
  const [first] = parts
  if (parts.length === 1 && first?.kind === 'text') {
    addSaid(draft, event, content, '')
    return
  }
  const others = content.filter(block => block.type !== 'text')
  if (others.length > 0) addSaid(draft, event, others, '')
  for (const [index, part] of parts.entries()) addPart(draft, event, part, index === 0 ? '' : `:${index}`)
}

/** A piece of a message that another tool wrote. */
function addPart(draft: RowDraft, event: EventOf<'user/message'>, part: ImportedPart, nth: string): void {
  const key = `m:${event.data.id}${nth}`
  switch (part.kind) {
    case 'text':
      addSaid(draft, event, textContent(part.text), nth)
      return
    case 'command':
      draft.add(event, { ...part, key, height: 41 })
      return
    case 'note': {
      const { label, text, code } = part
      draft.add(event, { kind: 'note', key, height: FOLD_HEIGHT, note: { of: 'context', label, text, code } })
      return
    }
    case 'message':
      draft.add(event, {
        kind: 'message',
        key,
        height: bubbleHeight(part.text, true),
        source: event.data.source.kind === 'person' ? { kind: 'report' } : event.data.source,
        label: part.author,
        content: textContent(part.text),
        outcome: null,
      })
  }
}

function addSaid(draft: RowDraft, event: EventOf<'user/message'>, content: Content, nth: string): void {
  const { id, source } = event.data
  const key = `m:${id}${nth}`
  if (source.kind === 'context') {
    const note = { of: 'context', label: CONTEXT, text: textOf(content), code: false } as const
    draft.add(event, { kind: 'note', key, height: FOLD_HEIGHT, note })
    return
  }
  const label = source.from === undefined ? null : (draft.labels.get(source.from) ?? null)
  const told = source.from === undefined ? null : draft.takeTold(source.kind, source.from)
  const shown = told === null ? content : textContent(withoutNotice(textOf(content)) ?? told.text)
  draft.add(event, {
    kind: 'message',
    key,
    height: bubbleHeight(textOf(shown), source.kind !== 'person'),
    source,
    label,
    content: shown,
    outcome: told?.outcome ?? null,
  })
}

const CONTEXT = 'Context added for the model'

/** A settlement as the model reads it starts with who ended how: the row's head says that. What is left are the words. */
function withoutNotice(text: string): string | null {
  const head = /^Agent "[^\n]*" \([^)\n]*\) [a-z ]+\.\s*/.exec(text)
  return head === null ? null : text.slice(head[0].length)
}

function addAnswer(draft: RowDraft, event: EventOf<'assistant/message'>): void {
  const { id, content } = event.data
  draft.messages.add(id)
  const tookMs = draft.stepStart === null ? null : Math.max(0, event.time - draft.stepStart)
  const written = content.reduce((sum, block) => sum + ('text' in block ? block.text.length : 0), 0)
  let texts = 0
  let thoughts = 0
  for (const block of content) {
    if (block.type === 'tool-call') {
      addCall(draft, event, block)
    } else if (block.text.trim() === '') {
      // A block of nothing but space says nothing.
    } else if (block.type === 'text') {
      const key = partKey(id, 'text', texts++)
      draft.add(event, { kind: 'text', key, height: proseHeight(block.text), text: block.text, live: false })
    } else {
      const key = partKey(id, 'reasoning', thoughts++)
      const share = tookMs === null ? null : Math.round((tookMs * block.text.length) / written)
      draft.add(event, {
        kind: 'thinking',
        key,
        height: FOLD_HEIGHT,
        text: block.text,
        tookMs: share,
        live: false,
      })
    }
  }
}

/** The key of a part of an answer: the same while it streams and when it is logged. */
export function partKey(messageId: string, part: 'text' | 'reasoning', nth: number): string {
  return nth === 0 ? `a:${messageId}:${part}` : `a:${messageId}:${part}:${nth}`
}

function addCompaction(draft: RowDraft, event: EventOf<'compaction/summary'>): void {
  const { fromSeq, toSeq, summary } = event.data
  const covered = Math.max(0, toSeq - fromSeq + 1)
  draft.add(event, { kind: 'compaction', key: `sum:${event.seq}`, height: DIVIDER_HEIGHT, summary, covered })
}

function addNote(draft: RowDraft, event: SessionEvent): void {
  const key = `note:${event.seq}`
  switch (event.type) {
    case 'model/changed': {
      // The first choice of a session changes nothing that a reader has seen.
      if (draft.rows.every(row => row.kind === 'gap')) return
      const { model, effort } = event.data.route
      const note = { of: 'model', model, effort: effort ?? null } as const
      draft.add(event, { kind: 'note', key, height: TOOL_HEIGHT, note })
      return
    }
    case 'llm/retry': {
      const { attempt, delayMs, message } = event.data
      draft.add(event, {
        kind: 'note',
        key,
        height: TOOL_HEIGHT,
        note: { of: 'retry', attempt, delayMs, message },
      })
      return
    }
    case 'import/source': {
      const { tool, path } = event.data
      draft.add(event, { kind: 'note', key, height: TOOL_HEIGHT, note: { of: 'imported', tool, path } })
      return
    }
    case 'import/raw': {
      const index = draft.rows.length - 1
      const last = draft.rows[index]
      if (last?.kind === 'note' && last.note.of === 'raw') {
        draft.replace(index, { ...last, note: { of: 'raw', count: last.note.count + 1 } })
        return
      }
      draft.add(event, { kind: 'note', key, height: FOLD_HEIGHT, note: { of: 'raw', count: 1 } })
      return
    }
    default:
      return
  }
}
