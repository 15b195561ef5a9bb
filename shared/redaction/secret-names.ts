/** What a name of a secret is called in a mark. */
export type SecretNameKind =
  | 'password'
  | 'secret'
  | 'token'
  | 'API key'
  | 'key'
  | 'credentials'
  | 'cookie'
  | 'authorization header'

/** Last words of names that hold secrets, in any spelling: `dbPassword`, `DB_PASSWORD`, `x-api-key`. */
const ENDINGS: readonly (readonly [ending: RegExp, kind: SecretNameKind])[] = [
  [/(?:passw(?:or)?d|passphrase|passcode|pwd)$|(?:^|[-_.])pass$|[a-z]Pass$/i, 'password'],
  [/(?:^|[-_.])(?:proxy[-_]?)?authorization$/i, 'authorization header'],
  [/(?:^|[-_.])(?:set[-_]?)?cookies?$/i, 'cookie'],
  [/api[-_ ]?key$/i, 'API key'],
  [/secret(?:[-_]?(?:access[-_]?)?key)?(?:[-_]?base)?$|secrets$/i, 'secret'],
  [
    /(?:access|account|auth|encryption|signing|master|private|shared|client|consumer|ssh|license)[-_ ]?key$/i,
    'key',
  ],
  [/token$|(?:^|[^a-z])jwt$|^_auth$/i, 'token'],
  [/(?:^|[-_.])credentials?$|[a-z]Credentials?$/, 'credentials'],
]

/** What is kept under a name, `null` for names of ordinary things (`tokens`, `maxTokens`, `tokenCount`). */
export function kindOfName(name: string): SecretNameKind | null {
  if (name.length > 200) return null
  return ENDINGS.find(([ending]) => ending.test(name))?.[1] ?? null
}
