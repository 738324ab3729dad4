import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { BranchHead } from '../../src/view/chat/timeline.ts'
import { useRead, useRunning } from '../api/query.ts'
import { counted } from '../ui/numbers.ts'
import { Dot } from '../ui/surface.tsx'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import style from './chat.module.css'
import { chatOf, stateText, titleOf } from './place.tsx'

const on = ['branch-', 'turn-', 'conversation-']

/** Main and every other branch, with what each does. On a phone it is folded into one line. */
export function Branches({ here }: { here: string }) {
  const [isOpen, setOpen] = useState(false)
  const running = useRunning()
  const { data } = useRead<{ branches: readonly BranchHead[] }>('/api/branches', {}, { on, keep: true })
  const branches = data?.branches ?? []
  const others = branches.filter(({ name, state }) => name !== here && state !== 'ended').length
  const firstEnded = branches.findIndex(({ state }) => state === 'ended')
  if (branches.length < 2) return null
  return (
    <nav className={style.branches} aria-label="Branches" data-open={isOpen}>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {others === 0 ? 'Branches' : counted(others, 'other branch', 'other branches')}
        <ChevronDown />
      </button>
      <ul onClick={() => setOpen(false)}>
        {branches.map((head, index) => (
          <li key={head.id}>
            {index === firstEnded && <h2 className={ui.caption}>Ended</h2>}
            <BranchLink head={running.has(head.id) ? { ...head, state: 'running' } : head} here={here} />
          </li>
        ))}
      </ul>
    </nav>
  )
}

const TONES = { running: 'good', waiting: 'warn', idle: 'none', ended: 'none' } as const

function BranchLink({ head, here }: { head: BranchHead; here: string }) {
  const { name, mode, state, parent, at } = head
  return (
    <Link
      href={chatOf(name)}
      className={`${ui.place} ${style.branch}`}
      aria-current={name === here ? 'page' : undefined}
      data-state={state}
      data-deep={mode !== 'main' && parent !== 'main' && state !== 'ended'}
    >
      <Dot tone={TONES[state]} />
      <span className={ui.clip}>{titleOf(head)}</span>
      <small>
        {mode !== 'main' ? stateText(head) : state !== 'idle' && state}
        {state === 'ended' && (
          <>
            {' · '}
            <Time at={at} as="day" />
          </>
        )}
      </small>
    </Link>
  )
}
