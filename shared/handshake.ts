import { z } from 'zod'

/**
 * How a page proves itself on a fresh WebSocket: its first message is a `Handshake`, the answer a `Welcome`, then the
 * contract follows. The token is in no URL that is sent anywhere, and so in no log of one.
 */
export const handshakeSchema = z.object({ espalier: z.literal(1), token: z.string().min(1).max(200) })
export type Handshake = z.infer<typeof handshakeSchema>

/** `token` is the one to keep: what was shown may have been good for once. */
export const welcomeSchema = z.object({ espalier: z.literal(1), ready: z.literal(true), token: z.string() })
export type Welcome = z.infer<typeof welcomeSchema>

/** The path of the WebSocket. */
export const SOCKET_PATH = '/rpc'

/** Close codes a page can tell apart. The close reason is a sentence for people. */
export const CLOSE_CODES = {
  /** The token is missing, malformed or of another run: trying again with it is pointless. */
  refused: 4401,
  /** The workbench is ending: trying again makes sense once it runs again. */
  leaving: 4503,
} as const
