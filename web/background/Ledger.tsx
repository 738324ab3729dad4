import { Link, useSearchParams } from 'wouter'
import { usePages } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import { ChipButton, Empty, Problem, Loading } from '../ui/surface.tsx'
import { clockText, Time } from '../ui/time.tsx'
import style from './background.module.css'
import { plainly } from './Runs.tsx'
import { jobPath, type Job, type Ping, type Pings } from './data.ts'

const DECISIONS = ['sent', 'held', 'refused'] as const

const REASONS: Readonly<Record<string, string>> = {
  allowed: 'within the budget',
  critical: 'critical',
  asked: 'you asked for it',
  'quiet-hours': 'quiet hours',
  busy: 'you were busy',
  budget: 'budget used up',
  less: 'you asked for less',
  'one-per-run': 'one ping per run',
  'one-per-work': 'one ping per work',
  paused: 'paused',
  'not-allowed': 'may not ping',
  'critical-cap': 'too many critical ones',
  nobody: 'nobody to write to',
}

/** Filters that are part of the address. */
export function LedgerFilters({ jobs }: { readonly jobs: readonly Job[] }) {
  const [filters, change] = useFilters()
  return (
    <div className={style.filters}>
      <ChipButton pressed={filters.decision === undefined} onClick={() => change({ decision: undefined })}>
        all
      </ChipButton>
      {DECISIONS.map((decision) => (
        <ChipButton
          key={decision}
          pressed={filters.decision === decision}
          onClick={() => change({ decision })}
        >
          {decision}
        </ChipButton>
      ))}
      <select
        aria-label="Reason"
        value={filters.because ?? ''}
        onChange={({ target }) => change({ because: target.value || undefined })}
      >
        <option value="">any reason</option>
        {Object.entries(REASONS).map(([reason, words]) => (
          <option key={reason} value={reason}>
            {words}
          </option>
        ))}
      </select>
      <select
        aria-label="Job"
        value={filters.who ?? ''}
        onChange={({ target }) => change({ who: target.value || undefined })}
      >
        <option value="">any job</option>
        {[
          ...new Set([...jobs.map(({ kind, id }) => `${kind} ${id}`), ...(filters.who ? [filters.who] : [])]),
        ].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </div>
  )
}

interface Filters {
  readonly decision: string | undefined
  readonly because: string | undefined
  readonly who: string | undefined
}

function useFilters(): [Filters, (change: Partial<Filters>) => void] {
  const [search, setSearch] = useSearchParams()
  const filters = {
    decision: search.get('decision') ?? undefined,
    because: search.get('because') ?? undefined,
    who: search.get('who') ?? undefined,
  }
  return [
    filters,
    (change) => {
      const given = Object.entries({ ...filters, ...change }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as [string, string]],
      )
      setSearch(new URLSearchParams(given), { replace: true })
    },
  ]
}

const PAGE = 30

/** Every ping and every refusal, with why. */
export function Ledger() {
  const [filters] = useFilters()
  const isFiltered = Object.values(filters).some((one) => one !== undefined)
  const pages = usePages<Pings>('/api/pings', { limit: PAGE, ...filters }, { on: ['ping-', 'delivery-'] })
  if (pages.data === undefined)
    return pages.error ? <Problem error={pages.error} retry={pages.refetch} /> : <Loading />
  const pings = pages.data.pages.flatMap((page) => page.pings)
  return (
    <>
      {pings.length > 0 && (
        <table className={style.table}>
          <thead>
            <tr>
              <th>when</th>
              <th>who</th>
              <th>what</th>
              <th>decision</th>
              <th>because</th>
            </tr>
          </thead>
          <tbody>
            {pings.map((ping) => (
              <PingRow key={ping.position} ping={ping} />
            ))}
          </tbody>
        </table>
      )}
      {pings.length === 0 && (isFiltered ? <NoneFit isMore={pages.hasNextPage} /> : <NoPings />)}
      {pages.hasNextPage && (
        <p className={style.more}>
          <Button small disabled={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
            {pages.isFetchingNextPage ? 'Looking…' : 'Older'}
          </Button>
        </p>
      )}
    </>
  )
}

function PingRow({ ping }: { readonly ping: Ping }) {
  const { held, reason, note, answer, critical } = ping
  const { words, tone } = decisionOf(ping)
  const why = [held?.reason ?? reason, ...(held !== null || note === null ? [] : [note])]
  return (
    <tr>
      <td className={style.when}>
        <Time at={held?.ts ?? ping.ts} as="both" />
      </td>
      <td className={style.who}>
        <Who ping={ping} />
      </td>
      <td className={style.what}>
        <Link href={`/chat/${ping.from}`} title="Open the transcript">
          {plainly(ping.text)}
        </Link>
      </td>
      <td className={`${style.decision} ${style[tone]}`}>
        {words}
        {critical && reason !== 'critical' && <small> critical</small>}
        {answer !== null && <small>{ANSWERS[answer]}</small>}
      </td>
      <td className={style.why}>{why.join(' · ')}</td>
    </tr>
  )
}

const ANSWERS = {
  done: 'you: done',
  snoozed: 'you: snooze',
  less: 'you: less of this',
  replied: 'you replied',
} as const

function Who({ ping: { job, who } }: { readonly ping: Ping }) {
  const [kind = '', ...id] = (job ?? '').split(' ')
  if (job === null) return who
  return (
    <Link className={style.plain} href={jobPath({ kind: kind as Job['kind'], id: id.join(' ') })}>
      {who}
    </Link>
  )
}

/** In the words of the drawing: `held, sent 12:52`. */
function decisionOf({ state, verdict, held, ts }: Ping): { words: string; tone: 'good' | 'warn' | 'bad' } {
  if (state === 'refused') return { words: held === null ? 'refused' : 'held, then refused', tone: 'bad' }
  if (state === 'held') return { words: 'held', tone: 'warn' }
  const first = held !== null || verdict === 'held' ? 'held, ' : ''
  if (state === 'failed' || state === 'expired')
    return { words: `${first}${state === 'failed' ? 'not delivered' : 'expired'}`, tone: 'bad' }
  if (first !== '') return { words: `held, sent ${clockText(ts)}`, tone: 'warn' }
  return { words: state === 'sent' ? 'on its way' : 'sent', tone: 'good' }
}

function NoneFit({ isMore }: { readonly isMore: boolean }) {
  return (
    <Empty title="No ping fits these filters">
      <p>{isMore ? 'Look further back, or choose others.' : 'Choose others, or all.'}</p>
    </Empty>
  )
}

function NoPings() {
  return (
    <Empty title="Nobody tried to ping you yet">
      <p>
        When a background job wants to tell you something unasked, it is listed here, sent or not, with the
        reason. A budget keeps pings rare.
      </p>
    </Empty>
  )
}
