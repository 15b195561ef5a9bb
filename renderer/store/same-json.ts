/** The same JSON value. A field that is `undefined` is one that is not there. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) || Array.isArray(other)) {
    return Array.isArray(one) && Array.isArray(other) && isSameList(one, other)
  }
  const known = Object.keys(one)
  return (
    known.every(key => isSameJson(Reflect.get(one, key), Reflect.get(other, key))) &&
    Object.keys(other).every(key => Object.hasOwn(one, key) || Reflect.get(other, key) === undefined)
  )
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, index) => isSameJson(value, other[index]))
}
