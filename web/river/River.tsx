import { useCallback, useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { useLocation } from 'wouter'
import { now } from '../api/now.ts'
import { Button } from '../ui/button.tsx'
import { Canvas, type Size } from './Canvas.tsx'
import { Card } from './Card.tsx'
import { lineOf, placeOf } from './describe.ts'
import { keyOf, type Frame, type Hit, type Point } from './frame.ts'
import style from './river.module.css'
import type { Scene } from './scene.ts'
import { useGestures } from './use-gestures.ts'
import { moved, within, zoomed, type Window } from './window.ts'

const ZOOM_STEP = 1.6
const PAN_STEP = 0.15
const LISTED_MAX = 200

interface RiverProps {
  readonly scene: Scene
  readonly window: Window
  readonly onWindow: (window: Window) => void
  readonly onNow: () => void
}

export function River({ scene, window, onWindow, onNow }: RiverProps) {
  const place = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const size = useSize(place)
  const [, navigate] = useLocation()
  const { hits, selected, select, hitAt, onDrawn, cardKeep } = useHits()
  const chosen = hits.find((hit) => keyOf(hit.target) === selected)
  const go = useCallback(
    (next: Window) => onWindow(within(next, { since: scene.since, now: now() })),
    [onWindow, scene.since],
  )
  const open = (hit: Hit): void => {
    const address = placeOf(hit.target, scene.main)
    if (address !== undefined) navigate(address)
    else if (hit.target.kind === 'bin') go(around(hit.target))
  }
  const span = window.to - window.from
  useGestures(list, {
    pan: (pixels) => go(moved(window, (pixels / (size?.width ?? 1)) * span)),
    zoom: (factor, share) => go(zoomed(window, factor, share)),
    point: (at) => cardKeep(at && hitAt(at)),
    press: (at, { isTouch }) => {
      const hit = hitAt(at)
      const isForCard = hit?.target.kind === 'thing' && hit.target.thing.canUndo === true
      if (hit !== undefined && !isForCard && (!isTouch || keyOf(hit.target) === selected)) open(hit)
      else select(hit && keyOf(hit.target))
    },
  })
  const step = (by: 1 | -1): void => {
    const index = hits.findIndex((hit) => keyOf(hit.target) === selected)
    const next = hits[index < 0 ? (by > 0 ? 0 : hits.length - 1) : (index + by + hits.length) % hits.length]
    select(next && keyOf(next.target))
  }
  const acts: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => go(moved(window, -span * PAN_STEP)),
    ArrowRight: () => go(moved(window, span * PAN_STEP)),
    ArrowUp: () => step(-1),
    ArrowDown: () => step(1),
    '+': () => go(zoomed(window, 1 / ZOOM_STEP)),
    '=': () => go(zoomed(window, 1 / ZOOM_STEP)),
    '-': () => go(zoomed(window, ZOOM_STEP)),
    Home: () => go({ from: scene.since - span * 0.1, to: scene.since + span * 0.9 }),
    End: onNow,
    Enter: () => chosen && open(chosen),
    Escape: () => select(undefined),
  }
  return (
    <div ref={place} className={style.river}>
      {size && <Canvas {...{ scene, window, size, selected, onDrawn }} />}
      <Things ref={list} {...{ hits, selected, acts }} />
      {chosen && size && (
        <Card
          hit={chosen}
          main={scene.main}
          width={size.width}
          onEnter={() => cardKeep(chosen)}
          onLeave={() => cardKeep(undefined)}
          onZoom={() => open(chosen)}
        />
      )}
      <ZoomButtons onOut={acts['-']} onIn={acts['+']} />
    </div>
  )
}

type Act = (() => void) | undefined

function ZoomButtons({ onOut, onIn }: { readonly onOut: Act; readonly onIn: Act }) {
  return (
    <div className={style.keys}>
      <Button small aria-label="Zoom out" onClick={onOut}>
        −
      </Button>
      <Button small aria-label="Zoom in" onClick={onIn}>
        +
      </Button>
    </div>
  )
}

function around({ from, to }: Window): Window {
  const span = Math.max(to - from, 10 * 60_000)
  return { from: from - span * 0.15, to: from + span * 1.15 }
}

interface ThingsProps {
  readonly ref: React.RefObject<HTMLDivElement | null>
  readonly hits: readonly Hit[]
  readonly selected: string | undefined
  readonly acts: Readonly<Record<string, () => void>>
}

/** What is in view, for keys and for people who listen. It lies over the picture and takes the pointer. */
function Things({ ref, hits, selected, acts }: ThingsProps) {
  const id = useId()
  const listed = useMemo(
    () => hits.slice(0, LISTED_MAX).map(({ target }) => ({ key: keyOf(target), line: lineOf(target) })),
    [hits],
  )
  const index = listed.findIndex(({ key }) => key === selected)
  const onKey = (event: KeyboardEvent): void => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  return (
    <div
      ref={ref}
      className={style.list}
      data-over={selected === undefined ? undefined : ''}
      role="listbox"
      tabIndex={0}
      aria-label="What is in view. Up and down step through it, left and right move in time, plus and minus zoom, Enter opens."
      aria-activedescendant={index < 0 ? undefined : `${id}-${index}`}
      onKeyDown={onKey}
    >
      {listed.map(({ key, line }, place) => (
        <div
          key={key}
          id={`${id}-${place}`}
          className="visually-hidden"
          role="option"
          aria-selected={key === selected}
        >
          {line}
        </div>
      ))}
    </div>
  )
}

const LEAVE_MS = 160
const LIST_MS = 250

/** What was drawn where, and which of it is selected. */
function useHits() {
  const frame = useRef<Frame | undefined>(undefined)
  const [hits, setHits] = useState<readonly Hit[]>([])
  const [selected, select] = useState<string>()
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined)
  const listing = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isFirst = useRef(true)
  const onDrawn = useCallback((drawn: Frame) => {
    frame.current = drawn
    // The list may lag behind: making it at every frame would cost more than drawing.
    clearTimeout(listing.current)
    listing.current = setTimeout(() => setHits(inOrder(drawn.hits)), isFirst.current ? 0 : LIST_MS)
    isFirst.current = false
  }, [])
  const hitAt = useCallback(({ x, y }: Point): Hit | undefined => {
    const found = frame.current?.hits.filter(
      (hit) => x >= hit.x && x <= hit.x + hit.width && y >= hit.y && y <= hit.y + hit.height,
    )
    // The smallest, and of those the one on top.
    return found?.toReversed().toSorted((one, other) => one.width - other.width)[0]
  }, [])
  /** Selects at once; what is left stays for a moment, so that its card can be reached. */
  const cardKeep = useCallback((hit: Hit | undefined) => {
    clearTimeout(leaving.current)
    if (hit !== undefined) {
      setHits((before) => (before.includes(hit) ? before : inOrder(frame.current?.hits ?? [])))
      return select(keyOf(hit.target))
    }
    leaving.current = setTimeout(() => select(undefined), LEAVE_MS)
  }, [])
  return { hits, selected, select, hitAt, onDrawn, cardKeep }
}

function inOrder(hits: readonly Hit[]): Hit[] {
  const first = new Map(hits.toReversed().map((hit) => [keyOf(hit.target), hit]))
  return [...first.values()].toSorted((one, other) => one.x - other.x)
}

function useSize(place: React.RefObject<HTMLElement | null>): Size | undefined {
  const [size, setSize] = useState<Size>()
  useEffect(() => {
    if (place.current === null) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry === undefined) return
      const { width, height } = entry.contentRect
      setSize({ width, height })
    })
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [place])
  return size
}
