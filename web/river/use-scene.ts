import { useQueries } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import type { RiverView } from '../../src/view/river/river.ts'
import { get, type ApiError } from '../api/client.ts'
import { now } from '../api/now.ts'
import { queries } from '../api/query.ts'
import { stream } from '../api/stream.ts'
import { sceneOf, type Scene } from './scene.ts'
import { MINUTE, tilesOf, type Window } from './window.ts'

const PATH = '/api/river'
const REFRESH_MS = 700
/** Two windows are drawn over about one width. */
const TILE_PIXELS = 1_200

/** What lies around a window. While other windows are read, what was there before stays. */
export function useScene(window: Window): {
  readonly scene: Scene | undefined
  readonly error: ApiError | null
  readonly retry: () => void
} {
  const tiles = tilesOf(window)
  const read = useQueries({
    queries: tiles.map(({ from, to }) => ({
      queryKey: [PATH, { from, to }],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        get<RiverView>(PATH, { from, to, pixels: TILE_PIXELS }, signal),
      // What is past changes seldom; the stream tells.
      staleTime: 5 * MINUTE,
    })),
  })
  useRefresh()
  const loaded = read.flatMap(({ data }) => data ?? [])
  const shown = useRef<Scene | undefined>(undefined)
  const isWhole = tiles.every(({ from, to }, index) => {
    return read[index]?.data !== undefined || to < window.from || from > window.to
  })
  const scene = useMemo(
    () =>
      isWhole || shown.current === undefined ? sceneOf(loaded, shown.current?.tokensMax) : shown.current,
    // oxlint-disable-next-line react/exhaustive-deps -- the answers themselves are what counts
    [isWhole, ...padded(loaded)],
  )
  useEffect(() => {
    shown.current = scene
  }, [scene])
  const failed = read.find(({ error }) => error !== null)
  return {
    scene,
    error: (failed?.error as ApiError | null) ?? null,
    retry: () => read.forEach((one) => void one.refetch()),
  }
}

const TILES_MAX = 6

/** React wants as many dependencies every time. */
function padded(loaded: readonly RiverView[]): readonly (RiverView | undefined)[] {
  return Array.from({ length: TILES_MAX }, (_, index) => loaded[index])
}

/** Reads again what reaches up to now when something happens there, and everything when an old change is taken back. */
function useRefresh(): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isAll = false
    const unlisten = stream.listen((item) => {
      if (item.kind !== 'event' && item.kind !== 'connected') return
      isAll ||= item.kind === 'event' && /^context-(?:un|re)done/.test(item.event.kind)
      timer ??= setTimeout(() => {
        timer = undefined
        const since = isAll ? 0 : now() - MINUTE
        isAll = false
        void queries.invalidateQueries({
          predicate: ({ queryKey: [path, asked] }) => path === PATH && (asked as Window).to >= since,
        })
      }, REFRESH_MS)
    })
    return () => {
      clearTimeout(timer)
      unlisten()
    }
  }, [])
}
