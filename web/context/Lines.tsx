import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import style from './context.module.css'
import { Swatch } from './Parts.tsx'
import { colourOf } from './part.ts'
import type { Row } from './rows.ts'

const SIGN = { same: ' ', added: '+', gone: '−', moved: '~' }
const ROW_PX = 20

/** Any number of lines; only those in view are drawn. */
export function Lines({ rows, name }: { rows: readonly Row[]; name: string }) {
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
