import type { agentsPage } from '../../src/view/agents.ts'
import type { TurnContextView } from '../../src/view/prompt/turn-context.ts'
import { useRead } from '../api/query.ts'
import { fullCount, moneyText } from '../ui/numbers.ts'
import { Chip } from '../ui/surface.tsx'
import { Time } from '../ui/time.tsx'
import type { useAddress } from './address.ts'
import style from './context.module.css'

interface ChipsProps {
  readonly view: TurnContextView
  readonly branch: string | undefined
  readonly go: ReturnType<typeof useAddress>['go']
}

/** Which prompt this is: branch, turn and call. */
export function TurnChips({ view, branch, go }: ChipsProps) {
  const { turn, change } = view
  return (
    <>
      <BranchChip now={branch ?? view.branch} go={go} />
      {turn === null ? (
        <Chip>the next prompt</Chip>
      ) : (
        <>
          <Chip>
            turn {fullCount(turn.number)} · <Time at={turn.at} as="both" />
            {turn.used?.cost ? ` · ${moneyText(turn.used.cost)}` : ''}
          </Chip>
          {turn.calls > 1 && <CallChip turn={turn} go={go} />}
          {change !== null && <Chip className={style.change}>{CHANGES[change]}</Chip>}
        </>
      )}
    </>
  )
}

const CHANGES = {
  compacted: 'summarized before it',
  cleared: 'cleared before it',
  rewound: 'rewound before it',
  expanded: 'summary opened before it',
  saved: 'a fork was saved before it',
  undone: 'undone before it',
}

function BranchChip({ now, go }: { readonly now: string; readonly go: ChipsProps['go'] }) {
  const { data } = useRead<ReturnType<typeof agentsPage>>('/api/agents', {}, { on: ['branch-'] })
  const agents = (data?.agents ?? []).map(({ handle, name, title }) => ({
    value: name === 'main' ? 'main' : handle,
    words: title === null ? name : `${name} · ${title}`,
  }))
  const all = agents.some(({ value }) => value === now) ? agents : [{ value: now, words: now }, ...agents]
  return (
    <select
      className={style.select}
      aria-label="Branch"
      value={now}
      onChange={({ target }) => go({ branch: target.value, turn: 'now', call: undefined, part: undefined })}
    >
      {all.map(({ value, words }) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  )
}

/** A turn with tools asks the model several times. */
function CallChip({
  turn,
  go,
}: {
  readonly turn: NonNullable<TurnContextView['turn']>
  readonly go: ChipsProps['go']
}) {
  return (
    <select
      className={style.select}
      aria-label="Call"
      value={turn.call}
      onChange={({ target }) => go({ call: target.value })}
    >
      {Array.from({ length: turn.calls }, (_, index) => (
        <option key={index} value={index + 1}>
          call {index + 1} of {turn.calls}
        </option>
      ))}
    </select>
  )
}
