import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { seededRandom } from '../../src/base/random.ts'
import { fromLine, toLine } from '../../src/event/codec.ts'
import { MemoryDisk, openMemoryLog } from '../../src/log/memory.ts'
import { type Model, ModelError, type Reply } from '../../src/model/contract/model.ts'
import { openModel, type Provider } from '../../src/model/models.ts'
import { projections, stage, type Stage } from '../agent/stage.ts'
import { calling, modelNames, optionsFor, promptOf, providers, toolNamed } from '../stand-ins/model-at.ts'
import { type OddReply, oddReply, wires } from './odd-reply.ts'

/** So many replies are asked for at once, and so many reach one agent, one after the other. */
const AT_ONCE = 8
const FOR_ONE_LIFE = 25
const HANGS_MS = 60_000
const PROMPT = promptOf('hello', { tools: [toolNamed('slash')] })
const LIMITS = { idleMs: 20_000, answerMs: 20_000, answerBytesMax: 300_000 }
/** For a reply that has no end. */
const SHORT = { idleMs: 100, answerMs: 200 }

export interface FuzzedReplies {
  readonly replies: number
  readonly errors: number
  /** With the seed of the case. */
  readonly failure?: string
}

/**
 * Odd replies of every provider, one for each seed, over a real socket and through the real adapters. Each is a reply or
 * a ModelError, and an agent that gets it goes on: its log stays valid, and its next turn is answered.
 */
export async function fuzzReplies(
  { from, count }: { readonly from: number; readonly count: number },
  progress: (done: number) => void = () => undefined,
): Promise<FuzzedReplies> {
  const server = await startOddServer()
  const lost: unknown[] = []
  const onLost = (error: unknown): void => void lost.push(error)
  process.on('unhandledRejection', onLost)
  process.on('uncaughtException', onLost)
  let [replies, errors] = [0, 0]
  try {
    for (let first = from; first < from + count; first += FOR_ONE_LIFE) {
      const seeds = Array.from({ length: Math.min(FOR_ONE_LIFE, from + count - first) }, (_, n) => first + n)
      const outcomes = await outcomesOf(server.url, seeds)
      for (const { outcome } of outcomes) {
        if (outcome instanceof ModelError) errors++
        else replies++
      }
      await live(outcomes)
      await expectAnswer(server.url, first)
      if (lost.length > 0)
        throw new CaseError(`${first} to ${seeds.at(-1)}`, 'left an error to nobody', lost[0])
      progress(first + seeds.length - from)
    }
    return { replies, errors }
  } catch (error) {
    if (!(error instanceof CaseError)) throw error
    return { replies, errors, failure: error.message }
  } finally {
    process.off('unhandledRejection', onLost)
    process.off('uncaughtException', onLost)
    await server.close()
  }
}

class CaseError extends Error {
  constructor(seed: number | string, what: string, cause: unknown) {
    const told = cause instanceof Error ? (cause.stack ?? cause.message) : JSON.stringify(cause)
    super(`The reply of seed ${seed} ${what}: ${told}`)
  }
}

interface Case {
  readonly seed: number
  readonly outcome: Reply | ModelError
}

async function outcomesOf(url: string, seeds: readonly number[]): Promise<Case[]> {
  const left = seeds.values()
  const found: Case[] = []
  const work = async (): Promise<void> => {
    for (const seed of left) found.push(await outcomeOf(url, seed))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return found.toSorted((a, b) => a.seed - b.seed)
}

/** The provider and its reply. */
function replyOf(seed: number): { readonly provider: Provider; readonly reply: OddReply } {
  const random = seededRandom(seed)
  const provider = providers[random() % providers.length] ?? 'ollama'
  return { provider, reply: oddReply(provider, random) }
}

async function outcomeOf(url: string, seed: number): Promise<Case> {
  const { provider, reply } = replyOf(seed)
  const isEndless = reply.end === 'silent' || reply.end === 'drips'
  const limits = { ...LIMITS, ...(isEndless && SHORT) }
  const model = openModel(modelNames[provider], { ...optionsFor({ url: `${url}/${seed}` }), limits })
  const over = new AbortController()
  const hung = setTimeout(HANGS_MS, new Error('still waiting'), { signal: over.signal })
  const called = model.call(PROMPT, calling()).catch((error: unknown) => error)
  const outcome = await Promise.race([called, hung])
  over.abort()
  hung.catch(() => undefined)
  if (outcome instanceof ModelError) return { seed, outcome }
  if (outcome instanceof Error) throw new CaseError(seed, 'is no reply and no ModelError', outcome)
  return { seed, outcome: outcome as Reply }
}

/** The seed is in the path, so that replies asked for at once are not mixed up. */
async function startOddServer(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume()
  response.on('error', () => undefined)
  const [, seed = '', ...rest] = (request.url ?? '').split('/')
  if (seed === 'good') {
    const wire = Object.values(wires).find((one) => one.fits(`/${rest.join('/')}`))
    response.writeHead(200, { 'content-type': wire?.contentType ?? 'x' })
    return void response.end(wire?.stream({ blocks: [{ text: 'ok' }] }).join(''))
  }
  await send(replyOf(Number(seed)).reply, response)
}

async function send({ status, headers, pieces, end }: OddReply, response: ServerResponse): Promise<void> {
  response.writeHead(status, headers)
  for (const piece of pieces) {
    response.write(piece)
    await setTimeout(0)
  }
  if (end === 'ends') response.end()
  if (end === 'cut') response.destroy()
  if (end !== 'drips') return
  while (!response.destroyed) {
    response.write(pieces.at(-1) ?? '\n')
    await setTimeout(5)
  }
}

/** One agent gets all of them, each as the answer to a message. */
async function live(cases: readonly Case[]): Promise<void> {
  const next: (Reply | ModelError)[] = []
  const model: Model = {
    name: 'odd',
    contextTokens: 1_000_000,
    price: { perMillionIn: 1, perMillionOut: 1, perMillionCached: 1 },
    call: async () => {
      const outcome = next.shift() ?? OK
      if (outcome instanceof ModelError) throw outcome
      return outcome
    },
  }
  const log = openMemoryLog({ disk: new MemoryDisk(), projections })
  const at = await stage({ log, models: { odd: model }, settings: { model: 'odd' } })
  const known = new Set<string>()
  for (const { seed, outcome } of cases) {
    const kind = outcome instanceof ModelError ? `${outcome.reason} ${outcome.retryAfterMs}` : String(seed)
    if (known.has(kind)) continue
    known.add(kind)
    try {
      next.push(outcome)
      await at.type('hello')
      if (outcome instanceof ModelError) await at.clock.pass(2 * DAY_MS)
      await at.settle()
      const said = await at.say('again')
      if (!said.includes('ok')) throw new Error(`the next turn said ${JSON.stringify(said)}`)
    } catch (error) {
      throw new CaseError(seed, 'stopped an agent', error)
    }
  }
  await expectValid(at, cases)
  await at.close()
}

const DAY_MS = 24 * 60 * 60 * 1_000
const OK: Reply = {
  text: 'ok',
  reasoning: [],
  calls: [],
  finish: 'stop',
  usage: { tokensIn: 1, tokensOut: 1, tokensCached: 0, tokensCacheWritten: 0 },
}

async function expectValid(at: Stage, cases: readonly Case[]): Promise<void> {
  try {
    for (const event of await at.all()) fromLine(toLine(event))
  } catch (error) {
    throw new CaseError(`${cases[0]?.seed} to ${cases.at(-1)?.seed}`, 'left a log that cannot be read', error)
  }
}

/** What came before spoils no later call. */
async function expectAnswer(url: string, seed: number): Promise<void> {
  const provider = providers[seed % providers.length] ?? 'ollama'
  const model = openModel(modelNames[provider], optionsFor({ url: `${url}/good` }))
  const { text } = await model.call(promptOf('hello'), calling()).catch((error: unknown) => {
    throw new CaseError(seed, 'spoiled a later call', error)
  })
  if (text !== 'ok') throw new CaseError(seed, 'spoiled a later call', text)
}
