export type RecordValue = number | string | Buffer | null

/** Up to nine bytes, seven bits each; `null` where the bytes end before it does, or it is beyond exact numbers. */
export function readVarint(
  bytes: Buffer,
  at: number,
): { readonly value: number; readonly end: number } | null {
  let value = 0
  for (let index = 0; index < 8; index += 1) {
    const byte = bytes[at + index]
    if (byte === undefined) return null
    value = value * 128 + (byte & 0x7f)
    if (value > Number.MAX_SAFE_INTEGER) return null
    if (byte < 0x80) return { value, end: at + index + 1 }
  }
  return null
}

/** A record as https://www.sqlite.org/fileformat2.html, section 2.1, has it. `null` for bytes that are none. */
export function readRecord(bytes: Buffer): RecordValue[] | null {
  const header = readVarint(bytes, 0)
  if (header === null || header.value > bytes.length) return null
  const values: RecordValue[] = []
  let body = header.value
  for (let at = header.end; at < header.value; ) {
    const type = readVarint(bytes, at)
    if (type === null) return null
    const length = lengthOf(type.value)
    if (length === null || body + length > bytes.length) return null
    values.push(valueAt(bytes, body, type.value, length))
    body += length
    at = type.end
  }
  return body === bytes.length ? values : null
}

const LENGTHS = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]

function lengthOf(type: number): number | null {
  if (type >= 12) return Math.floor((type - 12) / 2)
  return LENGTHS[type] ?? null
}

function valueAt(bytes: Buffer, at: number, type: number, length: number): RecordValue {
  if (type === 0) return null
  if (type === 8 || type === 9) return type - 8
  if (type === 7) return bytes.readDoubleBE(at)
  if (type === 6) return Number(bytes.readBigInt64BE(at))
  if (type < 6) return bytes.readIntBE(at, length)
  const part = bytes.subarray(at, at + length)
  return type % 2 === 0 ? part : part.toString('utf8')
}
