import type { ReactNode } from 'react'
import { now } from '../api/now.ts'
import { counted } from '../ui/numbers.ts'
import { Chip } from '../ui/surface.tsx'
import { agoText, Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import { markedPieces, withoutSigns } from './marked.ts'
import style from './memory.module.css'
import type { Found, Hit } from './search.ts'

/** What a search says besides its hits. */
export function Remarks({ found, label }: { found: Found; label: string }) {
  const { hits, repaired, far, behind } = found
  const remarks = [
    ...repaired.map(({ typed, taken }) => `Looked for “${taken}” instead of “${typed}”.`),
    behind.events > 0 && `${counted(behind.events, 'event')} not indexed yet.`,
    behind.vectors > 0 && `${counted(behind.vectors, 'message')} cannot be found by meaning yet.`,
    far && hits.length > 0 && 'No message has these words. These are the closest in meaning.',
    label !== '' && 'Only the best few hundred hits were checked for this label.',
  ].filter(Boolean)
  return remarks.length === 0 ? null : <p className={ui.note}>{remarks.join(' ')}</p>
}

export function HitButton({ hit, isChosen, choose }: { hit: Hit; isChosen: boolean; choose: () => void }) {
  return (
    <button type="button" className={`${ui.pick} ${style.hit}`} aria-pressed={isChosen} onClick={choose}>
      <Head of={hit}>{placeOf(hit)}</Head>
      <Marked of={hit} words={hit.written} isShort />
      <Why hit={hit} />
    </button>
  )
}

/** The name of a hit's branch, for people. */
export function placeOf({ branchTitle, branchName }: Pick<Hit, 'branchTitle' | 'branchName'>): string {
  return branchTitle ?? branchName
}

type Message = Pick<Hit, 'kind' | 'speaker' | 'isOwn' | 'isPassedOn' | 'at' | 'label' | 'text'>

/** Who said it and when, and what became of it. */
export function Head({ of, children }: { of: Message; children?: ReactNode }) {
  return (
    <span className={`${ui.row} ${ui.note}`}>
      <b>{whoSaid(of)}</b>
      <Time at={of.at} as="both" />
      {children}
      {of.label !== null && <Chip className={style.label}>{of.label}</Chip>}
    </span>
  )
}

interface MarkedProps {
  readonly of: Message
  readonly words: readonly string[]
  readonly isShort?: boolean
}

/** Results of tools are shown as they are, but only their beginning. */
export function Marked({ of: { kind, text }, words, isShort = false }: MarkedProps) {
  const isRaw = kind === 'tool' || kind === 'echo'
  return (
    <span className={`${style.said} ${isRaw || isShort ? ui.excerpt : ''}`} data-raw={isRaw}>
      {markedPieces(isRaw ? text : withoutSigns(text), words).map((piece, index) =>
        piece.isMarked ? <mark key={index}>{piece.text}</mark> : piece.text,
      )}
    </span>
  )
}

type Speaker = Pick<Message, 'kind' | 'speaker' | 'isOwn' | 'isPassedOn'>

export function whoSaid({ kind, speaker, isOwn, isPassedOn }: Speaker): string {
  if (kind === 'user' || kind === 'note') {
    if (isOwn) return isPassedOn === true ? 'passed on by you' : 'you'
    return kind === 'note' ? 'note' : speaker === 'host' ? 'Mainstem' : speaker
  }
  if (kind === 'tool') return `result of ${speaker}`
  if (kind === 'summary') return `summary by ${speaker}`
  if (kind === 'update') return `update from ${speaker}`
  return kind === 'echo' ? 'result of recall' : 'Mainstem'
}

/** How the score came about. */
function Why({ hit: { at, why, score, position } }: { hit: Hit }) {
  const { matched, words, vector, recency } = why
  const found = matched.length === 0 ? 'next to a match' : `words ${matched.join(' ')}`
  const parts = [
    words > 0 && `${found} ${share(words)}`,
    vector !== null && `meaning ${share(vector)}`,
    agoText(at, now()),
  ].filter(Boolean)
  return (
    <span
      className={`${ui.note} ${style.why}`}
      title={`Score ${score.toFixed(2)} of words and meaning, times ${recency.toFixed(2)} for its age. Position ${position} of the log.`}
    >
      <span className={ui.gauge} aria-hidden="true">
        <i style={{ inlineSize: `${Math.round(Math.min(1, score) * 100)}%` }} />
      </span>
      {parts.join(' · ')}
    </span>
  )
}

function share(value: number): string {
  return Math.min(1, value).toFixed(2)
}
