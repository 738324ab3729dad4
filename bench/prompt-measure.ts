import { HISTORY_HEADING } from '../src/context/prompt.ts'
import type { Event } from '../src/event/event.ts'
import type { Prompt } from '../src/event/prompt.ts'
import { markedMessages } from '../src/model/ai-sdk/messages.ts'
import { costShare, startCache, sumSpent, tokensIn, type Marking, type Spent } from './prompt-cache.ts'
import type { CalledPrompt, Forked, PromptLife } from './prompt-life.ts'
import { updatesIn } from './prompt-model.ts'

export interface PromptReport {
  readonly turns: number
  readonly branches: number
  readonly calls: number
  readonly callsNotRebuilt: number
  readonly tokensPerTurn: Spread
  readonly tokensPerPrompt: Spread
  /** Of each prompt without its tail, how much the next one begins with. */
  readonly kept: Kept
  readonly keptWithTail: Kept
  readonly tails: number
  readonly changes: readonly ChangeCost[]
  /** Of what a fork took over, and of its parent's last prompt, how much its own first one begins with. */
  readonly keptByForks: Kept
  readonly updates: UpdateShare
  readonly markersMax: number
  readonly caches: readonly CacheMeasure[]
}

export interface Spread {
  readonly p50: number
  readonly p95: number
  readonly max: number
}

/** Shares of 1. */
export interface Kept {
  readonly pairs: number
  readonly least: number
  readonly mean: number
}

export interface ChangeCost {
  readonly change: string
  readonly times: number
  /** Of the prompt before the change, on average. */
  readonly kept: number
  readonly tokensLost: number
}

/** What updates take of the prompts. */
export interface UpdateShare {
  readonly reported: number
  /** Messages of main that show some, and of others that only look at them. */
  readonly told: number
  readonly peeked: number
  readonly tokensPerMessage: Spread
  /** Of all tokens that were sent: what stays in a context is sent with every prompt. */
  readonly share: number
}

/** Shares of the tokens that were sent. */
export interface CacheMeasure extends Spent {
  readonly markers: string
  /** Of what the prompts cost without a cache. */
  readonly cost: number
}

export function measurePrompts(life: PromptLife): PromptReport {
  const { turns, calls, forks, events } = life
  const pairs = pairsOf(calls)
  const changeOf = ([before, after]: Pair): string => changeBetween(events, before, after)
  const quiet = pairs.filter((pair) => changeOf(pair) === '')
  const perTurn = Map.groupBy(calls, ({ recorded }) => recorded.turn)
  const sizes = new Map(calls.map((call) => [call, sizeOf(call.prompt)]))
  const markers = calls.map(({ prompt, tailAt }) => 1 + markedMessages(prompt.messages, tailAt).length)
  return {
    turns,
    branches: new Set(calls.map(({ recorded }) => recorded.branch)).size,
    calls: calls.length,
    callsNotRebuilt: calls.filter(({ isSame }) => !isSame).length,
    tokensPerTurn: spread([...perTurn.values()].map((some) => sum(some.map((call) => sizes.get(call) ?? 0)))),
    tokensPerPrompt: spread([...sizes.values()]),
    kept: keptIn(quiet.map(([before, after]) => sharedPart(before.bare, after.bare))),
    keptWithTail: keptIn(quiet.map(([before, after]) => sharedPart(before.prompt, after.prompt))),
    tails: calls.filter(({ tailAt }) => tailAt !== undefined).length,
    changes: changeCosts(pairs, changeOf),
    keptByForks: keptIn(forks.flatMap(forkShares)),
    updates: updateShare(life, sum([...sizes.values()])),
    markersMax: Math.max(0, ...markers),
    caches: cacheMeasures(calls, forks),
  }
}

function updateShare({ calls, events, reported }: PromptLife, sent: number): UpdateShare {
  const shown = events.filter((event) => event.kind === 'message-added' && event.updates !== undefined)
  const told = shown.filter((event) => event.kind === 'message-added' && event.updates?.of === event.branch)
  const blocks = shown.flatMap((event) =>
    event.kind === 'message-added' && event.message.role === 'user' ? (event.message.before ?? []) : [],
  )
  const texts = calls.flatMap(({ prompt }) => prompt.messages.map(({ text }) => text))
  const tokens = sum(texts.flatMap(updatesIn).map(tokensIn))
  return {
    reported,
    told: told.length,
    peeked: shown.length - told.length,
    tokensPerMessage: spread(blocks.filter((block) => updatesIn(`${block}\n\n`).length > 0).map(tokensIn)),
    share: tokens / sent,
  }
}

/** What must hold and does not. */
/** The window of which the prompts of the preset `fetch` take less than `BUDGET_SHARE`. */
const BUDGET_WINDOW = 32_000
const BUDGET_SHARE = 0.3

/** Tokens of each part of a prompt, as the seed budgets them, and what all of them take of the window. */
export interface Budget {
  readonly parts: Readonly<Record<string, Spread>>
  /** Of the prompt that is larger than 95 % of all. */
  readonly share: number
  readonly isMet: boolean
}

export function measureBudget({ calls }: PromptLife): Budget {
  const rows = calls.map(({ prompt, tailAt }) => {
    const sizes = { system: tokensIn(prompt.system), tools: tokensIn(JSON.stringify(prompt.tools)) }
    const messages = { summary: 0, talk: 0, 'tool calls and results': 0, 'recall and other tails': 0 }
    for (const [index, message] of prompt.messages.entries())
      messages[kindOf(message, index === tailAt)] += tokensIn(JSON.stringify(message))
    return { ...sizes, ...messages }
  })
  const all = rows.map((row) => ({ ...row, total: sum(Object.values(row)) }))
  const names = Object.keys(all[0] ?? {}) as (keyof (typeof all)[number])[]
  const parts = Object.fromEntries(names.map((name) => [name, spread(all.map((row) => row[name]))]))
  const share = (parts['total']?.p95 ?? 0) / BUDGET_WINDOW
  return { parts, share, isMet: share < BUDGET_SHARE }
}

function kindOf(message: Prompt['messages'][number], isTail: boolean) {
  if (isTail) return 'recall and other tails'
  if (message.role === 'tool') return 'tool calls and results'
  if (message.role === 'assistant') return message.calls.length > 0 ? 'tool calls and results' : 'talk'
  return message.text.startsWith(HISTORY_HEADING) ? 'summary' : 'talk'
}

export function brokenMusts(report: PromptReport): string[] {
  const { kept, keptByForks, callsNotRebuilt, markersMax } = report
  return [
    ...notWhole('of a prompt, the next one before a change of context begins with', kept),
    ...notWhole('of what its parent showed, a fork begins with', keptByForks),
    ...(callsNotRebuilt === 0 ? [] : [`${callsNotRebuilt} prompts are not what the log says they were`]),
    ...(markersMax <= 4 ? [] : [`${markersMax} cache markers in one prompt, and 4 are the most`]),
  ]
}

function notWhole(what: string, { pairs, least }: Kept): string[] {
  if (pairs === 0) return [`${what}: there was nothing to measure; more turns are needed`]
  return least === 1 ? [] : [`${what} ${percent(least)}, and it must be all of it`]
}

export function percent(share: number): string {
  return `${(Math.floor(share * 1_000) / 10).toFixed(1)} %`
}

type Pair = readonly [before: CalledPrompt, after: CalledPrompt]

/** Each call with the one before it in its branch. */
function pairsOf(calls: readonly CalledPrompt[]): Pair[] {
  const last = new Map<string, CalledPrompt>()
  return calls.flatMap((call): Pair[] => {
    const before = last.get(call.recorded.branch)
    last.set(call.recorded.branch, call)
    return before === undefined ? [] : [[before, call]]
  })
}

/** What changed the context between two calls of a branch; empty when nothing did. */
function changeBetween(events: readonly Event[], before: CalledPrompt, after: CalledPrompt): string {
  const [from, to] = [before.recorded, after.recorded]
  const between = events.slice(from.position, to.position - 1)
  const own = between.filter(({ branch }) => branch === from.branch).flatMap(changeName)
  const isReloaded = from.system !== to.system || from.tools !== to.tools
  const isOther = before.prompt.settings.model !== after.prompt.settings.model
  const names = [...own, ...(isReloaded ? ['reload'] : []), ...(isOther ? ['other model'] : [])]
  if (names.length === 0 && from.version !== to.version) return 'unknown'
  return names.join(' and ')
}

function changeName(event: Event): string[] {
  switch (event.kind) {
    case 'context-cleared':
      return [event.to === null ? 'clear' : 'rewind']
    case 'context-compacted':
      return ['compaction']
    case 'context-expanded':
      return ['expand']
    case 'context-saved':
      return ['save']
    case 'context-undone':
      return ['undo']
    case 'context-redone':
      return ['redo']
    default:
      return []
  }
}

function changeCosts(pairs: readonly Pair[], changeOf: (pair: Pair) => string): ChangeCost[] {
  const byChange = Map.groupBy(pairs, changeOf)
  byChange.delete('')
  const costs = [...byChange].map(([change, some]): ChangeCost => {
    const shares = some.map(([before, after]) => sharedPart(before.bare, after.bare))
    const lost = some.map(([before], index) => sizeOf(before.bare) * (1 - (shares[index] ?? 0)))
    return { change, times: some.length, kept: mean(shares), tokensLost: Math.round(mean(lost)) }
  })
  return costs.toSorted((a, b) => b.times - a.times)
}

function forkShares({ first, inherited, parent }: Forked): number[] {
  const shares = [sharedPart(inherited, first.bare)]
  return parent === undefined ? shares : [...shares, sharedPart(parent, first.bare)]
}

const ours = ({ prompt, tailAt }: CalledPrompt): Marking => markedMessages(prompt.messages, tailAt)

function cacheMeasures(calls: readonly CalledPrompt[], forks: readonly Forked[]): CacheMeasure[] {
  const first = new Set(forks.map((fork) => calls.indexOf(fork.first)))
  return [
    cacheMeasure('ours', calls, { marking: ours }),
    cacheMeasure('behind the system text and at the end', calls, {
      marking: ({ prompt }) => [prompt.messages.length - 1],
    }),
    cacheMeasure('everywhere, if that were allowed', calls, { marking: () => 'everywhere' }),
    cacheMeasure('ours, the first prompts of forks', calls, { marking: ours, only: first }),
  ]
}

interface Way {
  readonly marking: (call: CalledPrompt) => Marking
  /** The calls that are counted; all of them fill the cache. */
  readonly only?: ReadonlySet<number>
}

function cacheMeasure(markers: string, calls: readonly CalledPrompt[], { marking, only }: Way): CacheMeasure {
  const cache = startCache()
  const each = calls.map((call) => cache.take(call.prompt, marking(call)))
  const spent = sumSpent(each.filter((_, index) => only?.has(index) ?? true))
  const { read, written, fresh } = spent
  const all = read + written + fresh
  return { markers, read: read / all, written: written / all, fresh: fresh / all, cost: costShare(spent) }
}

/** A prompt in the order in which providers read it, as bytes. */
const written = new WeakMap<Prompt, Buffer>()

function bytesOf(prompt: Prompt): Buffer {
  const known = written.get(prompt)
  if (known !== undefined) return known
  const parts = [prompt.tools, prompt.system, ...prompt.messages].map((part) => `${JSON.stringify(part)}\n`)
  const bytes = Buffer.from(parts.join(''))
  written.set(prompt, bytes)
  return bytes
}

/** How much of one prompt another begins with. */
export function sharedPart(one: Prompt, other: Prompt): number {
  const [a, b] = [bytesOf(one), bytesOf(other)]
  const shorter = Math.min(a.length, b.length)
  let shared = 0
  while (shared < shorter && a[shared] === b[shared]) shared++
  return shared / a.length
}

function sizeOf({ system, tools, messages }: Prompt): number {
  return sum([JSON.stringify([tools, system]), ...messages.map((one) => JSON.stringify(one))].map(tokensIn))
}

function keptIn(shares: readonly number[]): Kept {
  return { pairs: shares.length, least: Math.min(1, ...shares), mean: mean(shares) }
}

function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { p50: at(0.5), p95: at(0.95), max: at(1) }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : sum(values) / values.length
}
