import { isMessage, type Line } from './line.ts'
import { userKind } from './user-line.ts'

export interface SplitFile {
  readonly main: readonly Line[]
  /** One per agent whose transcript lies inside the main file, in file order. */
  readonly chains: readonly { readonly root: Line; readonly lines: readonly Line[] }[]
  /** Sidechain lines that belong to no agent one could name: their parents are not in the file. */
  readonly loose: ReadonlySet<Line>
}

/** Takes the agents out of a main file (versions up to about 1.0). `main` keeps the loose lines. */
export function splitSidechains(lines: readonly Line[]): SplitFile {
  const byUuid = new Map<string, Line>()
  for (const line of lines) if (line.uuid !== null && !byUuid.has(line.uuid)) byUuid.set(line.uuid, line)
  const roots = new Map<Line, Line | null>()
  const groups = new Map<Line, Line[]>()
  const loose = new Set<Line>()
  for (const line of lines) {
    if (!line.sidechain) continue
    const root = rootOf(line, byUuid, roots)
    const members = root === null ? loose : groups.get(root)
    if (members instanceof Set) members.add(line)
    else if (members !== undefined) members.push(line)
    else if (root !== null) groups.set(root, [line])
  }
  const chains: { root: Line; lines: readonly Line[] }[] = []
  for (const [root, members] of groups) {
    if (members.some(isMessage) && isBeginning(root, byUuid)) chains.push({ root, lines: members })
    else for (const line of members) loose.add(line)
  }
  return { main: lines.filter(line => !line.sidechain || loose.has(line)), chains, loose }
}

/** The highest sidechain line above `line`; `null` in a cycle. */
function rootOf(line: Line, byUuid: ReadonlyMap<string, Line>, known: Map<Line, Line | null>): Line | null {
  const path = new Set<Line>()
  let at = line
  let root: Line | null = null
  for (;;) {
    const found = known.get(at)
    if (found !== undefined || path.has(at)) {
      root = found ?? null
      break
    }
    path.add(at)
    const parent = at.parent === null ? undefined : byUuid.get(at.parent)
    if (parent === undefined || !parent.sidechain || parent === at) {
      root = at
      break
    }
    at = parent
  }
  for (const seen of path) known.set(seen, root)
  return root
}

function isBeginning(root: Line, byUuid: ReadonlyMap<string, Line>): boolean {
  if (root.parent === null || byUuid.has(root.parent)) return true
  return root.type === 'user' && userKind(root) === 'prompt'
}
