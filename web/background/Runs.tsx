import { Link } from 'wouter'
import { usePages, useRunning } from '../api/query.ts'
import { Markdown } from '../text/markdown.tsx'
import { CommandButton } from '../ui/button.tsx'
import { moneyText, shortCount } from '../ui/numbers.ts'
import { Dot, Empty } from '../ui/surface.tsx'
import { spanText, Time, useNow } from '../ui/time.tsx'
import style from './background.module.css'
import { jobPath, plainly, type Runs as RunsPage } from './data.ts'
import { PagedTable } from './Paged.tsx'

type Run = RunsPage['runs'][number]

const STATES: Readonly<Record<string, { words: string; tone: 'good' | 'warn' | 'bad' | 'none' }>> = {
  running: { words: 'running', tone: 'good' },
  waiting: { words: 'waits for its turn', tone: 'warn' },
  resting: { words: 'rests until it is due', tone: 'none' },
  finished: { words: 'finished', tone: 'none' },
  failed: { words: 'failed', tone: 'bad' },
  'timed-out': { words: 'out of time', tone: 'bad' },
  killed: { words: 'stopped', tone: 'warn' },
}

const NO_RUNS = (
  <Empty title="Nothing has run in the background yet">
    <p>
      A routine with <code>background: true</code> works on its own when it is due. What it did, what it cost
      and what it reported is listed here.
    </p>
  </Empty>
)

/** Runs of background jobs, the newest first. */
export function Runs() {
  const on = ['run-', 'branch-ended', 'update-reported', 'turn-']
  const pages = usePages<RunsPage>('/api/runs', { limit: 30 }, { on })
  return (
    <PagedTable
      of={pages}
      items={({ runs }) => runs}
      heads={['job', 'state', 'started', 'took', 'cost', 'report', 'open']}
      row={(run) => <RunRow key={run.position} run={run} />}
      none={NO_RUNS}
    />
  )
}

function RunRow({ run }: { run: Run }) {
  const { kind, job: id, handle, startedAt } = run
  const { words, tone } = STATES[run.state] ?? { words: run.state, tone: 'none' as const }
  const isRunning = run.state === 'running' || run.state === 'waiting'
  return (
    <tr>
      <td>
        <Link className={style.plain} href={jobPath({ kind, id })}>
          {id}
        </Link>
        <small className={style.block}>{run.byHand ? `${kind}, by hand` : kind}</small>
      </td>
      <td>
        <Dot tone={tone} /> {words}
      </td>
      <td>
        <Time at={startedAt} as="both" />
      </td>
      <td>{isRunning ? <Since at={startedAt} /> : tookText(run)}</td>
      <td title={`${shortCount(run.tokens)} tokens`}>{run.tokens === 0 ? '' : moneyText(run.cost)}</td>
      <td className={style.text}>
        {isRunning ? <Live branch={run.branch} /> : <Report run={run} />}
        {run.pings > 0 && <small> pinged you</small>}
      </td>
      <td>
        <Link href={`/chat/${handle}`}>Transcript</Link> · <Link href={`/context/${handle}`}>Context</Link>{' '}
        {isRunning && (
          <CommandButton look="danger" line={`/kill ${handle}`}>
            Stop
          </CommandButton>
        )}
      </td>
    </tr>
  )
}

function tookText({ tookMs }: Run): string {
  if (tookMs === null) return ''
  return tookMs < 1_000 ? '< 1 s' : spanText(tookMs)
}

function Since({ at }: { at: string }) {
  return spanText(Math.max(0, useNow(true, 1_000) - Date.parse(at)))
}

function Live({ branch }: { branch: string }) {
  const running = useRunning().get(branch)
  const call = running?.calls.at(-1)
  if (running?.retry !== undefined) return <span data-tone="warn">tries again: {running.retry.because}</span>
  const text = call === undefined ? plainly(running?.text ?? '').slice(-160) : `calls ${call.tool}`
  return <span data-tone="dim">{text || 'thinking…'}</span>
}

const SHORT = 140

function Report({ run: { report, said, why } }: { run: Run }) {
  const text = why ?? report ?? said
  if (text === null) return <span data-tone="faint">said nothing</span>
  const plain = plainly(text)
  const words = (
    <span data-tone={why === null ? undefined : 'bad'}>
      {why === null && report !== null && <small>told main: </small>}
      {plain.slice(0, SHORT)}
    </span>
  )
  if (plain.length <= SHORT && !text.includes('\n')) return words
  return (
    <details>
      <summary>{words}…</summary>
      <Markdown text={text} />
    </details>
  )
}
