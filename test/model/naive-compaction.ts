import {
  isContent,
  messagesUnder,
  sameEntry,
  summed,
  tokensIn,
  writerOf,
  type Content,
  type Entry,
  type NaiveMessage,
} from './entry.ts'
import type { NaiveWorld } from './naive.ts'

export interface NaivePlan {
  readonly branch: number
  readonly covered: readonly Content[]
  /** The covered messages that stay as they are. */
  readonly spared: readonly NaiveMessage[]
  /** The current tokens and messages of each summary to write. */
  readonly parts: readonly { readonly tokens: number; readonly messages: number; readonly summed: number }[]
  /** Whether the array will be short enough. */
  readonly fits: boolean
  readonly isWhole: boolean
}

export interface NaiveWindow {
  readonly keep: number
  readonly keepTokens?: number
  readonly tokensMax?: number
  readonly summaryTokensMax?: number
  readonly keptTokensMax?: number
  /** Must be covered, wherever it is. */
  readonly huge?: NaiveMessage | undefined
}

/**
 * Covers everything before a cut. At least `keep` messages stay after it, and what fits into `keepTokens`; a turn is not
 * split. If that is too much, as many turns as fit; if one turn is too much, as many of its steps as fit, and its
 * people's messages.
 */
export function planCompaction(
  world: NaiveWorld,
  number: number,
  window: NaiveWindow,
): NaivePlan | undefined {
  if (!world.mayChange(number)) return undefined
  const content = world.get(number).entries.filter(isContent)
  const plans = allCuts(world, number, window)
  const chosen =
    plans.whole.find(({ fits }) => fits) ?? plans.within.find(({ fits }) => fits) ?? plans.within.at(-1)
  const fitting = chosen ?? plans.whole.at(-1)
  const plan =
    window.huge === undefined ? fitting : withHuge(world, number, { fitting, window, huge: window.huge })
  return plan === undefined || content.length === 0 || plan.parts.length === 0 ? undefined : plan
}

/** Cuts behind the huge message: between turns, else inside the last one, else at the end. */
function withHuge(
  world: NaiveWorld,
  number: number,
  { fitting, window, huge }: { fitting: NaivePlan | undefined; window: NaiveWindow; huge: NaiveMessage },
): NaivePlan | undefined {
  const isHuge = (entry: Content): boolean => entry.kind === 'said' && entry.message === huge
  if (fitting?.covered.some(isHuge) === true && !fitting.spared.includes(huge)) return fitting
  const content = world.get(number).entries.filter(isContent)
  const at = content.findIndex(isHuge)
  const steps = content.map((_, index) => index).filter((index) => index > 0 && !isResult(content[index]))
  const turns = steps.filter((index) => opensTurn(world, number, { content, index }))
  const between = turns.find((index) => index > at)
  if (between !== undefined) return planOf(world, number, { content, index: between, spared: [], window })
  const index = steps.find((step) => step > at) ?? content.length
  const others = content.slice(turns.at(-1) ?? 0).filter((entry) => isUser(entry) && !isHuge(entry))
  return planOf(world, number, { content, index, spared: messagesUnder(others), window })
}

/** Every possible cut, those that leave the most after them first. */
function allCuts(
  world: NaiveWorld,
  number: number,
  window: NaiveWindow,
): { whole: readonly NaivePlan[]; within: readonly NaivePlan[] } {
  const content = world.get(number).entries.filter(isContent)
  const steps = content.map((_, index) => index).filter((index) => index > 0 && !isResult(content[index]))
  const turns = steps.filter((index) => opensTurn(world, number, { content, index }))
  const nearest = turns.findLast((index) => countSaid(content.slice(index)) >= window.keep) ?? 0
  const { keepTokens = 0 } = window
  const wanted =
    turns.find((index) => index < nearest && tokensIn(content.slice(index)) <= keepTokens) ?? nearest
  const whole = [wanted, ...turns.filter((index) => index > wanted)]
  const last = turns.at(-1) ?? 0
  const within = steps.filter((index) => index > last && !isUser(content[index - 1]))
  const inTurn = messagesUnder(content.slice(last).filter(isUser))
  const plan = (index: number, spared: readonly NaiveMessage[]) =>
    planOf(world, number, { content, index, spared, window })
  return { whole: whole.map((index) => plan(index, [])), within: within.map((index) => plan(index, inTurn)) }
}

function planOf(
  world: NaiveWorld,
  number: number,
  cut: { content: readonly Content[]; index: number; spared: readonly NaiveMessage[]; window: NaiveWindow },
): NaivePlan {
  const { content, index, window } = cut
  const { tokensMax = Infinity, summaryTokensMax = Infinity, keptTokensMax = Infinity } = window
  const covered = content.slice(0, index)
  const spared = messagesUnder(covered.filter((entry) => entry.kind === 'said')).filter((message) =>
    cut.spared.includes(message),
  )
  const all = parts(world, number, { entries: covered, spared })
  const shorter = all.map(({ entries, isToWrite }) =>
    isToWrite ? Math.min(summaryTokensMax, tokensIn(entries)) : tokensIn(entries),
  )
  const tokens = shorter.reduce((sum, each) => sum + each, tokensIn(content.slice(index)))
  const written = all
    .filter(({ isToWrite }) => isToWrite)
    .map(({ entries }) => ({
      tokens: tokensIn(entries),
      messages: countSaid(entries.filter(isContent)),
      summed: tokensIn(entries.filter(({ kind }) => kind === 'summed')),
    }))
  const kept = spared.reduce((sum, message) => sum + message.tokens, tokensIn(content.slice(index)))
  const fits = tokens <= tokensMax && kept <= keptTokensMax
  return { branch: number, covered, spared, parts: written, fits, isWhole: index === content.length }
}

/** One text for each part. `abandoned`: the context has changed, or nothing would be kept. */
export function compact(
  world: NaiveWorld,
  plan: NaivePlan,
  texts: readonly { text: string; tokens: number }[],
): boolean | 'abandoned' {
  const { branch: number, covered, spared } = plan
  if (!world.mayChange(number)) return false
  const content = world.get(number).entries.filter(isContent)
  if (!covered.every((entry, index) => sameEntry(entry, content[index]))) return 'abandoned'
  if (content.length === covered.length && !plan.isWhole) return 'abandoned'
  const summaries = texts.map(({ text: id, tokens }) => ({ id, tokens, age: world.next(), madeIn: number }))
  const apply = (all: readonly Entry[]): readonly Entry[] => {
    const last = placeOfContent(all, covered.length)
    const waiting = [...summaries]
    const pieces = parts(world, number, { entries: all.slice(0, last + 1), spared })
    const made = pieces.flatMap(({ entries, isToWrite }) => {
      const summary = isToWrite ? waiting.shift() : undefined
      return summary === undefined ? entries : summed(entries, summary)
    })
    return [...made, ...all.slice(last + 1)]
  }
  world.act(number, { kind: 'change', what: 'compact', apply })
  world.hold(number, null)
  return true
}

function isResult(entry: Content | undefined): boolean {
  return entry?.kind === 'said' && entry.message.role === 'tool'
}

function isUser(entry: Content | undefined): boolean {
  return entry?.kind === 'said' && entry.message.role === 'user'
}

function countSaid(content: readonly Content[]): number {
  return content.filter((entry) => entry.kind === 'said').length
}

function opensTurn(
  world: NaiveWorld,
  number: number,
  { content, index }: { content: readonly Content[]; index: number },
): boolean {
  const [before, first] = [content[index - 1], content[index]]
  const turn = turnOf(world, number, first)
  return turn === null || turn !== turnOf(world, number, before)
}

/** A summary belongs to the turn of its last message; turns that continue one another are one. */
function turnOf(world: NaiveWorld, number: number, entry: Content | undefined): number | 'work' | null {
  const message = entry && messagesUnder([entry]).at(-1)
  if (message === undefined) return null
  const { turn, lastWork } = world.get(number)
  return (turn?.messages ?? lastWork ?? []).includes(message) ? 'work' : message.turn
}

interface Part {
  readonly entries: readonly Entry[]
  /** False for a part that is already one summary, and for spared messages. */
  readonly isToWrite: boolean
}

/** Neighbours on the same side of every fork point of the branch and of those above it. */
function parts(
  world: NaiveWorld,
  number: number,
  { entries, spared }: { entries: readonly Entry[]; spared: readonly NaiveMessage[] },
): readonly Part[] {
  const line = world.line(number)
  const found: { level: number | string; part: Entry[] }[] = []
  for (const entry of entries) {
    const last = found.at(-1)
    if (!isContent(entry)) {
      if (last === undefined) found.push({ level: number, part: [entry] })
      else last.part.push(entry)
      continue
    }
    const above = world.line(writerOf(entry))
    const isSpared = entry.kind === 'said' && spared.includes(entry.message)
    const level = isSpared ? entry.message.id : (line.find((branch) => above.includes(branch)) ?? -1)
    if (last?.level === level) last.part.push(entry)
    else found.push({ level, part: [entry] })
  }
  return found.map(({ level, part }) => {
    const [first, second] = part.filter(isContent)
    const isOne = first?.kind === 'summed' && second === undefined
    return { entries: part, isToWrite: typeof level === 'number' && first !== undefined && !isOne }
  })
}

/** The index of the `count`-th message or summary. */
function placeOfContent(entries: readonly Entry[], count: number): number {
  let seen = 0
  return entries.findIndex((entry) => isContent(entry) && ++seen === count)
}
