import { hasDigit, isPlaceholder, patternRule, type Rule } from './rule.ts'

/** Always a secret, however short. */
const SECRET_PARAMETERS =
  'token|access_token|refresh_token|id_token|auth_token|authtoken|client_secret|api_key|apikey|api-key|password|passwd|pwd|secret|x-amz-signature|x-amz-security-token|x-amz-credential|x-goog-signature|x-goog-credential|x-access-token'
/** A secret when they look like one: they are names of ordinary things too. */
const OTHER_PARAMETERS = 'auth|key|sig|signature|code|sas|session|sessionid|jwt|ticket|assertion'
const VALUE = String.raw`[^\s"'\`&#<>\\;]`

const isRealValue = (value: string) =>
  !isPlaceholder(value) && !/^[([{]/.test(value) && !/^%7B|^%24/i.test(value)

/** Secrets in addresses of any scheme: before the `@`, and in the query or the fragment. */
export const urlRules: readonly Rule[] = [
  // To the last `@` before the path: a password may hold one.
  patternRule({
    kind: 'password',
    hints: ['://'],
    pattern: /(?<lead>:\/\/[^\s/?#:@"'`<>]{0,256}:)[^\s/?#"'`<>]{1,1024}(?=@)/g,
    accept: isRealValue,
  }),
  patternRule({
    kind: 'access token',
    hints: ['://'],
    pattern: /(?<lead>:\/\/)[\w-]{20,512}(?=@)/g,
    accept: hasDigit,
  }),
  patternRule({
    kind: 'URL token',
    hints: ['=', '%3D'],
    pattern: new RegExp(
      `(?<lead>(?:[?&#;]|&amp;|%26|%3F)(?:${SECRET_PARAMETERS})(?:=|%3D))${VALUE}{1,100000}`,
      'gi',
    ),
    accept: isRealValue,
  }),
  patternRule({
    kind: 'URL token',
    hints: ['=', '%3D'],
    pattern: new RegExp(`(?<lead>(?:[?&#;]|&amp;)(?:${OTHER_PARAMETERS})(?:=|%3D))${VALUE}{6,100000}`, 'gi'),
    accept: value => isRealValue(value) && (value.length >= 32 || (value.length >= 12 && hasDigit(value))),
  }),
]
