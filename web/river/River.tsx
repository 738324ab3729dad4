import { useCallback, useId, useMemo, useRef, useState, type KeyboardEvent, type RefObject } from 'react'
import { useLocation } from 'wouter'
import { now } from '../api/now.ts'
import { Button, CommandButton, LinkButton } from '../ui/button.tsx'
import { Time } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import { Canvas } from './Canvas.tsx'
import type { Frame, Hit, Point } from './frame.ts'
import style from './river.module.css'
import type { Scene } from './scene.ts'
import { aboutOf, keyOf, lineOf } from './target.ts'
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
  const list = useRef<HTMLDivElement>(null)
  const [, navigate] = useLocation()
  const { hits, selected, select, hitAt, onDrawn, point } = useHits()
  const chosen = hits.find((hit) => keyOf(hit.target) === selected)
  const go = (next: Window): void => onWindow(within(next, { since: scene.since, now: now() }))
  const pan = (share: number): void => go(moved(window, share * (window.to - window.from)))
  const open = ({ target }: Hit): void => {
    if (target.kind === 'bin') go(around(target))
    else navigate(aboutOf(target, scene.main).place ?? '')
  }
  useGestures(list, {
    pan,
    zoom: (factor, share) => go(zoomed(window, factor, share)),
    point: (at) => point(at && hitAt(at)),
    press: (at, { isTouch }) => {
      const hit = hitAt(at)
      const isForCard = hit?.target.kind === 'thing' && hit.target.thing.canUndo === true
      if (hit !== undefined && !isForCard && (!isTouch || keyOf(hit.target) === selected)) open(hit)
      else select(hit && keyOf(hit.target))
    },
  })
  const step = (by: 1 | -1): void => {
    const at = chosen === undefined ? (by > 0 ? -1 : 0) : hits.indexOf(chosen)
    const next = hits.at((at + by) % hits.length)
    select(next && keyOf(next.target))
  }
  const zoomIn = (): void => go(zoomed(window, 1 / ZOOM_STEP))
  const zoomOut = (): void => go(zoomed(window, ZOOM_STEP))
  const acts: Acts = {
    ArrowLeft: () => pan(-PAN_STEP),
    ArrowRight: () => pan(PAN_STEP),
    ArrowUp: () => step(-1),
    ArrowDown: () => step(1),
    '+': zoomIn,
    '=': zoomIn,
    '-': zoomOut,
    Home: () => go(moved(window, scene.since - window.from - (window.to - window.from) * 0.1)),
    End: onNow,
    Enter: () => chosen && open(chosen),
    Escape: () => select(undefined),
  }
  return (
    <div className={style.river}>
      <Canvas {...{ scene, window, selected, onDrawn }} />
      <Things ref={list} main={scene.main} {...{ hits, selected, acts }} />
      {chosen && (
        <div onPointerEnter={() => point(chosen)} onPointerLeave={() => point(undefined)}>
          <Card hit={chosen} main={scene.main} onZoom={() => open(chosen)} />
        </div>
      )}
      <div className={`${ui.row} ${style.keys}`}>
        <Button small aria-label="Zoom out" onClick={zoomOut}>
          −
        </Button>
        <Button small aria-label="Zoom in" onClick={zoomIn}>
          +
        </Button>
      </div>
    </div>
  )
}

/** The acts of keys. */
type Acts = Readonly<Record<string, () => void>>

function around({ from, to }: Window): Window {
  const span = Math.max(to - from, 10 * 60_000)
  return { from: from - span * 0.15, to: from + span * 1.15 }
}

interface ThingsProps {
  readonly ref: RefObject<HTMLDivElement | null>
  readonly main: string
  readonly hits: readonly Hit[]
  readonly selected: string | undefined
  readonly acts: Acts
}

/** What is in view, for keys and for people who listen. It lies over the picture and takes the pointer. */
function Things({ ref, main, hits, selected, acts }: ThingsProps) {
  const id = useId()
  const listed = useMemo(
    () => hits.slice(0, LISTED_MAX).map(({ target }) => ({ key: keyOf(target), line: lineOf(target, main) })),
    [hits, main],
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

/** The least room above a target for its card. */
const ROOM = 170

/** What is pointed at: what it is, when, and what can be done with it. */
function Card({ hit, main, onZoom }: { hit: Hit; main: string; onZoom: () => void }) {
  const { target, x, y, height } = hit
  const { title, text, at, place, context } = aboutOf(target, main)
  const left = `max(8px, min(${x - 8}px, 100% - 288px))`
  const position = y > ROOM ? { left, bottom: `calc(100% - ${y - 6}px)` } : { left, top: y + height + 6 }
  return (
    <div className={`${ui.over} ${style.card}`} style={position}>
      <b>{title}</b>
      <small>
        <Time at={at} as="both" />
      </small>
      {text !== '' && <p className={ui.excerpt}>{text}</p>}
      <div className={ui.row}>
        {place === undefined ? (
          <Button small onClick={onZoom}>
            Zoom in
          </Button>
        ) : (
          <LinkButton href={place}>Open in chat</LinkButton>
        )}
        {context !== undefined && <LinkButton href={context}>What the model saw</LinkButton>}
        {target.kind === 'thing' && target.thing.canUndo === true && (
          <CommandButton line="/undo" branch={target.thing.branch}>
            Undo
          </CommandButton>
        )}
      </div>
    </div>
  )
}

const LEAVE_MS = 160
const LIST_MS = 250

/** What was drawn where, and which of it is selected. */
function useHits() {
  const drawn = useRef<readonly Hit[]>([])
  const [hits, setHits] = useState<readonly Hit[]>([])
  const [selected, select] = useState<string>()
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined)
  const listing = useRef<ReturnType<typeof setTimeout>>(undefined)
  const onDrawn = useCallback((frame: Frame) => {
    drawn.current = frame.hits
    // The list may lag behind: making it at every frame would cost more than drawing.
    clearTimeout(listing.current)
    listing.current = setTimeout(() => setHits(inOrder(frame.hits)), LIST_MS)
  }, [])
  /** The smallest, and of those the one on top. */
  const hitAt = ({ x, y }: Point): Hit | undefined =>
    drawn.current
      .filter((hit) => x >= hit.x && x <= hit.x + hit.width && y >= hit.y && y <= hit.y + hit.height)
      .toReversed()
      .toSorted((one, other) => one.width - other.width)[0]
  /** Selects at once; what is left stays for a moment, so that its card can be reached. */
  const point = (hit: Hit | undefined): void => {
    clearTimeout(leaving.current)
    if (hit === undefined) {
      leaving.current = setTimeout(() => select(undefined), LEAVE_MS)
      return
    }
    if (!hits.includes(hit)) setHits(inOrder(drawn.current))
    select(keyOf(hit.target))
  }
  return { hits, selected, select, hitAt, onDrawn, point }
}

function inOrder(hits: readonly Hit[]): Hit[] {
  const first = new Map(hits.toReversed().map((hit) => [keyOf(hit.target), hit]))
  return [...first.values()].toSorted((one, other) => one.x - other.x)
}
