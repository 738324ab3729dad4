import { diffLines } from 'diff'
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
