import { useEffect } from 'react'
import type { TurnContextView, TurnsView } from '../../src/view/prompt/turn-context.ts'
import { useRead, useRunning } from '../api/query.ts'
import { Page } from '../app/Page.tsx'
import { Card, Empty, Loading, Problem } from '../ui/surface.tsx'
import { Acts } from './Acts.tsx'
import { useAddress } from './address.ts'
import style from './context.module.css'
import { stepFrom } from './curve.ts'
import { Pane } from './Pane.tsx'
import { PartBar } from './PartBar.tsx'
import { PartTable } from './PartTable.tsx'
import { Recalled } from './Recalled.tsx'
import { TurnChips } from './TurnChips.tsx'
import { TurnSlider } from './TurnSlider.tsx'

const CHANGING = ['message-added', 'context-', 'model-', 'turn-', 'setup-']

/** What the model saw in any turn, or sees now. */
export default function ContextView() {
  const { go, ...address } = useAddress()
  const { branch, turn, call } = address
  const turns = useRead<TurnsView>(
    '/api/context/turns',
    { branch },
    { on: ['turn-', 'model-answered', 'context-'], keep: true },
  )
  const query = { branch, turn, call }
  const read = useRead<TurnContextView>('/api/context/turn', query, {
    keep: true,
    ...(turn === 'now' && { on: CHANGING }),
  })
  const view = read.data
  const last = turns.data?.last ?? 0
  const number = /^\d+$/.test(turn) ? Number(turn) : (view?.turn?.number ?? last + 1)
  const walk = (to: number, how: { readonly replace: boolean }): void =>
    go({ turn: to > last ? 'now' : String(to), call: undefined }, how)
  useArrows(turns.data, number, walk)
  const chips = view && <TurnChips view={view} branch={branch} go={go} />
  return (
    <Page
      title={turn === 'now' ? 'What the model sees' : 'What the model saw'}
      chips={<span className={style.topChips}>{chips}</span>}
    >
      <div className={style.view}>
        <div className={style.phoneChips}>{chips}</div>
        {turns.data && turns.data.last > 0 && <TurnSlider turns={turns.data} number={number} go={walk} />}
        {view ? (
          <Seen view={view} query={query} address={address} go={go} isOld={read.isPlaceholderData} />
        ) : read.error ? (
          <Missing error={read.error} turns={turns.data} retry={read.refetch} />
        ) : (
          <Loading />
        )}
      </div>
    </Page>
  )
}

type Go = ReturnType<typeof useAddress>['go']

interface SeenProps {
  readonly view: TurnContextView
  readonly query: {
    readonly branch: string | undefined
    readonly turn: string
    readonly call: string | undefined
  }
  readonly address: Omit<ReturnType<typeof useAddress>, 'go'>
  readonly go: Go
  /** The prompt of another turn, until this one's is there. */
  readonly isOld: boolean
}

function Seen({ view, query, address: { part, show }, go, isOld }: SeenProps) {
  const running = useRunning().get(view.id)
  const choose = (id: string): void =>
    part === id ? go({ part: undefined, show: 'difference' }) : go({ part: id, show: 'text' })
  return (
    <div className={style.seen} data-old={isOld}>
      <PartBar view={view} chosen={part} choose={choose} prove={() => go({ show: 'raw', part: undefined })} />
      <div className={style.columns}>
        <Card className={style.left}>
          <PartTable parts={view.parts} chosen={part} choose={choose} />
          <Recalled key={view.turn?.id} pieces={view.recall} />
          {view.turn === null && (
            <Acts branch={view.branch} hasSummary={view.parts.some(({ kind }) => kind === 'summary')} />
          )}
        </Card>
        <Pane
          view={view}
          query={query}
          part={part}
          show={show}
          choose={(to) => go({ show: to, ...(to === 'difference' && { part: undefined }) })}
          live={view.turn === null ? running?.text : undefined}
        />
      </div>
    </div>
  )
}

/** The arrow keys walk from wherever nothing else takes them. */
function useArrows(
  turns: TurnsView | undefined,
  number: number,
  walk: (to: number, how: { readonly replace: boolean }) => void,
): void {
  useEffect(() => {
    const press = ({ key, target, altKey, ctrlKey, metaKey }: KeyboardEvent): void => {
      const isFree = target === document.body || (target as HTMLElement).id === 'view'
      const step = { ArrowLeft: -1, ArrowRight: 1 }[key]
      if (!isFree || altKey || ctrlKey || metaKey || step === undefined || turns === undefined) return
      const to = stepFrom(turns, number, step)
      if (to !== undefined) walk(to, { replace: true })
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  })
}

function Missing({
  error,
  turns,
  retry,
}: {
  readonly error: { readonly message: string; readonly status: number }
  readonly turns: TurnsView | undefined
  readonly retry: () => unknown
}) {
  if (error.status === 404 && (turns === undefined || turns.last === 0))
    return (
      <Empty title="No model was called here yet">
        <p>
          Say something in the chat. Then this shows, word for word, what the model got: AGENTS.md, memory,
          tools, messages, and what came back by itself.
        </p>
      </Empty>
    )
  return <Problem error={error.message} retry={retry} />
}
