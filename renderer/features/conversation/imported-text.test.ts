import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { importedParts } from './imported-text.ts'

describe('text of an imported message', () => {
  it('is one piece, untouched, when no tag of another tool stands in it', () => {
    const text = '  Look at <b>this</b>\nand a < b'
    expect(importedParts(text)).toEqual([{ kind: 'text', text }])
  })

  it('reads a slash command with its arguments, whichever part comes first', () => {
    const command = { kind: 'command', sign: '/', name: 'review', args: 'src now' }
    const name = '<command-name>/review</command-name>'
    const message = '<command-message>review is running</command-message>'
    const args = '<command-args>src now</command-args>'
    expect(importedParts(`${name}\n  ${message}\n  ${args}`)).toEqual([command])
    expect(importedParts(`${message}\n${name}\n${args}`)).toEqual([command])
  })

  it('reads what a command printed, and that one printed nothing', () => {
    expect(importedParts('<local-command-stdout>See ya!</local-command-stdout>')).toEqual([
      { kind: 'note', label: 'Output of the command', text: 'See ya!', code: true },
    ])
    expect(importedParts('<local-command-stdout>(no content)</local-command-stdout>')).toEqual([
      { kind: 'note', label: 'The command printed nothing', text: '', code: true },
    ])
  })

  it('tells a reminder from what the person said around it', () => {
    const text = 'Fix it.\n<system-reminder>\nBe brief.\n</system-reminder>\nThanks'
    expect(importedParts(text)).toEqual([
      { kind: 'text', text: 'Fix it.' },
      { kind: 'note', label: 'Reminder for the model', text: 'Be brief.', code: false },
      { kind: 'text', text: 'Thanks' },
    ])
  })

  it('names the teammates who wrote', () => {
    const text =
      '<teammate-message teammate_id="alice" color="blue">\nDone.\n</teammate-message>\n\n<teammate-message teammate_id="bob">Here</teammate-message>'
    expect(importedParts(text)).toEqual([
      { kind: 'message', author: 'alice', text: 'Done.' },
      { kind: 'message', author: 'bob', text: 'Here' },
    ])
  })

  it('says how a task ended', () => {
    const text =
      '<task-notification>\n<task-id>c3</task-id>\n<summary>Agent "Coverage" completed</summary>\n<result>All good.</result>\n</task-notification>'
    expect(importedParts(text)).toEqual([
      { kind: 'note', label: 'Agent "Coverage" completed', text: 'All good.', code: false },
    ])
  })

  it('leaves a tag that is never closed, or stands inside a line, as it was written', () => {
    for (const text of ['<system-reminder>\nhello', 'I typed <system-reminder>x</system-reminder> here'])
      expect(importedParts(text)).toEqual([{ kind: 'text', text }])
  })

  it('never loses the words of a person', () => {
    const piece = fc.constantFrom(
      'word',
      '\n',
      '<system-reminder>',
      '</system-reminder>',
      '<bash-input>',
      '</bash-input>',
      ' ',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), pieces => {
        const text = pieces.join('')
        const kept = importedParts(text)
          .map(part => (part.kind === 'command' ? part.name : part.text))
          .join(' ')
        expect(kept.split('word').length).toBe(text.split('word').length)
      }),
    )
  })
})
