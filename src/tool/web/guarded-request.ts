import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { PROGRAM_VERSION } from '../../event/format.ts'
import { ACCEPTED_CODINGS, readBody, type Body } from './body.ts'
import { connectionTo, type Network, type Trust } from './connection.ts'
import { hostOf } from './web-address.ts'
import { WebError, wordsFor } from './web-error.ts'

export interface WebLimits {
  readonly connectMs: number
  /** For all of it, redirects included. */
  readonly totalMs: number
  /** Of the unpacked body. */
  readonly bytesMax: number
}

export const webLimits: WebLimits = { connectMs: 10_000, totalMs: 20_000, bytesMax: 2 * 1024 * 1024 }

export interface WebRequest {
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, by POST. */
  readonly body?: string
}

export interface Reach {
  readonly network: Network
  readonly trust: Trust
  readonly limits: WebLimits
  /** Aborted when the caller gives up. */
  readonly signal: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: () => Promise<Body>
  /** For an answer whose body nobody wants. */
  readonly drop: () => void
}

/** The result of `work` within the time limit. All its requests have ended when this returns. */
export async function withinTime<T>(
  url: URL,
  { limits, signal }: Reach,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = AbortSignal.timeout(limits.totalMs)
  const ending = AbortSignal.any([signal, over])
  const done = new AbortController()
  try {
    return await Promise.race([work(ending), whenAborted(ending, done.signal)])
  } catch (error) {
    if (signal.aborted) throw new WebError('It was stopped.')
    if (over.aborted) throw new WebError(`${hostOf(url)} took longer than ${limits.totalMs / 1_000} s.`)
    if (error instanceof WebError) throw error
    throw new WebError(`${hostOf(url)} was not read: ${wordsFor(error)}.`)
  } finally {
    done.abort()
  }
}

/** Rejects on time, even if nothing below notices the signal. */
async function whenAborted(signal: AbortSignal, done: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort', { signal: done })
  throw signal.reason
}

/** One request over a connection of its own; nothing is kept between two, and redirects are not followed. */
export async function guardedRequest(wanted: WebRequest, reach: Reach): Promise<Answer> {
  const { url, headers, body } = wanted
  const socket = await connected(url, reach)
  const asking = request({
    createConnection: () => socket,
    signal: reach.signal,
    method: body === undefined ? 'GET' : 'POST',
    path: `${url.pathname}${url.search}`,
    headers: {
      host: url.host,
      'user-agent': `Mainstem/${PROGRAM_VERSION}`,
      accept: '*/*',
      'accept-encoding': ACCEPTED_CODINGS,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  })
  const answer = await answerTo(asking.end(body))
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    body: () => readBody(answer, reach.limits.bytesMax),
    drop: () => answer.destroy(),
  }
}

async function connected(url: URL, { network, trust, limits, signal }: Reach) {
  const late = AbortSignal.timeout(limits.connectMs)
  try {
    return await connectionTo(url, { network, trust, signal: AbortSignal.any([signal, late]) })
  } catch (error) {
    if (late.aborted && !signal.aborted)
      throw new WebError(`Could not connect to ${hostOf(url)} within ${limits.connectMs / 1_000} s.`)
    throw error
  }
}

function answerTo(asking: ReturnType<typeof request>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    asking.on('response', (answer) => {
      // It may fail before the body is read, or after the reader has enough.
      answer.on('error', () => {})
      resolve(answer)
    })
    asking.on('error', reject)
    asking.on('close', () => reject(new WebError('The server ended the connection without an answer.')))
  })
}
