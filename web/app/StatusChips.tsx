import { Link } from 'wouter'
import { useIsConnected, useRead } from '../api/query.ts'
import { Chip, Dot } from '../ui/surface.tsx'
import { moneyText } from '../ui/numbers.ts'

interface Status {
  readonly model: { readonly name: string }
}
interface Cost {
  readonly today: { readonly all: { readonly cost: number | null } }
}
interface Pings {
  readonly budget: { readonly available: number; readonly capacity: number }
}

/** The model and what it cost today, and what is left of the pings. */
export function StatusChips() {
  const isConnected = useIsConnected()
  const { data: status } = useRead<Status>('/api/status', {}, { on: ['model', 'config', 'approval'] })
  const { data: cost } = useRead<Cost>('/api/cost', { days: 1 }, { on: ['model-called'] })
  const { data: pings } = useRead<Pings>('/api/pings', {}, { on: ['ping'] })
  const spent = cost?.today.all.cost ?? 0
  return (
    <>
      {status && (
        <Link href="/cost" asChild>
          <a>
            <Chip>
              <Dot tone={isConnected ? 'good' : 'bad'} />
              {status.model.name.replace(/^.*\//, '')}
              {spent > 0 && ` · ${moneyText(spent)}`}
            </Chip>
          </a>
        </Link>
      )}
      {pings && (
        <Link href="/background" asChild>
          <a>
            <Chip>
              pings {Math.floor(pings.budget.available)} / {pings.budget.capacity}
            </Chip>
          </a>
        </Link>
      )}
    </>
  )
}
