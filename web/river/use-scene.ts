import { useQueries, type UseQueryOptions } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import type { RiverView } from '../../src/view/river/river.ts'
import { get, type ApiError } from '../api/client.ts'
import { now } from '../api/now.ts'
import { queries, refreshOn } from '../api/query.ts'
import { sceneOf, type Scene } from './scene.ts'
import { MINUTE, tilesOf, type Window } from './window.ts'

const PATH = '/api/river'
/** Two windows are drawn over about one width. */
const TILE_PIXELS = 1_200

/** What lies around a window. While other windows are read, what was there before stays. */
export function useScene(window: Window) {
  const tiles = tilesOf(window)
  const read = useQueries({
    queries: tiles.map(({ from, to }): UseQueryOptions<RiverView, ApiError> => ({
      queryKey: [PATH, { from, to }],
      queryFn: ({ signal }) => get<RiverView>(PATH, { from, to, pixels: TILE_PIXELS }, signal),
      // What is past changes seldom; the stream tells.
      staleTime: 5 * MINUTE,
    })),
  })
  useRefresh()
  const shown = useRef<Scene | undefined>(undefined)
  const isWhole = tiles.every(
    ({ from, to }, index) => read[index]?.data !== undefined || to < window.from || from > window.to,
  )
  const answers = tiles.map(({ from }, index) => `${from} ${read[index]?.dataUpdatedAt}`).join(' ')
  const scene = useMemo(() => {
    if (!isWhole && shown.current !== undefined) return shown.current
    const loaded = read.flatMap(({ data }) => data ?? [])
    return sceneOf(loaded, shown.current?.tokensMax)
    // oxlint-disable-next-line react/exhaustive-deps -- the answers themselves are what counts
  }, [isWhole, answers])
  useEffect(() => {
    shown.current = scene
  }, [scene])
  return {
    data: scene,
    error: read.find(({ error }) => error !== null)?.error,
    refetch: () => read.forEach((one) => void one.refetch()),
  }
}

/** Reads again what reaches up to now when something happens there, and everything when an old change is taken back. */
function useRefresh(): void {
  useEffect(() => refreshOn([''], () => refreshSince(now() - MINUTE)), [])
  useEffect(() => refreshOn(['context-undone', 'context-redone'], () => refreshSince(0)), [])
}

function refreshSince(since: number): void {
  void queries.invalidateQueries({
    predicate: ({ queryKey: [path, asked] }) => path === PATH && (asked as Window).to >= since,
  })
}
