import type { agentsPage } from '../../src/view/agents.ts'
import type { TurnContextView } from '../../src/view/prompt/turn-context.ts'
import { useRead } from '../api/query.ts'
import { fullCount, moneyText } from '../ui/numbers.ts'
import { Chip } from '../ui/surface.tsx'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
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
        name="Branch"
        value={branch}
        options={[...branches]}
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
          name="Call"
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

interface ChoiceProps {
  readonly name: string
  readonly value: string
  readonly options: readonly (readonly [value: string, words: string])[]
  readonly choose: (value: string) => void
}

function Choice({ name, value, options, choose }: ChoiceProps) {
  return (
    <select
      className={ui.select}
      aria-label={name}
      value={value}
      onChange={({ target }) => choose(target.value)}
    >
      {options.map(([one, words]) => (
        <option key={one} value={one}>
          {words}
        </option>
      ))}
    </select>
  )
}
