import { useQueries, type UseQueryOptions } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { RiverView as Tile } from '../../src/view/river/river.ts'
import { get, type ApiError } from '../api/client.ts'
import { now } from '../api/now.ts'
import { queries, refreshOn } from '../api/query.ts'
import { Page } from '../app/Page.tsx'
import { Button } from '../ui/button.tsx'
import { Chip, Empty, Shown } from '../ui/surface.tsx'
import { useNow } from '../ui/time.tsx'
import style from './river.module.css'
import { River } from './River.tsx'
import { sceneOf, type Scene } from './scene.ts'
import { endingNow, MINUTE, SPANS, tilesOf, wholeSpan, windowText, type Window } from './window.ts'

const NOTHING = (
  <Empty title="Nothing here yet">
    <p>Say something in the chat. Then main begins here, and forks, runs and pings appear beside it.</p>
  </Empty>
)

export default function RiverView() {
  const { window, setWindow, follow } = useWindow()
  const read = useScene(window)
  const span = window.to - window.from
  return (
    <Page
      title="River"
      fill="bare"
      chips={<Chip className={style.span}>{windowText(window)}</Chip>}
      actions={Object.entries(SPANS).map(([name, ms]) => {
        const whole = wholeSpan(ms, now() - (read.data?.since ?? 0))
        const isShown = Math.abs(span / whole - 1) < 0.01
        return (
          <Button
            key={name}
            look={isShown ? 'main' : 'plain'}
            aria-pressed={isShown}
            onClick={() => follow(whole)}
          >
            {name}
          </Button>
        )
      })}
    >
      <Shown of={read} missing={NOTHING}>
        {(scene) =>
          isNew(scene, window) ? (
            NOTHING
          ) : (
            <River scene={scene} window={window} onWindow={setWindow} onNow={() => follow(span)} />
          )
        }
      </Shown>
    </Page>
  )
}

/** Nothing has happened since main began. */
function isNew({ since, branches, lanes, messages, dense }: Scene, { from }: Window): boolean {
  return since > from && branches.length + lanes.length + messages.length + dense.size === 0
}

const WRITE_MS = 400

/** The window that is shown. It follows the time unless it was moved; then its address keeps it. */
function useWindow() {
  const [given, setGiven] = useState(readAddress)
  const [span, setSpan] = useState<number>(SPANS.Week)
  const time = useNow()
  const window = useMemo(() => given ?? endingNow(span, time), [given, span, time])
  useEffect(() => {
    const timer = setTimeout(() => writeAddress(given), WRITE_MS)
    return () => clearTimeout(timer)
  }, [given])
  const follow = (wanted: number): void => {
    setSpan(wanted)
    setGiven(undefined)
  }
  return { window, setWindow: setGiven, follow }
}

function readAddress(): Window | undefined {
  const query = new URLSearchParams(location.search)
  const [from, to] = [Date.parse(query.get('from') ?? ''), Date.parse(query.get('to') ?? '')]
  return from < to ? { from, to } : undefined
}

function writeAddress(given: Window | undefined): void {
  const query = given && new URLSearchParams({ from: isoOf(given.from), to: isoOf(given.to) })
  history.replaceState(history.state, '', query ? `${location.pathname}?${query}` : location.pathname)
}

function isoOf(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+/, '')
}

const PATH = '/api/river'
/** Two windows are drawn over about one width. */
const TILE_PIXELS = 1_200

/** What lies around a window. While other windows are read, what was there before stays. */
function useScene(window: Window) {
  const tiles = tilesOf(window)
  const read = useQueries({
    queries: tiles.map(({ from, to }): UseQueryOptions<Tile, ApiError> => ({
      queryKey: [PATH, { from, to }],
      queryFn: ({ signal }) => get<Tile>(PATH, { from, to, pixels: TILE_PIXELS }, signal),
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
