import { ArrowDown } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useCommand } from '../api/act.ts'
import { remove } from '../api/client.ts'
import type { Running } from '../api/live.ts'
import { now } from '../api/now.ts'
import { useRunning } from '../api/query.ts'
import { Markdown } from '../text/markdown.tsx'
import { Button } from '../ui/button.tsx'
import { counted } from '../ui/numbers.ts'
import { Empty, Problem } from '../ui/surface.tsx'
import { dayText, spanText, Time, useNow } from '../ui/time.tsx'
import { toast } from '../ui/toast.ts'
import style from './chat.module.css'
import { EntryRow, Files } from './EntryRow.tsx'
import { rowsOf, type Row } from './rows.ts'
import type { Entry, Older, Timeline } from './timeline.ts'
import { outbox, useUnsent, type Unsent } from './unsent.ts'

interface MessagesProps {
  readonly timeline: Timeline
  readonly entries: readonly Entry[]
  readonly older: Older
  readonly isWhole: boolean
  readonly updatedAt: number
  readonly branch: string
  readonly at: number | undefined
  readonly go: (branch: string) => void
  readonly reply: (entry: Entry) => void
}

/**
 * The list grows at its end and is scrolled from its end (its box is reversed), so older pages above never move what is
 * read. Rows out of sight are not drawn.
 */
export function Messages(props: MessagesProps) {
  const { timeline, entries, older, updatedAt, branch, at, go, reply } = props
  const rows = useMemo(() => rowsOf(entries, dayText), [entries])
  const unsent = useUnsent(branch)
  const live = useLive(timeline, updatedAt)
  const scroller = useRef<HTMLDivElement>(null)
  const [isUp, setUp] = useState(false)
  useScrollTo(scroller, props)
  const toEnd = (): void => scroller.current?.scrollTo({ top: 0, behavior: 'smooth' })
  const isEmpty = entries.length === 0 && timeline.queued.length === 0 && unsent.length === 0 && !live
  return (
    <div
      className={style.scroller}
      ref={scroller}
      tabIndex={0}
      role="log"
      aria-label="Messages"
      onScroll={({ currentTarget: { scrollTop } }) => setUp(scrollTop < -300)}
    >
      <div className={style.list}>
        {older.hasMore && <LoadOlder older={older} />}
        {isEmpty && <NothingSaid mode={timeline.branch.mode} />}
        {rows.map((row) => (
          <RowView key={row.key} row={row} branch={branch} at={at} go={go} reply={reply} />
        ))}
        {live && <LiveAnswer live={live} />}
        <Waits timeline={timeline} branch={branch} />
        {timeline.queued.map((queued) => (
          <article key={queued.position} className={style.said} data-pending>
            <header>
              queued · <Time at={queued.at} />
              {queued.isOwn && (
                <button type="button" onClick={() => void withdraw(queued.position)}>
                  Withdraw
                </button>
              )}
            </header>
            <p className={style.words}>{queued.text}</p>
            <Files files={queued.files} />
          </article>
        ))}
        {unsent.map((one) => (
          <UnsentRow key={one.key} unsent={one} />
        ))}
        {at !== undefined && (
          <p className={style.past}>
            You are looking at the past.{' '}
            <Link href={branch === 'main' ? '/chat' : `/chat/${branch}`}>Go to now</Link>
          </p>
        )}
      </div>
      {isUp && (
        <Button className={style.toEnd ?? ''} onClick={toEnd} aria-label="Go to the newest message">
          <ArrowDown aria-hidden />
        </Button>
      )}
    </div>
  )
}

/** Brings the message that the address names into sight, once it is there. */
function useScrollTo(
  scroller: { readonly current: HTMLElement | null },
  { at, entries, isWhole }: MessagesProps,
): void {
  const wanted = useRef(at)
  useEffect(() => {
    if (wanted.current === undefined || !isWhole) return
    const row = scroller.current?.querySelector(`[data-position="${wanted.current}"]`)
    wanted.current = undefined
    row?.scrollIntoView({ block: 'center' })
    // Rows around it have their own heights only once they were in sight.
    requestAnimationFrame(() => row?.scrollIntoView({ block: 'center' }))
  }, [scroller, entries, isWhole])
}

async function withdraw(position: number): Promise<void> {
  await remove(`/api/queued/${position}`).catch((error: Error) => toast(error.message, 'bad'))
}

interface RowProps extends Pick<MessagesProps, 'branch' | 'at' | 'go' | 'reply'> {
  readonly row: Row
}

const GHOSTS_SHOWN = 4

function RowView({ row, ...about }: RowProps) {
  const [isOpen, setOpen] = useState(false)
  if (row.kind === 'entry') return <EntryRow {...about} {...row} isMarked={row.entry.position === about.at} />
  if (row.kind === 'day')
    return (
      <h2 className={style.day}>
        <Time at={row.at} as="day" />
      </h2>
    )
  const shown = isOpen || row.rows.length <= GHOSTS_SHOWN ? row.rows : []
  return (
    <section className={style.ghost} aria-label={`${row.label} messages`}>
      <p>
        {row.label} · {counted(row.rows.length, 'message')} the model does not see any more
        {row.rows.length > GHOSTS_SHOWN && (
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide' : 'Show'}
          </button>
        )}
      </p>
      {shown.map(({ key, ...one }) => (
        <EntryRow key={key} {...about} {...one} isMarked={one.entry.position === about.at} />
      ))}
    </section>
  )
}

/** Reads the page before as soon as it comes into sight. */
function LoadOlder({ older }: { readonly older: Older }) {
  const mark = useRef<HTMLDivElement>(null)
  const load = useRef(older.load)
  load.current = older.load
  const count = older.entries.length
  useEffect(() => {
    const seen = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) load.current()
      },
      { root: mark.current?.closest('[role=log]') ?? null, rootMargin: '800px 0px' },
    )
    if (mark.current) seen.observe(mark.current)
    return () => seen.disconnect()
  }, [count])
  if (older.error) return <Problem error={older.error} retry={older.load} />
  return (
    <div ref={mark} className={style.older} role="status">
      {older.isLoading ? 'Loading older messages…' : '\u00a0'}
    </div>
  )
}

/** The running turn of the branch. When it ends, its text stays until the timeline has the answer. */
function useLive({ branch }: Timeline, updatedAt: number): Running | undefined {
  const running = useRunning().get(branch.id)
  const last = useRef<{ readonly running: Running; readonly seenAt: number }>(undefined)
  if (running !== undefined) last.current = { running, seenAt: Date.now() }
  else if (last.current !== undefined && updatedAt > last.current.seenAt) last.current = undefined
  return running ?? last.current?.running
}

function LiveAnswer({ live }: { readonly live: Running }) {
  const isThinking = live.text === '' && live.retry === undefined
  return (
    <article className={style.answer} aria-busy="true" data-live>
      <header>
        Mainstem · <Time at={live.at} />
      </header>
      {isThinking ? (
        <p className={style.thinking} role="status">
          {live.calls.some(({ result }) => result === undefined) ? 'working' : 'thinking'}
          <i />
          <i />
          <i />
        </p>
      ) : (
        <Markdown text={live.text} />
      )}
    </article>
  )
}

/** What the turn waits for: the next try after a failure, or somebody who asks for one. */
function Waits({ timeline, branch }: { readonly timeline: Timeline; readonly branch: string }) {
  const live = useRunning().get(timeline.branch.id)
  const planned =
    live?.retry ?? (timeline.retry && { ...timeline.retry, at: Date.parse(timeline.retry.at), because: '' })
  useNow(Boolean(planned), 1_000)
  const { mutate, isPending } = useCommand()
  const again = (
    <Button small disabled={isPending} onClick={() => mutate({ text: '/retry', branch })}>
      Retry now
    </Button>
  )
  const leftMs = planned ? planned.at - now() : 0
  if (planned && leftMs > 0)
    return (
      <div className={style.waits} role="status">
        <p>
          retry {planned.tries}, next in {spanText(leftMs)}
          {planned.because !== '' && <small> · {planned.because}</small>}
        </p>
        {live === undefined && again}
      </div>
    )
  if (!timeline.hasFailed || live !== undefined) return null
  return (
    <div className={style.waits} role="status">
      <p>The last message has no answer yet. It is kept.</p>
      {again}
    </div>
  )
}

function UnsentRow({ unsent }: { readonly unsent: Unsent }) {
  const { key, text, problem, isSent, files = [] } = unsent
  const edit = (): void => {
    outbox.drop(key)
    dispatchEvent(new CustomEvent('mainstem-draft', { detail: unsent }))
  }
  return (
    <article className={style.said} data-pending data-problem={problem !== undefined}>
      <header>
        {isSent ? 'you' : problem === undefined ? 'waiting for the server' : 'not sent'} ·{' '}
        <Time at={unsent.at} />
        {problem !== undefined && (
          <>
            <button type="button" onClick={edit}>
              Edit
            </button>
            <button type="button" onClick={() => outbox.drop(key)}>
              Discard
            </button>
          </>
        )}
      </header>
      <p className={style.words}>{text}</p>
      {files.map(({ hash, name }) => (
        <p key={hash} className={style.quiet}>
          {name}
        </p>
      ))}
      {problem !== undefined && <p className={style.sendProblem}>{problem}</p>}
    </article>
  )
}

function NothingSaid({ mode }: { readonly mode: string }) {
  return (
    <Empty title="Nothing was said here yet">
      {mode === 'fork' && <p>This fork knows what was said where it was opened.</p>}
      <p>
        Write a message below. A line that begins with <code>/</code> is a command: <code>/help</code> lists
        them.
      </p>
    </Empty>
  )
}
