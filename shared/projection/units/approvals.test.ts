import { describe, expect, it } from 'vitest'
import { asks, changesOf, decides, ends, person, starts, viewOf } from '../fixtures/unit-log.ts'
import { approvals } from './approvals.ts'

const open = (...log: Parameters<typeof viewOf>[1]) =>
  (viewOf(approvals, log) as { approvalId: string }[]).map(({ approvalId }) => approvalId)

describe('open approvals', () => {
  it('are what was asked and not decided, oldest first', () => {
    expect(open(starts(), asks('q1'), asks('q2'), asks('q3'), decides('q2'))).toEqual(['q1', 'q3'])
  })

  it('say what is asked, since when and at which event', () => {
    expect(viewOf(approvals, [starts(), asks('q')])).toEqual([
      {
        approvalId: 'q',
        callId: 'call-q',
        name: 'write',
        toolClass: 'write',
        input: { path: 'a.ts' },
        pattern: 'write: a.ts',
        since: 2000,
        seq: 1,
      },
    ])
  })

  it('are closed by the end of their turn, and by the start of the next', () => {
    expect(open(starts(), asks('q'), ends())).toEqual([])
    expect(open(starts(), asks('q'), starts(2))).toEqual([])
  })

  it('are never inherited', () => {
    expect(viewOf(approvals, [starts(), asks('q')], { seedLength: 2 })).toEqual([])
  })

  it('leave out a question that cannot be read, and ignore an answer to none', () => {
    expect(open(starts(), ['approval/asked', { approvalId: 'q' }], asks('r'))).toEqual(['r'])
    expect(changesOf(approvals, [starts(), asks('q'), decides('other'), person('hello')])).toEqual([1])
  })
})
