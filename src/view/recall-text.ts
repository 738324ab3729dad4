import { isoAt, momentText } from '../base/time-text.ts'
import type { Paint } from '../base/style.ts'
import { oneLine } from '../base/width.ts'
import { handleOf } from '../event/id.ts'
import type { RecallAnswer, RecallHit } from '../recall/asking.ts'
import type { Unheard } from '../recall/speaker.ts'

export type Answered = Extract<RecallAnswer, { kind: 'found' }>

/** The hits, for programs, which rely on the names. */
export function recallView({ hits, repaired, behind, isMore, isFar }: Answered, query: string) {
  return {
    query,
    hits: hits.map((hit) => ({
      ...hit,
      handle: handleOf(hit.branch),
      at: isoAt(hit.at),
      label: hit.label ?? null,
    })),
    more: isMore,
    far: isFar,
    repaired,
    behind,
  }
}

export interface RecallWords {
  readonly words: string
  readonly zone: string
  /** Whether the order is explained. */
  readonly why: boolean
  /** Whether something besides the words was asked for, such as a date. */
  readonly isNarrowed: boolean
  /** Set if nobody has the name that was asked for. */
  readonly unheard?: Unheard
}

/** The answer of /recall. Not indented: narrow screens would break that. */
export function recallText(found: Answered, words: RecallWords): string {
  const hits = found.hits.map((hit, index) =>
    [
      `${index + 1}. ${headOf(hit, words.zone)}`,
      oneLine(hit.text),
      ...(words.why ? [whyLine(hit, found.hits)] : []),
    ].join('\n'),
  )
  const remarks = remarksOn(found, words).join('\n')
  return [...(remarks === '' ? [] : [remarks]), ...hits].join('\n\n')
}

/** Remarks besides the hits; where there are none, what to try. */
export function remarksOn(found: Answered, words: RecallWords): string[] {
  const { hits, repaired, isMore, isFar, behind } = found
  return [
    ...(hits.length === 0 ? [nothingFound(words)] : []),
    ...repaired.map(({ typed, taken }) => `Looked for '${oneLine(taken)}' instead of '${oneLine(typed)}'.`),
    ...(behind.events > 0
      ? [`The index is still being built: ${behind.events.toLocaleString('en')} events are missing.`]
      : []),
    ...(behind.vectors > 0 ? [unknownMeanings(behind.vectors)] : []),
    ...(isFar ? [farWords(hits)] : []),
    ...(isMore ? [`${bestWords(hits.length)}; there are more: --limit N shows them.`] : []),
  ]
}

function nothingFound({ words, isNarrowed, unheard }: RecallWords): string {
  const sought = `Nothing was found for '${oneLine(words)}'`
  if (unheard === undefined)
    return `${sought}. Try other or fewer words${isNarrowed ? ', or no options' : ''}.`
  const { name, others } = unheard
  const takes =
    others.length === 0
      ? 'me and you (the assistant); nobody else spoke'
      : `me, you (the assistant) and those who did: ${others.map(oneLine).join(', ')}`
  return `${sought}: nobody called '${oneLine(name)}' ever spoke here. --by takes ${takes}.`
}

function unknownMeanings(count: number): string {
  return count === 1
    ? 'The meaning of 1 message is not known yet; that one is found by its words alone.'
    : `Meanings of ${count.toLocaleString('en')} messages are not known yet; those are found by their words alone.`
}

/** The words may stand in what was not asked for, such as what others said. */
function farWords(hits: readonly RecallHit[]): string {
  return hits.some(({ why }) => why.words > 0)
    ? 'None of these has the words. They were said beside them, or are near in meaning.'
    : 'None of the words was found. These are only the nearest in meaning.'
}

function bestWords(count: number): string {
  return count === 1 ? 'This is the best one' : `These are the best ${count.toLocaleString('en')}`
}

const plain: Paint = (text) => text

/** `2026-03-01 Sun 09:30, you, main at 12 (cleared)` */
export function headOf(hit: RecallHit, zone: string, mark: Paint = plain): string {
  const labels = [...(hit.label === undefined ? [] : [hit.label]), ...withoutWords(hit)]
  const label = labels.length === 0 ? '' : ` ${mark(`(${labels.join(', ')})`)}`
  return `${momentText(hit.at, zone)}, ${speakerWords(hit)}, ${hit.branchName} at ${hit.position}${label}`
}

/** Says why a hit without any of the words is there. */
function withoutWords({ why: { matched, words } }: RecallHit): string[] {
  if (matched.length > 0) return []
  return [words > 0 ? 'said beside a hit' : 'near in meaning']
}

function speakerWords({ kind, speaker, isOwn, isPassedOn }: RecallHit): string {
  switch (kind) {
    case 'user':
      return `${isPassedOn ? 'passed on by ' : ''}${isOwn ? 'you' : oneLine(speaker)}`
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
    case 'update':
      return `update from ${oneLine(speaker)}`
  }
}

type Scored = Pick<RecallHit, 'score' | 'why'>

/** `score 0.66 = (0.60 × words 1.00 + 0.40 × meaning 0.25) × age 0.94; it has dentist`, with the session's factor if it is not 1. */
export function whyLine({ score, why }: Scored, among: readonly Scored[]): string {
  const { words, vector, alpha, recency, spread, matched } = why
  const sum =
    vector === null
      ? `words ${words.toFixed(2)}`
      : `(${share(alpha, 'words', words)} + ${share(1 - alpha, 'meaning', vector)})`
  const isUnknown = vector === null && among.some((other) => other.why.vector !== null)
  const unknown = isUnknown ? '; meaning not known yet' : ''
  const session = spread < 1 ? ` × session ${spread.toFixed(2)}` : ''
  const has = matched.length === 0 ? 'none of the words' : matched.map(oneLine).join(', ')
  return `score ${score.toFixed(2)} = ${sum} × age ${recency.toFixed(2)}${session}${unknown}; it has ${has}`
}

function share(weight: number, name: string, value: number): string {
  return `${weight.toFixed(2)} × ${name} ${value.toFixed(2)}`
}
