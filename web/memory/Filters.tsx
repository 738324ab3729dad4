import { X } from 'lucide-react'
import { now } from '../api/now.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import ui from '../ui/ui.module.css'
import { placeOf } from './Hits.tsx'
import { FILTERS, type Asked, type Hit } from './search.ts'

/** What can be chosen, and its words; the first is no filter. */
type Options = Readonly<Record<string, string>>

const SPEAKERS: Options = { '': 'by anyone', me: 'by me', you: 'by Mainstem' }
const TIMES: Options = {
  '': 'any time',
  '1d': 'the last day',
  '1w': 'the last week',
  '30d': 'the last 30 days',
  '365d': 'the last year',
  between: 'between two days…',
}
const LABELS: Options = {
  '': 'with any label',
  standing: 'still current',
  rewound: 'rewound',
  cleared: 'cleared',
  discarded: 'discarded',
  superseded: 'superseded',
  pending: 'not told to main yet',
}

/** Narrows a search: who said it, when, in which branch, and what became of it. */
export function Filters({ asked: { of, set }, hits }: { asked: Asked; hits: readonly Hit[] }) {
  const branches = Object.fromEntries(hits.map((hit) => [hit.branchName, placeOf(hit)]))
  const choice = (label: string, name: string, options: Options) => (
    <Choice
      label={label}
      value={of(name)}
      // An address may have another value than those that are offered.
      options={Object.entries({ ...options, [of(name)]: options[of(name)] ?? of(name) })}
      choose={(value) => set(value === 'between' ? lastMonth() : { [name]: value })}
    />
  )
  const day = (label: string, name: string) => (
    <input
      type="date"
      className={ui.select}
      aria-label={label}
      value={of(name)}
      data-set
      onChange={({ target }) => set({ [name]: target.value })}
    />
  )
  const isDated = of('until') !== '' || /^\d{4}-/.test(of('since'))
  return (
    <div className={ui.row}>
      {choice('Who said it', 'by', SPEAKERS)}
      {isDated ? [day('From', 'since'), day('To', 'until')] : choice('When', 'since', TIMES)}
      {choice('Branch', 'branch', { '': 'in every branch', main: 'main', ...branches })}
      {choice('Label', 'label', LABELS)}
      {FILTERS.some((name) => of(name) !== '') && (
        <Button
          look="bare"
          small
          onClick={() => set(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
        >
          <X />
          Clear filters
        </Button>
      )}
    </div>
  )
}

function lastMonth(): { readonly since: string; readonly until: string } {
  return { since: dayOf(now() - 30 * 86_400_000), until: dayOf(now()) }
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
