import { FoldVertical, Undo2, UnfoldVertical } from 'lucide-react'
import { useEffect } from 'react'
import type { ContextView as ContextNow } from '../../src/view/context.ts'
import type { TurnContextView, TurnsView } from '../../src/view/prompt/turn-context.ts'
import { useCommand } from '../api/act.ts'
import { useRead, useRunning } from '../api/query.ts'
import { Page } from '../app/Page.tsx'
import { Button } from '../ui/button.tsx'
import { Card, Empty, Shown } from '../ui/surface.tsx'
import ui from '../ui/ui.module.css'
import { useAddress, type Address, type Go } from './address.ts'
import style from './context.module.css'
import { stepFrom } from './curve.ts'
import { Pane } from './Pane.tsx'
import { PartBar, PartTable } from './Parts.tsx'
import { Recalled } from './Recalled.tsx'
import { TurnChips } from './TurnChips.tsx'
import { TurnSlider } from './TurnSlider.tsx'

const CHANGING = ['message-added', 'context-', 'model-', 'turn-', 'setup-']

const NOTHING = (
  <Empty title="No model was called here yet">
    <p>
      Say something in the chat. Then this shows, word for word, what the model got: AGENTS.md, memory, tools,
      messages, and what was recalled.
    </p>
  </Empty>
)

/** The prompt of any turn, or of now. */
export default function ContextView() {
  const { address, go } = useAddress()
  const { branch, turn, call } = address
  const { data: turns } = useRead<TurnsView>(
    '/api/context/turns',
    { branch },
    { on: ['turn-', 'model-answered', 'context-'], keep: true },
  )
  const read = useRead<TurnContextView>(
    '/api/context/turn',
    { branch, turn, call },
    { keep: true, ...(turn === 'now' && { on: CHANGING }) },
  )
  const view = read.data
  const last = turns?.last ?? 0
  const number = /^\d+$/.test(turn) ? Number(turn) : (view?.turn?.number ?? last + 1)
  // Walking leaves no trail for the back button.
  const walk = (to: number | undefined): void => {
    if (to !== undefined) go({ turn: to > last ? 'now' : String(to), call: undefined }, { replace: true })
  }
  useArrows((step) => turns && walk(stepFrom(turns, number, step)))
  const chips = view && <TurnChips view={view} branch={branch} go={go} />
  return (
    <Page
      title={turn === 'now' ? 'What the model sees' : 'What the model saw'}
      chips={<span className={`${ui.row} ${style.wide}`}>{chips}</span>}
    >
      <div className={`${ui.column} ${style.view}`}>
        <div className={`${ui.row} ${style.narrow}`}>{chips}</div>
        {turns && last > 0 && <TurnSlider turns={turns} number={number} walk={walk} />}
        <Shown of={read} missing={last === 0 && NOTHING}>
          {(seen) => (
            <div className={`${ui.column} ${style.seen}`} data-old={read.isPlaceholderData}>
              <Seen view={seen} address={address} go={go} />
            </div>
          )}
        </Shown>
      </div>
    </Page>
  )
}

function Seen({ view, address, go }: { view: TurnContextView; address: Address; go: Go }) {
  const running = useRunning().get(view.id)
  const choose = (id: string): void =>
    address.part === id ? go({ part: undefined, show: 'difference' }) : go({ part: id, show: 'text' })
  const parts = { view, chosen: address.part, choose }
  return (
    <>
      <PartBar {...parts} prove={() => go({ show: 'raw', part: undefined })} />
      <div className={style.columns}>
        <Card className={`${ui.column} ${style.left}`}>
          <PartTable {...parts} />
          <Recalled key={view.turn?.id} pieces={view.recall} />
          {view.turn === null && <Acts view={view} />}
        </Card>
        <Pane
          view={view}
          address={address}
          choose={(show) => go({ show, ...(show === 'difference' && { part: undefined }) })}
          live={view.turn === null ? running?.text : undefined}
        />
      </div>
    </>
  )
}

/** The arrow keys walk from wherever nothing else takes them. */
function useArrows(walk: (step: number) => void): void {
  useEffect(() => {
    const press = ({ key, target, altKey, ctrlKey, metaKey }: KeyboardEvent): void => {
      const isFree = target === document.body || (target as HTMLElement).id === 'view'
      const step = { ArrowLeft: -1, ArrowRight: 1 }[key]
      if (isFree && !altKey && !ctrlKey && !metaKey && step !== undefined) walk(step)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  })
}

/** What can be done to the context of a branch, by its commands. */
function Acts({ view: { branch, parts } }: { view: TurnContextView }) {
  const { data: now } = useRead<ContextNow>('/api/context', { branch }, { on: ['context-', 'message-added'] })
  const { mutate, isPending } = useCommand()
  const act = (text: string) => ({ small: true, title: text, onClick: () => mutate({ text, branch }) })
  return (
    <footer className={`${ui.row} ${style.acts}`}>
      <Button disabled={isPending} {...act('/compact')}>
        <FoldVertical />
        Summarize older messages
      </Button>
      {parts.some(({ kind }) => kind === 'summary') && (
        <Button disabled={isPending} {...act('/expand')}>
          <UnfoldVertical />
          Open the newest summary
        </Button>
      )}
      <Button
        disabled={isPending || !now?.undo}
        {...act('/undo')}
        title={now?.undo ? `/undo: ${now.undo}` : 'Nothing to undo'}
      >
        <Undo2 />
        Undo
      </Button>
      {now?.policy === 'explicit' && <small>Nothing is summarized here without a command.</small>}
      {now?.summaryFailedAt && (
        <small data-tone="warn">Older messages could not be summarized since {now.summaryFailedAt}.</small>
      )}
    </footer>
  )
}
