import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { BranchHead } from '../../src/view/chat/timeline.ts'
import type { Running } from '../api/live.ts'
import { Dot } from '../ui/surface.tsx'
import { Time } from '../ui/time.tsx'
import style from './chat.module.css'

interface BranchesProps {
  readonly branches: readonly BranchHead[]
  readonly here: string
  readonly running: ReadonlyMap<string, Running>
}

/** Main and every other branch, with what each does. On a phone it is folded into one line. */
export function Branches({ branches, here, running }: BranchesProps) {
  const [isOpen, setOpen] = useState(false)
  const living = branches.filter(({ state }) => state !== 'ended')
  const ended = branches.filter(({ state }) => state === 'ended')
  const toned = (head: BranchHead) => (running.has(head.id) ? { ...head, state: 'running' as const } : head)
  const others = living.filter(({ name }) => name !== here).length
  if (living.length + ended.length < 2) return null
  return (
    <nav className={style.branches} aria-label="Branches" data-open={isOpen}>
      <button
        type="button"
        className={style.branchesToggle}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {others === 0 ? 'Branches' : `${others} other ${others === 1 ? 'branch' : 'branches'}`}
        <ChevronDown aria-hidden />
      </button>
      <ul>
        {living.map((head) => (
          <BranchLink key={head.id} head={toned(head)} here={here} close={() => setOpen(false)} />
        ))}
        {ended.length > 0 && <li className={style.branchesEnded}>Ended</li>}
        {ended.map((head) => (
          <BranchLink key={head.id} head={head} here={here} close={() => setOpen(false)} />
        ))}
      </ul>
    </nav>
  )
}

const TONES = { running: 'good', waiting: 'warn', idle: 'none', ended: 'none' } as const

function BranchLink({ head, here, close }: { head: BranchHead; here: string; close: () => void }) {
  const { name, mode, title, run, state, parent } = head
  const words = mode === 'main' ? name : (title ?? run?.replace(/^.*:/, '') ?? name)
  return (
    <li>
      <Link href={name === 'main' ? '/chat' : `/chat/${name}`} asChild onClick={close}>
        <a
          className={style.branch}
          aria-current={name === here ? 'page' : undefined}
          data-state={state}
          data-deep={mode !== 'main' && parent !== 'main' && state !== 'ended'}
        >
          <Dot tone={TONES[state]} />
          <span className={style.branchName}>{words}</span>
          <small>
            {mode === 'main' ? (state === 'idle' ? '' : state) : stateText(head)}
            {state === 'ended' && (
              <>
                {' · '}
                <Time at={head.at} as="day" />
              </>
            )}
          </small>
        </a>
      </Link>
    </li>
  )
}

/** `fork`, `child, running`, `fork, saved` */
export function stateText({ mode, state, reason, run }: BranchHead): string {
  const what = run === null ? mode : (run.split(':')[0]?.replace('-bg', '') ?? mode)
  return state === 'idle' ? what : `${what}, ${state === 'ended' ? reason : state}`
}
