import { describe, expect, it } from 'vitest'
import { hexLines } from './hex-lines.ts'

describe('bytes in rows', () => {
  it('are shown with their place and what can be read of them', () => {
    expect(hexLines(new TextEncoder().encode('PNG\r\n\u001a\0 Espalier, 木'))).toEqual([
      '00000000  50 4e 47 0d 0a 1a 00 20  45 73 70 61 6c 69 65 72  PNG.... Espalier',
      '00000010  2c 20 e6 9c a8                                    , ...',
    ])
    expect(hexLines(new Uint8Array())).toEqual([])
  })
})
