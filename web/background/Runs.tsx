import { useState } from 'react'
import { Link } from 'wouter'
import { useCommand } from '../api/act.ts'
import { usePages, useRunning } from '../api/query.ts'
import { Markdown } from '../text/markdown.tsx'
import { Button } from '../ui/button.tsx'
import { moneyText, shortCount } from '../ui/numbers.ts'
import { Dot, Empty, Loading, Problem } from '../ui/surface.tsx'
import { spanText, Time, useNow } from '../ui/time.tsx'
import style from './background.module.css'
import { jobPath, type Run, type Runs as RunsPage } from './data.ts'

const STATES: Readonly<Record<string, { words: string; tone: 'good' | 'warn' | 'bad' | 'none' }>> = {
  running: { words: 'running', tone: 'good' },
  waiting: { words: 'waits for its turn', tone: 'warn' },
  resting: { words: 'rests until it is due', tone: 'none' },
  finished: { words: 'finished', tone: 'none' },
  failed: { words: 'failed', tone: 'bad' },
  'timed-out': { words: 'out of time', tone: 'bad' },
  killed: { words: 'stopped', tone: 'warn' },
}

const PAGE = 30

/** What background jobs did, the newest first. */
export function Runs() {
  const on = ['run-', 'branch-ended', 'update-reported', 'turn-']
  const pages = usePages<RunsPage>('/api/runs', { limit: PAGE }, { on })
  if (pages.data === undefined)
    return pages.error ? <Problem error={pages.error} retry={pages.refetch} /> : <Loading />
  const runs = pages.data.pages.flatMap((page) => page.runs)
  if (runs.length === 0)
    return (
      <Empty title="Nothing has run in the background yet">
        <p>
          A routine with <code>background: true</code> works on its own when it is due. What it did, what it
          cost and what it reported is listed here.
        </p>
      </Empty>
    )
  return (
    <>
      <table className={style.table} data-of="runs">
        <thead>
          <tr>
            <th>job</th>
            <th>state</th>
            <th>started</th>
            <th>took</th>
            <th>cost</th>
            <th>report</th>
            <th>
              <span className="visually-hidden">actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunRow key={run.position} run={run} />
          ))}
        </tbody>
      </table>
      {pages.hasNextPage && (
        <p className={style.more}>
          <Button small disabled={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
            Older
          </Button>
        </p>
      )}
    </>
  )
}

function RunRow({ run }: { readonly run: Run }) {
  const { words, tone } = STATES[run.state] ?? { words: run.state, tone: 'none' as const }
  const isRunning = run.state === 'running' || run.state === 'waiting'
  const name = { kind: run.kind, id: run.job }
  return (
    <tr>
      <td>
        <Link className={style.plain} href={jobPath(name)}>
          {run.job}
        </Link>
        <small className={style.kind}>{run.byHand ? `${run.kind}, by hand` : run.kind}</small>
      </td>
      <td className={style.state}>
        <Dot tone={tone} /> {words}
      </td>
      <td className={style.when}>
        <Time at={run.startedAt} as="both" />
      </td>
      <td className={style.when}>{isRunning ? <Since at={run.startedAt} /> : tookText(run)}</td>
      <td className={style.when} title={`${shortCount(run.tokens)} tokens`}>
        {run.tokens === 0 ? '' : moneyText(run.cost)}
      </td>
      <td className={style.report}>
        {isRunning ? <Live branch={run.branch} /> : <Report run={run} />}
        {run.pings > 0 && <small className={style.pinged}>pinged you</small>}
      </td>
      <td className={style.acts}>
        {isRunning && <Stop handle={run.handle} />}
        <Link href={`/chat/${run.handle}`}>Transcript</Link>
        <Link href={`/context/${run.handle}`}>Context</Link>
      </td>
    </tr>
  )
}

function tookText({ tookMs }: Run): string {
  if (tookMs === null) return ''
  return tookMs < 1_000 ? '< 1 s' : spanText(tookMs)
}

function Since({ at }: { readonly at: string }) {
  return spanText(Math.max(0, useNow(true, 1_000) - Date.parse(at)))
}

function Live({ branch }: { readonly branch: string }) {
  const running = useRunning().get(branch)
  const call = running?.calls.findLast(({ result }) => result === undefined)
  if (running?.retry !== undefined)
    return <span className={style.warn}>tries again: {running.retry.because}</span>
  const text = call === undefined ? plainly(running?.text ?? '').slice(-160) : `calls ${call.tool}`
  return <span className={style.dim}>{text || 'thinking…'}</span>
}

const SHORT = 140

/** Markdown without its most frequent signs, in one line. */
export function plainly(text: string): string {
  return text.replaceAll(/\*\*|`/g, '').replaceAll(/\s+/g, ' ')
}

function Report({ run: { report, said, why } }: { readonly run: Run }) {
  const [isOpen, setOpen] = useState(false)
  const text = why ?? report ?? said
  if (text === null) return <span className={style.faint}>said nothing</span>
  const isLong = text.length > SHORT || text.includes('\n')
  const plain = plainly(text)
  const shown = isLong && !isOpen ? `${plain.slice(0, SHORT).trimEnd()}…` : plain
  return (
    <>
      {why === null && report !== null && <small className={style.told}>told main</small>}
      {isOpen && why === null ? (
        <Markdown text={text} />
      ) : (
        <span className={why === null ? undefined : style.bad}>{shown}</span>
      )}
      {isLong && (
        <Button look="bare" small aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Less' : 'More'}
        </Button>
      )}
    </>
  )
}

function Stop({ handle }: { readonly handle: string }) {
  const command = useCommand()
  return (
    <Button
      small
      look="danger"
      disabled={command.isPending}
      onClick={() => command.mutate({ text: `/kill ${handle}` })}
    >
      Stop
    </Button>
  )
}
