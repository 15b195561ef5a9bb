import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type EventData, type EventType, readEvent } from '#shared/session/events.ts'
import type { ImportedSession } from '../reader.ts'
import { claudeReader } from './claude-reader.ts'
import { brokenPromises } from './fixtures/check-imported.ts'

/**
 * Real transcripts, kept beside the repository, against counts that an independent script made. Every difference
 * stands in DIFFERENCES with its reason: a new one fails, and so does one that is gone.
 */
const COLLECTION = join(import.meta.dirname, '../../../../shared/data/transcripts')
const isThere = existsSync(COLLECTION)
if (!isThere) process.stdout.write('skipped: no collection of real transcripts beside the repository\n')

/** `case/name: what, theirs → ours`, and why. */
const BRANCH = 'a prompt was edited: the abandoned branch is kept as raw entries and not counted'
const WORKFLOW = 'the label is in the record of the workflow run, which the script does not read'
const SYNTHETIC = 'a message the tool made up itself has no model'
const DIFFERENCES: Readonly<Record<string, string>> = {
  '08/agent-c8d9b115: said, 0 → 1': "the file lacks its first line: the task is taken from the caller's call",
  '11/ada3-b93ae35806b8: messages, 9 → 6': BRANCH,
  '11/ada3-b93ae35806b8: said, 8 → 5': BRANCH,
  '11/ada3-b93ae35806b8: tokens, 23/88/239606/9036 → 14/60/156109/8794': BRANCH,
  '14/small: children, 0 → 1': 'a sidechain that begins with a system line is an agent all the same',
  '14/small: models, <synthetic> claude-fable-5 claude-opus-4-8 claude-opus-5 claude-sonnet-5 → claude-opus-5 claude-sonnet-5':
    'unrelated lines share one message id, which makes them one message: its last line names the model',
  '14/small: said, 5 → 4': 'lines that repeat one uuid and one text stay once, queued prompts are counted',
  '15/aaaa000000000001f: label, null → find:auth-races': WORKFLOW,
  '15/aaaa000000000002f: models, <synthetic> → ': SYNTHETIC,
  '15/aaaa000000000003f: label, null → fix:auth-races (retry 1)': WORKFLOW,
  '17/-bbbb222222222222: said, 0 → 1': 'what the team lead says to its agent is a task, not a wrapper',
  '17/ag000001: label, null → review:loader': WORKFLOW,
  '17/ag000002: label, null → review:hierarchy': WORKFLOW,
  '17/ag000003: label, null → synthesize': WORKFLOW,
  "17/bbbb222222222222: label, null → Run bob's test work": 'the text of the result names the agent',
  '18/truncated: tokens, 0/0/0/0 → 10/5/0/0': 'a message without an id has usage too',
}

interface Counts {
  readonly messages: number
  readonly calls: number
  readonly errors: number
  readonly said: number
  readonly interrupts: number
  readonly models: string
  readonly tokens: string
}

describe.skipIf(!isThere)('real Claude Code transcripts', () => {
  const cases = isThere ? readdirSync(join(COLLECTION, 'claude')) : []
  const facts: readonly Facts[] = isThere
    ? JSON.parse(readFileSync(join(COLLECTION, 'facts.json'), 'utf8'))
    : []
  const met = new Set<string>()

  it.each(cases)('%s: sessions, children and counts are those of the facts', async name => {
    const { sessions, skipped } = await importCase(name)
    expect(brokenPromises(sessions)).toEqual([])
    const found = compare(
      name,
      sessions,
      skipped,
      facts.filter(({ file }) => file.startsWith(`claude/${name}/`)),
    )
    for (const difference of found) met.add(difference)
    expect(found.filter(difference => DIFFERENCES[difference] === undefined)).toEqual([])
  })

  it('every explained difference still exists', () => {
    expect(Object.keys(DIFFERENCES).filter(difference => !met.has(difference))).toEqual([])
  })
})

interface Facts {
  readonly file: string
  readonly kind: 'session' | 'subagent'
  readonly assistantMessages: number
  readonly toolCalls: number
  readonly toolErrors: number
  readonly userPrompts: number
  readonly slashCommands: number
  readonly interrupts: number
  readonly models: Readonly<Record<string, number>>
  readonly tokens: {
    readonly input: number
    readonly output: number
    readonly cacheRead: number
    readonly cacheWrite: number
  }
  readonly inlineSidechains?: readonly Child[]
  readonly agentFiles?: readonly (Child & { readonly agentId: string })[]
}

interface Child {
  readonly rootUuid?: string
  readonly label: string | null
  readonly toolCalls: number
  readonly assistantMessages: number
}

async function importCase(name: string): Promise<{ sessions: ImportedSession[]; skipped: string[] }> {
  const sessions: ImportedSession[] = []
  const skipped: string[] = []
  for await (const item of claudeReader.read(join(COLLECTION, 'claude', name))) {
    if (item.kind === 'tree') sessions.push(...item.sessions)
    else skipped.push(basename(item.path, '.jsonl'))
  }
  return { sessions, skipped }
}

function compare(
  name: string,
  sessions: readonly ImportedSession[],
  skipped: readonly string[],
  facts: readonly Facts[],
) {
  const found: string[] = []
  const differ = (who: string, what: string, theirs: unknown, ours: unknown) => {
    if (theirs !== ours) found.push(`${name.slice(0, 2)}/${who.slice(-17)}: ${what}, ${theirs} → ${ours}`)
  }
  for (const fact of facts) {
    const file = basename(fact.file, '.jsonl')
    const own = sessions.find(
      ({ header, path }) =>
        path.endsWith(fact.file) &&
        !header.id.includes('.side-') &&
        (fact.kind === 'subagent') === (header.origin === 'subagent'),
    )
    if (own === undefined) {
      differ(file, 'absent and not skipped', true, skipped.includes(file))
      continue
    }
    for (const [what, ours] of Object.entries(countsOf(own))) {
      differ(file, what, Object.entries(countsOfFacts(fact)).find(([key]) => key === what)?.[1], ours)
    }
    if (fact.kind === 'subagent') continue
    const children = sessions.filter(({ header }) => header.id.startsWith(`${own.header.id}.`))
    const expected = [...(fact.inlineSidechains ?? []), ...(fact.agentFiles ?? [])]
    differ(file, 'children', expected.length, children.length)
    for (const child of fact.agentFiles ?? []) {
      compareChild(
        child.agentId,
        child,
        children.find(one => one.header.id.endsWith(`.agent-${child.agentId}`)),
      )
    }
    for (const child of fact.inlineSidechains ?? []) {
      const short = child.rootUuid?.slice(0, 8) ?? ''
      compareChild(
        short,
        child,
        children.find(one => one.header.id.endsWith(`.side-${short}`)),
      )
    }
  }
  return found

  function compareChild(who: string, child: Child, ours: ImportedSession | undefined): void {
    if (ours === undefined) {
      differ(who, 'imported', true, false)
      return
    }
    differ(
      who,
      'label',
      child.label,
      dataOf(ours, 'subagent/descriptor')[0] === undefined ? undefined : labelOf(ours),
    )
    differ(who, 'messages', child.assistantMessages, dataOf(ours, 'assistant/message').length)
    differ(who, 'calls', child.toolCalls, callsOf(ours))
  }
}

function countsOf(session: ImportedSession): Counts {
  const messages = dataOf(session, 'assistant/message')
  const sum = (key: 'input' | 'output' | 'cacheRead' | 'cacheWrite') =>
    messages.reduce((total, { usage }) => total + (usage?.[key] ?? 0), 0)
  return {
    messages: messages.length,
    calls: callsOf(session),
    errors: dataOf(session, 'tool/result').filter(
      ({ status, code }) => status === 'error' && code !== 'TOOL_OUTCOME_UNKNOWN',
    ).length,
    said: dataOf(session, 'user/message').filter(
      ({ source }) => source.kind === 'person' || source.kind === 'parent',
    ).length,
    interrupts: dataOf(session, 'turn/end').filter(({ reason }) => reason.kind === 'aborted').length,
    models: [...new Set(messages.flatMap(({ model }) => model?.model ?? []))].toSorted().join(' '),
    tokens: [sum('input'), sum('output'), sum('cacheRead'), sum('cacheWrite')].join('/'),
  }
}

function countsOfFacts(fact: Facts): Counts {
  const { input, output, cacheRead, cacheWrite } = fact.tokens
  return {
    messages: fact.assistantMessages,
    calls: fact.toolCalls,
    errors: fact.toolErrors,
    said: fact.userPrompts + fact.slashCommands,
    interrupts: fact.interrupts,
    models: Object.keys(fact.models).toSorted().join(' '),
    tokens: [input, output, cacheRead, cacheWrite].join('/'),
  }
}

function labelOf(session: ImportedSession): string | null {
  const data = session.events[1]?.data
  return typeof data === 'object' && data !== null && 'label' in data ? String(data.label) : null
}

function callsOf(session: ImportedSession): number {
  return new Set(dataOf(session, 'tool/call').map(({ callId }) => callId)).size
}

function dataOf<T extends EventType>({ events }: ImportedSession, type: T): EventData<T>[] {
  return events.flatMap(stored => {
    const event = stored.type === type ? readEvent(stored) : null
    return event === null ? [] : [event.data as EventData<T>]
  })
}
