import { Link } from 'wouter'
import type { TurnContextView } from '../../src/view/prompt/turn-context.ts'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import style from './context.module.css'
import { spanOfDays } from './part.ts'

type Recall = TurnContextView['recall'][number]
type Reason = NonNullable<Recall['why']>

/** The messages that recall brought into a prompt by itself, and why. */
export function Recalled({ pieces }: { pieces: readonly Recall[] }) {
  if (pieces.length === 0) return null
  return (
    <section className={`${ui.stack} ${ui.inside}`}>
      <h2 className={ui.caption}>Recalled automatically</h2>
      {pieces.map((piece, index) => (
        <article key={`${piece.position} ${index}`} className={style.piece}>
          <p className={ui.excerpt}>{firstLine(piece.text)}</p>
          <small>
            {WHO[piece.who] ?? piece.who} · <Time at={piece.at} as="ago" /> ·{' '}
            <Link href={`/chat/${encodeURIComponent(piece.branch)}?at=${piece.position}`}>
              {piece.branchTitle ?? piece.branch} at {piece.position}
            </Link>
          </small>
          <details name="why" open={index === 0}>
            <summary>Why is this here?</summary>
            <Why piece={piece} />
          </details>
        </article>
      ))}
    </section>
  )
}

/** Their names in the prompt, and on the page. */
const WHO: Readonly<Record<string, string>> = { 'the person': 'you', 'the assistant': 'Mainstem' }

/** Without the message that it answers, which is quoted before it. */
function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '' && !line.startsWith('> ')) ?? text
}

function Why({ piece: { why, covered } }: { piece: Recall }) {
  return (
    <small className={style.reasons}>
      {why === null ? <p>The scores were not recorded then.</p> : <Scores why={why} />}
      <p>
        {covered === null
          ? 'It was cleared, but recallAcrossClear is on, so recall brought it back.'
          : `It is part of the summary of ${spanOfDays(covered.from, covered.to)}, so recall brought it back.`}
      </p>
    </small>
  )
}

function Scores({ why: { matched, words, meaning, vector, recency, spread, score } }: { why: Reason }) {
  const scores = [
    ['words', words, 'How well the words match, beside the best hit'],
    ['meaning', vector === null ? null : (meaning ?? vector), 'How near it is in meaning'],
    ['recency', recency, 'Older messages count a little less'],
    ['spread', spread < 1 ? spread : null, 'Less if its conversation has better hits'],
    ['total', score, 'Its score in the search'],
  ] as const
  return (
    <>
      {matched.length === 0 ? (
        <p>It has none of the words, but is close in meaning.</p>
      ) : (
        <p>
          Matched the {matched.length === 1 ? 'word' : 'words'} <code>{matched.join(' ')}</code>
        </p>
      )}
      {scores.map(
        ([name, value, hint]) =>
          value !== null && (
            <div key={name} className={style.score} title={hint}>
              <span>{name}</span>
              <span className={ui.gauge}>
                <i style={{ width: `${Math.min(1, Math.max(0, value)) * 100}%` }} />
              </span>
              {value.toFixed(2)}
            </div>
          ),
      )}
    </>
  )
}
