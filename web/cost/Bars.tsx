import { useState } from 'react'
import type { CostView as Cost } from '../../src/view/cost.ts'
import { moneyText, shortCount } from '../ui/numbers.ts'
import { dayText } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import style from './cost.module.css'
import { barsOf, scaleTop, type By, type Slice, type Unit } from './sums.ts'

interface BarsProps {
  readonly view: Cost
  readonly days: number
  readonly by: By
  readonly unit: Unit
  readonly slices: readonly Slice[]
}

/** A bar for each day, in layers; below them the day that is pointed at, or today. */
export function Bars({ view, days, by, unit, slices }: BarsProps) {
  const [pointed, setPointed] = useState<number>()
  const bars = barsOf(view, { days, by, unit })
  const top = scaleTop(bars.reduce((most, { amount }) => Math.max(most, amount), 0))
  const textOf = (amount: number): string => (unit === 'money' ? moneyText(amount) : shortCount(amount))
  const dayOf = (index: number): string => dayText(`${bars[index]?.day}T12:00:00`)
  const told = pointed ?? days - 1
  const { amount: spent = 0, parts: shares } = bars[told] ?? {}
  return (
    <div className={style.chart}>
      <div className={style.scale} aria-hidden="true">
        {[1, 0.5, 0].map((share) => (
          <span key={share}>{textOf(top * share)}</span>
        ))}
      </div>
      <ul
        className={style.bars}
        data-many={days > 100}
        aria-label="Cost by day"
        onPointerLeave={() => setPointed(undefined)}
      >
        {bars.map(({ day, amount, parts }, index) => (
          <li
            key={day}
            data-pointed={pointed === index}
            onPointerEnter={() => setPointed(index)}
            aria-label={`${dayOf(index)}: ${textOf(amount)}`}
          >
            {slices.toReversed().map(({ name, colour }) => {
              const height = `${((parts.get(name) ?? 0) / top) * 100}%`
              return parts.has(name) && <i key={name} style={{ height, background: colour }} />
            })}
          </li>
        ))}
      </ul>
      <div className={style.axis} aria-hidden="true">
        <span>{dayOf(0)}</span>
        <span>{dayOf(Math.floor(days / 2))}</span>
        <span>today</span>
      </div>
      <p className={`${ui.legend} ${style.told}`}>
        <b>
          {dayOf(told)} {spent === 0 ? 'nothing' : textOf(spent)}
        </b>
        {slices.map(
          ({ name, colour }) =>
            shares?.has(name) && (
              <span key={name}>
                <i className={ui.swatch} style={{ background: colour }} />
                {name} {textOf(shares.get(name) ?? 0)}
              </span>
            ),
        )}
      </p>
    </div>
  )
}
