import { useEffect, useMemo, useRef, useState } from 'react'
import type { BranchHead, QueuedEntry, TimelineEntry } from '../../src/view/chat/timeline.ts'
import { get, type ApiError } from '../api/client.ts'
import { useRead } from '../api/query.ts'
import { stream } from '../api/stream.ts'

export type Entry = TimelineEntry
export type EntryOf<Kind extends Entry['kind']> = Extract<Entry, { readonly kind: Kind }>

export interface Timeline {
  readonly branch: BranchHead
  readonly entries: readonly Entry[]
  readonly next: number | null
  readonly queued: readonly QueuedEntry[]
  readonly retry: { readonly tries: number; readonly at: string } | null
  readonly hasFailed: boolean
  readonly tokens: number
  readonly tokensMax: number
  readonly end: number
}

const PAGE = 60
/** Events that change what a chat shows. */
const KINDS =
  'message- command- mark- context- delivery-intended branch- inbound- turn- approval- ping-answered import-'.split(
    ' ',
  )

/**
 * What a branch shows: the newest entries, kept up to date, and older ones as far as somebody has gone back. `at` looks
 * at the past instead: the entries around that position.
 */
export function useTimeline(branch: string | undefined, at: number | undefined) {
  const look = at === undefined ? {} : { before: at + 1 }
  const newest = useRead<Timeline>('/api/timeline', { branch, limit: PAGE, ...look }, { on: KINDS })
  const later = useRead<Timeline>(
    '/api/timeline',
    { branch, after: at, limit: PAGE },
    { enabled: at !== undefined },
  )
  const tail = newest.data
  const older = useOlder(branch, tail)
  const known = useRef(new Map<number, Entry>())
  const place = `${branch} ${at}`
  const shownAt = useRef(place)
  const entries = useMemo(() => {
    const [first] = tail?.entries ?? []
    const last = Math.max(0, ...known.current.keys())
    // After a long sleep the newest page no longer meets what was known.
    const isApart = first !== undefined && tail?.next !== null && first.position > last && last > 0
    if (shownAt.current !== place || isApart) known.current = new Map()
    shownAt.current = place
    for (const entry of [...older.entries, ...(tail?.entries ?? []), ...(later.data?.entries ?? [])])
      known.current.set(entry.position, entry)
    return [...known.current.values()].toSorted((one, other) => one.position - other.position)
  }, [place, older.entries, tail, later.data])
  return {
    timeline: tail,
    /** Whether all that was asked for at first is there. */
    isWhole: at === undefined || later.data !== undefined,
    entries,
    error: newest.error,
    retry: newest.refetch,
    updatedAt: newest.dataUpdatedAt,
    older,
  }
}

export interface Older {
  readonly entries: readonly Entry[]
  readonly hasMore: boolean
  readonly isLoading: boolean
  readonly error: ApiError | undefined
  readonly load: () => void
}

/** Pages before the newest one. They are read again when the context changes: its labels do. */
function useOlder(branch: string | undefined, tail: Timeline | undefined): Older {
  const [state, setState] = useState({
    branch,
    entries: [] as readonly Entry[],
    next: undefined as number | null | undefined,
    isLoading: false,
    error: undefined as ApiError | undefined,
  })
  const here = state.branch === branch ? state : { ...state, entries: [], next: undefined, isLoading: false }
  const next = here.next === undefined ? (tail?.next ?? null) : here.next
  const read = async (before: number, limit: number, kept: readonly Entry[]): Promise<void> => {
    setState({ ...here, branch, isLoading: true, error: undefined })
    try {
      const page = await get<Timeline>('/api/timeline', { branch, before, limit })
      const entries = [...page.entries, ...kept]
      setState({ branch, entries, next: page.next, isLoading: false, error: undefined })
    } catch (error) {
      setState({ ...here, branch, isLoading: false, error: error as ApiError })
    }
  }
  const again = useRef(() => {})
  again.current = () => {
    const last = here.entries.at(-1)
    if (last !== undefined) void read(last.position + 1, Math.min(500, here.entries.length), [])
  }
  useEffect(
    () =>
      stream.listen((item) => {
        if (item.kind === 'event' && item.event.kind.startsWith('context-')) again.current()
      }),
    [],
  )
  return {
    entries: here.entries,
    hasMore: next !== null,
    isLoading: here.isLoading,
    error: here.error,
    load: () => {
      if (next !== null && !here.isLoading) void read(next, PAGE, here.entries)
    },
  }
}
