import { useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, type ReactNode } from 'react'
import type { promptTextView, TurnContextView } from '../../src/view/prompt/turn-context.ts'
import { addressOf, ApiError } from '../api/client.ts'
import { useRead } from '../api/query.ts'
import { CopyButton } from '../text/Code.tsx'
import { ChipChoice } from '../ui/choice.tsx'
import { fullCount } from '../ui/numbers.ts'
import { Card, CardHead, Empty, Shown } from '../ui/surface.tsx'
import ui from '../ui/ui.module.css'
import type { Address, Show } from './address.ts'
import style from './context.module.css'
import { colourOf, partName } from './part.ts'
import { Swatch } from './Parts.tsx'
import { Proof } from './Proof.tsx'
import { differenceRows, rawRows, saidRows, wholeRows, type Row } from './rows.ts'

interface PaneProps {
  readonly view: TurnContextView
  readonly address: Address
  readonly choose: (show: Show) => void
  /** The words of the model right now. */
  readonly live: string | undefined
}

const SHOWS = [
  ['difference', 'Difference'],
  ['text', 'Whole text'],
  ['raw', 'Raw'],
] as const

/** What changed since the turn before, the whole text, or the bytes. */
export function Pane({ view, address: asked, choose, live }: PaneProps) {
  // The first prompt of a branch differs from nothing.
  const isFirst = view.before === null
  const address = isFirst && asked.show === 'difference' ? { ...asked, show: 'text' as const } : asked
  const { show } = address
  return (
    <Card className={`${ui.column} ${style.pane}`}>
      <CardHead title={<Title view={view} address={address} />}>
        <ChipChoice label="Show" options={isFirst ? SHOWS.slice(1) : SHOWS} value={show} choose={choose} />
      </CardHead>
      {show === 'difference' && <Difference view={view} live={live} />}
      {show === 'text' && <Whole view={view} address={address} />}
      {show === 'raw' && <Raw view={view} address={address} />}
    </Card>
  )
}

type Asked = Pick<PaneProps, 'view' | 'address'>

function Title({ view: { before, turn, parts }, address: { show, part } }: Asked): ReactNode {
  if (show === 'raw') return 'Exactly what was sent'
  const chosen = parts.find(({ id }) => id === part)
  if (show === 'text' || before === null) return chosen ? partName(chosen) : 'Whole text'
  const sumOf = (what: 'added' | 'gone'): number =>
    parts.reduce((sum, { difference }) => sum + (difference?.[what] ?? 0), 0)
  const [added, gone] = [sumOf('added'), sumOf('gone')]
  return (
    <>
      Difference to{' '}
      {turn?.number === before.number ? `call ${before.call}` : `turn ${fullCount(before.number)}`}
      {added > 0 && <span data-tone="good">+{fullCount(added)}</span>}
      {gone > 0 && <span data-tone="bad">−{fullCount(gone)}</span>}
    </>
  )
}

function Difference({ view, live = '' }: Pick<PaneProps, 'view' | 'live'>) {
  const changed = useMemo(() => differenceRows(view), [view])
  const rows = live === '' ? changed : [...changed, ...saidRows(live)]
  if (rows.length > 0) return <Lines name="Difference" rows={rows} />
  return (
    <Empty title="Nothing changed">
      <p>The model would see the same as in turn {view.before?.number}.</p>
    </Empty>
  )
}

function Whole({ view, address: { branch, turn, call, part } }: Asked) {
  const on = view.turn === null ? { on: ['message-added', 'context-'] } : {}
  const read = useRead<ReturnType<typeof promptTextView>>(
    '/api/context/text',
    { branch, turn, call, part },
    on,
  )
  return (
    <Shown of={read}>
      {({ pieces }) => (
        <>
          <div className={`${ui.row} ${style.tools}`}>
            <CopyButton text={pieces.map(({ text }) => text).join('\n\n')} />
          </div>
          <Lines name={`Text ${part ?? ''}`} rows={wholeRows(pieces, view.parts)} />
        </>
      )}
    </Shown>
  )
}

function Raw({ view, address: { branch, turn, call } }: Asked) {
  const query = { branch, turn, call }
  // The bytes of a prompt, which are no JSON answer of ours. A prompt that was sent never changes.
  const read = useQuery<string, ApiError>({
    queryKey: ['/api/context/raw', query],
    queryFn: async ({ signal }) => {
      const response = await fetch(addressOf('/api/context/raw', query), { signal })
      if (!response.ok) throw new ApiError(response.status, 'The prompt could not be read.')
      return response.text()
    },
    staleTime: view.turn === null ? 0 : Infinity,
  })
  return (
    <Shown of={read}>
      {(text) => (
        <>
          <div className={`${ui.row} ${style.tools}`}>
            {view.turn !== null && <Proof text={text} turn={view.turn} />}
            <CopyButton text={text} />
          </div>
          <Lines name="Raw" rows={rawRows(text)} />
        </>
      )}
    </Shown>
  )
}

const SIGN = { same: ' ', added: '+', gone: '−', moved: '~' }
const ROW_PX = 20

/** Any number of lines; only those in view are drawn. */
function Lines({ rows, name }: { rows: readonly Row[]; name: string }) {
  const box = useRef<HTMLDivElement>(null)
  const drawn = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 20,
  })
  useEffect(() => {
    box.current?.scrollTo({ top: 0 })
  }, [name])
  return (
    <div ref={box} className={style.lines} role="region" aria-label={name} tabIndex={0}>
      <div style={{ height: drawn.getTotalSize(), position: 'relative' }}>
        {drawn.getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            ref={drawn.measureElement}
            data-index={index}
            className={style.row}
            style={{ transform: `translateY(${start}px)` }}
          >
            <RowText row={rows[index]} />
          </div>
        ))}
      </div>
    </div>
  )
}

function RowText({ row }: { row: Row | undefined }) {
  if (row === undefined) return null
  if (row.row === 'skip') return <p className={style.skip}>… {row.text}</p>
  if (row.row === 'part')
    return (
      <h3 className={style.partHead}>
        <Swatch kind={row.kind} />
        {row.name}
        {row.change && <small data-tone={row.change.tone}>{row.change.text}</small>}
      </h3>
    )
  const edge = row.kind === undefined ? undefined : { borderLeftColor: colourOf(row.kind) }
  return (
    <p className={style.line} data-change={row.op === 'gone' ? 'removed' : row.op} style={edge}>
      <span className={style.sign} aria-hidden="true">
        {SIGN[row.op]}
      </span>
      {row.op !== 'same' && <span className="visually-hidden">{row.op}: </span>}
      {row.label !== undefined && <b>{row.label}</b>}
      {row.text}
    </p>
  )
}
