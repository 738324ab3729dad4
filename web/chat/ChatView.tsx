import { ChevronDown } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { Link, useRoute, useSearch } from 'wouter'
import type { BranchHead } from '../../src/view/chat/timeline.ts'
import { useRead, useRunning } from '../api/query.ts'
import { Page } from '../app/Page.tsx'
import { Button } from '../ui/button.tsx'
import { counted, shortCount } from '../ui/numbers.ts'
import { Chip, Dot, Shown } from '../ui/surface.tsx'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import { Approvals } from './Approvals.tsx'
import style from './chat.module.css'
import { Composer } from './Composer.tsx'
import { Messages, type MessagesProps } from './Messages.tsx'
import { Act, chatOf, follow, Place, stateText, titleOf } from './place.tsx'
import { typedIn } from './rows.ts'
import { useTimeline, type Entry, type Timeline } from './timeline.ts'
import { outbox } from './unsent.ts'

export default function ChatView() {
  const [, params] = useRoute('/chat/:branch?')
  const branch = params?.branch ?? 'main'
  const at = Number(new URLSearchParams(useSearch()).get('at')) || undefined
  const reading = useTimeline(branch, at)
  const { timeline, pages } = reading
  const title = timeline === undefined ? branch : titleOf(timeline.branch)
  return (
    <Page title={title} fill="bare" chips={timeline && <Chips timeline={timeline} />}>
      <div className={style.chat}>
        <Branches here={branch} />
        <section className={`${ui.column} ${style.talk}`} aria-label={`Conversation with ${title}`}>
          <Shown of={{ data: timeline, error: pages.error, refetch: pages.refetch }}>
            {(shown) => <Talk key={`${branch} ${at}`} {...reading} timeline={shown} {...{ branch, at }} />}
          </Shown>
        </section>
      </div>
    </Page>
  )
}

function Chips({ timeline: { branch, tokens } }: { timeline: Timeline }) {
  return (
    <>
      {branch.mode !== 'main' && <Chip>{stateText(branch)}</Chip>}
      <Link href={`/context/${branch.name}`} title="What the model sees" className={ui.chip}>
        {shortCount(tokens)} <span className={ui.wide}>tokens</span>
      </Link>
    </>
  )
}

function Talk(props: MessagesProps) {
  const { timeline, entries, branch } = props
  const head = timeline.branch
  const [replyTo, setReplyTo] = useState<Entry>()
  useEffect(() => {
    const keys = [...entries, ...timeline.queued].flatMap((one) => ('key' in one && one.key) || [])
    outbox.dropShown(new Set(keys))
  }, [entries, timeline])
  const typed = useMemo(() => typedIn(entries), [entries])
  const place = useMemo(() => ({ branch, reply: setReplyTo }), [branch])
  const canTalk = head.state !== 'ended' && head.mode !== 'background'
  return (
    <Place value={place}>
      <Messages {...props} />
      <div className={style.foot}>
        <Approvals here={branch} />
        {canTalk && <Ways mode={head.mode} />}
        {canTalk && <Composer {...{ head, branch, typed, replyTo }} endReply={() => setReplyTo(undefined)} />}
        {!canTalk && <Closed head={head} />}
      </div>
    </Place>
  )
}

const WAYS: Readonly<Record<string, readonly (readonly [line: string, label: string])[]>> = {
  fork: [
    ['/save', 'Save into main'],
    ['/report', 'Report to main'],
    ['/exit', 'Drop'],
  ],
  child: [['/exit', 'Back to main']],
}

/** How a fork or a child is left. */
function Ways({ mode }: { mode: string }) {
  const ways = WAYS[mode]
  if (ways === undefined) return null
  return (
    <p className={`${ui.row} ${style.ways}`}>
      <span className={ui.note}>
        {mode === 'fork' ? 'Main does not see what is said in this fork.' : 'You are talking to a child.'}
      </span>
      {ways.map(([line, label]) => (
        <Act key={line} line={line}>
          {label}
        </Act>
      ))}
    </p>
  )
}

/** A branch that cannot be talked to; a copy of it can. */
function Closed({ head: { state, mode, reason, handle, name } }: { head: BranchHead }) {
  const open = async (): Promise<void> => {
    const { branch } = await outbox.send({ text: `/switch ${handle}`, branch: 'main' })
    follow(name, branch)
  }
  return (
    <p className={style.closed}>
      {state === 'ended'
        ? `This ${mode === 'background' ? 'run' : mode} has ended (${reason}).`
        : 'This run works in the background.'}{' '}
      <Button look="text" onClick={() => void open()}>
        Continue in a copy
      </Button>
    </p>
  )
}

const on = ['branch-', 'turn-', 'conversation-']

/** Main and every other branch, with what each does. On a phone it is folded into one line. */
function Branches({ here }: { here: string }) {
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
