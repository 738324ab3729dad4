import { Card } from '../ui/surface.tsx'
import { agoText, clockText, Time, useNow } from '../ui/time.tsx'
import { useRead } from '../api/query.ts'
import style from './background.module.css'
import type { Ahead, Budget, Pings } from './data.ts'

const RADIUS = 38
const ROUND = 2 * Math.PI * RADIUS

/** How many pings are left, and how they come back. */
export function BudgetCard({ ahead }: { readonly ahead: Ahead }) {
  const { data } = useRead<Pings>('/api/pings', { limit: 1 }, { on: ['ping-', 'budget-', 'delivery-'] })
  const now = useNow()
  if (data === undefined) return <Card className={style.budget} />
  const available = availableAt(data.budget, now)
  return (
    <Card className={style.budget} aria-label="Ping budget">
      <h2>Ping budget</h2>
      <div className={style.gauge}>
        <svg
          viewBox="0 0 92 92"
          role="img"
          aria-label={`${tenths(available)} of ${data.budget.capacity} pings left`}
        >
          <circle cx="46" cy="46" r={RADIUS} />
          {available > 0 && (
            <circle
              cx="46"
              cy="46"
              r={RADIUS}
              className={style.left}
              strokeDasharray={`${(available / data.budget.capacity) * ROUND} ${ROUND}`}
              transform="rotate(-90 46 46)"
            />
          )}
          <text x="46" y="53" textAnchor="middle">
            {tenths(available)}
          </text>
        </svg>
        <Words budget={data.budget} criticalMax={ahead.criticalMax} now={now} />
      </div>
      <Curve ahead={ahead} capacity={data.budget.capacity} />
    </Card>
  )
}

function Words({
  budget,
  criticalMax,
  now,
}: {
  readonly budget: Budget
  readonly criticalMax: number
  readonly now: number
}) {
  const { capacity, next_refill: next, refill_rate_minutes: rate, held, on_the_way: sending } = budget
  const more =
    next === null ? 'full' : <span title={`at ${clockText(next)}`}>one more {agoText(next, now)}</span>
  return (
    <ul className={style.words}>
      <li>
        of {capacity} · {more}
      </li>
      <li>one every {rate} min</li>
      <li>{budget.daily_used} used today</li>
      <li>
        critical {budget.critical_used}
        {criticalMax > 0 && ` of ${criticalMax}`} today
      </li>
      {held + sending > 0 && (
        <li>
          {[...(held > 0 ? [`${held} held`] : []), ...(sending > 0 ? [`${sending} on the way`] : [])].join(
            ', ',
          )}
        </li>
      )}
      {budget.quiet_until !== null && (
        <li className={style.warn}>
          quiet until <Time at={budget.quiet_until} />
        </li>
      )}
    </ul>
  )
}

/** It refills while nobody reads it again. */
function availableAt(
  { available, capacity, refill_rate_minutes: rate, last_refill: at }: Budget,
  now: number,
) {
  const gained = Math.max(0, now - Date.parse(at)) / (rate * 60_000)
  return Math.min(capacity, available + gained)
}

/** Never more than there is: only whole ones can be used. */
function tenths(value: number): string {
  return String(Math.floor(value * 10 + 1e-6) / 10)
}

const [WIDTH, HEIGHT, TOP] = [288, 62, 4]

function Curve({ ahead, capacity }: { readonly ahead: Ahead; readonly capacity: number }) {
  const points = ahead.curve.map(({ at, available }) => ({ at: Date.parse(at), available }))
  const now = Date.parse(ahead.now)
  const [from, to] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 1]
  const xOf = (at: number): number => ((at - from) / (to - from)) * WIDTH
  const line = (some: typeof points): string =>
    some
      .map(({ at, available }, index) => {
        const y = HEIGHT - (available / capacity) * (HEIGHT - TOP)
        return `${index === 0 ? 'M' : 'L'}${xOf(at).toFixed(1)} ${y.toFixed(1)}`
      })
      .join('')
  const past = line(points.filter(({ at }) => at <= now))
  const next = line(points.filter(({ at }) => at >= now))
  const x = xOf(now)
  return (
    <figure className={style.curve}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label="Pings left over the last day and the next hours"
      >
        <path className={style.area} d={`${past}L${x.toFixed(1)} ${HEIGHT}L0 ${HEIGHT}Z`} />
        <path className={style.line} d={past} />
        <path className={style.line} d={next} data-look="next" />
        <path className={style.base} d={`M0 ${HEIGHT - 0.5}H${WIDTH}M${x.toFixed(1)} 0V${HEIGHT}`} />
      </svg>
      <figcaption>
        <span>24 h ago</span>
        <span style={{ left: `${(x / WIDTH) * 100}%` }}>now</span>
        <span>in 12 h</span>
      </figcaption>
    </figure>
  )
}
