import { Link } from 'wouter'
import type { CostView as Cost } from '../../src/view/cost.ts'
import { useCommand } from '../api/act.ts'
import { Button } from '../ui/button.tsx'
import { moneyText, shortCount } from '../ui/numbers.ts'
import { Card } from '../ui/surface.tsx'
import style from './cost.module.css'

/** How much of the day's limit is used, and a way past it for today. */
export function Limit({ view: { limit, warn, unpriced } }: { readonly view: Cost }) {
  const command = useCommand()
  if (limit === null)
    return (
      <Card className={style.fact}>
        <h2>Limit of a day</h2>
        <b>none</b>
        <p>
          {warn === null ? '' : `You are told at ${amountText(warn)}. `}
          <Link href="/settings/all?q=costDayMax">costDayMax</Link> sets one.
        </p>
      </Card>
    )
  const share = limit.max === 0 ? 1 : limit.used / limit.max
  const tone = share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : undefined
  return (
    <Card className={style.fact}>
      <h2>Limit of a day</h2>
      <b data-tone={tone}>{Math.round(share * 100)} % used</b>
      <div className={style.gauge} data-tone={tone}>
        <i style={{ width: `${Math.min(1, share) * 100}%` }} />
      </div>
      <p>
        {amountText({ unit: limit.unit, max: limit.used })} of {amountText(limit)}
        {limit.isLifted && ' · lifted for today'}
        {unpriced.tokens > 0 && ` · ${shortCount(unpriced.tokens)} tokens without a price`}
      </p>
      {!limit.isLifted && share >= 0.8 && (
        <Button
          small
          disabled={command.isPending}
          title="/cost allow"
          onClick={() => command.mutate({ text: '/cost allow' })}
        >
          Go on today
        </Button>
      )}
    </Card>
  )
}

function amountText({ unit, max }: { readonly unit: 'money' | 'tokens'; readonly max: number }): string {
  return unit === 'money' ? moneyText(max) : `${shortCount(max)} tokens`
}
