import { Pause, Play, Plus } from 'lucide-react'
import { Link, useLocation, useRoute } from 'wouter'
import { useCommand } from '../api/act.ts'
import { Page } from '../app/Page.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { Menu, MenuItem } from '../ui/Menu.tsx'
import { Card, Shown } from '../ui/surface.tsx'
import { Time } from '../ui/time.tsx'
import style from './background.module.css'
import { BudgetCard } from './Budget.tsx'
import { useAhead, useJobs, type Ahead } from './data.ts'
import { Jobs } from './Jobs.tsx'
import { Ledger, LedgerFilters } from './Ledger.tsx'
import { Runs } from './Runs.tsx'
import { Timeline } from './Timeline.tsx'

/** What goes on without you: what is due, what it did, and why you were pinged or not. */
export default function BackgroundView() {
  const ahead = useAhead()
  const [, params] = useRoute('/background/:tab?/:what?/*?')
  const { tab = 'pings', what, '*': id } = params ?? {}
  return (
    <Page title="Background" actions={<Acts ahead={ahead.data} />}>
      <div className={style.view}>
        <Shown of={ahead}>
          {(data) => (
            <div className={style.top}>
              <Card className={style.ahead} aria-label="Next 12 hours">
                <header>
                  <h2>Next 12 hours</h2>
                  <Legend ahead={data} />
                </header>
                <Timeline ahead={data} />
              </Card>
              <BudgetCard ahead={data} />
            </div>
          )}
        </Shown>
        {ahead.data !== undefined && ahead.data.paused !== false && <Paused until={ahead.data.paused} />}
        <Card className={style.below}>
          <div className={style.head}>
            <nav aria-label="Background">
              <Tab to="" isOn={tab === 'pings'}>
                Why was I (not) pinged?
              </Tab>
              <Tab to="/runs" isOn={tab === 'runs'}>
                Runs
              </Tab>
              <Tab to="/jobs" isOn={tab === 'jobs'}>
                Jobs
              </Tab>
            </nav>
            {tab === 'pings' && <Filters />}
          </div>
          {tab === 'pings' && <Ledger />}
          {tab === 'runs' && <Runs />}
          {tab === 'jobs' && <Jobs open={{ what, id }} />}
        </Card>
      </div>
    </Page>
  )
}

function Legend({ ahead: { due, refills, left } }: { readonly ahead: Ahead }) {
  if (due.length === 0) return null
  return (
    <ul className={style.legend}>
      <li className={style.key} data-kind="routine">
        <i /> routine
      </li>
      {due.some(({ kind }) => kind === 'reminder') && (
        <li className={style.key} data-kind="reminder">
          <i /> reminder
        </li>
      )}
      {due.some(({ silent }) => silent) && (
        <li className={style.key} data-look="silent">
          <i /> may not ping
        </li>
      )}
      {refills.length > 0 && (
        <li>
          <b>+1</b> ping refilled
        </li>
      )}
      {left > 0 && <li>and {left} more jobs</li>}
    </ul>
  )
}

interface TabProps {
  readonly to: string
  readonly isOn: boolean
  readonly children: string
}

function Tab({ to, isOn, children }: TabProps) {
  return (
    <Link href={`/background${to}`} className={style.tab} aria-current={isOn ? 'page' : undefined}>
      {children}
    </Link>
  )
}

function Filters() {
  const { data } = useJobs()
  return <LedgerFilters jobs={data?.jobs ?? []} />
}

const PAUSES = [
  ['For an hour', ' 1h'],
  ['For four hours', ' 4h'],
  ['Until tomorrow 8:00', ' until tomorrow 8:00'],
  ['Until I resume', ''],
] as const

function Acts({ ahead }: { readonly ahead: Ahead | undefined }) {
  const { mutate, isPending } = useCommand()
  const [, go] = useLocation()
  const order = (text: string) => () => mutate({ text })
  return (
    <>
      {ahead !== undefined && ahead.paused !== false ? (
        <Button disabled={isPending} onClick={order('/resume')}>
          <Play aria-hidden="true" />
          Resume all
        </Button>
      ) : (
        <Menu
          align="end"
          trigger={
            <Button>
              <Pause aria-hidden="true" />
              Pause all
            </Button>
          }
        >
          {PAUSES.map(([words, time]) => (
            <MenuItem key={words} onSelect={order(`/pause all${time}`)}>
              {words}
            </MenuItem>
          ))}
        </Menu>
      )}
      <button type="button" className={buttonClass('main')} onClick={() => go('/background/jobs/new')}>
        <Plus aria-hidden="true" />
        <span className={style.wide}>New routine</span>
        <span className={style.narrow}>New</span>
      </button>
    </>
  )
}

function Paused({ until }: { readonly until: true | string }) {
  return (
    <p className={style.banner} role="status">
      All jobs and pings are paused{' '}
      {until === true ? (
        'until you resume them.'
      ) : (
        <>
          until <Time at={until} as="both" />.
        </>
      )}{' '}
      What comes due meanwhile is caught up on.
    </p>
  )
}
