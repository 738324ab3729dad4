import { diffLines } from 'diff'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Problem } from './surface.tsx'
import style from './ui.module.css'

export interface DiffLine {
  readonly change: 'added' | 'removed' | 'same' | 'skipped'
  readonly text: string
}

const AROUND = 2

/** The lines that differ, with a few around them. */
export function linesBetween(before: string, after: string): DiffLine[] {
  const all = diffLines(before, after).flatMap(({ added, removed, value }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((text): DiffLine => ({ change: added ? 'added' : removed ? 'removed' : 'same', text })),
  )
  const isNear = all.map((_, index) =>
    all.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ change }) => change !== 'same'),
  )
  return all.flatMap((line, index) => {
    if (isNear[index]) return line
    if (index > 0 && !isNear[index - 1]) return []
    const next = isNear.indexOf(true, index)
    const count = (next < 0 ? all.length : next) - index
    return { change: 'skipped', text: count === 1 ? '… 1 line' : `… ${count} lines` }
  })
}

const SIGN = { added: '+ ', removed: '− ', same: '  ', skipped: '  ' }

export function Diff({ lines }: { lines: readonly DiffLine[] }) {
  return (
    <div className={style.diff}>
      {lines.map(({ change, text }, index) => (
        <p key={index} data-change={change}>
          {SIGN[change]}
          {text}
        </p>
      ))}
    </div>
  )
}

interface SavingProps {
  readonly title: string
  readonly before: string
  readonly after: string
  readonly save: () => void
  /** How the saving goes. */
  readonly of: { readonly isPending: boolean; readonly error: Error | null }
  /** False: it cannot be saved as it is. */
  readonly isGood?: boolean
  readonly cancel: () => void
  /** Beside the buttons. */
  readonly children?: ReactNode
}

/** Shows what saving changes, and saves. */
export function Saving({ title, before, after, save, of, isGood = true, cancel, children }: SavingProps) {
  const isChanged = after !== before
  return (
    <>
      {isChanged && (
        <section className={style.changes} aria-label={title}>
          <h3 className={style.caption}>{title}</h3>
          <Diff lines={linesBetween(before, after)} />
        </section>
      )}
      {of.error !== null && <Problem error={of.error} />}
      <footer className={style.row}>
        <Button look="main" disabled={!isChanged || !isGood || of.isPending} onClick={save}>
          {of.isPending ? 'Saving…' : 'Save'}
        </Button>
        <Button onClick={cancel}>{isChanged ? 'Discard' : 'Close'}</Button>
        {children}
      </footer>
    </>
  )
}
