import { useMemo } from 'react'
import type { promptTextView, TurnContextView } from '../../src/view/prompt/turn-context.ts'
import type { Query } from '../api/client.ts'
import { useRead } from '../api/query.ts'
import { CopyButton } from '../text/Code.tsx'
import { Button } from '../ui/button.tsx'
import { fullCount } from '../ui/numbers.ts'
import { Card, CardHead, Empty, Shown } from '../ui/surface.tsx'
import type { Show } from './address.ts'
import style from './context.module.css'
import { Lines } from './Lines.tsx'
import { partName, sumOfChanges } from './parts.ts'
import { Proof } from './Proof.tsx'
import { differenceRows, rawRows, wholeRows, type Row } from './rows.ts'
import { useRaw } from './raw.ts'

interface PaneProps {
  readonly view: TurnContextView
  /** What names the prompt in a request. */
  readonly query: Query
  readonly part: string | undefined
  readonly show: Show
  readonly choose: (show: Show) => void
  /** What the model says right now. */
  readonly live: string | undefined
}

/** What changed since the turn before, the whole text, or the bytes. */
export function Pane({ view, query, part, show, choose, live }: PaneProps) {
  const chosen = view.parts.find(({ id }) => id === part)
  const { added, gone } = sumOfChanges(view.parts)
  const title =
    show === 'raw'
      ? 'Exactly what was sent'
      : show === 'text'
        ? chosen
          ? partName(chosen)
          : 'Whole text'
        : differenceTitle(view)
  return (
    <Card className={style.pane}>
      <CardHead
        title={
          <>
            {title}
            {show === 'difference' && added > 0 && <span data-tone="good">+{fullCount(added)}</span>}
            {show === 'difference' && gone > 0 && <span data-tone="bad">−{fullCount(gone)}</span>}
          </>
        }
      >
        {(['difference', 'text', 'raw'] as const).map((one) => (
          <Button key={one} small aria-pressed={show === one} onClick={() => choose(one)}>
            {BUTTONS[one]}
          </Button>
        ))}
      </CardHead>
      {show === 'difference' && <Difference view={view} live={live} />}
      {show === 'text' && <Whole view={view} query={query} part={part} />}
      {show === 'raw' && <Raw view={view} query={query} />}
    </Card>
  )
}

const BUTTONS: Readonly<Record<Show, string>> = { difference: 'Difference', text: 'Whole text', raw: 'Raw' }

function differenceTitle({ before, turn }: TurnContextView): string {
  if (before === null) return 'The first prompt here'
  if (turn !== null && turn.number === before.number) return `Difference to call ${before.call}`
  return `Difference to turn ${fullCount(before.number)}`
}

function Difference({ view, live }: Pick<PaneProps, 'view' | 'live'>) {
  const rows = useMemo(() => differenceRows(view), [view])
  const growing: Row[] =
    live === undefined || live === ''
      ? []
      : [
          { row: 'part', name: 'being said', kind: 'messages' },
          ...live.split('\n').map((text, at): Row => ({
            row: 'line',
            op: 'added',
            text,
            label: at === 0 ? 'assistant' : undefined,
          })),
        ]
  if (view.before === null && growing.length === 0)
    return (
      <Empty title="Nothing to compare with">
        <p>This is the first prompt of its branch. The whole text shows all of it.</p>
      </Empty>
    )
  if (rows.length + growing.length === 0)
    return (
      <Empty title="Nothing changed">
        <p>The model would see the same as in turn {view.before?.number}.</p>
      </Empty>
    )
  return <Lines name="Difference" rows={[...rows, ...growing]} />
}

function Whole({ view, query, part }: Pick<PaneProps, 'view' | 'query' | 'part'>) {
  const on = view.turn === null ? { on: ['message-added', 'context-'] } : {}
  const read = useRead<ReturnType<typeof promptTextView>>('/api/context/text', { ...query, part }, on)
  return (
    <Shown of={read}>
      {({ pieces }) => (
        <>
          <div className={style.tools}>
            <CopyButton text={pieces.map(({ text }) => text).join('\n\n')} />
          </div>
          <Lines name={`Text ${part ?? ''}`} rows={wholeRows(pieces, view.parts)} />
        </>
      )}
    </Shown>
  )
}

function Raw({ view, query }: Pick<PaneProps, 'view' | 'query'>) {
  const read = useRaw(query, view.turn !== null)
  return (
    <Shown of={read}>
      {(text) => (
        <>
          <div className={style.tools}>
            {view.turn !== null && <Proof text={text} turn={view.turn} />}
            <CopyButton text={text} />
          </div>
          <Lines name="Raw" rows={rawRows(text)} />
        </>
      )}
    </Shown>
  )
}
