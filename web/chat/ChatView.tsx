import { useEffect, useMemo, useState } from 'react'
import { Link, useLocation, useRoute, useSearch } from 'wouter'
import { Page } from '../app/Page.tsx'
import { useCommand } from '../api/act.ts'
import { useRead, useRunning } from '../api/query.ts'
import type { BranchHead } from '../../src/view/chat/timeline.ts'
import { Button } from '../ui/button.tsx'
import { shortCount } from '../ui/numbers.ts'
import { Chip, Shown } from '../ui/surface.tsx'
import { Approvals } from './Approvals.tsx'
import { Branches, stateText } from './Branches.tsx'
import style from './chat.module.css'
import { Composer } from './Composer.tsx'
import { Messages } from './Messages.tsx'
import { typedIn } from './rows.ts'
import { useTimeline, type Entry, type Timeline } from './timeline.ts'
import { outbox } from './unsent.ts'

export default function ChatView() {
  const [, params] = useRoute('/chat/:branch?')
  const branch = params?.branch ?? 'main'
  const [, navigate] = useLocation()
  const at = Number(new URLSearchParams(useSearch()).get('at')) || undefined
  const on = ['branch-', 'turn-', 'conversation-']
  const { data } = useRead<{ readonly branches: readonly BranchHead[] }>(
    '/api/branches',
    {},
    { on, keep: true },
  )
  const reading = useTimeline(branch, at)
  const { timeline } = reading
  const title = timeline === undefined ? branch : titleOf(timeline.branch)
  const go = (to: string): void => {
    if (to !== branch) navigate(to === 'main' ? '/chat' : `/chat/${to}`)
  }
  return (
    <Page title={title} fill="bare" chips={timeline && <Chips timeline={timeline} />}>
      <div className={style.chat}>
        <Branches branches={data?.branches ?? []} here={branch} running={useRunning()} />
        <section className={style.talk} aria-label={`Conversation with ${title}`}>
          {timeline === undefined ? (
            <Shown of={{ data: timeline, error: reading.error, refetch: reading.retry }}>{() => null}</Shown>
          ) : (
            <Talk key={`${branch} ${at}`} {...reading} timeline={timeline} branch={branch} at={at} go={go} />
          )}
        </section>
      </div>
    </Page>
  )
}

function Chips({ timeline: { branch, tokens } }: { readonly timeline: Timeline }) {
  return (
    <>
      {branch.mode !== 'main' && <Chip>{stateText(branch)}</Chip>}
      <Link href={`/context/${branch.name}`} asChild>
        <a title="What the model sees">
          <Chip>{shortCount(tokens)}</Chip>
        </a>
      </Link>
    </>
  )
}

type TalkProps = Omit<Parameters<typeof Messages>[0], 'reply'>

function Talk(props: TalkProps) {
  const { timeline, entries, branch, go } = props
  const [replyTo, setReplyTo] = useState<Entry>()
  useEffect(() => {
    const keys = [...entries, ...timeline.queued].flatMap((one) => ('key' in one && one.key) || [])
    outbox.dropShown(new Set(keys))
  }, [entries, timeline])
  const typed = useMemo(() => typedIn(entries), [entries])
  const { id, state } = timeline.branch
  const isRunning = useRunning().has(id) || state === 'running'
  return (
    <>
      <Messages {...props} reply={setReplyTo} />
      <div className={style.foot}>
        <Approvals branch={branch} />
        {canTalk(timeline.branch) && <Ways head={timeline.branch} go={go} />}
        {canTalk(timeline.branch) ? (
          <Composer {...{ branch, isRunning, typed, replyTo, go }} endReply={() => setReplyTo(undefined)} />
        ) : (
          <Closed head={timeline.branch} go={go} />
        )}
      </div>
    </>
  )
}

function titleOf({ name, title, mode, run }: BranchHead): string {
  if (mode === 'main') return name
  return title ?? run?.replace(/^.*:/, '') ?? `${mode} ${name}`
}

function canTalk({ state, mode }: BranchHead): boolean {
  return state !== 'ended' && mode !== 'background'
}

const WAYS = {
  main: [],
  background: [],
  fork: [
    ['/save', 'Save into main'],
    ['/report', 'Report to main'],
    ['/exit', 'Drop'],
  ],
  child: [['/exit', 'Back to main']],
} as const

/** How a fork or a child is left. */
function Ways({
  head: { mode, name },
  go,
}: {
  readonly head: BranchHead
  readonly go: (branch: string) => void
}) {
  const { mutateAsync, isPending } = useCommand()
  if (WAYS[mode].length === 0) return null
  const does = async (text: string): Promise<void> => {
    const said = await mutateAsync({ text, branch: name }).catch(() => undefined)
    if (said !== undefined) go(said.branch)
  }
  return (
    <p className={style.ways}>
      <span>
        {mode === 'fork' ? 'Main does not see what is said in this fork.' : 'You are talking to a child.'}
      </span>
      {WAYS[mode].map(([line, label]) => (
        <Button key={line} small disabled={isPending} onClick={() => void does(line)}>
          {label}
        </Button>
      ))}
    </p>
  )
}

/** A branch that cannot be talked to; a copy of it can. */
function Closed({ head, go }: { readonly head: BranchHead; readonly go: (branch: string) => void }) {
  const what =
    head.state === 'ended' ? `This ${head.mode} has ended (${head.reason}).` : 'This is a background run.'
  const open = async (): Promise<void> => {
    const { branch } = await outbox.send({ text: `/switch ${head.handle}`, branch: 'main' })
    go(branch)
  }
  return (
    <p className={style.closed}>
      {what}
      <button type="button" onClick={() => void open()}>
        Talk in a copy of it
      </button>
    </p>
  )
}
