const ROW = 16

/** Bytes as people read them: place, hexadecimal, and the characters that can be shown. */
export function hexLines(bytes: Uint8Array): string[] {
  const rows: string[] = []
  for (let at = 0; at < bytes.length; at += ROW) {
    const row = [...bytes.subarray(at, at + ROW)]
    const hex = row.map(byte => byte.toString(16).padStart(2, '0'))
    const left = hex.slice(0, 8).join(' ').padEnd(23)
    const right = hex.slice(8).join(' ').padEnd(23)
    const shown = row.map(byte => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
    rows.push(`${at.toString(16).padStart(8, '0')}  ${left}  ${right}  ${shown}`)
  }
  return rows
}
