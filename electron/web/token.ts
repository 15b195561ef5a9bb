import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** The secret of one run. */
export interface TokenKeeper {
  readonly token: string
  /**
   * Stands for the token once, within a minute. For the address a browser is started with: the arguments of a
   * process can be read by everyone on the machine.
   */
  issueTicket(): string
  /** Takes the same time whatever is wrong, the length included. */
  admits(given: string): boolean
}

const TICKET_MS = 60_000

export function createTokenKeeper(now: () => number = performance.now.bind(performance)): TokenKeeper {
  const token = createToken()
  let ticket: { readonly value: string; readonly until: number } | null = null

  return {
    token,
    issueTicket() {
      ticket = { value: createToken(), until: now() + TICKET_MS }
      return ticket.value
    },
    admits(given) {
      if (same(given, token)) return true
      if (!ticket || now() > ticket.until || !same(given, ticket.value)) return false
      ticket = null
      return true
    },
  }
}

/** 256 bits, in characters that need no escaping in an address. */
function createToken(): string {
  return randomBytes(32).toString('base64url')
}

function same(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function digest(text: string) {
  return createHash('sha256').update(text).digest()
}
