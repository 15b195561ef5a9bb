import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { LogRow } from '../logs.ts'
import { type ReadHeader, readHeaderFacts, unreadableHeader } from '../read-header.ts'
import { ENCODINGS, type Encoding, type EncodingName } from './encoding.ts'
import { idOfName, nameOf } from './folder-name.ts'
import type { GroupCommit } from './group-commit.ts'
import { SessionLog } from './session-log.ts'
import { errorCode, OddFile, readSmall } from './side-files.ts'

export const HEADER_FILE = 'session.json'
/** No header of ours is nearly as long. */
const MOST_HEADER_BYTES = 1024 * 1024

/** What the header says of a session's place, unchecked: also one that cannot be read has one. */
export interface Place {
  readonly createdAt: number
  readonly parent: string | null
  readonly origin: unknown
}

export interface Entry {
  readonly key: number
  readonly id: string
  readonly folder: string
  readonly header: ReadHeader
  readonly place: Place
  /** `null` where there is none that could be read: the header says why. */
  readonly log: SessionLog | null
}

export interface FoldersOptions {
  readonly root: string
  readonly commit: GroupCommit
  readonly readOnly: boolean
}

/** All sessions of a folder, their headers in memory. A session that cannot be read is an entry like the others. */
export class SessionFolders {
  readonly #options: FoldersOptions
  readonly #byId = new Map<string, Entry>()
  readonly #byKey = new Map<number, Entry>()
  readonly #children = new Map<string, Set<Entry>>()
  #lastKey = 0

  constructor(options: FoldersOptions) {
    this.#options = options
    for (const item of readdirSync(options.root, { withFileTypes: true })) {
      if (!item.name.startsWith('.') && !item.isFile()) this.#add(this.#read(item))
    }
  }

  get root(): string {
    return this.#options.root
  }

  get(id: string): Entry | undefined {
    return this.#byId.get(id)
  }

  at(key: number): Entry {
    const entry = this.#byKey.get(key)
    if (entry === undefined) throw new Error(`no session has the key ${key}`)
    return entry
  }

  all(): Iterable<Entry> {
    return this.#byId.values()
  }

  /** By key, from the one behind `key` on. */
  after(key: number, limit: number): Entry[] {
    const entries: Entry[] = []
    for (let next = key + 1; next <= this.#lastKey && entries.length < limit; next += 1) {
      const entry = this.#byKey.get(next)
      if (entry !== undefined) entries.push(entry)
    }
    return entries
  }

  /** Of the sessions that name `id` as their parent, forks included. */
  childrenOf(id: string): Iterable<Entry> {
    return this.#children.get(id) ?? []
  }

  folderOf(id: string): string {
    return join(this.root, nameOf(id))
  }

  /** One that was just made. */
  added(id: string): Entry {
    const folder = nameOf(id)
    const entry = this.#read({ name: folder, isDirectory: () => true })
    this.#add(entry)
    return entry
  }

  removed({ id, key, place }: Entry): void {
    this.#byId.delete(id)
    const entry = this.#byKey.get(key)
    this.#byKey.delete(key)
    if (entry !== undefined) this.#children.get(place.parent ?? '')?.delete(entry)
  }

  #add(entry: Entry): void {
    this.#byId.set(entry.id, entry)
    this.#byKey.set(entry.key, entry)
    const { parent } = entry.place
    if (parent === null) return
    const siblings = this.#children.get(parent)
    if (siblings === undefined) this.#children.set(parent, new Set([entry]))
    else siblings.add(entry)
  }

  #read(item: Pick<Dirent, 'name' | 'isDirectory'>): Entry {
    const { root, commit, readOnly } = this.#options
    const folder = join(root, item.name)
    const facts = item.isDirectory() ? readFacts(folder) : 'Its folder is not a folder.'
    const { id, header, place } = understood(item.name, facts)
    this.#lastKey += 1
    const entry = { key: this.#lastKey, id, folder, header, place }
    const found = item.isDirectory() ? findEncoding(folder) : 'none'
    if (typeof found === 'string') {
      return { ...entry, header: header.kind === 'header' ? unreadableHeader(found) : header, log: null }
    }
    return { ...entry, log: new SessionLog({ folder, encoding: found, commit, readOnly }) }
  }
}

/** A record's state as lists and reads need it. */
export interface FolderRow extends LogRow {
  readonly entry: Entry
  /** Why its log cannot be read, `null` when it can. */
  readonly problem: string | null
}

/** The header as JSON, or why there is none. */
function readFacts(folder: string): Readonly<Record<string, unknown>> | string {
  try {
    const bytes = readSmall(join(folder, HEADER_FILE), MOST_HEADER_BYTES)
    if (bytes === null) return `It has no ${HEADER_FILE}.`
    const facts: unknown = JSON.parse(bytes.toString('utf8'))
    if (typeof facts === 'object' && facts !== null && !Array.isArray(facts)) return { ...facts }
    return `Its header cannot be read (${HEADER_FILE} holds no object).`
  } catch (error) {
    if (error instanceof SyntaxError) return `Its header cannot be read (${HEADER_FILE} is not JSON).`
    return `Its header cannot be read (${fileProblem(error)}).`
  }
}

function understood(
  name: string,
  facts: Readonly<Record<string, unknown>> | string,
): Pick<Entry, 'id' | 'header' | 'place'> {
  if (typeof facts === 'string') {
    return {
      id: idOfName(name) ?? name,
      header: unreadableHeader(facts),
      place: { createdAt: 0, parent: null, origin: null },
    }
  }
  const { id, createdAt, parentSession, origin } = facts
  const place = {
    createdAt: typeof createdAt === 'number' ? createdAt : 0,
    parent: typeof parentSession === 'string' ? parentSession : null,
    origin: origin ?? null,
  }
  if (typeof id === 'string' && nameOf(id) === name) return { id, header: readHeaderFacts(facts), place }
  const problem =
    typeof id === 'string'
      ? `Its header belongs to another session (${id.slice(0, 128)}).`
      : 'Its header has no id.'
  return { id: idOfName(name) ?? name, header: unreadableHeader(problem), place: { ...place, parent: null } }
}

/** By the name of the log. A sentence where there is none, or no file, or two. */
function findEncoding(folder: string): Encoding | string {
  let items: Dirent[]
  try {
    items = readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    return `Its folder cannot be read (${fileProblem(error)}).`
  }
  const names: EncodingName[] = ['text', 'zstd']
  const logs = names.flatMap(name => {
    const encoding = ENCODINGS[name]
    const item = items.find(candidate => candidate.name === encoding.file)
    return item === undefined ? [] : [{ encoding, item }]
  })
  const [log, another] = logs
  if (log === undefined) return 'Its log is missing.'
  if (another !== undefined) return 'It has two logs, one as text and one packed.'
  return log.item.isFile() ? log.encoding : 'Its log is not an ordinary file.'
}

export function fileProblem(error: unknown): string {
  if (error instanceof OddFile) return error.message
  const code = errorCode(error)
  if (code === 'EACCES' || code === 'EPERM') return 'no permission'
  return code === 'ENOENT' ? 'it is gone' : (code ?? 'unknown reason')
}
