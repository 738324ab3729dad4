import { pathToFileURL } from 'node:url'
import { summarisers, type Summariser } from './summary-baselines.ts'
import {
  factKinds,
  fixtureSets,
  loadConversations,
  type Conversation,
  type Fact,
  type FixtureSet,
} from './summary-fixtures.ts'

/** As the policy does it: 20 messages more are summed up each time, and the newest 20 stay outside. */
const STEP = 20
const OUTSIDE = 20
const TOKENS_MAX = 500
export const AGES = [1, 3, 10] as const
export type Age = (typeof AGES)[number]

/** How many facts were there to survive so many compactions, and how many did. */
export interface Survival {
  readonly facts: number
  readonly kept: number
}

export interface Outcome {
  readonly conversation: string
  readonly fact: Fact
  readonly age: Age
  readonly kept: boolean
}

export interface SummaryMeasure {
  readonly set: FixtureSet
  readonly summariser: string
  readonly outcomes: readonly Outcome[]
}

export function measureSummaries(set: FixtureSet): SummaryMeasure[] {
  const conversations = loadConversations(set)
  return Object.entries(summarisers).map(([summariser, summarise]) => {
    const outcomes = conversations.flatMap((conversation) => {
      return survivals(conversation, compactions(conversation, summarise))
    })
    return { set, summariser, outcomes }
  })
}

/** The first message that each compaction leaves out: as the policy cuts, between turns. */
function cutsOf({ messages }: Conversation): number[] {
  const cuts: number[] = []
  for (let cut = STEP; cut + OUTSIDE <= messages.length; cut += STEP) {
    while (cut < messages.length && messages[cut]?.who !== 'user') cut++
    cuts.push(cut)
  }
  return cuts
}

/** The summary after each compaction. */
export function compactions(conversation: Conversation, summarise: Summariser): string[] {
  const summaries: string[] = []
  let from = 0
  for (const cut of cutsOf(conversation)) {
    const previous = summaries.at(-1) ?? null
    const messages = conversation.messages.slice(from, cut)
    summaries.push(summarise({ previous, messages, tokensMax: TOKENS_MAX }))
    from = cut
  }
  return summaries
}

function survivals(conversation: Conversation, summaries: readonly string[]): Outcome[] {
  const { name, facts } = conversation
  const cuts = cutsOf(conversation)
  const compactionOf = (fact: Fact): number => {
    const index = cuts.findIndex((cut) => fact.messageIndex < cut)
    return index < 0 ? cuts.length : index
  }
  return facts.flatMap((fact) => {
    const later = facts.find(({ id }) => id === fact.supersededBy)
    const until = later === undefined ? summaries.length : compactionOf(later)
    return AGES.flatMap((age): Outcome[] => {
      const after = compactionOf(fact) + age - 1
      const summary = summaries[after]
      if (summary === undefined || after >= until) return []
      return [{ conversation: name, fact, age, kept: tells(summary, fact) }]
    })
  })
}

export function tells(summary: string, { mustContain }: Pick<Fact, 'mustContain'>): boolean {
  const patterns = mustContain.map(wordsPattern)
  return summary.split('\n').some((line) => patterns.every((pattern) => pattern.test(line)))
}

/** `15` is not found in `150`; next to a script without spaces there are no edges. */
const LETTER = String.raw`[[\p{L}--[\p{Script=Han}]]\p{N}]`

function wordsPattern(either: string): RegExp {
  const words = either.split('|').map((word) => {
    const escaped = RegExp.escape(word.trim())
    return /\p{Script=Han}/u.test(word) ? escaped : `(?<!${LETTER})${escaped}(?!${LETTER})`
  })
  return new RegExp(words.join('|'), 'iv')
}

export function survival(outcomes: readonly Outcome[]): Survival {
  return { facts: outcomes.length, kept: outcomes.filter(({ kept }) => kept).length }
}

/** A Markdown table: one line for each summariser, and for ours one for each kind of fact. */
export function summaryTable(measures: readonly SummaryMeasure[]): string {
  const head = ['set', 'summariser', 'facts', ...AGES.map((age) => `after ${age}`)]
  const rows = measures.flatMap(({ set, summariser, outcomes }) => {
    const rowOf = (label: string, some: readonly Outcome[]) => [
      set,
      summariser,
      label,
      ...AGES.map((age) => shareText(survival(some.filter((outcome) => outcome.age === age)))),
    ]
    const kinds =
      summariser === 'ours'
        ? factKinds.map((kind) =>
            rowOf(
              kind,
              outcomes.filter(({ fact }) => fact.kind === kind),
            ),
          )
        : []
    return [rowOf('all', outcomes), ...kinds]
  })
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const rule = widths.map((width) => '-'.repeat(width))
  return [head, rule, ...rows]
    .map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
    .join('\n')
}

function shareText({ facts, kept }: Survival): string {
  return facts === 0 ? '-' : `${Math.round((100 * kept) / facts)} % (${kept} of ${facts})`
}

function main(): void {
  const measures = fixtureSets.flatMap((set) => measureSummaries(set))
  console.log(`share of planted facts in the summary after one, three and ten compactions,`)
  console.log(`each of ${STEP} messages into at most ${TOKENS_MAX} tokens\n`)
  console.log(summaryTable(measures))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main()
