import { ModelError, type ModelErrorReason } from './model.ts'

/** What a call of a model is known by while something goes wrong with it. */
export interface Scene {
  readonly model: string
  /** Never part of a message, also where the provider repeats it. */
  readonly key?: string | undefined
  /** What a person changes when the provider refuses or cannot be reached. */
  readonly variable: string
  /** Where the provider was looked for, if a person chose the place. */
  readonly address?: string
  readonly now: number
}

/** What an HTTP answer, or an error inside a stream, says about a failure. */
interface Complaint {
  readonly status?: number | undefined
  /** The provider's own word for it: `overloaded_error`, `context_length_exceeded`. */
  readonly kind?: string | undefined
  readonly words: string
  readonly headers?: Headers | undefined
}

/** Sorts what went wrong by whose fault it is. */
export function faultOf(error: unknown, scene: Scene): ModelError {
  if (error instanceof ModelError) return error
  const complaint = complaintIn(error)
  if (complaint) return faultOfComplaint(complaint, scene)
  if (/header value/i.test(messageOf(error))) {
    // Its text repeats the key, so it is no cause to keep.
    return worded('unauthorised', `the key holds what no key does; check ${scene.variable}`, { scene })
  }
  if (/URL that includes credentials/i.test(messageOf(error))) {
    // So does this one's the password.
    const what = `the address holds a user name and a password, which cannot be sent so; take them out of ${scene.variable}`
    return worded('unavailable', what, { scene })
  }
  const codes = codesOf(error)
  if (codes.some((code) => timeouts.test(code))) {
    return worded('timeout', 'the provider did not answer in time', { scene, cause: error })
  }
  if (codes.some((code) => broken.test(code))) {
    const what = `the connection failed (${codes.find((code) => broken.test(code))}); is ${scene.variable} right, and the network up?`
    return worded('network', what, { scene, cause: error })
  }
  if (unfit.test(nameOf(error))) {
    return worded('rejected', `the prompt cannot be sent: ${messageOf(error)}`, { scene, cause: error })
  }
  return worded('garbled', `the provider answered what is no reply: ${messageOf(error)}`, {
    scene,
    cause: error,
  })
}

export function faultOfComplaint(complaint: Complaint, scene: Scene): ModelError {
  const reason = reasonOf(complaint)
  const retryAfterMs = retryAfterMsOf(complaint, scene.now)
  const said = complaint.words === '' ? '' : `: ${complaint.words}`
  return worded(reason, advice(reason, complaint, scene) + said, { scene, retryAfterMs })
}

function reasonOf({ status, kind = '', words }: Complaint): ModelErrorReason {
  const all = `${kind} ${words}`
  if (isOverflow(all) || status === 413) return 'overflow'
  if (isRefusedKey(all) || status === 401 || status === 403) return 'unauthorised'
  if (isOutOfCredit(all) || status === 402) return 'rejected'
  if (status === 429 || /rate_limit|RESOURCE_EXHAUSTED/i.test(kind)) return 'rate-limited'
  if (status === 404 || /not_found|model_not_found/i.test(kind)) return 'unknown-model'
  if (status === 408) return 'timeout'
  if (status !== undefined && status >= 500) return 'overloaded'
  if (status !== undefined || /invalid_request|invalid_prompt|bad_request/i.test(kind)) return 'rejected'
  // An error inside a stream whose kind nobody listed: the provider had taken the call, so it is the provider's.
  return 'overloaded'
}

function advice(reason: ModelErrorReason, { status }: Complaint, scene: Scene): string {
  const { variable, model, address } = scene
  const code = status === undefined ? '' : ` (${status})`
  switch (reason) {
    case 'overflow':
      return 'the prompt is longer than the model takes'
    case 'unauthorised':
      return `the provider refused the key${code}; check ${variable}`
    case 'rate-limited':
      return `too many requests${code}`
    case 'unknown-model':
      return model.startsWith('ollama/')
        ? `no such model here${code}; 'ollama pull ${model.slice('ollama/'.length)}' brings it`
        : `the provider knows no such model${code}; check its name${address === undefined ? '' : `, and the address ${address}`}`
    case 'overloaded':
      return `the provider failed${code}`
    case 'timeout':
      return `the provider took too long${code}`
    case 'rejected':
    case 'network':
    case 'garbled':
    case 'circuit-open':
    case 'unavailable':
    case 'aborted':
      return `the provider refused the request${code}`
  }
}

const WORDS_MAX = 400

/** A model error that names the model, keeps no secret and stays short. */
export function worded(
  reason: ModelErrorReason,
  what: string,
  more: { scene: Pick<Scene, 'model' | 'key'>; cause?: unknown; retryAfterMs?: number | undefined },
): ModelError {
  const { model, key } = more.scene
  const clean = key ? what.replaceAll(key, '…') : what
  const short = clean.length > WORDS_MAX ? `${clean.slice(0, WORDS_MAX)}…` : clean
  return new ModelError(reason, `${model}: ${short}`, {
    cause: more.cause,
    retryAfterMs: more.retryAfterMs,
  })
}

const broken =
  /^(?:ECONN|EPIPE|ENOTFOUND|EAI_|EHOST|ENET|UND_ERR_SOCKET|UND_ERR_RES|ERR_SOCKET|terminated$|fetch failed$)/
const timeouts = /^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT)/
const unfit = /InvalidPrompt|MissingToolResults|InvalidArgument|UnsupportedFunctionality|MessageConversion/

/** The codes of an error and of what caused it; undici's two wordless ones count as codes. */
function codesOf(error: unknown, depth = 0): string[] {
  if (typeof error !== 'object' || error === null || depth > 5) return []
  const code: unknown = Reflect.get(error, 'code')
  const message = error instanceof TypeError ? [error.message] : []
  return [
    ...(typeof code === 'string' ? [code] : []),
    ...message,
    ...codesOf(Reflect.get(error, 'cause'), depth + 1),
  ]
}

/** Errors of the AI SDK that carry an HTTP status, or a provider's error frame; known by shape, so it is not loaded. */
function complaintIn(error: unknown): Complaint | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const field = (name: string): unknown => Reflect.get(error, name)
  const given = field('statusCode')
  // With a status of success it is the body that broke: what caused that says how.
  const status = typeof given === 'number' && given >= 400 ? given : undefined
  const kind = [field('type'), field('code')].filter((word) => typeof word === 'string').join(' ')
  const isFrame = given === undefined && !(error instanceof TypeError) && kind !== '' && !isSystem(kind)
  if (status === undefined && !isFrame) return undefined
  const body = field('responseBody')
  return {
    status,
    kind: `${kind} ${typeof body === 'string' ? body : (JSON.stringify(field('data')) ?? '')}`,
    words: messageOf(error),
    headers: field('responseHeaders') as Headers | undefined,
  }
}

function isSystem(kind: string): boolean {
  return broken.test(kind) || timeouts.test(kind) || kind.startsWith('ERR_')
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}

function messageOf(error: unknown): string {
  const message: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : error
  return typeof message === 'string' ? message : 'no reason given'
}

/** The ways in which providers say that a prompt does not fit: there is no code that they share. */
function isOverflow(words: string): boolean {
  return overflows.some((pattern) => pattern.test(words))
}

const overflows: readonly RegExp[] = [
  // Anthropic
  /prompt is too long/i,
  /input length and `?max_tokens`? exceed context/i,
  /request_too_large|exceeds the maximum size/i,
  // OpenAI, and servers that took over its words (vLLM, OpenRouter)
  /context_length_exceeded/i,
  /exceeds? the context window/i,
  /maximum context length/i,
  // Google
  /input token count .*exceeds? the maximum/i,
  // llama.cpp, LM Studio, Ollama
  /exceeds? the available context size/i,
  /exceed_context_size/i,
  /context length .*(?:overflow|exceed)/i,
  /input length exceeds/i,
  /exceeds? (?:the )?(?:model'?s )?(?:maximum )?context (?:length|window|limit)/i,
]

/** Google says it with status 400. */
function isRefusedKey(words: string): boolean {
  return /api key not valid|API_KEY_INVALID|invalid x-api-key|invalid_api_key/i.test(words)
}

/** OpenAI says it with 429 and Anthropic with 400; waiting does not help. */
function isOutOfCredit(words: string): boolean {
  return /insufficient_quota|credit balance is too low|billing_not_active/i.test(words)
}

/** An address without what may be secret in it. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return url
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

/** Header names in lower case. */
type Headers = Readonly<Record<string, string | undefined>>

/** When the provider wants to be asked again, in whichever of the four ways it says so. */
function retryAfterMsOf(
  said: { readonly headers?: Headers | undefined; readonly kind?: string | undefined },
  now: number,
): number | undefined {
  const { headers = {}, kind = '' } = said
  return (
    milliseconds(headers['retry-after-ms']) ??
    seconds(headers['retry-after']) ??
    untilDate(headers['retry-after'], now) ??
    // Google puts it into the body, as the duration of a protocol buffer.
    seconds(/"retryDelay"\s*:\s*"([\d.]+)s"/.exec(kind)?.[1])
  )
}

function milliseconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(?:\.\d+)?$/.test(text.trim()) ? Math.ceil(Number(text)) : undefined
}

function seconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(?:\.\d+)?$/.test(text.trim())
    ? Math.ceil(Number(text) * 1000)
    : undefined
}

function untilDate(text: string | undefined, now: number): number | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
