import type { TurnContextView } from '../../src/view/prompt/turn-context.ts'
import { fullCount, shortCount } from '../ui/numbers.ts'
import style from './context.module.css'
import { Exact } from './Proof.tsx'
import { colourOf, partLegend, partName, type Part } from './parts.ts'

interface BarProps {
  readonly view: TurnContextView
  readonly chosen: string | undefined
  readonly choose: (part: string) => void
  /** Shows the proof that this is what was sent. */
  readonly prove: () => void
}

/** How many tokens each part takes, and below, how much the provider had in its cache. */
export function PartBar({ view, chosen, choose, prove }: BarProps) {
  const parts = view.parts.filter(({ tokens }) => tokens > 0)
  const used = view.turn?.used ?? null
  const share = used === null || used.tokensIn === 0 ? null : used.tokensCached / used.tokensIn
  return (
    <div>
      <div className={style.bar} role="group" aria-label="Parts by tokens">
        {parts.map((part) => (
          <button
            key={part.id}
            type="button"
            className={style.piece}
            style={{ flexGrow: part.tokens, background: colourOf(part.kind) }}
            aria-label={`${partName(part)}, ${fullCount(part.tokens)} tokens`}
            aria-pressed={chosen === part.id}
            title={`${partName(part)} · ${fullCount(part.tokens)} tokens`}
            onClick={() => choose(part.id)}
          />
        ))}
      </div>
      {share !== null && (
        <div className={style.cached} title="Read from the provider's cache">
          <i style={{ width: `${share * 100}%` }} />
        </div>
      )}
      <div className={style.legend}>
        {legendOf(parts).map(({ name, kind, tokens }) => (
          <span key={name}>
            <span className={style.swatch} style={{ background: colourOf(kind) }} />
            {name} <b>{shortCount(tokens)}</b>
          </span>
        ))}
        <span className={style.sum}>
          <span>
            {shortCount(used?.tokensIn ?? view.tokens)} of {shortCount(view.tokensMax)}
            {share !== null && ` · ${Math.round(share * 100)} % read from cache`}
          </span>
          {view.turn && <Exact turn={view.turn} open={prove} />}
        </span>
      </div>
    </div>
  )
}

/** One entry for all that is called the same. */
function legendOf(parts: readonly Part[]) {
  const entries = new Map<string, { name: string; kind: Part['kind']; tokens: number }>()
  for (const part of parts) {
    const name = partLegend(part)
    const { tokens } = entries.get(name) ?? { tokens: 0 }
    entries.set(name, { name, kind: part.kind, tokens: tokens + part.tokens })
  }
  return [...entries.values()]
}
