import { useId, useState } from 'react'
import type { Completion } from '../../src/command/read/complete.ts'
import { useRead } from '../api/query.ts'
import ui from '../ui/ui.module.css'
import style from './chat.module.css'

const SHOWN = 8

/** How the line that is typed can go on. */
export function useCompletions(text: string, branch: string, write: (line: string) => void) {
  const [chosen, setChosen] = useState(-1)
  const [closedAt, setClosedAt] = useState('')
  const id = useId()
  const isCommand = /^ {0,3}\/(?!\/)[^\n]*$/.test(text) && text !== closedAt
  const { data } = useRead<readonly Completion[]>(
    '/api/completions',
    { line: text, branch },
    { enabled: isCommand, keep: true },
  )
  const fitting = isCommand
    ? (data ?? []).filter(({ line }) => line !== text && line.startsWith(text.slice(0, 1)))
    : []
  const list = fitting.slice(0, SHOWN)
  const at = Math.min(chosen, list.length - 1)
  const pick = (index: number): void => {
    const { line } = list[index] ?? {}
    setChosen(-1)
    if (line !== undefined) write(line)
  }
  return {
    id,
    list,
    at,
    pick,
    /** Whether the key was meant for the list. */
    take(key: string): boolean {
      if (list.length === 0) return false
      if (key === 'Tab') pick(Math.max(at, 0))
      else if (key === 'ArrowDown') setChosen((at + 1) % list.length)
      else if (key === 'ArrowUp') setChosen(at <= 0 ? list.length - 1 : at - 1)
      else if (key === 'Enter' && at >= 0) pick(at)
      else if (key === 'Escape') setClosedAt(text)
      else return false
      return true
    },
    aria: {
      role: 'combobox' as const,
      'aria-expanded': list.length > 0,
      'aria-controls': id,
      'aria-autocomplete': 'list' as const,
      ...(at >= 0 && { 'aria-activedescendant': `${id}-${at}` }),
    },
  }
}

export function Completions({ of: { id, list, at, pick } }: { of: ReturnType<typeof useCompletions> }) {
  if (list.length === 0) return null
  return (
    <ul className={`${ui.over} ${style.completions}`} id={id} role="listbox" aria-label="Commands">
      {list.map(({ line, label, help }, index) => (
        <li
          key={line}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          // The text keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => pick(index)}
        >
          <code className={ui.clip}>{label}</code>
          <small className={ui.clip}>{help}</small>
        </li>
      ))}
    </ul>
  )
}
