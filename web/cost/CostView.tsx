import { useLocation, useSearch } from 'wouter'
import type { CostView as Cost } from '../../src/view/cost.ts'
import { useRead } from '../api/query.ts'
import { Page } from '../app/Page.tsx'
import { fullCount, moneyText, shortCount } from '../ui/numbers.ts'
import { Card, CardHead, ChipButton, Empty, Shown } from '../ui/surface.tsx'
import { Bars } from './Bars.tsx'
import style from './cost.module.css'
import { Limit } from './Limit.tsx'
import { amountOf, slicesOf, totalOf, type By, type Slice, type Unit } from './sums.ts'

const SPANS = [
  { span: 7, name: '7 days' },
  { span: 30, name: '30 days' },
  { span: 90, name: '90 days' },
  { span: 366, name: 'Year' },
] as const

/** Tokens and money by day, model and kind of work, and what the cache saved. */
export default function CostView() {
  const { days, by, change } = useAsked()
  const read = useRead<Cost>('/api/cost', { days }, { on: ['model-', 'spending-'], keep: true })
  return (
    <Page
      title="Cost"
      chips={
        <span className={style.chips} role="group" aria-label="How far back">
          {SPANS.map(({ span, name }) => (
            <ChipButton key={span} pressed={span === days} onClick={() => change({ days: span })}>
              {name}
            </ChipButton>
          ))}
        </span>
      }
    >
      <Shown of={read}>
        {(view) =>
          view.days.length === 0 && view.limit === null ? (
            <Empty title="Nothing was spent yet">
              <p>
                Every answer of a model is counted here: tokens, money where its price is known, and what the
                provider’s cache saved. <code>costDayMax</code> sets a limit for a day.
              </p>
            </Empty>
          ) : (
            <Spent view={view} days={days} by={by} choose={(to) => change({ by: to })} />
          )
        }
      </Shown>
    </Page>
  )
}

/** What the address asks for: `/cost?days=90&by=model`. */
function useAsked() {
  const [, navigate] = useLocation()
  const asked = new URLSearchParams(useSearch())
  const days = SPANS.find(({ span }) => String(span) === asked.get('days'))?.span ?? 30
  const by: By = asked.get('by') === 'model' ? 'model' : 'for'
  const change = (to: { readonly days?: number; readonly by?: By }): void =>
    navigate(`/cost?${new URLSearchParams({ days: String(to.days ?? days), by: to.by ?? by })}`, {
      replace: true,
    })
  return { days, by, change }
}

interface SpentProps {
  readonly view: Cost
  readonly days: number
  readonly by: By
  readonly choose: (by: By) => void
}

function Spent({ view, days, by, choose }: SpentProps) {
  const total = totalOf(view.days)
  const slices = slicesOf(view.days, by)
  const unit: Unit = total.cost === null || total.cost === 0 ? 'tokens' : 'money'
  return (
    <div className={style.view}>
      <div className={style.facts}>
        <Fact name={`In ${days} days`} value={unit === 'money' ? moneyText(total.cost) : tokensText(total)}>
          {fullCount(total.calls)} calls · {tokensText(total)}
        </Fact>
        <Fact name="Today" value={todayText(view)}>
          {fullCount(view.today.all.calls)} calls ·{' '}
          {shortCount(view.today.all.tokensIn + view.today.all.tokensOut)} tokens
        </Fact>
        <Fact
          name="The cache saved"
          value={total.saved > 0 ? moneyText(total.saved) : cachedShare(total)}
          tone="good"
        >
          {total.saved > 0
            ? `${Math.round((total.saved / ((total.cost ?? 0) + total.saved)) * 100)} % less · ${cachedShare(total)}`
            : 'of what models read came from it'}
        </Fact>
        <Limit view={view} />
      </div>
      <Card>
        <CardHead title="By day">
          <ChipButton pressed={by === 'for'} onClick={() => choose('for')}>
            Kind of work
          </ChipButton>
          <ChipButton pressed={by === 'model'} onClick={() => choose('model')}>
            Model
          </ChipButton>
        </CardHead>
        <Bars view={view} days={days} by={by} unit={unit} slices={slices} />
      </Card>
      <Card className={style.table}>
        <Slices slices={slices} unit={unit} by={by} />
      </Card>
    </div>
  )
}

function Fact({
  name,
  value,
  tone,
  children,
}: {
  readonly name: string
  readonly value: string
  readonly tone?: 'good'
  readonly children: React.ReactNode
}) {
  return (
    <Card className={style.fact}>
      <h2>{name}</h2>
      <b data-tone={tone}>{value}</b>
      <p>{children}</p>
    </Card>
  )
}

function tokensText({ tokensIn, tokensOut }: Pick<Slice, 'tokensIn' | 'tokensOut'>): string {
  return `${shortCount(tokensIn + tokensOut)} tokens`
}

function todayText({ today: { all } }: Cost): string {
  return all.cost === null ? `${shortCount(all.tokensIn + all.tokensOut)} tokens` : moneyText(all.cost)
}

function cachedShare({ tokensIn, tokensCached }: Pick<Slice, 'tokensIn' | 'tokensCached'>): string {
  return `${tokensIn === 0 ? 0 : Math.round((tokensCached / tokensIn) * 100)} % from cache`
}

function Slices({
  slices,
  unit,
  by,
}: {
  readonly slices: readonly Slice[]
  readonly unit: Unit
  readonly by: By
}) {
  const all = slices.reduce((sum, slice) => sum + amountOf(slice, unit), 0)
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{by === 'for' ? 'kind of work' : 'model'}</th>
          <th scope="col">share</th>
          <th scope="col">calls</th>
          <th scope="col">tokens in</th>
          <th scope="col">from cache</th>
          <th scope="col">tokens out</th>
          <th scope="col">saved</th>
          <th scope="col">cost</th>
        </tr>
      </thead>
      <tbody>
        {slices.map((slice) => (
          <tr key={slice.name}>
            <td>
              <span className={style.swatch} style={{ background: slice.colour }} />
              {slice.name}
            </td>
            <td>{Math.round((amountOf(slice, unit) / Math.max(all, Number.MIN_VALUE)) * 100)} %</td>
            <td>{fullCount(slice.calls)}</td>
            <td>{shortCount(slice.tokensIn)}</td>
            <td>{Math.round((slice.tokensCached / Math.max(1, slice.tokensIn)) * 100)} %</td>
            <td>{shortCount(slice.tokensOut)}</td>
            <td data-tone={slice.saved > 0 ? 'good' : undefined}>
              {slice.saved > 0 ? moneyText(slice.saved) : '–'}
            </td>
            <td>{moneyText(slice.cost)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
