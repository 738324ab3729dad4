import { Api, GrammyError, HttpError } from 'grammy'
import { z } from 'zod'
import { ChannelError } from '../channel.ts'

export interface TelegramServer {
  readonly token: string
  /** Null: Telegram's own. */
  readonly url: string | null
}

const TELEGRAM = 'https://api.telegram.org'
/** `getUpdates` may take 50 seconds. A call that takes longer than this hangs. */
const TIMEOUT_SECONDS = 75

/** `ending` aborts every call that is under way. */
export function openApi({ token, url }: TelegramServer, ending?: AbortSignal): Api {
  const api = new Api(token, { apiRoot: rootOf(url), timeoutSeconds: TIMEOUT_SECONDS })
  // `telegram.url` may be another server, which could answer anything.
  api.config.use(async (call, ...[method, payload, signal]) => {
    const signals = [signal as AbortSignal | undefined, ending].filter((one) => one !== undefined)
    const answered = await call(method, payload, AbortSignal.any(signals) as never)
    if (!answer.safeParse(answered).success) return unreadable()
    // A refusal may quote the address, which has the token in it.
    return answered.ok ? answered : { ...answered, description: answered.description.replaceAll(token, '…') }
  })
  return api
}

const answer = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true) }),
  z.object({
    ok: z.literal(false),
    error_code: z.int(),
    description: z.string(),
    parameters: z.object({ migrate_to_chat_id: z.int().optional() }).optional(),
  }),
])

export function unreadable(): never {
  throw new ChannelError('Telegram gave an answer that I cannot read. Check telegram.url if you set it.', {
    isFinal: false,
    isHidden: true,
  })
}

function rootOf(url: string | null): string {
  return (url ?? TELEGRAM).replace(/\/+$/, '')
}

const stored = z.object({ file_path: z.string() })

/** Telegram's limit for downloads by bots. */
const DOWNLOAD_MAX = 20 * 2 ** 20

export async function download(
  api: Api,
  { token, url }: TelegramServer,
  { id, signal, bytesMax }: { readonly id: string; readonly signal: AbortSignal; readonly bytesMax: number },
): Promise<Uint8Array> {
  const max = Math.min(bytesMax, DOWNLOAD_MAX)
  const found = await asChannelErrors(() => api.getFile(id, signal as never))
  const path = stored.safeParse(found).data?.file_path ?? failed()
  const response = await fetch(`${rootOf(url)}/file/bot${token}/${path}`, { signal }).catch(failed)
  if (!response.ok || response.body === null) return failed()
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of response.body) {
      size += part.length
      if (size > max) break
      parts.push(part)
    }
  } catch {
    failed()
  }
  if (size > max) throw new ChannelError('The file is too big.', { isFinal: true })
  return Buffer.concat(parts)
}

/** Without its cause: the address has the token in it. */
function failed(): never {
  throw new ChannelError('The file could not be downloaded from Telegram.', { isFinal: false })
}

/** Does something with the API. It fails only with a ChannelError, which never names the token. */
export async function asChannelErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw channelError(error)
  }
}

/** What Telegram said when it refused a call; else ''. */
export function refusalOf(error: unknown): string {
  return error instanceof GrammyError ? error.description : ''
}

/** Network errors after which it is certain that nothing was sent. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
])

/** Without a cause: what grammY throws has the address in it, and so the token. */
export function channelError(error: unknown): unknown {
  if (error instanceof HttpError) {
    const { code } = error.error as { readonly code?: unknown }
    const reason = typeof code === 'string' ? ` (${code})` : ''
    return new ChannelError(
      `Could not reach Telegram${reason}. Check your connection, and telegram.url if you set it.`,
      { isFinal: false, isHidden: !NOT_SENT.has(String(code)) },
    )
  }
  if (!(error instanceof GrammyError)) return error
  const { error_code: code, description, parameters } = error
  if (code === 429) {
    const seconds = parameters.retry_after ?? 1
    return new ChannelError(`Telegram asks to wait ${seconds} s.`, {
      isFinal: false,
      retryAfterMs: seconds * 1_000,
    })
  }
  if (code === 409) return new ChannelError(conflictText(description), SOON)
  // With a wrong token, Telegram answers 404 to every call.
  if (code === 401 || code === 404) return new ChannelError(WRONG_TOKEN, SLOWLY)
  const isOurs = code >= 400 && code < 500
  const { migrate_to_chat_id: chat } = parameters
  return new ChannelError(`Telegram refused it: ${description}`, {
    isFinal: isOurs,
    isHidden: code >= 500,
    ...(chat !== undefined && { movedTo: `${chat}` }),
  })
}

const WRONG_TOKEN =
  'Telegram does not accept the token. Check telegram.token; @BotFather shows it with /mybots.'
const CONFLICT_MS = 30_000
const SOON = { isFinal: false, retryAfterMs: CONFLICT_MS }
const SLOWLY = { isFinal: false, retryAfterMs: 300_000 }

function conflictText(description: string): string {
  return description.includes('webhook')
    ? "Another program has set a webhook for this bot, so its messages go there. Stop that program and remove the webhook (see the guide to Telegram), or make a bot of Mainstem's own."
    : 'Another program receives the messages of this bot. Stop it, or make a bot for each with @BotFather.'
}
