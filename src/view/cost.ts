import { amountOf, isNoted, limitShown, othersOn, spentBy, spentOn } from '../agent/state/spent.ts'
import type { AgentSettings } from '../agent/state/settings.ts'
import type { SpentFor, Sums } from '../agent/state/tables.ts'
import { clockIn } from '../base/time-text.ts'
import { findPerson, personIn } from '../agent/state/person.ts'
import { branchNames } from '../context/naming.ts'
import type { BranchId } from '../event/id.ts'
import { OWNER } from '../event/speaker.ts'
import type { Reader } from '../event/table.ts'
import type { Price } from '../model/contract/model.ts'
import type { DayLimit } from '../model/spending.ts'
import { moneyWords, tokenWords } from './words.ts'

export interface CostLook {
  readonly branch: BranchId
  readonly at: number
  readonly settings: AgentSettings
  /** How many days back are listed. */
  readonly days?: number
  /** The price of a model, for what the provider's cache saved. */
  readonly priceOf?: (model: string) => Price | undefined
}

export type CostView = ReturnType<typeof costView>

const DAY_MS = 24 * 60 * 60 * 1000

/** What was spent by a branch and by its person, today and on the days before. Programs rely on the names. */
export function costView(reader: Reader, { branch, at, settings, days = 0, priceOf }: CostLook) {
  const dayOf = (time: number): string => clockIn(time, settings.zone).date
  const person = personIn(reader, branch)
  const on = (day: string) => {
    const { all, background, parts: sums } = spentOn(reader, { branch, day })
    const parts = Object.entries(sums).map(([key, part]) => {
      const [what = '', model = ''] = key.split(/ (.*)/s)
      return { for: what as SpentFor, model, ...sumsView(part), saved: savedIn(part, priceOf?.(model)) }
    })
    const people = person === OWNER ? othersView(reader, day, settings) : []
    return { day, all: sumsView(all), background: sumsView(background), parts, people }
  }
  const limit = limitShown(reader, person, settings)
  const warn = person === OWNER ? settings.dayWarn : null
  const today = on(dayOf(at))
  const { all } = spentOn(reader, { branch, day: today.day })
  const { tokensUnpriced } = all
  return {
    today,
    branch: { name: branchNames(reader)(branch), ...sumsView(spentBy(reader, branch).own) },
    /** What such tokens count as, in money. */
    unpriced: { tokens: tokensUnpriced, money: (tokensUnpriced * settings.priceUnknown) / 1_000_000 },
    limit: limit && {
      ...limit,
      used: amountOf(all, limit.unit, settings),
      isLifted: isNoted(reader, 'agreed', { branch, day: today.day }),
    },
    warn,
    isOwner: person === OWNER,
    /** The newest first; left out where nothing was spent. */
    days: [...new Set(Array.from({ length: days }, (_, back) => dayOf(at - back * DAY_MS)))]
      .map(on)
      .filter((one) => one.all.calls > 0),
  }
}

/** What guests and groups used on a day: the owner pays for it. */
export function othersView(reader: Reader, day: string, settings: AgentSettings) {
  return othersOn(reader, day).map(({ person, all }) => {
    const limit = limitShown(reader, person, settings)
    const name = findPerson(reader, person)?.name ?? person
    return {
      person,
      name,
      ...sumsView(all),
      limit: limit && { ...limit, used: amountOf(all, limit.unit, settings) },
    }
  })
}

/** `Ana: $1.20, 3 calls, …` */
export function otherWords({ name, limit, ...used }: ReturnType<typeof othersView>[number]): string {
  const of = limit === null ? '' : ` (limit ${limitText(limit)})`
  return `${name}: ${sumsWords(used)}${of}`
}

/**
 * The money that the provider's cache saved, at the model's price of now: what was read from it cost less, what was
 * written to it cost more. Null where no price is known.
 */
function savedIn({ tokensCached, tokensCacheWritten }: Sums, price: Price | undefined): number | null {
  if (price === undefined) return null
  const { perMillionIn, perMillionCached, perMillionCacheWritten = perMillionIn } = price
  const read = tokensCached * (perMillionIn - perMillionCached)
  return (read - tokensCacheWritten * (perMillionCacheWritten - perMillionIn)) / 1_000_000
}

/** `cost`: null where no price is known. */
function sumsView({ calls, tokensIn, tokensOut, tokensCached, cost, isPriced }: Sums) {
  return { calls, tokensIn, tokensOut, tokensCached, cost: isPriced ? cost : null }
}

/** What was spent on the person's day (`2026-03-01`), by whom, and how much of the day's limit is left. */
export function costText({ today, branch, unpriced, limit, warn, isOwner }: CostView): string {
  const { day, all, background } = today
  const isMoney = [limit, warn].some((one) => one?.unit === 'money')
  const { tokens, money } = unpriced
  return [
    `Today (${day}): ${sumsWords(all)}`,
    ...(background.calls === 0 ? [] : [`In the background: ${sumsWords(background)}`]),
    `In ${branch.name}, in total: ${sumsWords(branch)}`,
    ...(tokens === 0 || !isMoney
      ? []
      : [
          `Of models without a known price: ${tokenWords(tokens)} tokens, counted as ${moneyWords(money)} (priceUnknown).`,
        ]),
    ...today.people.map((one) => `Of that, ${otherWords(one)}`),
    ...(limit === null && !isOwner ? [] : [limitWords(limit)]),
    ...(warn === null ? [] : [`You are told at ${limitText(warn)} a day (costDayWarn).`]),
  ].join('\n')
}

function limitWords(limit: CostView['limit']): string {
  if (limit === null) return 'No daily limit. Set one with costDayMax.'
  const share = limit.max === 0 ? 100 : Math.round((limit.used / limit.max) * 100)
  const lifted = limit.isLifted ? ' You lifted it for today.' : ''
  return `Daily limit: ${limitText(limit)}, ${share} % used.${lifted}`
}

function limitText({ unit, max }: DayLimit): string {
  return unit === 'money' ? moneyWords(max) : `${tokenWords(max)} tokens`
}

function sumsWords({ calls, tokensIn, tokensOut, tokensCached, cost }: ReturnType<typeof sumsView>): string {
  if (calls === 0) return 'no calls'
  const money = cost === null ? '' : `${moneyWords(cost)}, `
  const cached = tokensCached > 0 ? ` (${tokenWords(tokensCached)} cached)` : ''
  return `${money}${calls === 1 ? '1 call' : `${calls} calls`}, ${tokenWords(tokensIn)} tokens in${cached}, ${tokenWords(tokensOut)} out`
}
