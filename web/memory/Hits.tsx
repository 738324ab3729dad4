import { now } from '../api/now.ts'
import { Chip } from '../ui/surface.tsx'
import { agoText, Time } from '../ui/time.tsx'
import { markedPieces, withoutSigns } from './marked.ts'
import style from './memory.module.css'
import type { Found, Hit } from './search.ts'

/** What a search says besides its hits. */
export function Remarks({ found: { hits, repaired, far, behind } }: { readonly found: Found }) {
  const remarks = [
    ...repaired.map(({ typed, taken }) => `Looked for “${taken}” instead of “${typed}”.`),
    ...(behind.events > 0 ? [`${behind.events.toLocaleString('en')} events are not indexed yet.`] : []),
    ...(behind.vectors > 0
      ? [`The meaning of ${behind.vectors.toLocaleString('en')} messages is not known yet.`]
      : []),
    ...(far && hits.length > 0 ? ['None of these has the words: they are the nearest in meaning.'] : []),
  ]
  return remarks.length === 0 ? null : <p className={style.remarks}>{remarks.join(' ')}</p>
}

interface HitProps {
  readonly hit: Hit
  readonly isChosen: boolean
  readonly choose: () => void
}

export function HitButton({ hit, isChosen, choose }: HitProps) {
  const { at, branchName, label, text, written } = hit
  return (
    <button type="button" className={style.hit} aria-pressed={isChosen} onClick={choose}>
      <span className={style.head}>
        <b>{whoSaid(hit)}</b>
        <Time at={at} as="both" />
        <span>{branchName}</span>
        {label !== null && <Chip className={style.label}>{label}</Chip>}
      </span>
      <Marked text={isProse(hit) ? withoutSigns(text) : text} words={written} />
      <Why hit={hit} />
    </button>
  )
}

export function Marked({ text, words }: { readonly text: string; readonly words: readonly string[] }) {
  return (
    <span className={style.said}>
      {markedPieces(text, words).map((piece, index) =>
        piece.isMarked ? <mark key={index}>{piece.text}</mark> : piece.text,
      )}
    </span>
  )
}

/** Results of tools are shown as they are. */
export function isProse({ kind }: Pick<Hit, 'kind'>): boolean {
  return kind !== 'tool' && kind !== 'echo'
}

export function whoSaid({ kind, speaker, isOwn }: Pick<Hit, 'kind' | 'speaker' | 'isOwn'>): string {
  if (kind === 'user' || kind === 'note') {
    if (isOwn) return 'you'
    return kind === 'note' ? 'note' : speaker === 'host' ? 'Mainstem' : speaker
  }
  if (kind === 'tool') return `result of ${speaker}`
  if (kind === 'summary') return `summary by ${speaker}`
  if (kind === 'update') return `update from ${speaker}`
  return kind === 'echo' ? 'a look into the log' : 'assistant'
}

/** How the score came about. */
function Why({ hit: { at, why, score, position } }: { readonly hit: Hit }) {
  const { matched, words, vector, recency } = why
  const parts = [
    ...(words > 0
      ? [`${matched.length === 0 ? 'said beside the words' : `words ${matched.join(' ')}`} ${share(words)}`]
      : []),
    ...(vector === null ? [] : [`meaning ${share(vector)}`]),
    agoText(at, now()),
  ]
  return (
    <span className={style.why}>
      <span className={style.score} aria-hidden="true">
        <i style={{ inlineSize: `${Math.round(Math.min(1, score) * 100)}%` }} />
      </span>
      <span
        title={`Score ${score.toFixed(2)} of words and meaning, times ${recency.toFixed(2)} for its age. Position ${position} of the log.`}
      >
        {parts.join(' · ')}
      </span>
    </span>
  )
}

function share(value: number): string {
  return Math.min(1, value).toFixed(2)
}
