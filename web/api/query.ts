import {
  QueryClient,
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useEffect } from 'react'
import { ApiError, get, type Query } from './client.ts'
import type { Running } from './live.ts'
import { useStore } from './store.ts'
import { stream } from './stream.ts'

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // A wrong question stays wrong.
      retry: (count, error) =>
        count < 5 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 429),
      retryDelay: (count) => Math.min(5_000, 300 * 2 ** count),
      networkMode: 'always',
    },
  },
})

export interface ReadOptions {
  /** Reads again when such events come: beginnings of their kinds, such as `ping-`; `any` for all. */
  readonly on?: 'any' | readonly string[]
  readonly enabled?: boolean
  /** Shows what was there until the new answer comes. */
  readonly keep?: boolean
}

/** An answer of the API, read again when something happens that may change it. */
export function useRead<T>(
  path: string,
  query: Query = {},
  options: ReadOptions = {},
): UseQueryResult<T, ApiError> {
  const { on, enabled = true, keep = false } = options
  useRefresh(path, enabled ? on : undefined)
  // A view asks before what stands in it does, and before everything is drawn.
  if (enabled && queries.getQueryState([path, query]) === undefined)
    void queries.prefetchQuery(reading(path, query))
  return useQuery<unknown, ApiError>({
    ...reading(path, query),
    enabled,
    ...(keep && { placeholderData: (before: unknown) => before }),
  }) as UseQueryResult<T, ApiError>
}

/** How an answer is read, and under which name it is kept. */
export function reading(path: string, query: Query = {}) {
  return {
    queryKey: [path, query],
    queryFn: ({ signal }: { signal: AbortSignal }) => get(path, query, signal),
  }
}

/** A list that comes in pages, the newest first: each answer names the `before` of the next one. */
export function usePages<T extends { readonly next: number | null }>(
  path: string,
  query: Query = {},
  { on, keep = true }: Pick<ReadOptions, 'on' | 'keep'> = {},
) {
  useRefresh(path, on)
  return useInfiniteQuery<T, ApiError, InfiniteData<T>, readonly unknown[], number | null>({
    queryKey: [path, 'pages', query],
    queryFn: ({ signal, pageParam }) =>
      get<T>(path, pageParam === null ? query : { ...query, before: pageParam }, signal),
    initialPageParam: null,
    getNextPageParam: ({ next }) => next,
    ...(keep && { placeholderData: (before) => before }),
  })
}

function useRefresh(path: string, on: ReadOptions['on'] | undefined): void {
  const kinds = on === undefined || on === 'any' ? on : on.join(' ')
  useEffect(() => {
    if (kinds === undefined) return
    return refreshOn(kinds === 'any' ? [''] : kinds.split(' '), () =>
      queries.invalidateQueries({ queryKey: [path] }),
    )
  }, [kinds, path])
}

const REFRESH_MS = 250

/** At most once in a while, and a moment after the last event of a burst. */
export function refreshOn(kinds: readonly string[], refresh: () => unknown): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const unlisten = stream.listen((item) => {
    const isMeant =
      item.kind === 'connected' ||
      (item.kind === 'event' && kinds.some((kind) => item.event.kind.startsWith(kind)))
    if (!isMeant || timer !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      refresh()
    }, REFRESH_MS)
  })
  return () => {
    clearTimeout(timer)
    unlisten()
  }
}

/** The turns that run now, by branch id. */
export function useRunning(): ReadonlyMap<string, Running> {
  return useStore(stream.live.running)
}

export function useIsConnected(): boolean {
  return useStore(stream.live.isConnected)
}
