import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OpenApproval } from '#shared/projection/units/approvals.ts'
import { approvalSubject } from './approval-subject.ts'
import { countHidden, revealHidden } from './hidden-characters.ts'

function asked(toolClass: OpenApproval['toolClass'], input: OpenApproval['input']): OpenApproval {
  return { approvalId: 'a', callId: 'c', name: 'tool', toolClass, input, pattern: 'p', since: 0, seq: 0 }
}

describe('what a person is asked to allow', () => {
  it('is the exact command', () => {
    const text = 'rm -rf build &&\n  make'
    expect(approvalSubject(asked('shell', { command: text }))).toEqual({
      kind: 'command',
      icon: 'terminal',
      text,
    })
  })

  it('is the whole input as soon as the short form would leave something out', () => {
    const subject = approvalSubject(asked('shell', { command: 'ls', env: { PATH: '/evil' } }))
    expect(subject).toMatchObject({ kind: 'input' })
    expect(JSON.stringify(subject)).toContain('/evil')
  })

  it('is the diff of an edit and of a new file', () => {
    const edit = approvalSubject(asked('write', { path: 'a.ts', oldText: 'one', newText: 'two' }))
    expect(edit).toMatchObject({ kind: 'change', path: 'a.ts' })
    expect(edit.kind === 'change' && edit.diff).toMatch(/-one\n\+two/)
    const write = approvalSubject(asked('write', { path: 'a.ts', content: 'x\ny' }))
    expect(write.kind === 'change' && write.diff).toMatch(/\+x\n\+y/)
  })

  it('never throws, whatever the input is', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('read', 'write', 'shell', 'network', 'delegate', 'state'),
        (input, toolClass) => {
          approvalSubject(asked(toolClass as OpenApproval['toolClass'], input as OpenApproval['input']))
        },
      ),
    )
  })
})

describe('hidden characters', () => {
  it('are found and named: direction changes, zero widths, controls, look-alike spaces', () => {
    const text = 'a\u202eb\u200bc\u0007d\u00a0e\ufe0ff'
    expect(
      revealHidden(text)
        .filter(piece => piece.hidden !== null)
        .map(piece => piece.hidden),
    ).toEqual(['right-to-left override U+202E', 'zero-width space U+200B', 'U+0007', 'U+00A0', 'U+FE0F'])
    expect(countHidden('plain text\n\tשלום 日本語')).toBe(0)
  })

  it('are all there is between the pieces: nothing is lost', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(
          revealHidden(text)
            .map(piece => piece.text)
            .join(''),
        ).toBe(text)
      }),
    )
  })
})
