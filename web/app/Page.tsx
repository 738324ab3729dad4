import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { budgetView } from '../../src/view/pings.ts'
import type { CostView } from '../../src/view/cost.ts'
import { useIsConnected, useRead } from '../api/query.ts'
import { moneyText } from '../ui/numbers.ts'
import { Dot } from '../ui/surface.tsx'
import ui from '../ui/ui.module.css'
import style from './app.module.css'
import { useTitle, type Status } from './badges.ts'

interface PageProps {
  readonly title: string
  /** Beside the title. */
  readonly chips?: ReactNode
  /** At the right end of the top bar; left out: how Mainstem is. */
  readonly actions?: ReactNode
  /** `bare`: the view fills everything below the bar, without padding or scrolling. */
  readonly fill?: 'padded' | 'bare'
  readonly children: ReactNode
}

/** The frame of every view: a bar with its title, and itself. */
export function Page({ title, chips, actions, fill = 'padded', children }: PageProps) {
  useTitle(title)
  return (
    <>
      <header className={style.top}>
        <h1>{title}</h1>
        {chips}
        <div className={`${ui.row} ${style.actions}`} data-status={actions === undefined}>
          {actions ?? <StatusChips />}
        </div>
      </header>
      <main id="view" className={style.view} data-fill={fill} tabIndex={-1}>
        {children}
      </main>
    </>
  )
}

/** The model and what it cost today, and what is left of the pings. */
function StatusChips() {
  const isConnected = useIsConnected()
  const { data: status } = useRead<Status>('/api/status', {}, { on: ['model', 'config', 'approval'] })
  const { data: cost } = useRead<CostView>('/api/cost', { days: 1 }, { on: ['model-called'] })
  const { data: pings } = useRead<{ budget: ReturnType<typeof budgetView> }>(
    '/api/pings',
    {},
    { on: ['ping'] },
  )
  const spent = cost?.today.all.cost ?? 0
  return (
    <>
      {status && (
        <Link href="/cost" className={ui.chip}>
          <Dot tone={isConnected ? 'good' : 'bad'} />
          <span className={spent > 0 ? ui.wide : undefined}>
            {status.model.missing === null ? status.model.name.replace(/^.*\//, '') : 'no model'}
            {spent > 0 && ' ·'}
          </span>
          {spent > 0 && moneyText(spent)}
        </Link>
      )}
      {pings && (
        <Link href="/background" className={ui.chip}>
          pings {Math.floor(pings.budget.available)} / {pings.budget.capacity}
        </Link>
      )}
    </>
  )
}
