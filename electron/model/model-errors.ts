import {
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  TypeValidationError,
} from '@ai-sdk/provider'
import { NoOutputGeneratedError, RetryError, StreamProviderError } from 'ai'
import { WorkbenchError } from '#shared/errors.ts'
import { providerText, quoted } from './foreign-text.ts'
import { SilentModelError } from './patient-fetch.ts'

export interface ModelFailure {
  readonly code:
    | 'MODEL_KEY_MISSING'
    | 'MODEL_UNKNOWN'
    | 'MODEL_REFUSED'
    | 'MODEL_UNREACHABLE'
    | 'MODEL_FAILED'
    | 'CANCELLED'
  /** One sentence: who, why, and one thing to do. Never holds a key. */
  readonly message: string
  /** The same request may succeed a little later. */
  readonly retryable: boolean
}

const MAX_CAUSES = 10

/** What went wrong with a model request, from whatever the SDK threw or streamed. `provider`: its label. */
export function describeModelError(error: unknown, provider: string): ModelFailure {
  const chain = causesOf(error)
  for (const cause of chain) {
    const failure = describeOne(cause, provider)
    if (failure !== null) return failure
  }
  // An answer came and could not be used, for no reason of the network's.
  if (chain.some(cause => APICallError.isInstance(cause) && cause.statusCode !== undefined))
    return garbled(provider)
  const reason = chain
    .map(cause => (cause instanceof Error ? quoted(cause.message) : ''))
    .find(text => text !== '')
  const why = reason === undefined ? 'for a reason it did not give' : `: ${reason}`
  return failed(
    `${provider} failed ${why}. Try again; if it stays, choose another model.`.replace(' :', ':'),
    false,
  )
}

/** The error and what caused it, outermost first; for retries the last attempt. */
function causesOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = []
  let next: unknown = error
  while (next !== undefined && next !== null && chain.length < MAX_CAUSES && !chain.includes(next)) {
    chain.push(next)
    if (RetryError.isInstance(next)) next = next.lastError
    else next = next instanceof Error ? next.cause : undefined
  }
  return chain
}

function describeOne(error: unknown, provider: string): ModelFailure | null {
  if (error instanceof WorkbenchError) return ofWorkbenchError(error)
  if (LoadAPIKeyError.isInstance(error)) return keyMissing(provider)
  if (error instanceof SilentModelError) {
    return unreachable(
      `${provider} did not answer for ${error.seconds} seconds. Try again, or choose another model.`,
    )
  }
  if (APICallError.isInstance(error)) {
    if (error.statusCode !== undefined && error.statusCode >= 400) {
      return ofStatus(error.statusCode, provider, providerText(error.responseBody) ?? error.message)
    }
    return null
  }
  if (StreamProviderError.isInstance(error)) {
    if (error.statusCode !== undefined && error.statusCode >= 400)
      return ofStatus(error.statusCode, provider, error.message)
    const text = `${provider} broke off its answer: ${quoted(error.message)}. Try again, or choose another model.`
    return failed(text, error.isRetryable)
  }
  if (NoOutputGeneratedError.isInstance(error)) return null
  if (
    InvalidResponseDataError.isInstance(error) ||
    JSONParseError.isInstance(error) ||
    TypeValidationError.isInstance(error)
  ) {
    return garbled(provider)
  }
  return ofSystemError(error, provider)
}

function ofWorkbenchError({ code, message }: WorkbenchError): ModelFailure {
  switch (code) {
    case 'MODEL_KEY_MISSING':
    case 'MODEL_UNKNOWN':
    case 'MODEL_REFUSED':
    case 'CANCELLED':
      return { code, message, retryable: false }
    case 'MODEL_UNREACHABLE':
      return { code, message, retryable: true }
    default:
      return failed(message, false)
  }
}

function ofStatus(status: number, provider: string, text: string): ModelFailure {
  const said = quoted(text)
  const why = said === '' ? '' : ` (${said})`
  if (status === 401) return refused(`${provider} refused the key. Paste a new key in the settings.`)
  if (status === 402)
    return refused(`${provider} asks for payment (402). Add credit there, or choose another model.`)
  if (status === 403)
    return refused(
      `${provider} does not let this key use the model (403). Choose another model, or another key.`,
    )
  if (status === 404)
    return refused(`${provider} does not know this model or address (404)${why}. Check both in the settings.`)
  if (status === 408 || status === 504)
    return unreachable(`${provider} took too long to answer (${status}). Try again.`)
  if (status === 413)
    return refused(`${provider} refused the request as too large (413). Start a new session, or attach less.`)
  if (status === 429) {
    return {
      code: 'MODEL_REFUSED',
      retryable: true,
      message: `${provider} is getting too many requests (429). Wait a little, then try again.`,
    }
  }
  if (status >= 500)
    return failed(
      `${provider} has a problem of its own (${status}). Try again, or choose another model.`,
      true,
    )
  return refused(
    `${provider} refused the request (${status})${why}. Choose another model, or change the request.`,
  )
}

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address',
  ENOTFOUND: 'its address is not known',
  EAI_AGAIN: 'its address could not be looked up',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  ETIMEDOUT: 'it did not answer in time',
  EHOSTUNREACH: 'there is no way to its address',
  ENETUNREACH: 'there is no network',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'it did not answer in time',
  UND_ERR_BODY_TIMEOUT: 'its answer stopped coming',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
}

function ofSystemError(error: unknown, provider: string): ModelFailure | null {
  if (!(error instanceof Error)) return null
  if (error.name === 'AbortError')
    return { code: 'CANCELLED', message: `The request to ${provider} was stopped.`, retryable: false }
  if (error.name === 'TimeoutError')
    return unreachable(`${provider} did not answer in time. Try again, or choose another model.`)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const why = Object.hasOwn(UNREACHABLE, code) ? UNREACHABLE[code] : undefined
  return why === undefined
    ? null
    : unreachable(`${provider} cannot be reached: ${why}. Check its address and the network, then try again.`)
}

export function keyMissing(provider: string): ModelFailure {
  return {
    code: 'MODEL_KEY_MISSING',
    retryable: false,
    message: `${provider} needs a key. Add one in the settings.`,
  }
}

function garbled(provider: string): ModelFailure {
  return failed(
    `${provider} sent an answer that cannot be read. Try again, or check that its address is right.`,
    true,
  )
}

function refused(message: string): ModelFailure {
  return { code: 'MODEL_REFUSED', message, retryable: false }
}

function unreachable(message: string): ModelFailure {
  return { code: 'MODEL_UNREACHABLE', message, retryable: true }
}

function failed(message: string, retryable: boolean): ModelFailure {
  return { code: 'MODEL_FAILED', message, retryable }
}
