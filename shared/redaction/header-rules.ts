import { hasDigit, isPlaceholder, patternRule, type Rule } from './rule.ts'

/** A quote, with the backslashes of the JSON it may stand in. */
const QUOTE = '\\\\{0,7}["\'`]'
/** Name, quotes and separator of a header, in a dump, in JSON, in code or in a command. */
const header = (name: string) =>
  String.raw`(?<![A-Za-z])${name}(?:${QUOTE})?\]?\s{0,4}[:=,]\s{0,4}\[?\s{0,4}(?:${QUOTE})?`
/** Up to the end of the line or of the string that holds it. */
const REST = String.raw`(?:[^\r\n"'\\\`]|\\(?![rn"'\\\`]))`
const CREDENTIALS = `[A-Za-z0-9._~+/=:-]`

const isRealValue = (value: string) => !isPlaceholder(value)

/** Credentials in headers, wherever a header is written down. */
export const headerRules: readonly Rule[] = [
  patternRule({
    kind: 'bearer token',
    pattern: new RegExp(
      String.raw`(?<lead>${header('(?:proxy-)?authorization')}bearer\s{1,4})(?![$<{\[])${CREDENTIALS}{1,100000}`,
      'gi',
    ),
    accept: isRealValue,
  }),
  patternRule({
    kind: 'basic credentials',
    pattern: new RegExp(
      String.raw`(?<lead>${header('(?:proxy-)?authorization')}basic\s{1,4})(?![$<{\[])${CREDENTIALS}{4,100000}`,
      'gi',
    ),
    accept: isRealValue,
  }),
  // Any other scheme: digest, AWS signatures, "token …", or the key alone. A type or a name in code has no digit.
  patternRule({
    kind: 'authorization header',
    pattern: new RegExp(
      String.raw`(?<lead>${header('(?:proxy-)?authorization')})(?!\s{0,4}(?:bearer|basic)\s)(?![\s$<{\[(])${REST}{6,100000}`,
      'gi',
    ),
    accept: value => isRealValue(value) && hasDigit(value) && !/^[A-Za-z_$][\w$]*[.([]/.test(value),
  }),
  patternRule({
    kind: 'bearer token',
    pattern: new RegExp(
      String.raw`(?<lead>(?<![A-Za-z])bearer(?:\s|%20){1,4})${CREDENTIALS}{8,100000}`,
      'gi',
    ),
    accept: value => isRealValue(value) && (hasDigit(value) || value.length >= 32),
  }),
  // "Basic understanding" is prose: it has no padding, and no digits among letters of both cases.
  patternRule({
    kind: 'basic credentials',
    pattern: /(?<lead>(?<![A-Za-z])basic(?:\s|%20){1,4})[A-Za-z0-9+/]{8,100000}={0,2}(?![A-Za-z0-9-])/gi,
    accept: value => /=$/.test(value) || (/\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value)),
  }),
  patternRule({
    kind: 'cookie',
    pattern: new RegExp(
      String.raw`(?<lead>(?<![A-Za-z])(?:set-)?cookie(?:${QUOTE})?\]?\s{0,4}[:,]\s{0,4}\[?\s{0,4}(?:${QUOTE})?)(?=[\w.!#$%&'*+^|~-]{1,200}=[^\s=])${REST}{3,100000}`,
      'gi',
    ),
  }),
  // curl: -b 'a=b', -u name:password; sshpass and the like: -p 'x' stays, it is a port as often.
  patternRule({
    kind: 'cookie',
    pattern:
      /(?<lead>\s(?:-b|--cookie)[ =]["']?)[\w.-]{1,200}=[^\s"']{3,100000}(?:; ?[\w.-]{1,200}=[^\s"';]{0,10000}){0,100}/g,
  }),
  patternRule({
    kind: 'password',
    pattern: /(?<lead>\s(?:-u|--user|--proxy-user)[ =]["']?[^\s:"'=/\\]{1,200}:)[^\s"'/:][^\s"']{2,1000}/g,
    accept: isRealValue,
  }),
  patternRule({
    kind: 'password',
    pattern: /(?<lead>\blogin\s{1,8}\S{1,200}\s{1,8}password\s{1,8})\S{1,1000}/g,
  }),
]
