import { useRead } from '../api/query.ts'
import { Card } from '../ui/surface.tsx'
import { agoText, clockText, Time, useNow } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import style from './background.module.css'
import type { Ahead, Budget, Pings } from './data.ts'

/** How many pings are left, and how they come back. */
export function BudgetCard({ ahead }: { ahead: Ahead }) {
  const { data } = useRead<Pings>('/api/pings', { limit: 1 }, { on: ['ping-', 'budget-', 'delivery-'] })
  const now = useNow()
  if (data === undefined) return <Card className={ui.inside} />
  const { budget } = data
  const left = leftAt(budget, now)
  const ring = `conic-gradient(var(--stem) ${(left / budget.capacity) * 100}%, var(--line) 0)`
  return (
    <Card className={`${ui.inside} ${ui.column}`} aria-label="Ping budget">
      <h2>Ping budget</h2>
      <div className={style.gauge}>
        <b role="img" aria-label={`${left} of ${budget.capacity} pings left`} style={{ background: ring }}>
          <span>{left}</span>
        </b>
        <Words budget={budget} criticalMax={ahead.criticalMax} now={now} />
      </div>
      <Curve ahead={ahead} capacity={budget.capacity} />
    </Card>
  )
}

function Words({ budget, criticalMax, now }: { budget: Budget; criticalMax: number; now: number }) {
  const { next_refill: next, held, on_the_way: sending, quiet_until: quiet } = budget
  const open = [held > 0 && `${held} held`, sending > 0 && `${sending} on the way`].filter(Boolean)
  return (
    <ul data-tone="dim">
      <li title={next === null ? undefined : `at ${clockText(next)}`}>
        of {budget.capacity} · {next === null ? 'full' : `one more ${agoText(next, now)}`}
      </li>
      <li>one every {budget.refill_rate_minutes} min</li>
      <li>{budget.daily_used} used today</li>
      <li>
        critical {budget.critical_used}
        {criticalMax > 0 && ` of ${criticalMax}`} today
      </li>
      {open.length > 0 && <li>{open.join(', ')}</li>}
      {quiet !== null && (
        <li data-tone="warn">
          quiet until <Time at={quiet} />
        </li>
      )}
    </ul>
  )
}

/** In tenths, rounded down: only whole ones can be used. It refills while nobody reads it again. */
function leftAt({ available, capacity, refill_rate_minutes: rate, last_refill: at }: Budget, now: number) {
  const gained = Math.max(0, now - Date.parse(at)) / (rate * 60_000)
  return Math.floor(Math.min(capacity, available + gained) * 10 + 1e-6) / 10
}

const [WIDTH, HEIGHT, TOP] = [288, 62, 4]

function Curve({ ahead, capacity }: { ahead: Ahead; capacity: number }) {
  const points = ahead.curve.map(({ at, available }) => ({ at: Date.parse(at), available }))
  const now = Date.parse(ahead.now)
  const [from, to] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 1]
  const xOf = (at: number): string => (((at - from) / (to - from)) * WIDTH).toFixed(1)
  const line = (some: typeof points): string =>
    some
      .map(
        ({ at, available }) => `${xOf(at)} ${(HEIGHT - (available / capacity) * (HEIGHT - TOP)).toFixed(1)}`,
      )
      .join('L')
  const past = line(points.filter(({ at }) => at <= now))
  const x = xOf(now)
  return (
    <figure className={style.curve}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label="Pings left over the last day and the next hours"
      >
        <path className={style.area} d={`M${past}L${x} ${HEIGHT}L0 ${HEIGHT}Z`} />
        <path className={style.past} d={`M${past}`} />
        <path className={style.next} d={`M${line(points.filter(({ at }) => at >= now))}`} />
        <path d={`M0 ${HEIGHT - 0.5}H${WIDTH}M${x} 0V${HEIGHT}`} />
      </svg>
      <figcaption className={ui.caption}>
        <span>24 h ago</span>
        <span style={{ left: `${(Number(x) / WIDTH) * 100}%` }}>now</span>
        <span>in 12 h</span>
      </figcaption>
    </figure>
  )
}
