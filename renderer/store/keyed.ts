/**
 * Maps by id that are never changed: with another value comes another map, which shares with the one before all but
 * the few nodes on the way to it. So a frame costs the same beside 50 sessions as beside 50,000, states of before
 * stay whole, and what differs between two of them is found without looking at what does not. A trie over a hash of
 * the key; keys come in no order.
 */
export function withKey<K extends string, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return withKeys(map, [[key, value]])
}

/** The same map when it holds all of them already. */
export function withKeys<K extends string, V>(
  map: ReadonlyMap<K, V>,
  entries: Iterable<readonly [K, V]>,
): ReadonlyMap<K, V> {
  const before = keyedOf(map)
  const fresh = new Set<Node<K, V>>()
  let { root, size } = before
  for (const [key, value] of entries) {
    const hash = hashOf(key)
    const leaf = leafOf(root, hash)
    const index = leaf.keys.indexOf(key)
    if (index >= 0 && leaf.values[index] === value) continue
    if (index < 0) size += 1
    root = inserted(root, { hash, key, value, fresh }, 0)
  }
  return root === before.root ? map : new Keyed(root, size)
}

/** The same map when it holds none of them. */
export function withoutKeys<K extends string, V>(
  map: ReadonlyMap<K, V>,
  keys: Iterable<K>,
): ReadonlyMap<K, V> {
  const before = keyedOf(map)
  let { root, size } = before
  for (const key of keys) {
    const hash = hashOf(key)
    if (!leafOf(root, hash).keys.includes(key)) continue
    root = removed(root, hash, key, 0)
    size -= 1
  }
  return size === before.size ? map : new Keyed(root, size)
}

/** Every key whose value is another one in `after` than in `before`, or that only one of them has. */
export function changedKeys<K extends string, V>(
  before: ReadonlyMap<K, V>,
  after: ReadonlyMap<K, V>,
): readonly K[] {
  const changed: K[] = []
  if (before !== after) compare(keyedOf(before).root, keyedOf(after).root, changed)
  return changed
}

class Keyed<K extends string, V> implements ReadonlyMap<K, V> {
  readonly root: Node<K, V>
  readonly size: number

  constructor(root: Node<K, V>, size: number) {
    this.root = root
    this.size = size
  }

  get(key: K): V | undefined {
    const { keys, values } = leafOf(this.root, hashOf(key))
    return values[keys.indexOf(key)]
  }

  has(key: K): boolean {
    return leafOf(this.root, hashOf(key)).keys.includes(key)
  }

  *entries(): Generator<[K, V], undefined> {
    const pending = [this.root]
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      if (node instanceof Branch) pending.push(...node.nodes)
      else for (const [index, key] of node.keys.entries()) yield [key, node.values[index] as V]
    }
    return undefined
  }

  *keys(): Generator<K, undefined> {
    for (const [key] of this.entries()) yield key
    return undefined
  }

  *values(): Generator<V, undefined> {
    for (const [, value] of this.entries()) yield value
    return undefined
  }

  [Symbol.iterator](): Generator<[K, V], undefined> {
    return this.entries()
  }

  forEach(visit: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void {
    for (const [key, value] of this.entries()) visit(value, key, this)
  }
}

type Node<K, V> = Leaf<K, V> | Branch<K, V>

class Leaf<K, V> {
  readonly keys: K[]
  readonly values: V[]

  constructor(keys: K[], values: V[]) {
    this.keys = keys
    this.values = values
  }
}

/** One node for each value of four bits of the hash. */
class Branch<K, V> {
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
const EMPTY = new Keyed<never, never>(new Leaf([], []), 0)

/** A map made by hand, as tests do and the first state is, is taken over once. */
function keyedOf<K extends string, V>(map: ReadonlyMap<K, V>): Keyed<K, V> {
  if (map instanceof Keyed) return map
  const empty = EMPTY as Keyed<K, V>
  return map.size === 0 ? empty : (withKeys(empty, map) as Keyed<K, V>)
}

function leafOf<K, V>(root: Node<K, V>, hash: number): Leaf<K, V> {
  let node = root
  for (let shift = 0; node instanceof Branch; shift += BITS)
    node = node.nodes[part(hash, shift)] as Node<K, V>
  return node
}

interface Insertion<K, V> {
  readonly hash: number
  readonly key: K
  readonly value: V
  /** Nodes made by this call: nobody else has seen them, so they are filled in place. */
  readonly fresh: Set<Node<K, V>>
}

function inserted<K extends string, V>(
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

function removed<K, V>(node: Node<K, V>, hash: number, key: K, shift: number): Node<K, V> {
  if (node instanceof Branch) {
    const at = part(hash, shift)
    return new Branch(node.nodes.with(at, removed(node.nodes[at] as Node<K, V>, hash, key, shift + BITS)))
  }
  const index = node.keys.indexOf(key)
  return new Leaf(node.keys.toSpliced(index, 1), node.values.toSpliced(index, 1))
}

function compare<K, V>(before: Node<K, V>, after: Node<K, V>, changed: K[]): void {
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
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < key.length; index += 1)
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
  return hash ^ (hash >>> 15)
}
