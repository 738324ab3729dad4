import { stopwatchMs } from '../src/base/clock.ts'
import type { Recall, Search } from '../src/recall/contract/recall.ts'
import type { Question, Written } from './recall-data.ts'

export const ways = ['words', 'vectors', 'both'] as const
export type Way = (typeof ways)[number]

/** Of one question: what was found of its evidence. */
export interface Outcome {
  readonly category: string
  readonly recall5: number
  readonly recall10: number
  readonly hit5: number
  readonly reciprocalRank: number
  readonly ms: number
}

export interface Asking {
  readonly recall: Recall
  /** All that is in the log. */
  readonly written: readonly Written[]
  /** The questions of this one are asked. */
  readonly of: Written
  readonly by: Way
  readonly recency: boolean
  readonly now: number
  readonly change: (text: string) => string
}

const DEPTH = 10

export async function askAll(asking: Asking): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const question of asking.of.conversation.questions) outcomes.push(await askOne(asking, question))
  return outcomes
}

async function askOne(asking: Asking, question: Question): Promise<Outcome> {
  const { recall, of, by, recency, now, change } = asking
  const search: Search = {
    text: change(question.text),
    within: () => 'all',
    limit: DEPTH,
    now,
    by,
    recency,
    ...(of.asker !== undefined && { asker: of.asker }),
  }
  const startedAt = stopwatchMs()
  const { hits } = await recall.search(search)
  const ms = stopwatchMs() - startedAt
  const found = hits.map(({ position }) => of.ids.get(position))
  const evidence = new Set(question.evidence)
  const among = (depth: number): number => {
    const some = new Set(found.slice(0, depth))
    return [...evidence].filter((id) => some.has(id)).length / evidence.size
  }
  const first = found.findIndex((id) => id !== undefined && evidence.has(id))
  return {
    category: question.category,
    recall5: among(5),
    recall10: among(10),
    hit5: among(5) > 0 ? 1 : 0,
    reciprocalRank: first < 0 ? 0 : 1 / (first + 1),
    ms,
  }
}

/** Means over questions, in percent, and the time of a search. */
export interface Quality {
  readonly questions: number
  readonly recall5: number
  readonly recall10: number
  readonly hit5: number
  readonly mrr: number
  readonly p50: number
  readonly p95: number
}

export function qualityOf(outcomes: readonly Outcome[]): Quality {
  const mean = (of: (outcome: Outcome) => number): number =>
    (100 * outcomes.reduce((sum, outcome) => sum + of(outcome), 0)) / Math.max(1, outcomes.length)
  const times = outcomes.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const quantile = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? 0
  return {
    questions: outcomes.length,
    recall5: mean(({ recall5 }) => recall5),
    recall10: mean(({ recall10 }) => recall10),
    hit5: mean(({ hit5 }) => hit5),
    mrr: mean(({ reciprocalRank }) => reciprocalRank),
    p50: quantile(0.5),
    p95: quantile(0.95),
  }
}
