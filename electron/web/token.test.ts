import { describe, expect, it } from 'vitest'
import { createTokenKeeper } from './token.ts'

describe('the token of a run', () => {
  it('admits itself, as often as it is shown, and nothing else', () => {
    const keeper = createTokenKeeper()

    expect([keeper.token, keeper.token].map(keeper.admits)).toEqual([true, true])
    expect(['', 'x', keeper.token.slice(1), `${keeper.token}x`].map(keeper.admits)).toEqual([
      false,
      false,
      false,
      false,
    ])
    expect(createTokenKeeper().admits(keeper.token)).toBe(false)
  })

  it('can be stood for by a ticket, once and within a minute', () => {
    let now = 0
    const keeper = createTokenKeeper(() => now)

    const ticket = keeper.issueTicket()
    expect(ticket).not.toBe(keeper.token)
    expect([ticket, ticket].map(keeper.admits)).toEqual([true, false])

    const late = keeper.issueTicket()
    now = 60_001
    expect(keeper.admits(late)).toBe(false)
  })
})
