import { Plus } from 'lucide-react'
import { Link, useLocation, useRoute } from 'wouter'
import { useRead } from '../api/query.ts'
import { Page } from '../app/Page.tsx'
import { Button } from '../ui/button.tsx'
import { Card, Shown } from '../ui/surface.tsx'
import ui from '../ui/ui.module.css'
import style from './background.module.css'
import { BudgetCard } from './Budget.tsx'
import { JOB_EVENTS, JOBS_PATH, type Ahead } from './data.ts'
import { Jobs } from './Jobs.tsx'
import { Ledger, LedgerFilters } from './Ledger.tsx'
import { PauseButton, Until } from './Pause.tsx'
import { Runs } from './Runs.tsx'
import { Timeline } from './Timeline.tsx'

const TABS = [
  { tab: 'pings', to: '/background', title: 'Why was I (not) pinged?' },
  { tab: 'runs', to: '/background/runs', title: 'Runs' },
  { tab: 'jobs', to: JOBS_PATH, title: 'Jobs' },
] as const

/** What goes on without you: what is due, what it did, and why you were pinged or not. */
export default function BackgroundView() {
  const on = [...JOB_EVENTS, 'ping-', 'budget-']
  const ahead = useRead<Ahead>('/api/background', {}, { on })
  const [, params] = useRoute('/background/:tab?/:what?/*?')
  const { tab: open = 'pings', what, '*': id } = params ?? {}
  return (
    <Page title="Background" actions={<Acts isPaused={(ahead.data?.paused ?? false) !== false} />}>
      <div className={`${ui.stack} ${style.view}`}>
        <Shown of={ahead}>
          {(data) => (
            <>
              <div className={style.top}>
                <Timeline ahead={data} />
                <BudgetCard ahead={data} />
              </div>
              {data.paused !== false && (
                <p className={ui.banner} role="status">
                  All jobs and pings are paused <Until end={data.paused} />. What comes due meanwhile is
                  caught up on.
                </p>
              )}
            </>
          )}
        </Shown>
        <Card className={style.below}>
          <div className={style.head}>
            <nav aria-label="Background">
              {TABS.map(({ tab, to, title }) => (
                <Link key={tab} href={to} aria-current={tab === open ? 'page' : undefined}>
                  {title}
                </Link>
              ))}
            </nav>
            {open === 'pings' && <LedgerFilters />}
          </div>
          {open === 'pings' && <Ledger />}
          {open === 'runs' && <Runs />}
          {open === 'jobs' && <Jobs what={what} id={id} />}
        </Card>
      </div>
    </Page>
  )
}

function Acts({ isPaused }: { isPaused: boolean }) {
  const [, go] = useLocation()
  return (
    <>
      <PauseButton what="all" isPaused={isPaused} />
      <Button look="main" onClick={() => go(`${JOBS_PATH}/new`)}>
        <Plus />
        New job
      </Button>
    </>
  )
}
