import { Branch, compare, EMPTY_LEAF, hashOf, inserted, leafOf, type Node, removed } from './trie.ts'

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

const EMPTY = new Keyed<never, never>(EMPTY_LEAF, 0)

/** A map made by hand, as tests do and the first state is, is taken over once. */
function keyedOf<K extends string, V>(map: ReadonlyMap<K, V>): Keyed<K, V> {
  if (map instanceof Keyed) return map
  const empty = EMPTY as Keyed<K, V>
  return map.size === 0 ? empty : (withKeys(empty, map) as Keyed<K, V>)
}
