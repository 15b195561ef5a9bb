import { describe, expect, it } from 'vitest'
import type { ClaudeSession } from './claude-session.ts'
import type { TranscriptBuilder } from './fixtures/lines.ts'
import { chat, dataOf, only } from './fixtures/read.ts'

describe('titles', () => {
  it('follow the order: given, made, a summary of this session, first prompt without editor context', () => {
    const title = (builder: TranscriptBuilder, more: Partial<ClaudeSession> = {}) =>
      dataOf(only(builder, more), 'session/title')[0]?.title
    const talk = () => chat().user('<ide_selection>line 3</ide_selection>Why   this?').says('m1', 'So')
    expect(title(talk())).toBe('Why this?')
    expect(title(talk(), { summaries: new Map([['elsewhere', 'Not this one']]) })).toBe('Why this?')
    expect(title(talk(), { summaries: new Map([['assistant-1', 'About this']]) })).toBe('About this')
    expect(title(talk().side('ai-title', { aiTitle: 'Made' }))).toBe('Made')
    expect(
      title(talk().side('custom-title', { customTitle: 'Given' }).side('ai-title', { aiTitle: 'Made' })),
    ).toBe('Given')
    expect(title(chat().says('m1', 'So'))).toBe('(empty)')
  })
})
