import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { now } from '../api/now.ts'
import { Button } from '../ui/button.tsx'
import style from './memory.module.css'
import { FILTERS, type FilterName, type Hit, type useAsked } from './search.ts'

const LABELS: readonly (readonly [string, string])[] = [
  ['', 'with any label'],
  ['standing', 'still standing'],
  ['rewound', 'rewound'],
  ['cleared', 'cleared'],
  ['discarded', 'discarded'],
  ['superseded', 'superseded'],
  ['pending', 'not told to main yet'],
]
const TIMES: readonly (readonly [string, string])[] = [
  ['', 'any time'],
  ['1d', 'the last day'],
  ['1w', 'the last week'],
  ['30d', 'the last 30 days'],
  ['365d', 'the last year'],
]
const SPEAKERS: readonly (readonly [string, string])[] = [
  ['', 'by anyone'],
  ['me', 'by me'],
  ['you', 'by the assistant'],
]

/** Narrows a search: who said it, when, in which branch, and what became of it. */
export function Filters({
  asked: { of, set },
  hits,
}: {
  readonly asked: ReturnType<typeof useAsked>
  readonly hits: readonly Hit[]
}) {
  const names = new Map(hits.map(({ handle, branchName }) => [branchName, handle]))
  const branches = [...new Set(['main', ...names.keys(), ...(of('branch') === '' ? [] : [of('branch')])])]
  const choice = (name: FilterName, label: string, options: readonly (readonly [string, string])[]) => (
    <Choice label={label} value={of(name)} choose={(value) => set({ [name]: value })}>
      {withValue(options, of(name)).map(optionOf)}
    </Choice>
  )
  const isDated = of('until') !== '' || /^\d{4}-/.test(of('since'))
  const isNarrowed = FILTERS.some((name) => of(name) !== '')
  return (
    <div className={style.filters}>
      {choice('by', 'Who said it', SPEAKERS)}
      {isDated ? (
        <span className={style.dates}>
          <input
            type="date"
            aria-label="From"
            value={of('since')}
            onChange={({ target }) => set({ since: target.value })}
          />
          –
          <input
            type="date"
            aria-label="To"
            value={of('until')}
            onChange={({ target }) => set({ until: target.value })}
          />
        </span>
      ) : (
        <Choice
          label="When"
          value={of('since')}
          choose={(since) => set(since === BETWEEN ? lastMonth() : { since })}
        >
          {withValue([...TIMES, [BETWEEN, 'between two days…']], of('since')).map(optionOf)}
        </Choice>
      )}
      {choice('branch', 'Branch', [
        ['', 'in every branch'],
        ...branches.map((name) => [name, name] as const),
      ])}
      {choice('label', 'Label', LABELS)}
      {isNarrowed && (
        <Button
          look="bare"
          small
          onClick={() => set(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
        >
          <X />
          No filters
        </Button>
      )}
    </div>
  )
}

const BETWEEN = 'between'

function lastMonth(): { readonly since: string; readonly until: string } {
  return { since: dayOf(now() - 30 * 86_400_000), until: dayOf(now()) }
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

function optionOf([value, words]: readonly [string, string]) {
  return (
    <option key={value} value={value}>
      {words}
    </option>
  )
}

/** An address may have another value than those that are offered. */
function withValue(options: readonly (readonly [string, string])[], value: string) {
  return options.some(([one]) => one === value) ? options : [...options, [value, value] as const]
}

function Choice({
  label,
  value,
  choose,
  children,
}: {
  readonly label: string
  readonly value: string
  readonly choose: (value: string) => void
  readonly children: ReactNode
}) {
  return (
    <select
      className={style.choice}
      aria-label={label}
      value={value}
      data-set={value !== ''}
      onChange={({ target }) => choose(target.value)}
    >
      {children}
    </select>
  )
}
