import type { TurnContextView } from '../../src/view/prompt/turn-context.ts'
import { fullCount, shortCount } from '../ui/numbers.ts'
import { Table } from '../ui/surface.tsx'
import ui from '../ui/ui.module.css'
import style from './context.module.css'
import { Exact } from './Proof.tsx'
import { changeWords, colourOf, partLegend, partName, type Kind } from './part.ts'

interface PartsProps {
  readonly view: TurnContextView
  readonly chosen: string | undefined
  /** The same part again chooses none. */
  readonly choose: (part: string) => void
}

/** How many tokens each part takes, and below, how much the provider had in its cache. */
export function PartBar({ view, chosen, choose, prove }: PartsProps & { prove: () => void }) {
  const parts = view.parts.filter(({ tokens }) => tokens > 0)
  const used = view.turn?.used ?? null
  const share = used === null || used.tokensIn === 0 ? null : used.tokensCached / used.tokensIn
  return (
    <div>
      <div className={style.bar} role="group" aria-label="Parts by tokens">
        {parts.map((part) => (
          <button
            key={part.id}
            style={{ flexGrow: part.tokens, background: colourOf(part.kind) }}
            aria-label={`${partName(part)}, ${fullCount(part.tokens)} tokens`}
            aria-pressed={chosen === part.id}
            title={`${partName(part)} · ${fullCount(part.tokens)} tokens`}
            onClick={() => choose(part.id)}
          />
        ))}
      </div>
      {share !== null && (
        <div className={`${ui.gauge} ${style.cached}`} title="Read from the provider's cache">
          <i style={{ width: `${share * 100}%` }} />
        </div>
      )}
      <div className={ui.legend}>
        {Array.from(Map.groupBy(parts, partLegend), ([name, same]) => (
          <span key={name}>
            <Swatch kind={same[0]!.kind} />
            {name} <b>{shortCount(same.reduce((sum, { tokens }) => sum + tokens, 0))}</b>
          </span>
        ))}
        <span className={`${ui.row} ${style.sum}`}>
          {shortCount(used?.tokensIn ?? view.tokens)} of {shortCount(view.tokensMax)}
          {share !== null && ` · ${Math.round(share * 100)} % read from cache`}
          {view.turn && <Exact turn={view.turn} open={prove} />}
        </span>
      </div>
    </div>
  )
}

export function PartTable({ view, chosen, choose }: PartsProps) {
  return (
    <Table heads={['part', 'change', 'tokens']} className={style.parts}>
      {view.parts.map((part) => {
        const { text, tone } = changeWords(part)
        const isChosen = chosen === part.id
        return (
          <tr key={part.id} data-chosen={isChosen}>
            <td>
              <button aria-pressed={isChosen} disabled={part.count === 0} onClick={() => choose(part.id)}>
                <Swatch kind={part.kind} />
                {partName(part)}
              </button>
            </td>
            <td data-tone={tone}>{text}</td>
            <td>{part.tokens === 0 ? '–' : fullCount(part.tokens)}</td>
          </tr>
        )
      })}
    </Table>
  )
}

export function Swatch({ kind }: { kind: Kind }) {
  return <span className={ui.swatch} style={{ background: colourOf(kind) }} />
}
