import { estimateTokens } from '../src/base/tokens.ts'
import { extractSummary, type Spoken } from '../src/model/extract/extract.ts'

/** Folds older messages and the summary so far into a new one. */
export type Summariser = (input: {
  readonly previous: string | null
  readonly messages: readonly Spoken[]
  readonly tokensMax: number
}) => string

/** Ours, beside what one would do without it. */
export const summarisers: Readonly<Record<string, Summariser>> = {
  ours: extractSummary,
  'last tokens': ({ previous, messages, tokensMax }) =>
    newest([...lines(previous), ...messages.map(said)], tokensMax),
  'first sentences': ({ previous, messages, tokensMax }) =>
    newest([...lines(previous), ...messages.map(firstSentence)], tokensMax),
  'most numbers and capitals': ({ previous, messages, tokensMax }) =>
    densest([...lines(previous), ...messages.map(said)], tokensMax),
}

function lines(previous: string | null): string[] {
  return (previous ?? '').split('\n').filter((line) => line !== '')
}

function said({ who, text }: Spoken): string {
  return `${who}: ${text.replaceAll(/\s+/g, ' ').trim()}`
}

function firstSentence({ who, text }: Spoken): string {
  return said({ who, text: /^.*?(?:[.!?]+(?=\s)|$)/su.exec(text.trim())?.[0] ?? text })
}

/** As many whole lines from the end as fit; where not even one does, its end. */
function newest(all: readonly string[], tokensMax: number): string {
  const kept: string[] = []
  let tokens = 0
  for (const line of all.toReversed()) {
    tokens += estimateTokens(line) + 1
    if (tokens > tokensMax) break
    kept.unshift(line)
  }
  return kept.join('\n')
}

/** Lines with the most digits and capital letters for their tokens, in their order. */
function densest(all: readonly string[], tokensMax: number): string {
  const ranked = all
    .map((line, order) => ({ line, order, tokens: estimateTokens(line) + 1 }))
    .toSorted((a, b) => marks(b.line) / b.tokens - marks(a.line) / a.tokens || a.order - b.order)
  const kept: typeof ranked = []
  let tokens = 0
  for (const one of ranked) {
    if (tokens + one.tokens > tokensMax) continue
    tokens += one.tokens
    kept.push(one)
  }
  return kept
    .toSorted((a, b) => a.order - b.order)
    .map(({ line }) => line)
    .join('\n')
}

function marks(line: string): number {
  return line.match(/\d+|(?<=\S\s)\p{Lu}/gu)?.length ?? 0
}
