import type { Paint } from '../base/style.ts'
import { oneLine } from '../base/width.ts'
import type { Asked, AskedHit } from '../recall/asking.ts'
import { momentText } from '../recall/moment.ts'

export type Answered = Extract<Asked, { kind: 'found' }>

export interface RecallWords {
  /** What was looked for. */
  readonly words: string
  readonly zone: string
  /** Whether the order is explained. */
  readonly why: boolean
  /** Whether something besides the words was asked for, such as a date. */
  readonly isNarrowed: boolean
}

/** What a person reads who searched, in a chat. Not indented: a screen that is narrow would not keep that. */
export function recallText(found: Answered, words: RecallWords): string {
  const hits = found.hits.map((hit, index) =>
    [`${index + 1}. ${headOf(hit, words.zone)}`, oneLine(hit.text), ...whyLines(hit, words)].join('\n'),
  )
  const remarks = remarksOn(found, words).join('\n')
  return [...(remarks === '' ? [] : [remarks]), ...hits].join('\n\n')
}

/** What is to be known besides the hits; where there are none, what to try. */
export function remarksOn(found: Answered, words: RecallWords): string[] {
  const { hits, repaired, isMore, isFar, behind } = found
  const others = words.isNarrowed ? 'other or fewer words, or no options' : 'other or fewer words'
  return [
    ...(hits.length === 0 ? [`Nothing was found for '${oneLine(words.words)}'. Try ${others}.`] : []),
    ...repaired.map(({ typed, taken }) => `Looked for '${oneLine(taken)}' instead of '${oneLine(typed)}'.`),
    ...(behind.events > 0
      ? [`The index is still being built: ${behind.events.toLocaleString('en')} events are missing in it.`]
      : []),
    ...(isFar ? [`None of the words was found. These are only the nearest in meaning.`] : []),
    ...(isMore ? [`These are the best ${hits.length}; there are more: --limit N shows them.`] : []),
  ]
}

const plain: Paint = (text) => text

/** `2026-03-01 Sun 09:30, you, main at 12 (cleared)` */
export function headOf(hit: AskedHit, zone: string, mark: Paint = plain): string {
  const labels = [...(hit.label === undefined ? [] : [hit.label]), ...withoutWords(hit)]
  const label = labels.length === 0 ? '' : ` ${mark(`(${labels.join(', ')})`)}`
  return `${momentText(hit.at, zone)}, ${speakerWords(hit)}, ${hit.branchName} at ${hit.position}${label}`
}

/** Whoever looks for a word and reads a text without it wants to know what it does there. */
function withoutWords({ why: { matched, coverage } }: AskedHit): string[] {
  if (matched.length > 0) return []
  return [coverage > 0 ? 'said beside a hit' : 'near in meaning']
}

function speakerWords({ kind, speaker, isOwn }: AskedHit): string {
  switch (kind) {
    case 'user':
      return isOwn ? 'you' : oneLine(speaker)
    case 'assistant':
      return 'assistant'
    case 'tool':
      return `result of ${oneLine(speaker)}`
    case 'note':
      return 'note'
    case 'echo':
      return 'a look into the log'
    case 'summary':
      return `summary by ${oneLine(speaker)}`
  }
}

/** `score 0.66 = (0.60 × words 1.00 + 0.40 × meaning 0.25) × age 0.94; it has dentist` */
export function whyLines({ score, why }: AskedHit, { why: isWanted }: Pick<RecallWords, 'why'>): string[] {
  if (!isWanted) return []
  const { words, vector, alpha, matched } = why
  const sum =
    vector === null
      ? `words ${words.toFixed(2)}`
      : `(${share(alpha, 'words', words)} + ${share(1 - alpha, 'meaning', vector)})`
  const has = matched.length === 0 ? 'none of the words' : matched.map(oneLine).join(', ')
  return [`score ${score.toFixed(2)} = ${sum} × age ${ageOf({ score, why }).toFixed(2)}; it has ${has}`]
}

/** What is left of the score: whoever multiplies gets what is told. */
function ageOf({ score, why: { words, vector, alpha } }: Pick<AskedHit, 'score' | 'why'>): number {
  const fused = vector === null ? words : alpha * words + (1 - alpha) * vector
  return fused === 0 ? 1 : Math.min(1, score / fused)
}

function share(weight: number, name: string, value: number): string {
  return `${weight.toFixed(2)} × ${name} ${value.toFixed(2)}`
}
