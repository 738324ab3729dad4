import { Link, useSearchParams } from 'wouter'
import { useCommand } from '../api/act.ts'
import { usePages } from '../api/query.ts'
import { Button } from '../ui/button.tsx'
import { Menu, MenuItem } from '../ui/Menu.tsx'
import { ChipChoice, Choice } from '../ui/choice.tsx'
import { Empty } from '../ui/surface.tsx'
import { clockText, Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import style from './background.module.css'
import { jobPath, plainly, useJobs, type JobName, type Pings } from './data.ts'
import { PagedTable } from './Paged.tsx'

type Ping = Pings['pings'][number]

const DECISIONS = ['', 'sent', 'held', 'refused'].map((one) => [one, one || 'all'] as const)

const REASONS = Object.entries({
  '': 'any reason',
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
} satisfies Readonly<Record<Ping['because'] | '', string>>)

export function LedgerFilters() {
  const { filters, change } = useFilters()
  const { decision = '', because = '', who = '' } = filters
  const names = useJobs().data?.jobs.map(({ kind, id }) => `${kind} ${id}`) ?? []
  const jobs = new Map([
    ['', 'any job'],
    ...[...names, who].filter(Boolean).map((one) => [one, one] as const),
  ])
  return (
    <div className={`${ui.row} ${style.filters}`}>
      <ChipChoice label="decision" options={DECISIONS} value={decision} choose={change('decision')} />
      <Choice label="reason" options={REASONS} value={because} choose={change('because')} />
      <Choice label="job" options={jobs} value={who} choose={change('who')} />
    </div>
  )
}

type Filter = 'decision' | 'because' | 'who'

/** They are part of the address: `?decision=held&who=routine+inbox`. */
function useFilters() {
  const [search, setSearch] = useSearchParams()
  const filters: Partial<Record<Filter, string>> = Object.fromEntries(search)
  const change = (name: Filter) => (value: string) => {
    const { [name]: _, ...others } = filters
    setSearch(value === '' ? others : { ...others, [name]: value }, { replace: true })
  }
  return { filters, change }
}

const NONE_FIT = (
  <Empty title="No ping fits these filters">
    <p>Choose others, or all.</p>
  </Empty>
)

const NO_PINGS = (
  <Empty title="No pings yet">
    <p>
      When a background job wants to tell you something unasked, it is listed here, sent or not, with the
      reason. A budget keeps pings rare.
    </p>
  </Empty>
)

/** Every ping and every refusal, with why. */
export function Ledger() {
  const { filters } = useFilters()
  const on = ['ping-', 'delivery-']
  const pages = usePages<Pings>('/api/pings', { limit: 30, ...filters }, { on })
  const isFiltered = Object.keys(filters).length > 0
  return (
    <PagedTable
      of={pages}
      items={({ pings }) => pings}
      heads={['when', 'who', 'what', 'decision', 'because']}
      row={(ping) => <PingRow key={ping.position} ping={ping} />}
      none={isFiltered ? NONE_FIT : NO_PINGS}
    />
  )
}

function PingRow({ ping }: { ping: Ping }) {
  const { held, reason, note, answer, critical } = ping
  const { words, tone } = decisionOf(ping)
  return (
    <tr>
      <td>
        <Time at={held?.ts ?? ping.ts} as="both" />
      </td>
      <td>
        <Who ping={ping} />
      </td>
      <td className={style.text}>
        <Link className={style.plain} href={`/chat/${ping.from}`} title="Open the transcript">
          {plainly(ping.text)}
        </Link>
      </td>
      <td>
        <span data-tone={tone}>{words}</span>
        {critical && reason !== 'critical' && <small> critical</small>}
        {answer !== null && <small className={style.block}>{ANSWERS[answer]}</small>}
        {ping.answers !== null && <Answer {...ping.answers} />}
      </td>
      <td className={style.why}>{held?.reason ?? [reason, note].filter(Boolean).join(' · ')}</td>
    </tr>
  )
}

const ANSWERS = {
  done: 'you: done',
  snoozed: 'you: snooze',
  less: 'you: less of this',
  replied: 'you replied',
} as const

/** The buttons of its message, wherever that was sent. */
function Answer({ delivery, choices }: NonNullable<Ping['answers']>) {
  const { mutate, isPending } = useCommand()
  const button = (
    <Button look="text" className={style.block} disabled={isPending}>
      Answer …
    </Button>
  )
  return (
    <Menu align="end" trigger={button}>
      {choices.map(({ label, command }) => (
        <MenuItem key={command} onSelect={() => mutate({ text: command, replyTo: delivery })}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  )
}

function Who({ ping: { job, who } }: { ping: Ping }) {
  if (job === null) return who
  const [kind = '', ...id] = job.split(' ')
  return (
    <Link className={style.plain} href={jobPath({ kind: kind as JobName['kind'], id: id.join(' ') })}>
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
