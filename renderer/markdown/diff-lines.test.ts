import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countChanges, readDiff } from './diff-lines.ts'
import { stylePieces } from './diff-pieces.ts'

const diff = `--- a/src/power.rs
+++ b/src/power.rs
@@ -21,4 +21,5 @@
 fn power() {
-    Plus | Minus => 9,
-    Star | Slash => 11,
+    Plus | Minus => Some((9, 10)),
+    Star | Slash => Some((11, 12)),
+    _ => None,
 }
`

describe('a diff', () => {
  it('numbers both sides and marks the words that changed', () => {
    const [file] = readDiff(diff) ?? []
    expect(file?.path).toBe('src/power.rs')
    expect(file?.lines.map(line => [line.kind, line.oldNo, line.newNo])).toEqual([
      ['same', 21, 21],
      ['del', 22, null],
      ['del', 23, null],
      ['add', null, 22],
      ['add', null, 23],
      ['add', null, 24],
      ['same', 24, 25],
    ])
    const marked = file?.lines.map(line =>
      line.parts
        .filter(part => part.marked)
        .map(part => part.text)
        .join(''),
    )
    expect(marked?.[1]).toBe('9')
    expect(marked?.[3]).toContain('Some((')
    expect(marked?.[5]).toBe('')
  })

  it('counts its lines for the folded line', () => {
    expect(countChanges(diff)).toEqual({ added: 3, removed: 2 })
  })

  it('is null for text that is none, and never throws', () => {
    expect(readDiff('hello')).toBeNull()
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        readDiff(`--- a\n+++ b\n@@ -1,2 +1,2 @@\n${text}`)
      }),
    )
  })

  it('cuts a line at the edges of marks and of colours', () => {
    const parts = [
      { text: 'let ', marked: false },
      { text: 'x', marked: true },
      { text: ' = 1', marked: false },
    ]
    expect(
      stylePieces(parts, [
        ['let', 'k'],
        [' x =', ''],
        [' 1', 't'],
      ]),
    ).toEqual([
      { text: 'let', className: 'k', marked: false },
      { text: ' ', className: '', marked: false },
      { text: 'x', className: '', marked: true },
      { text: ' =', className: '', marked: false },
      { text: ' 1', className: 't', marked: false },
    ])
  })
})
