import { useState } from 'react'
import type { CostView as Cost } from '../../src/view/cost.ts'
import { moneyText, shortCount } from '../ui/numbers.ts'
import { dayText } from '../ui/time.tsx'
import style from './cost.module.css'
import { barsOf, scaleTop, type Bar, type By, type Slice, type Unit } from './sums.ts'

interface BarsProps {
  readonly view: Cost
  readonly days: number
  readonly by: By
  readonly unit: Unit
  readonly slices: readonly Slice[]
}

/** A bar for each day, in layers. */
export function Bars({ view, days, by, unit, slices }: BarsProps) {
  const [pointed, setPointed] = useState<number>()
  const bars = barsOf(view, { days, by, unit })
  const top = scaleTop(bars.reduce((most, { amount }) => Math.max(most, amount), 0))
  const textOf = (amount: number): string => (unit === 'money' ? moneyText(amount) : shortCount(amount))
  const order = slices.map(({ name }) => name)
  const colours = new Map(slices.map(({ name, colour }) => [name, colour]))
  const bar = bars[pointed ?? bars.length - 1]
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
            aria-label={`${dayText(`${day}T12:00:00`)}: ${textOf(amount)}`}
          >
            {parts
              .toSorted((one, other) => order.indexOf(other.name) - order.indexOf(one.name))
              .map((part) => (
                <i
                  key={part.name}
                  style={{ height: `${(part.amount / top) * 100}%`, background: colours.get(part.name) }}
                />
              ))}
          </li>
        ))}
      </ul>
      <div className={style.axis} aria-hidden="true">
        <span>{dayText(`${bars[0]?.day}T12:00:00`)}</span>
        <span>{dayText(`${bars[Math.floor(bars.length / 2)]?.day}T12:00:00`)}</span>
        <span>today</span>
      </div>
      {bar && <Told bar={bar} textOf={textOf} colours={colours} />}
    </div>
  )
}

/** The day that is pointed at, or today. */
function Told({
  bar: { day, amount, parts },
  textOf,
  colours,
}: {
  readonly bar: Bar
  readonly textOf: (amount: number) => string
  readonly colours: ReadonlyMap<string, string>
}) {
  return (
    <p className={style.told}>
      <b>
        {dayText(`${day}T12:00:00`)} {amount === 0 ? 'nothing' : textOf(amount)}
      </b>
      {parts
        .toSorted((one, other) => other.amount - one.amount)
        .map((part) => (
          <span key={part.name}>
            <span className={style.swatch} style={{ background: colours.get(part.name) }} />
            {part.name} {textOf(part.amount)}
          </span>
        ))}
    </p>
  )
}
