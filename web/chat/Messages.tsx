import { ArrowDown } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Link } from 'wouter'
import { remove } from '../api/client.ts'
import type { Running } from '../api/live.ts'
import { now } from '../api/now.ts'
import { useRead, useRunning } from '../api/query.ts'
import { Markdown } from '../text/markdown.tsx'
import { Button } from '../ui/button.tsx'
import { counted } from '../ui/numbers.ts'
import { Empty, Problem } from '../ui/surface.tsx'
import { dayText, spanText, Time, useNow } from '../ui/time.tsx'
import { toast } from '../ui/toast.ts'
import ui from '../ui/ui.module.css'
import style from './chat.module.css'
import { setDraft } from './draft.ts'
import { EntryRow, Files } from './EntryRow.tsx'
import { Act, chatOf } from './place.tsx'
import { rowsOf, type Row } from './rows.ts'
import type { Timeline, useTimeline } from './timeline.ts'
import { outbox, useUnsent, type Unsent } from './unsent.ts'

export interface MessagesProps extends ReturnType<typeof useTimeline> {
  readonly timeline: Timeline
  readonly branch: string
  readonly at: number | undefined
}

/**
 * The list grows at its end and is scrolled from its end (its box is reversed), so older pages above never move what is
 * read. Rows out of sight are not drawn.
 */
export function Messages(props: MessagesProps) {
  const { timeline, entries, pages, branch, at } = props
  const rows = useMemo(() => rowsOf(entries, dayText), [entries])
  const unsent = useUnsent(branch)
  const scroller = useRef<HTMLDivElement>(null)
  const [isUp, setUp] = useState(false)
  useScrollTo(scroller, props)
  const toEnd = (): void => scroller.current?.scrollTo({ top: 0, behavior: 'smooth' })
  const isEmpty = entries.length === 0 && timeline.queued.length === 0 && unsent.length === 0
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
        {pages.hasNextPage && <LoadOlder pages={pages} />}
        {isEmpty && <NothingSaid mode={timeline.branch.mode} />}
        {rows.map((row) => (
          <RowView key={row.key} row={row} at={at} />
        ))}
        <Tail timeline={timeline} unsent={unsent} updatedAt={pages.dataUpdatedAt} />
        {at !== undefined && (
          <p className={`${ui.banner} ${style.past}`}>
            You are looking at the past. <Link href={chatOf(branch)}>Go to now</Link>
          </p>
        )}
      </div>
      {isUp && (
        <Button className={style.toEnd} onClick={toEnd} aria-label="Go to the newest message">
          <ArrowDown />
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

interface TailProps {
  readonly timeline: Timeline
  readonly unsent: readonly Unsent[]
  readonly updatedAt: number
}

/** The answer that is being written, and messages that the timeline does not have yet. */
function Tail({ timeline, unsent, updatedAt }: TailProps) {
  const live = useLive(timeline.branch.id, updatedAt)
  const begunAt = live?.at ?? 0
  // What the turn began with stands before its answer, also until the timeline says so.
  const pending = (isBefore: boolean) => (
    <>
      {timeline.queued
        .filter(({ at }) => Date.parse(at) <= begunAt === isBefore)
        .map((queued) => (
          <QueuedRow key={queued.position} queued={queued} />
        ))}
      {unsent
        .filter(({ at, isSent }) => (isSent === true && at <= begunAt) === isBefore)
        .map((one) => (
          <UnsentRow key={one.key} unsent={one} />
        ))}
    </>
  )
  return (
    <>
      {pending(true)}
      {live && <LiveAnswer live={live} />}
      <Waits timeline={timeline} />
      {live === undefined && <AnotherTry timeline={timeline} />}
      {pending(false)}
    </>
  )
}

function QueuedRow({ queued: { position, at, isOwn, text, files } }: { queued: Timeline['queued'][number] }) {
  return (
    <article className={style.message} data-pending>
      <header>
        queued · <Time at={at} />
        {isOwn && (
          <Button look="text" onClick={() => void withdraw(position)}>
            Withdraw
          </Button>
        )}
      </header>
      <p className={style.words}>{text}</p>
      <Files files={files} />
    </article>
  )
}

async function withdraw(position: number): Promise<void> {
  await remove(`/api/queued/${position}`).catch((error: Error) => toast(error.message, 'bad'))
}

const GHOSTS_SHOWN = 4

function RowView({ row, at }: { row: Row; at: number | undefined }) {
  if (row.kind === 'entry') return <EntryRow row={row} isMarked={row.entry.position === at} />
  if (row.kind === 'day')
    return (
      <h2 className={style.day}>
        <Time at={row.at} as="day" />
      </h2>
    )
  return (
    <details className={style.ghost} open={row.rows.length <= GHOSTS_SHOWN}>
      <summary className={ui.caption}>
        {row.label} · {counted(row.rows.length, 'message')} the model no longer sees
      </summary>
      {row.rows.map((one) => (
        <RowView key={one.key} row={one} at={at} />
      ))}
    </details>
  )
}

/** Reads the page before as soon as it comes into sight. */
function LoadOlder({ pages }: Pick<MessagesProps, 'pages'>) {
  const mark = useRef<HTMLDivElement>(null)
  const { isFetching, isFetchingNextPage, fetchNextPage, isFetchNextPageError, error } = pages
  useEffect(() => {
    if (isFetching || isFetchNextPageError) return
    const seen = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) void fetchNextPage()
      },
      { root: mark.current?.closest('[role=log]') ?? null, rootMargin: '800px 0px' },
    )
    if (mark.current) seen.observe(mark.current)
    return () => seen.disconnect()
  }, [isFetching, isFetchNextPageError, fetchNextPage])
  if (isFetchNextPageError) return <Problem error={error} retry={fetchNextPage} />
  return (
    <div ref={mark} className={style.older} role="status">
      {isFetchingNextPage ? 'Loading older messages…' : '\u00a0'}
    </div>
  )
}

/** The running turn of the branch. When it ends, its text stays until the timeline has the answer. */
function useLive(branch: string, updatedAt: number): Running | undefined {
  const running = useRunning().get(branch)
  const last = useRef<{ readonly running: Running; readonly seenAt: number }>(undefined)
  if (running !== undefined) last.current = { running, seenAt: Date.now() }
  else if (last.current !== undefined && updatedAt > last.current.seenAt) last.current = undefined
  return running ?? last.current?.running
}

function LiveAnswer({ live }: { live: Running }) {
  const { at, text, retry, calls } = live
  return (
    <article className={style.message} aria-busy="true" data-live>
      <header>
        Mainstem · <Time at={at} />
      </header>
      {text === '' && retry === undefined ? (
        <p className={style.thinking} data-tone="faint" role="status">
          {calls.length > 0 ? 'working…' : 'thinking…'}
        </p>
      ) : (
        <Markdown text={text} />
      )}
    </article>
  )
}

/** What the turn waits for: the next try after a failure, or somebody who asks for one. */
function Waits({ timeline: { branch, retry, hasFailed } }: { timeline: Timeline }) {
  const live = useRunning().get(branch.id)
  const planned = live?.retry ?? (retry && { ...retry, at: Date.parse(retry.at), because: '' })
  useNow(Boolean(planned), 1_000)
  const leftMs = planned ? planned.at - now() : 0
  if (leftMs <= 0 && (!hasFailed || live !== undefined)) return null
  return (
    <div className={`${ui.banner} ${ui.row}`} role="status">
      {planned && leftMs > 0 ? (
        <p>
          retry {planned.tries}, next in {spanText(leftMs)}
          {planned.because !== '' && ` · ${planned.because}`}
        </p>
      ) : (
        <p>The last message has no answer yet. Nothing is lost.</p>
      )}
      {live === undefined && <Act line="/retry">Retry now</Act>}
    </div>
  )
}

/** What can be done with the last answer, until something else is said. */
function AnotherTry({ timeline: { branch, entries, queued } }: { timeline: Timeline }) {
  const last = entries.findLast(({ kind }) => kind === 'answer' || kind === 'said' || kind === 'told')
  const said = entries.findLast((entry) => entry.kind === 'said')
  const isOver = last?.kind === 'answer' && last.calls.length === 0 && last.label === null
  if (!isOver || queued.length > 0 || branch.state !== 'idle') return null
  return (
    <p className={ui.row}>
      {last.cut !== null && <Act line="go on">Continue</Act>}
      <Act line="/retry" look="text">
        Try again
      </Act>
      {said !== undefined && (
        <Button small look="text" onClick={() => setDraft(branch.id, `/edit ${said.text}`)}>
          Edit
        </Button>
      )}
    </p>
  )
}

function UnsentRow({ unsent }: { unsent: Unsent }) {
  const { key, text, problem, isSent, files = [] } = unsent
  const edit = (): void => {
    outbox.drop(key)
    setDraft(unsent.branch, text)
  }
  return (
    <article className={style.message} data-pending={problem === undefined}>
      <header>
        {isSent ? 'you' : problem === undefined ? 'waiting for the server' : 'not sent'} ·{' '}
        <Time at={unsent.at} />
        {problem !== undefined && (
          <>
            <Button look="text" onClick={edit}>
              Edit
            </Button>
            <Button look="text" onClick={() => outbox.drop(key)}>
              Discard
            </Button>
          </>
        )}
      </header>
      <p className={style.words}>{text}</p>
      {files.map(({ hash, name }) => (
        <p key={hash} className={ui.note}>
          {name}
        </p>
      ))}
      {problem !== undefined && <p data-tone="bad">{problem}</p>}
    </article>
  )
}

function NothingSaid({ mode }: { mode: string }) {
  const { data } = useRead<{ model: { name: string; missing: object | null } }>('/api/status')
  return (
    <Empty title="No messages yet">
      {mode === 'fork' && <p>This fork knows everything said before it was opened.</p>}
      <p>
        Write a message below. A line that begins with <code>/</code> is a command: <code>/help</code> lists
        them.
      </p>
      {data?.model.missing === null && data.model.name === 'offline' && (
        <p>
          No language model is connected, so a few fixed rules answer you.{' '}
          <Link href="/settings/models">Choose a model</Link>
        </p>
      )}
    </Empty>
  )
}
