import { useMemo } from 'react'
import type { BranchHead, QueuedEntry, TimelineEntry } from '../../src/view/chat/timeline.ts'
import { usePages, useRead } from '../api/query.ts'

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
}

const limit = 60
/** Events that change what a chat shows. */
const on =
  'message- command- mark- context- delivery-intended branch- inbound- turn- approval- ping-answered import-'.split(
    ' ',
  )

/**
 * What a branch shows: the newest entries, kept up to date, and older ones as far as somebody has gone back. `at` looks
 * at the past instead: the entries around that position.
 */
export function useTimeline(branch: string, at: number | undefined) {
  const before = at === undefined ? {} : { before: at + 1 }
  const pages = usePages<Timeline>('/api/timeline', { branch, limit, ...before }, { on, keep: false })
  const later = useRead<Timeline>(
    '/api/timeline',
    { branch, after: at, limit },
    { enabled: at !== undefined },
  )
  const entries = useMemo(() => {
    const earlier = pages.data?.pages.toReversed() ?? []
    return [...earlier, ...(later.data ? [later.data] : [])].flatMap((page) => page.entries)
  }, [pages.data, later.data])
  return {
    pages,
    timeline: pages.data?.pages[0],
    entries,
    /** Whether all that was asked for at first is there. */
    isWhole: at === undefined || later.data !== undefined,
  }
}
