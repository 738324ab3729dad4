import { estimateTokens } from '../../base/tokens.ts'
import { ModelError, type Model, type Usage } from '../../model/contract/model.ts'
import { maySpend, type DayLimit, type SpendingAnswer } from '../../model/spending.ts'
import type { AgentSettings } from './settings.ts'
import { getBranch, lineOf } from '../../context/branch.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import type { Prompt } from '../../event/prompt.ts'
import { allRows, fromJson, toJson, type Reader, type Writer } from '../../event/table.ts'
import { newest } from './newest.ts'
import { OWNER } from '../../event/speaker.ts'
import { personIn } from './person.ts'
import { runAbove } from './run.ts'
import { personTable, spentDayTable, spentTable, type SpentFor, type Sums } from './tables.ts'

const nothing: Sums = {
  calls: 0,
  tokensIn: 0,
  tokensOut: 0,
  tokensCached: 0,
  tokensCacheWritten: 0,
  cost: 0,
  tokensUnpriced: 0,
  isPriced: false,
}

/** The usage of a branch, and of every branch ever forked below it. */
export function spentBy(reader: Reader, branch: BranchId): { readonly own: Sums; readonly below: Sums } {
  const row = reader.row(spentTable, [branch])
  if (row === undefined) return { own: nothing, below: nothing }
  return { own: fromJson(row.sums), below: fromJson(row.below) }
}

/** A day of the person of a branch. */
interface DayOf {
  readonly branch: BranchId
  readonly day: string
}

/** The usage of a branch's person on a day, how much of it was for work that nobody waited for, and what it was for. */
export function spentOn(reader: Reader, of: DayOf, person = personIn(reader, of.branch)) {
  const row = reader.row(spentDayTable, [of.day, person])
  if (row === undefined) return { all: nothing, background: nothing, parts: {} }
  return { all: fromJson(row.total), background: fromJson(row.background), parts: fromJson(row.parts) }
}

/** A day's limit, and whose use counts against it. */
interface LimitOf {
  readonly payer: string
  readonly limit: DayLimit
  /** What all groups use counts, but for those with a limit of their own: anybody in a group may make more of them. */
  readonly isOfGroups?: true
}

/** The limits of a branch's person: their own, and the owner's, who pays for everybody. */
function limitsOn(reader: Reader, branch: BranchId, settings: AgentSettings): LimitOf[] {
  const own = ownLimit(reader, personIn(reader, branch), settings)
  return [
    ...(own === undefined ? [] : [own]),
    ...(settings.dayLimit === null ? [] : [{ payer: OWNER, limit: settings.dayLimit }]),
  ]
}

function ownLimit(
  reader: Reader,
  payer: string,
  { guests, guestDayLimit }: AgentSettings,
): LimitOf | undefined {
  if (payer === OWNER) return undefined
  const own = guests[payer]?.ownDayLimit
  if (own !== undefined) return { payer, limit: own }
  if (guestDayLimit === undefined) return undefined
  return { payer, limit: guestDayLimit, ...(isGroup(reader, payer) && { isOfGroups: true }) }
}

/** Also one that was removed: what it used today stays used. */
function isGroup(reader: Reader, person: string): boolean {
  return reader.row(personTable, [person])?.role === 'group'
}

/** Whose use counts against a limit on a day. */
function usersOf(
  reader: Reader,
  { payer, isOfGroups }: LimitOf,
  { day, settings }: { day: string; settings: AgentSettings },
): readonly string[] {
  if (isOfGroups !== true) return [payer]
  const others = othersOn(reader, day).map(({ person }) => person)
  return others.filter(
    (person) => isGroup(reader, person) && settings.guests[person]?.ownDayLimit === undefined,
  )
}

/** The limit that a person is shown: the owner that of everybody, others their own. */
export function limitShown(reader: Reader, person: string, settings: AgentSettings): DayLimit | null {
  return person === OWNER ? settings.dayLimit : (ownLimit(reader, person, settings)?.limit ?? null)
}

/** Guests and groups that used something on a day, also those that were removed. */
export function othersOn(reader: Reader, day: string): { readonly person: string; readonly all: Sums }[] {
  return [...allRows(reader, spentDayTable, { prefix: [day] })].flatMap(({ person, total }) =>
    person === OWNER ? [] : { person, all: fromJson(total) },
  )
}

/** What notes about a day's spending are kept under. */
export function dayKey(reader: Reader, of: DayOf): string {
  return `${of.day} ${personIn(reader, of.branch)}`
}

/** Whether this was noted today, for the person of the branch. */
export function isNoted(reader: Reader, what: EventOf<'spending-noted'>['what'], of: DayOf): boolean {
  return newest(reader, what, dayKey(reader, of)) !== undefined
}

export function addSpent(writer: Writer, event: EventOf<'model-answered' | 'model-used'>): void {
  const { branch, day, purpose } = event
  for (const { id } of lineOf(writer, getBranch(writer, branch))) {
    const { own, below } = spentBy(writer, id)
    const [sums, rest] = id === branch ? [plus(own, event), below] : [own, plus(below, event)]
    writer.put(spentTable, { branch: id, sums: toJson(sums), below: toJson(rest) })
  }
  // The owner pays for everybody.
  for (const person of new Set([personIn(writer, branch), OWNER])) {
    const { all, background, parts } = spentOn(writer, event, person)
    const part = `${spentFor(writer, event, person)} ${event.model}`
    writer.put(spentDayTable, {
      day,
      person,
      total: toJson(plus(all, event)),
      background: toJson(purpose === 'background' ? plus(background, event) : background),
      parts: toJson({ ...parts, [part]: plus(parts[part] ?? nothing, event) }),
    })
  }
}

function spentFor(reader: Reader, event: EventOf<'model-answered' | 'model-used'>, person: string): SpentFor {
  if (personIn(reader, event.branch) !== person) return 'guest'
  if (event.kind === 'model-used') return event.what
  if (runAbove(reader, event.branch) !== undefined) return 'run'
  const { mode } = getBranch(reader, event.branch)
  return mode === 'background' ? 'run' : mode
}

function plus(before: Sums, { usage, cost }: EventOf<'model-answered' | 'model-used'>): Sums {
  return {
    calls: before.calls + 1,
    tokensIn: before.tokensIn + usage.tokensIn,
    tokensOut: before.tokensOut + usage.tokensOut,
    tokensCached: before.tokensCached + usage.tokensCached,
    tokensCacheWritten: before.tokensCacheWritten + usage.tokensCacheWritten,
    cost: before.cost + (cost ?? 0),
    tokensUnpriced: before.tokensUnpriced + (cost === null ? usage.tokensIn + usage.tokensOut : 0),
    isPriced: before.isPriced || (cost ?? 0) > 0,
  }
}

export type Purpose = 'person' | 'background'

/** Estimates what a provider may charge for a call that broke off after so much was heard. */
export function brokenUsage(prompt: Prompt, heard: string): Usage {
  const tokens = { tokensIn: estimateTokens(JSON.stringify(prompt)), tokensOut: estimateTokens(heard) }
  return { ...tokens, tokensCached: 0, tokensCacheWritten: 0 }
}

/** What was used, in the unit of a limit. Nothing is free only because its price is unknown. */
export function amountOf(sums: Sums, unit: DayLimit['unit'], { priceUnknown }: AgentSettings): number {
  if (unit === 'tokens') return sums.tokensIn + sums.tokensOut
  return sums.cost + (sums.tokensUnpriced * priceUnknown) / 1_000_000
}

export function spendingNow(
  reader: Reader,
  { settings, purpose, ...of }: DayOf & { settings: AgentSettings; purpose: Purpose },
): SpendingNow {
  const answers = limitsOn(reader, of.branch, settings).map((one): SpendingNow => {
    const { payer, limit } = one
    const used = usersOf(reader, one, { day: of.day, settings }).map((person) => spentOn(reader, of, person))
    const amount = (part: 'all' | 'background'): number =>
      used.reduce((sum, sums) => sum + amountOf(sums[part], limit.unit, settings), 0)
    const spent = { all: amount('all'), background: amount('background') }
    const isAgreed = newest(reader, 'agreed', `${of.day} ${payer}`) !== undefined
    // Nobody is told how much of another's limit is used; the person who allowed passing it knows that it is near.
    const isOthers = one.isOfGroups === true || payer !== personIn(reader, of.branch)
    const isTold = isAgreed || isOthers || isNoted(reader, 'near', of)
    return { ...maySpend({ limit, spent, purpose, isTold, isAgreed }), unit: limit.unit }
  })
  const stops = answers.find(({ kind }) => kind === 'ask' || kind === 'wait')
  return stops ?? answers.find(({ kind }) => kind === 'go-and-tell') ?? { kind: 'go', unit: 'money' }
}

/** The answer of the limit that stops, and its unit. */
export type SpendingNow = SpendingAnswer & Pick<DayLimit, 'unit'>

export interface SpendingNews {
  readonly what: 'near' | 'warned' | 'unpriced'
  readonly text: string
}

/** What the person is told once a day, before a call of this model. */
export function spendingNews(
  reader: Reader,
  { settings, model, ...of }: DayOf & { settings: AgentSettings; model: Pick<Model, 'name' | 'price'> },
): SpendingNews[] {
  // Settings are for the owner.
  if (personIn(reader, of.branch) !== OWNER) return []
  const { dayWarn: warn, dayLimit, priceUnknown } = settings
  const used = warn === null ? 0 : amountOf(spentOn(reader, of).all, warn.unit, settings)
  const news: SpendingNews[] = []
  if (warn !== null && used >= warn.max)
    news.push({
      what: 'warned',
      text: `${amountWords(used, warn.unit)} used today (costDayWarn: ${amountWords(warn.max, warn.unit)}). /cost shows it; costDayMax sets a limit.`,
    })
  if (dayLimit?.unit === 'money' && model.price === undefined)
    news.push({
      what: 'unpriced',
      text: `The price of ${model.name} is unknown, so the spending limit counts $${priceUnknown} per million tokens for it (priceUnknown).`,
    })
  return news.filter(({ what }) => !isNoted(reader, what, of))
}

/** A call is refused because of the day's limit. */
export interface Spent {
  readonly answer: Extract<SpendingNow, { kind: 'ask' | 'wait' }>
  /** Whether the owner is told, who can change it. */
  readonly isOwner: boolean
}

/** Background work that has used up its share checks this often whether a new day has begun. */
export const SPENDING_WAIT_MS = 60 * 60 * 1000

export function spendingObstacle({ answer, isOwner }: Spent, at: number): ModelError {
  if (answer.kind === 'wait') {
    const nextTryAt = at + SPENDING_WAIT_MS
    return new ModelError('rate-limited', "Today's spending limit for background work is reached", {
      nextTryAt,
    })
  }
  if (!isOwner)
    return new ModelError(
      'rejected',
      'The spending limit for today is reached. The owner of this assistant can raise it',
    )
  const max = amountWords(answer.max, answer.unit)
  return new ModelError(
    'rejected',
    `Today's spending limit (${max}) is reached. /cost allow lets me go on today; /cost shows what was used`,
  )
}

function amountWords(amount: number, unit: DayLimit['unit']): string {
  return unit === 'tokens' ? `${amount} tokens` : `$${Math.round(amount * 100) / 100}`
}
