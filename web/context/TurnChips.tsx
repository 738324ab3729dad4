import type { agentsPage } from '../../src/view/agents.ts'
import type { TurnContextView } from '../../src/view/prompt/turn-context.ts'
import { useRead } from '../api/query.ts'
import { Choice } from '../ui/choice.tsx'
import { fullCount, moneyText } from '../ui/numbers.ts'
import { Chip } from '../ui/surface.tsx'
import { Time } from '../ui/time.tsx'
import type { Go } from './address.ts'
import { CHANGES } from './curve.ts'

interface ChipsProps {
  readonly view: TurnContextView
  readonly branch: string | undefined
  readonly go: Go
}

/** Which prompt this is: branch, turn and call. */
export function TurnChips({ view: { turn, change, ...view }, branch = view.branch, go }: ChipsProps) {
  const { data } = useRead<ReturnType<typeof agentsPage>>('/api/agents', {}, { on: ['branch-'] })
  const branches = new Map([
    [branch, branch],
    ...(data?.agents ?? []).map(
      ({ handle, name, title }) =>
        [name === 'main' ? 'main' : handle, title === null ? name : `${name} · ${title}`] as const,
    ),
  ])
  return (
    <>
      <Choice
        label="Branch"
        value={branch}
        options={branches}
        choose={(to) => go({ branch: to, turn: 'now', call: undefined, part: undefined })}
      />
      {turn === null ? (
        <Chip>the next prompt</Chip>
      ) : (
        <Chip>
          turn {fullCount(turn.number)} · <Time at={turn.at} as="both" />
          {turn.used?.cost ? ` · ${moneyText(turn.used.cost)}` : ''}
        </Chip>
      )}
      {/* A turn with tools asks the model several times. */}
      {turn !== null && turn.calls > 1 && (
        <Choice
          label="Call"
          value={String(turn.call)}
          options={Array.from({ length: turn.calls }, (_, at) => [
            String(at + 1),
            `call ${at + 1} of ${turn.calls}`,
          ])}
          choose={(call) => go({ call })}
        />
      )}
      {turn !== null && change !== null && <Chip data-tone="warn">{CHANGES[change]} before it</Chip>}
    </>
  )
}
