import { useEffect, useMemo, useState } from 'react'
import { Link, useLocation, useRoute, useSearch } from 'wouter'
import { Page } from '../app/Page.tsx'
import { useRead, useRunning } from '../api/query.ts'
import type { BranchHead } from '../../src/view/chat/timeline.ts'
import { shortCount } from '../ui/numbers.ts'
import { Chip, Loading, Problem } from '../ui/surface.tsx'
import { Approvals } from './Approvals.tsx'
import { Branches, stateText } from './Branches.tsx'
import style from './chat.module.css'
import { Composer } from './Composer.tsx'
import { Messages } from './Messages.tsx'
import { typedIn } from './rows.ts'
import { useTimeline, type Entry } from './timeline.ts'
import { outbox } from './unsent.ts'

interface BranchList {
  readonly branches: readonly BranchHead[]
  readonly talksTo: string
}

export default function ChatView() {
  const [, params] = useRoute('/chat/:branch?')
  const [path, navigate] = useLocation()
  const at = Number(new URLSearchParams(useSearch()).get('at')) || undefined
  const named = params?.branch
  const list = useRead<BranchList>(
    '/api/branches',
    {},
    { on: ['branch-', 'turn-', 'conversation-'], keep: true },
  )
  const branch = named ?? 'main'
  const reading = useTimeline(branch, at)
  const { timeline, entries } = reading
  const [replyTo, setReplyTo] = useState<Entry>()
  useEffect(() => setReplyTo(undefined), [branch])
  useEffect(() => {
    const keys = [...entries, ...(timeline?.queued ?? [])].map((one) => ('key' in one ? one.key : null))
    outbox.dropShown(new Set(keys.filter((key) => key !== null)))
  }, [entries, timeline])
  const typed = useMemo(() => typedIn(entries), [entries])
  const running = useRunning()
  const isRunning =
    timeline !== undefined && (running.has(timeline.branch.id) || timeline.branch.state === 'running')
  const head = timeline?.branch
  const go = (to: string): void => {
    if (to !== branch) navigate(to === 'main' ? '/chat' : `/chat/${to}`)
  }
  const title = head === undefined ? branch : titleOf(head)
  return (
    <Page
      title={title}
      fill="bare"
      chips={
        timeline && (
          <>
            {head?.mode !== 'main' && <Chip>{head && stateText(head)}</Chip>}
            <Link href={`/context/${branch}`} asChild>
              <a title="What the model sees">
                <Chip>{shortCount(timeline.tokens)}</Chip>
              </a>
            </Link>
          </>
        )
      }
    >
      <div className={style.chat}>
        <Branches
          branches={list.data?.branches ?? []}
          here={branch}
          running={running}
          key={path === '/chat' ? 'main' : 'other'}
        />
        <section className={style.talk} aria-label={`Conversation with ${title}`}>
          {timeline === undefined ? (
            reading.error ? (
              <Problem error={reading.error} retry={reading.retry} />
            ) : (
              <Loading />
            )
          ) : (
            <>
              <Messages
                key={`${branch} ${at}`}
                {...reading}
                timeline={timeline}
                branch={branch}
                at={at}
                go={go}
                reply={setReplyTo}
              />
              <div className={style.foot}>
                <Approvals branch={branch} />
                {canTalk(timeline.branch) ? (
                  <Composer
                    key={branch}
                    branch={branch}
                    isRunning={isRunning}
                    typed={typed}
                    replyTo={replyTo}
                    endReply={() => setReplyTo(undefined)}
                    go={go}
                  />
                ) : (
                  <Closed head={timeline.branch} go={go} />
                )}
              </div>
            </>
          )}
        </section>
      </div>
    </Page>
  )
}

function titleOf({ name, title, mode, run }: BranchHead): string {
  if (mode === 'main') return name
  return title ?? run?.replace(/^.*:/, '') ?? `${mode} ${name}`
}

function canTalk({ state, mode }: BranchHead): boolean {
  return state !== 'ended' && mode !== 'background'
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
