import { hasDigit, patternRule, type Rule } from './rule.ts'

/**
 * Where a token may begin whose first letters also occur inside words: not after a character of a word, unless that is
 * the end of an escape (`\n` in JSON, `%3D` in an address, a terminal's colour).
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal output begins its colours with one
const START = /(?:(?<![A-Za-z0-9_+/-])|(?<=\\[nrt]|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]{0,16}m|\\u00[0-9a-fA-F]{2}))/
  .source

interface Token {
  readonly kind: string
  /** One of these is in every such token. */
  readonly hints: readonly string[]
  readonly pattern: string
  readonly accept: (token: string) => boolean
}

function token(
  kind: string,
  hints: readonly string[],
  pattern: string,
  accept: Token['accept'] = () => true,
): Token {
  return { kind, hints, pattern, accept }
}

/** Tokens that say what they are by how they begin. A hash, an id or a base64 block begins with none of these. */
const TOKENS: readonly Token[] = [
  token('Anthropic key', ['sk-ant-'], String.raw`sk-ant-[\w-]{8,}`),
  // OpenAI, OpenRouter, DeepSeek and everyone who copied them. "sk-loading-animation" has no digit.
  token('API key', ['sk-', 'pk-'], String.raw`${START}[sp]k-[\w-]{12,}`, hasDigit),
  token(
    'API key',
    ['gsk_', 'xai-', 'pplx-', 'r8_', 'nvapi-', 'tvly-', 'fw_', 'csk-'],
    String.raw`${START}(?:gsk_|xai-|pplx-|r8_|nvapi-|tvly-|fw_|csk-)[\w-]{20,}`,
    hasDigit,
  ),
  token('Google key', ['AIza'], String.raw`AIza[\w-]{30,}`),
  token(
    'Google token',
    ['ya29.', 'GOCSPX-', '1//0'],
    String.raw`${START}(?:ya29\.[\w.-]{20,}|GOCSPX-[\w-]{20,}|1//0[\w-]{30,})`,
  ),
  token(
    'GitHub token',
    ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    String.raw`gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}`,
  ),
  token(
    'GitLab token',
    ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'gloas-', 'glsoat-'],
    String.raw`gl(?:pat|dt|rt|cbt|ptt|oas|soat)-[\w.-]{16,}`,
  ),
  token('Slack token', ['xox', 'xapp-'], String.raw`(?:xox[abeoprs]|xapp)-[\w-]{8,}`),
  token(
    'Slack webhook',
    ['hooks.slack.com/'],
    String.raw`(?<lead>hooks\.slack\.com/(?:services|workflows|triggers)/)[\w/-]{8,}`,
  ),
  token(
    'Discord webhook',
    ['/api/webhooks/'],
    String.raw`(?<lead>discord(?:app)?\.com/api/webhooks/\d{1,30}/)[\w-]{20,}`,
  ),
  token('Telegram token', [':AA'], String.raw`${START}(?:bot)?\d{8,10}:AA[\w-]{30,}`),
  token(
    'AWS access key',
    ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    `${START}A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9+/])`,
  ),
  // Forty characters of base64 are a secret only beside the id that they belong to.
  token(
    'AWS secret key',
    ['AKIA', 'ASIA'],
    `(?<lead>A[KS]IA[A-Z0-9]{16}[^A-Za-z0-9+/][^A-Za-z0-9+/]{0,12}(?:[A-Za-z_]{1,30}[^A-Za-z0-9+/]{1,12}){0,4})[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])`,
  ),
  token('npm token', ['npm_'], `${START}npm_[A-Za-z0-9]{30,}`),
  token('Hugging Face token', ['hf_', 'api_org_'], `${START}(?:hf|api_org)_[A-Za-z0-9]{24,}`),
  token(
    'Stripe key',
    ['_live_', '_test_', 'whsec_'],
    String.raw`${START}(?:[sr]k_(?:live|test)_\w{10,}|whsec_[A-Za-z0-9+/=]{16,})`,
  ),
  token('SendGrid key', ['SG.'], String.raw`${START}SG\.[\w-]{16,32}\.[\w-]{32,64}`),
  token('Twilio key', ['SK'], `${START}SK[0-9a-f]{32}(?![0-9A-Za-z])`),
  token('Mailgun key', ['key-'], `${START}key-[0-9a-f]{32}(?![0-9A-Za-z])`),
  token('PyPI token', ['pypi-'], String.raw`${START}pypi-[\w-]{50,}`),
  token('Vault token', ['hvs.', 'hvb.', 'hvr.'], String.raw`${START}hv[sbr]\.[\w-]{20,}`),
  token(
    'access token',
    [
      'dop_v1_',
      'doo_v1_',
      'dapi',
      'lin_api_',
      'ntn_',
      'figd_',
      'shpat_',
      'shpss_',
      'shpca_',
      'shppa_',
      'PMAK-',
      'dckr_pat_',
      'sntrys_',
      'secret_',
      'tskey-',
      'sq0',
    ],
    String.raw`${START}(?:do[opr]_v1_[a-f0-9]{40,}|dapi[a-f0-9]{32}|lin_api_\w{30,}|ntn_\w{30,}|figd_[\w-]{30,}|shp(?:at|ss|ca|pa)_[a-fA-F0-9]{32}|PMAK-[a-f0-9-]{40,}|dckr_pat_[\w-]{20,}|sntrys_[\w+/=]{40,}|secret_[A-Za-z0-9]{40,}|tskey-[a-z]{2,12}-[\w-]{12,}|sq0[a-z]{3}-[\w-]{22,})`,
  ),
  token('age secret key', ['AGE-SECRET-KEY-'], `AGE-SECRET-KEY-1[A-Z0-9]{40,}`),
  // Three parts, or five of an encrypted one. `eyJ` is `{"` in base64.
  token(
    'JSON web token',
    ['eyJ'],
    String.raw`${START}eyJ[\w-]{8,}\.[\w-]{0,100000}\.[\w-]{0,100000}(?:\.[\w-]{0,100000}){0,2}`,
    text => text.length >= 30,
  ),
]

export const tokenRules: readonly Rule[] = TOKENS.map(({ kind, hints, pattern, accept }) =>
  patternRule({ kind, hints, accept, pattern: new RegExp(pattern, 'g') }),
)

/** What has none of these holds no token. */
export const tokenHints: readonly string[] = TOKENS.flatMap(({ hints }) => hints)
