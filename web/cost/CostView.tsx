import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'wouter'
import type { CostView as Cost } from '../../src/view/cost.ts'
import { useRead } from '../api/query.ts'
import { Page } from '../app/Page.tsx'
import { CommandButton } from '../ui/button.tsx'
import { ChipChoice } from '../ui/choice.tsx'
import { fullCount, moneyText, shortCount } from '../ui/numbers.ts'
import { Card, CardHead, Empty, Shown, Table } from '../ui/surface.tsx'
import ui from '../ui/ui.module.css'
import { Bars } from './Bars.tsx'
import style from './cost.module.css'
import { amountOf, peopleOf, slicesOf, totalOf, type By, type Slice, type Sums, type Unit } from './sums.ts'

const SPANS = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['366', 'Year'],
] as const

const WAYS = [
  ['for', 'Kind of work'],
  ['model', 'Model'],
] as const

/** Tokens and money by day, model and kind of work, and what the cache saved. */
export default function CostView() {
  // `/cost?days=90&by=model`
  const [asked, ask] = useSearchParams()
  const [days] = SPANS.find(([span]) => span === asked.get('days')) ?? ['30']
  const by: By = asked.get('by') === 'model' ? 'model' : 'for'
  const read = useRead<Cost>('/api/cost', { days }, { on: ['model-', 'spending-'], keep: true })
  const choose = (to: string): void => ask({ days: to, by }, { replace: true })
  return (
    <Page
      title="Cost"
      chips={<ChipChoice label="How far back" options={SPANS} value={days} choose={choose} />}
    >
      <Shown of={read}>
        {(view) =>
          view.days.length === 0 && view.limit === null ? (
            <Empty title="Nothing spent yet">
              <p>
                Every answer of a model is counted here: tokens, money where its price is known, and what the
                provider’s cache saved. <code>costDayMax</code> sets a daily limit.
              </p>
            </Empty>
          ) : (
            <Spent
              view={view}
              days={Number(days)}
              by={by}
              choose={(to) => ask({ days, by: to }, { replace: true })}
            />
          )
        }
      </Shown>
    </Page>
  )
}

function Spent({ view, days, by, choose }: { view: Cost; days: number; by: By; choose: (by: By) => void }) {
  const total = totalOf(view.days)
  const today = view.today.all
  const slices = slicesOf(view.days, by)
  const unit: Unit = total.cost === null || total.cost === 0 ? 'tokens' : 'money'
  const cached = `${percent(total.tokensCached, total.tokensIn)} from cache`
  return (
    <div className={ui.stack}>
      <div className={style.facts}>
        <Fact name={`In ${days} days`} value={unit === 'money' ? moneyText(total.cost) : tokensText(total)}>
          {fullCount(total.calls)} calls · {tokensText(total)}
        </Fact>
        <Fact name="Today" value={today.cost === null ? tokensText(today) : moneyText(today.cost)}>
          {fullCount(today.calls)} calls · {tokensText(today)}
        </Fact>
        <Fact name="The cache saved" value={total.saved > 0 ? moneyText(total.saved) : cached} tone="good">
          {total.saved > 0
            ? `${percent(total.saved, (total.cost ?? 0) + total.saved)} less · ${cached}`
            : 'of the tokens that models read'}
        </Fact>
        <Limit view={view} />
      </div>
      <Card>
        <CardHead title="By day">
          <ChipChoice label="Bars by" options={WAYS} value={by} choose={choose} />
        </CardHead>
        <Bars view={view} days={days} by={by} unit={unit} slices={slices} />
      </Card>
      <Card className={style.table}>
        <Slices slices={slices} unit={unit} by={by} />
      </Card>
      <Others view={view} />
    </div>
  )
}

interface FactProps {
  readonly name: string
  readonly value: string
  readonly tone?: 'good' | 'warn' | 'bad' | undefined
  readonly children: ReactNode
}

function Fact({ name, value, tone, children }: FactProps) {
  return (
    <Card className={`${ui.inside} ${style.fact}`}>
      <h2 className={ui.caption}>{name}</h2>
      <b data-tone={tone}>{value}</b>
      <div className={ui.note}>{children}</div>
    </Card>
  )
}

/** How much of the day's limit is used, and a way past it for today. */
function Limit({ view: { limit, warn, unpriced } }: { view: Cost }) {
  if (limit === null)
    return (
      <Fact name="Daily limit" value="none">
        <p>
          {warn !== null && `You get a warning at ${amountText(warn)}. `}
          Set a limit with <Link href="/settings/all?q=costDayMax">costDayMax</Link>.
        </p>
      </Fact>
    )
  const share = limit.max === 0 ? 1 : limit.used / limit.max
  const tone = share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : undefined
  return (
    <Fact name="Daily limit" value={`${Math.round(share * 100)} % used`} tone={tone}>
      <div className={ui.gauge}>
        <i data-tone={tone} style={{ width: `${Math.min(1, share) * 100}%` }} />
      </div>
      {amountText({ unit: limit.unit, max: limit.used })} of {amountText(limit)}
      {limit.isLifted && ' · lifted for today'}
      {unpriced.tokens > 0 && ` · ${shortCount(unpriced.tokens)} tokens without a price`}
      {!limit.isLifted && share >= 0.8 && (
        <p>
          <CommandButton line="/cost allow">Lift it for today</CommandButton>
        </p>
      )}
    </Fact>
  )
}

function amountText({ unit, max }: { unit: Unit; max: number }): string {
  return unit === 'money' ? moneyText(max) : `${shortCount(max)} tokens`
}

function tokensText({ tokensIn, tokensOut }: Pick<Sums, 'tokensIn' | 'tokensOut'>): string {
  return `${shortCount(tokensIn + tokensOut)} tokens`
}

function percent(part: number, whole: number): string {
  return `${whole === 0 ? 0 : Math.round((part / whole) * 100)} %`
}

/** What guests and groups used, which the owner pays. */
function Others({ view: { days, today } }: { view: Cost }) {
  const others = peopleOf(days)
  if (others.length === 0) return null
  return (
    <Card className={style.table}>
      <CardHead title="Of that, guests and groups" />
      <Table heads={['who', 'cost', 'calls', 'tokens in', 'tokens out', 'today', 'daily limit']}>
        {others.map(({ person, name, ...used }) => {
          const now = today.people.find((one) => one.person === person)
          return (
            <tr key={person}>
              <td>{name}</td>
              <td>{moneyText(used.cost)}</td>
              <td>{fullCount(used.calls)}</td>
              <td>{shortCount(used.tokensIn)}</td>
              <td>{shortCount(used.tokensOut)}</td>
              <td>{now === undefined ? '–' : now.cost === null ? tokensText(now) : moneyText(now.cost)}</td>
              <td>{now?.limit ? amountText(now.limit) : '–'}</td>
            </tr>
          )
        })}
      </Table>
    </Card>
  )
}

function Slices({ slices, unit, by }: { slices: readonly Slice[]; unit: Unit; by: By }) {
  const all = slices.reduce((sum, slice) => sum + amountOf(slice, unit), 0)
  const heads = ['cost', 'share', 'calls', 'tokens in', 'from cache', 'tokens out', 'saved']
  return (
    <Table heads={[by === 'for' ? 'kind of work' : 'model', ...heads]}>
      {slices.map((slice) => (
        <tr key={slice.name}>
          <td>
            <i className={ui.swatch} style={{ background: slice.colour }} />
            {slice.name}
          </td>
          <td>{moneyText(slice.cost)}</td>
          <td>{percent(amountOf(slice, unit), all)}</td>
          <td>{fullCount(slice.calls)}</td>
          <td>{shortCount(slice.tokensIn)}</td>
          <td>{percent(slice.tokensCached, slice.tokensIn)}</td>
          <td>{shortCount(slice.tokensOut)}</td>
          <td data-tone="good">{slice.saved > 0 ? moneyText(slice.saved) : '–'}</td>
        </tr>
      ))}
    </Table>
  )
}
