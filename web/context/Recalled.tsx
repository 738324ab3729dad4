import { useState } from 'react'
import { Link } from 'wouter'
import type { TurnContextView } from '../../src/view/prompt/turn-context.ts'
import { Time } from '../ui/time.tsx'
import style from './context.module.css'
import { spanOfDays } from './parts.ts'

type Recall = TurnContextView['recall'][number]
type Reason = NonNullable<Recall['why']>

/** What recall brought into a prompt by itself, and why. */
export function Recalled({ pieces }: { readonly pieces: readonly Recall[] }) {
  const [open, setOpen] = useState(0)
  if (pieces.length === 0) return null
  return (
    <section className={style.recalled}>
      <h2>Came back by itself</h2>
      {pieces.map((piece, index) => (
        <article key={`${piece.position} ${index}`}>
          <blockquote>{firstLine(piece.text)}</blockquote>
          <p className={style.said}>
            <span>
              {piece.who} · <Time at={piece.at} as="ago" /> ·{' '}
              <Link href={`/chat/${encodeURIComponent(piece.branch)}?at=${piece.position}`}>
                {piece.branch} at {piece.position}
              </Link>
            </span>
            <button
              type="button"
              className={style.why}
              aria-expanded={open === index}
              onClick={() => setOpen(open === index ? -1 : index)}
            >
              Why is this here?
            </button>
          </p>
          {open === index && <Why piece={piece} />}
        </article>
      ))}
    </section>
  )
}

/** Without the message that it answers, which is quoted before it. */
function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '' && !line.startsWith('> ')) ?? text
}

function Why({ piece: { why, covered } }: { readonly piece: Recall }) {
  return (
    <div className={style.reasons}>
      {why === null ? (
        <p>The scores were not recorded then.</p>
      ) : (
        <>
          <p>{matchedWords(why)}</p>
          <dl>
            {scores(why).map(({ name, value, hint }) => (
              <div key={name} title={hint}>
                <dt>{name}</dt>
                <dd>
                  <i style={{ width: `${Math.min(1, Math.max(0, value)) * 100}%` }} />
                  {value.toFixed(2)}
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
      <p>
        {covered === null
          ? 'It was cleared from view, and recallAcrossClear is on, so it came back by itself.'
          : `It stands in the summary of ${spanOfDays(covered.from, covered.to)}, so it came back by itself.`}
      </p>
    </div>
  )
}

function matchedWords({ matched }: Reason) {
  if (matched.length === 0) return 'None of the question’s words: it is near in meaning.'
  return (
    <>
      {matched.length === 1 ? 'The word ' : 'The words '}
      {matched.map((word) => (
        <code key={word}>{word}</code>
      ))}
    </>
  )
}

function scores({ words, meaning, vector, recency, spread, score }: Reason) {
  return [
    { name: 'words', value: words, hint: 'How well the words match, beside the best hit' },
    ...(vector === null
      ? []
      : [{ name: 'meaning', value: meaning ?? vector, hint: 'How near it is in meaning' }]),
    { name: 'recency', value: recency, hint: 'Older messages count a little less' },
    ...(spread < 1
      ? [{ name: 'spread', value: spread, hint: 'Less if its conversation has better hits' }]
      : []),
    { name: 'together', value: score, hint: 'Its score in the search' },
  ]
}
