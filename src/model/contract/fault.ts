import { jsonText } from '../../base/json.ts'
import type { Clock } from '../../base/clock.ts'
import { ModelError, type ModelErrorReason } from './model.ts'

/** A model as its errors name it: where it is reached, and which settings a person can correct. */
export interface Scene {
  /** `provider/model` */
  readonly model: string
  readonly url: string
  /** Never shown, even where the provider repeats it in an error. */
  readonly key?: string | undefined
  /** As a person writes them, `url` with where it was set. It is absent where the address is the provider's own, so it cannot be wrong. */
  readonly settings: { readonly key: string; readonly url?: string | undefined }
  /** The setting that names it; `model` if absent. */
  readonly setting?: 'embedder'
  readonly now: Clock
}

/** An HTTP error, or an error inside a stream. */
interface Complaint {
  readonly status?: number | undefined
  /** The provider's own word for it: `overloaded_error`, `context_length_exceeded`. */
  readonly kind?: string | undefined
  readonly words: string
  readonly headers?: Headers | undefined
}

/** Faults of a call: whose they are, and how a person is told. `code` begins with a space. */
const mishaps = {
  overflow: ['overflow', ({ model, code }) => `The prompt is longer than ${model} accepts${code}.`],
  'refused-key': [
    'unauthorised',
    ({ model, code, settings }) => `The API key for ${model} was refused${code}. Check ${settings.key}.`,
  ],
  'unsendable-key': [
    'unauthorised',
    ({ model, settings }) =>
      `The API key for ${model} contains characters that cannot be sent. Check ${settings.key}.`,
  ],
  'password-in-url': [
    'unavailable',
    ({ address, settings }) =>
      `The URL ${address} contains a user name and a password, which cannot be sent. Remove them from ${settings.url}.`,
  ],
  'unknown-model': [
    'unknown-model',
    ({ model, code, address, settings, another }) =>
      settings.url === undefined
        ? `${model} does not exist${code}. Check the name, or ${another}.`
        : `${address} has no ${model}${code}. Check the name and the URL (${settings.url}), or ${another}.`,
  ],
  'unpulled-model': [
    'unknown-model',
    ({ model, code, address, another }) => {
      const id = model.slice('ollama/'.length)
      return `Ollama at ${address} has no model ${id}${code}. Run 'ollama pull ${id}', or ${another}.`
    },
  ],
  'rate-limited': [
    'rate-limited',
    ({ model, code, fallback }) => `Too many requests to ${model}${code}.${fallback}`,
  ],
  overloaded: [
    'overloaded',
    ({ model, code, fallback }) => `The server of ${model} failed${code}.${fallback}`,
  ],
  refused: [
    'network',
    ({ model, address, settings }) => {
      const who = model.startsWith('ollama/') ? `Ollama at ${address}` : address
      return settings.url === undefined
        ? `${who} refused the connection. Check your connection.`
        : `${who} (${settings.url}) refused the connection. Start the server, or correct the URL.`
    },
  ],
  unreachable: ['network', ({ address, code, check }) => `Could not reach ${address}${code}. ${check}`],
  'cut-off': [
    'network',
    ({ model, address, code }) =>
      `The connection to ${address} broke off before ${model} had answered${code}. Check your connection.`,
  ],
  timeout: ['timeout', ({ address, code, check }) => `${address} did not answer in time${code}. ${check}`],
  silent: [
    'timeout',
    ({ model, code, fallback }) =>
      `${model} sent nothing for too long${code}, so the call was stopped.${fallback}`,
  ],
  endless: [
    'timeout',
    ({ model, code, fallback }) =>
      `${model} did not finish its answer in time${code}, so it was stopped.${fallback}`,
  ],
  'too-long': [
    'garbled',
    ({ model, fallback }) => `${model} sent more than an answer can have, so it was stopped.${fallback}`,
  ],
  redirected: [
    'unavailable',
    ({ address, code, target, settings }) =>
      `${address} redirects to ${target}${code}. Nothing was sent there: a redirect could carry your messages ` +
      `and your API key to a stranger. ${settings.url ? `If you trust that address, set it as the URL (${settings.url}).` : 'Check your network, or a proxy in between.'}`,
  ],
  garbled: [
    'garbled',
    ({ model, address, check }) => `${address} sent something that is not a reply of ${model}. ${check}`,
  ],
  'no-credit': [
    'rejected',
    ({ model, code, another }) =>
      `Your account for ${model} has no credit left${code}. Add some, or ${another}.`,
  ],
  rejected: ['rejected', ({ model, code }) => `${model} refused the request${code}.`],
  'no-package': [
    'unavailable',
    ({ model }) => `The package that ${model} needs could not be loaded. Install Mainstem again.`,
  ],
  aborted: ['aborted', ({ model }) => `The call of ${model} was stopped.`],
} as const satisfies Record<string, readonly [ModelErrorReason, (facts: Facts) => string]>

interface Facts extends Scene {
  readonly address: string
  readonly code: string
  readonly check: string
  /** Where a redirect points. */
  readonly target: string
  /** Which setting to change. */
  readonly another: string
  /** How not to wait; begins with a space. */
  readonly fallback: string
}

type Mishap = keyof typeof mishaps

const FALLBACK = ' To let another model answer meanwhile, set `fallbackModels`.'
const WORDS_MAX = 400
const TARGET_MAX = 200
/** Some patterns below take long on long texts. */
const LOOKED_AT_MAX = 20_000

/** The error for a mishap. `code` is a status, or what the system calls it; `words` are the provider's own. */
export function fault(
  mishap: Mishap,
  scene: Scene,
  more: {
    code?: string | undefined
    words?: string
    target?: string
    cause?: unknown
    retryAfterMs?: number | undefined
  } = {},
): ModelError {
  const { code, words = '', target = '', cause, retryAfterMs } = more
  const [reason, told] = mishaps[mishap]
  const { settings, url, key } = scene
  const facts = {
    ...scene,
    address: shownUrl(url),
    code: code === undefined ? '' : ` (${code})`,
    target: shownUrl(target).slice(0, TARGET_MAX),
    check: settings.url ? `Check the URL (${settings.url}) and your connection.` : 'Check your connection.',
    another: `set another \`${scene.setting ?? 'model'}\``,
    fallback: scene.setting === undefined ? FALLBACK : '',
  }
  const clean = key ? words.replaceAll(key, '…') : words
  const short = clean.length > WORDS_MAX ? `${clean.slice(0, WORDS_MAX).toWellFormed()}…` : clean
  const said = short === '' ? '' : ` The error: ${short}`
  return new ModelError(reason, told(facts) + said, { cause, retryAfterMs })
}

/** Sorts an error by whose fault it is. */
export function faultOf(error: unknown, scene: Scene): ModelError {
  if (error instanceof ModelError) return error
  const complaint = complaintIn(error)
  if (complaint) return faultOfComplaint(complaint, scene)
  const words = messageOf(error)
  // The texts of these two repeat the key and the password, so they are not kept as causes.
  if (/header value/i.test(words)) return fault('unsendable-key', scene)
  if (/URL that includes credentials/i.test(words)) return fault('password-in-url', scene)
  const codes = codesOf(error)
  const late = codes.findLast((code) => timeouts.test(code))
  if (late !== undefined) return fault('timeout', scene, { code: late, cause: error })
  const code = codes.findLast((code) => broken.test(code))
  if (code === undefined) {
    return fault(unfit.test(nameOf(error)) ? 'rejected' : 'garbled', scene, { words, cause: error })
  }
  if (codes.includes('ECONNREFUSED')) return fault('refused', scene, { cause: error })
  return fault(lost.test(code) ? 'cut-off' : 'unreachable', scene, { code, cause: error })
}

export function faultOfComplaint(complaint: Complaint, scene: Scene): ModelError {
  const { status, words } = complaint
  const retryAfterMs = retryAfterMsOf(complaint, scene.now())
  return fault(mishapOf(complaint, scene), scene, { code: status?.toString(), words, retryAfterMs })
}

function mishapOf({ status, kind = '', words }: Complaint, { model }: Scene): Mishap {
  const all = `${kind} ${words}`.slice(0, LOOKED_AT_MAX)
  if (isOverflow(all) || status === 413) return 'overflow'
  if (isRefusedKey(all) || status === 401 || status === 403) return 'refused-key'
  if (isOutOfCredit(all) || status === 402) return 'no-credit'
  if (status === 429 || /rate_limit|RESOURCE_EXHAUSTED/i.test(kind)) return 'rate-limited'
  if (status === 404 || /not_found|model_not_found/i.test(kind)) {
    return model.startsWith('ollama/') ? 'unpulled-model' : 'unknown-model'
  }
  if (status === 408) return 'timeout'
  if (status !== undefined && status >= 500) return 'overloaded'
  if (status !== undefined || /invalid_request|invalid_prompt|bad_request/i.test(kind)) return 'rejected'
  // An error of an unknown kind inside a stream: the provider had accepted the call, so the fault is the provider's.
  return 'overloaded'
}

const broken =
  /^(?:ECONN|EPIPE|ENOTFOUND|EAI_|EHOST|ENET|UND_ERR_SOCKET|UND_ERR_RES|ERR_SOCKET|terminated$|fetch failed$)/
/** Of these: the connection was there, and ended. */
const lost = /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|ERR_SOCKET|terminated$)/
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
    kind: `${kind} ${typeof body === 'string' ? body : jsonText(field('data'))}`,
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
  return `${origin}${pathname}`.replace(/\/$/, '')
}

/** Header names in lower case. */
type Headers = Readonly<Record<string, string | undefined>>

/** When the provider wants to be asked again, in whichever of the four ways it says so. */
function retryAfterMsOf({ headers = {}, kind = '' }: Complaint, now: number): number | undefined {
  const after = headers['retry-after']
  return (
    scaled(headers['retry-after-ms'], 1) ??
    scaled(after, 1000) ??
    untilDate(after, now) ??
    // Google puts it into the body, as the duration of a protocol buffer.
    scaled(/"retryDelay"\s*:\s*"([\d.]+)s"/.exec(kind)?.[1], 1000)
  )
}

function scaled(text: string | undefined, unitMs: number): number | undefined {
  return text !== undefined && /^\d+(?:\.\d+)?$/.test(text.trim())
    ? Math.ceil(Number(text) * unitMs)
    : undefined
}

function untilDate(text: string | undefined, now: number): number | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
