/** How many bytes at the end of `bytes` begin a character that is not whole: 0 to 3. */
export function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte >= 0xc2 && byte <= 0xf4) return sizeOf(byte) > back ? back : 0
    if (!isContinuation(byte)) return 0
  }
  return 0
}

/** How many bytes of `bytes` from `at` on belong to a character that began before `at`: 0 to 3. */
export function restOfCharacter(bytes: Uint8Array, at: number): number {
  const begun = unfinishedBytes(bytes.subarray(0, at))
  if (begun === 0) return 0
  const end = at - begun + sizeOf(bytes[at - begun] ?? 0)
  let next = at
  while (next < end && isContinuation(bytes[next] ?? 0)) next += 1
  return next - at
}

/** Bytes of a well-formed text in UTF-8. */
export function utf8Size(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    // Each half of a pair stands for two of its four bytes.
    if (unit >= 0x80) bytes += unit >= 0x800 && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1
  }
  return bytes
}

function sizeOf(lead: number): number {
  if (lead >= 0xf0) return 4
  return lead >= 0xe0 ? 3 : 2
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}
