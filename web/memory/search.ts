import { useSearchParams } from 'wouter'
import type { recallView } from '../../src/view/recall-text.ts'
import { useRead } from '../api/query.ts'
import { useSettled } from '../ui/time.tsx'

export type Found = ReturnType<typeof recallView>
export type Hit = Found['hits'][number]
export type Asked = ReturnType<typeof useAsked>

export const FILTERS = ['by', 'since', 'until', 'branch', 'label'] as const

const STEP = 15
const LIMIT_MAX = 200
const DEBOUNCE_MS = 120

/** What is searched for, as the address has it: it can be linked to, and back leads to the search before. */
export function useAsked() {
  const [params, setParams] = useSearchParams()
  const of = (name: string): string => params.get(name) ?? ''
  const set = (changed: Readonly<Record<string, string | undefined>>, how: 'push' | 'replace' = 'push') =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        for (const [name, value] of Object.entries(changed)) {
          if (value === undefined || value === '') next.delete(name)
          else next.set(name, value)
        }
        return next
      },
      { replace: how === 'replace' },
    )
  return { of, set }
}

/** A search that was overtaken by another is cancelled; its hits stay until the next ones come. */
export function useFound({ of, set }: Asked) {
  const typed = of('q').trim()
  const q = useSettled(typed, DEBOUNCE_MS)
  const limit = Math.min(LIMIT_MAX, Number(of('limit')) || STEP)
  const filters = Object.fromEntries(FILTERS.map((name) => [name, of(name) || undefined]))
  const found = useRead<Found>('/api/recall', { q, limit, ...filters }, { enabled: q !== '', keep: true })
  const more = (): void => set({ limit: String(limit + 2 * STEP) }, 'replace')
  return { q, found, more: found.data?.more && limit < LIMIT_MAX ? more : undefined }
}
