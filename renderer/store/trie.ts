/** A trie over a hash of the key: see `keyed.ts`. Nodes are never changed, but those that one call made and fills. */
export type Node<K, V> = Leaf<K, V> | Branch<K, V>

export class Leaf<K, V> {
  readonly keys: K[]
  readonly values: V[]

  constructor(keys: K[], values: V[]) {
    this.keys = keys
    this.values = values
  }
}

/** One node for each value of four bits of the hash. */
export class Branch<K, V> {
  readonly nodes: Node<K, V>[]

  constructor(nodes: Node<K, V>[]) {
    this.nodes = nodes
  }
}

const BITS = 4
const WIDTH = 2 ** BITS
/** A leaf with more is divided, as long as there are bits left. */
const FULL = 40
const HASH_BITS = 32
/** Holds nothing, and is never filled: a node that is not made by the same call is copied first. */
export const EMPTY_LEAF: Leaf<never, never> = new Leaf([], [])

export function leafOf<K, V>(root: Node<K, V>, hash: number): Leaf<K, V> {
  let node = root
  for (let shift = 0; node instanceof Branch; shift += BITS)
    node = node.nodes[part(hash, shift)] as Node<K, V>
  return node
}

export interface Insertion<K, V> {
  readonly hash: number
  readonly key: K
  readonly value: V
  /** Nodes made by this call: nobody else has seen them, so they are filled in place. */
  readonly fresh: Set<Node<K, V>>
}

export function inserted<K extends string, V>(
  node: Node<K, V>,
  insertion: Insertion<K, V>,
  shift: number,
): Node<K, V> {
  const { hash, key, value, fresh } = insertion
  const isOurs = fresh.has(node)
  if (node instanceof Branch) {
    const next = isOurs ? node : new Branch([...node.nodes])
    const at = part(hash, shift)
    next.nodes[at] = inserted(next.nodes[at] as Node<K, V>, insertion, shift + BITS)
    fresh.add(next)
    return next
  }
  const next = isOurs ? node : new Leaf([...node.keys], [...node.values])
  const index = next.keys.indexOf(key)
  const at = index < 0 ? next.keys.length : index
  next.keys[at] = key
  next.values[at] = value
  const whole = next.keys.length > FULL && shift < HASH_BITS ? divided(next, shift, fresh) : next
  fresh.add(whole)
  return whole
}

function divided<K extends string, V>(leaf: Leaf<K, V>, shift: number, fresh: Set<Node<K, V>>): Branch<K, V> {
  const parts = Array.from({ length: WIDTH }, () => new Leaf<K, V>([], []))
  for (const [index, key] of leaf.keys.entries()) {
    const to = parts[part(hashOf(key), shift)]
    to?.keys.push(key)
    to?.values.push(leaf.values[index] as V)
  }
  for (const one of parts) fresh.add(one)
  return new Branch<K, V>(parts)
}

export function removed<K, V>(node: Node<K, V>, hash: number, key: K, shift: number): Node<K, V> {
  if (node instanceof Branch) {
    const at = part(hash, shift)
    return new Branch(node.nodes.with(at, removed(node.nodes[at] as Node<K, V>, hash, key, shift + BITS)))
  }
  const index = node.keys.indexOf(key)
  return new Leaf(node.keys.toSpliced(index, 1), node.values.toSpliced(index, 1))
}

export function compare<K, V>(before: Node<K, V>, after: Node<K, V>, changed: K[]): void {
  if (before === after) return
  if (before instanceof Branch && after instanceof Branch) {
    for (const [index, node] of before.nodes.entries())
      compare(node, after.nodes[index] as Node<K, V>, changed)
    return
  }
  const was = new Map(pairsOf(before))
  for (const [key, value] of pairsOf(after)) {
    if (!was.has(key) || was.get(key) !== value) changed.push(key)
    was.delete(key)
  }
  changed.push(...was.keys())
}

function pairsOf<K, V>(node: Node<K, V>): readonly (readonly [K, V])[] {
  if (node instanceof Branch) return node.nodes.flatMap(pairsOf)
  return node.keys.map((key, index) => [key, node.values[index] as V] as const)
}

function part(hash: number, shift: number): number {
  return (hash >>> shift) & (WIDTH - 1)
}

/** FNV-1a: ids differ in their last letters, and in few. */
export function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < key.length; index += 1)
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
  return hash ^ (hash >>> 15)
}
