import type { Price, Usage } from './contract/model.ts'

/** The limit of a day: money, or tokens where models are local. */
export interface DayLimit {
  readonly unit: 'money' | 'tokens'
  readonly max: number
}

export interface SpendingQuestion {
  readonly limit: DayLimit | null
  /** The use since the day began, in the unit of the limit. */
  readonly spent: { readonly all: number; readonly background: number }
  readonly purpose: 'person' | 'background'
  /** Whether 80 % were told today already. */
  readonly isTold: boolean
  /** Whether the person agreed today to go on beyond the limit. */
  readonly isAgreed: boolean
}

export type SpendingAnswer =
  | { readonly kind: 'go' }
  /** Go on, and say once that the day's limit is near. */
  | { readonly kind: 'go-and-tell'; readonly spent: number; readonly max: number }
  /** Background work has used its half: it waits for the next day. */
  | { readonly kind: 'wait'; readonly because: 'background-half-spent' | 'day-spent'; readonly max: number }
  /** Nothing is left: the person is asked before going on. */
  | { readonly kind: 'ask'; readonly spent: number; readonly max: number }

const TELL_SHARE = 0.8
const BACKGROUND_SHARE = 0.5
const MILLION = 1_000_000

/** Decides about the next model call. What it will cost is not known yet, so the last one may go over the limit. */
export function maySpend(question: SpendingQuestion): SpendingAnswer {
  const { limit, spent, purpose, isTold, isAgreed } = question
  if (limit === null) return { kind: 'go' }
  const { max } = limit
  if (purpose === 'background') {
    if (spent.all >= max) return { kind: 'wait', because: 'day-spent', max }
    const half = max * BACKGROUND_SHARE
    if (spent.background >= half) return { kind: 'wait', because: 'background-half-spent', max: half }
  }
  if (purpose === 'person' && spent.all >= max && !isAgreed) return { kind: 'ask', spent: spent.all, max }
  const isNear = spent.all >= max * TELL_SHARE
  return isNear && !isTold ? { kind: 'go-and-tell', spent: spent.all, max } : { kind: 'go' }
}

/** Null: nobody knows. */
export function costOf(usage: Usage, price: Price | undefined): number | null {
  if (!price) return null
  const { tokensIn, tokensOut, tokensCached, tokensCacheWritten } = usage
  const fresh = Math.max(0, tokensIn - tokensCached - tokensCacheWritten)
  const written = price.perMillionCacheWritten ?? price.perMillionIn
  return (
    (fresh * price.perMillionIn +
      tokensCached * price.perMillionCached +
      tokensCacheWritten * written +
      tokensOut * price.perMillionOut) /
    MILLION
  )
}
