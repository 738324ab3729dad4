import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'
import type { TurnsView } from '../../src/view/prompt/turn-context.ts'
import { Button } from '../ui/button.tsx'
import { fullCount, shortCount } from '../ui/numbers.ts'
import { clockText, dayText } from '../ui/time.tsx'
import style from './context.module.css'
import { areaUnder, curveOf, numberAt, placeOf, stepFrom } from './curve.ts'

interface SliderProps {
  readonly turns: TurnsView
  /** One more than the last turn: now. */
  readonly number: number
  readonly go: (number: number, how: { readonly replace: boolean }) => void
}

/** Walks through the turns of a branch; the curve is how large each prompt was. */
export function TurnSlider({ turns, number, go }: SliderProps) {
  const [earlier, later] = [stepFrom(turns, number, -1), stepFrom(turns, number, 1)]
  const isNow = number > turns.last
  return (
    <div className={style.walk}>
      <Button
        disabled={earlier === undefined}
        aria-label={`The turn before: ${earlier ?? 'none'}`}
        onClick={() => earlier !== undefined && go(earlier, { replace: false })}
      >
        <ChevronLeft />
        {earlier}
      </Button>
      <Track turns={turns} number={number} go={go} />
      <Button
        disabled={later === undefined}
        aria-label={
          later !== undefined && later <= turns.last ? `The next turn: ${later}` : 'The next prompt'
        }
        onClick={() => later !== undefined && go(later, { replace: false })}
      >
        {later !== undefined && later <= turns.last ? later : ''}
        <ChevronRight />
      </Button>
      <Button
        look={isNow ? 'main' : 'plain'}
        aria-pressed={isNow}
        onClick={() => go(turns.last + 1, { replace: false })}
      >
        Now
      </Button>
    </div>
  )
}

function Track({ turns, number, go }: SliderProps) {
  const track = useRef<HTMLDivElement>(null)
  const [hovered, setHovered] = useState<number>()
  const pointed = (event: PointerEvent): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    return numberAt(turns.last, (event.clientX - left) / width)
  }
  const move = (event: PointerEvent): void => {
    const at = pointed(event)
    setHovered(at)
    if (event.currentTarget.hasPointerCapture(event.pointerId) && at !== number) go(at, { replace: true })
  }
  const press = (event: KeyboardEvent): void => {
    const to = keyed(turns, number, event.key)
    if (to === undefined) return
    event.preventDefault()
    go(to, { replace: true })
  }
  const top = heightAt(turns, number)
  return (
    <div
      ref={track}
      className={style.track}
      role="slider"
      tabIndex={0}
      aria-label="Turn"
      aria-valuemin={1}
      aria-valuemax={turns.last + 1}
      aria-valuenow={number}
      aria-valuetext={turnWords(turns, number)}
      onKeyDown={press}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        go(pointed(event), { replace: true })
      }}
      onPointerMove={move}
      onPointerLeave={() => setHovered(undefined)}
    >
      <Curve turns={turns} />
      <span className={style.needle} style={{ left: `${placeOf(turns.last, number) * 100}%` }}>
        {top !== undefined && <i style={{ top: `${top}%` }} />}
      </span>
      {hovered !== undefined && (
        <span className={style.hint} style={{ left: `${placeOf(turns.last, hovered) * 100}%` }}>
          {turnWords(turns, hovered)}
        </span>
      )}
    </div>
  )
}

const TOLD = {
  compacted: 'summarized',
  cleared: 'cleared',
  rewound: 'rewound',
  expanded: 'summary opened',
  saved: 'fork saved',
  undone: 'undone',
}

/** In hundredths of its width and height. */
function Curve({ turns }: { readonly turns: TurnsView }) {
  const points = curveOf(turns)
  return (
    <>
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
        <path className={style.area} d={areaUnder(points)} />
        <polyline className={style.curve} points={points.map(({ x, y }) => `${x},${y}`).join(' ')} />
      </svg>
      {points.map(
        ({ x, change, number }) =>
          change !== null && (
            <span
              key={number}
              className={style.changed}
              data-change={change}
              style={{ left: `${x}%` }}
              title={`${TOLD[change]} before turn ${fullCount(number)}`}
            />
          ),
      )}
    </>
  )
}

function heightAt(turns: TurnsView, number: number): number | undefined {
  return curveOf(turns).findLast((point) => point.number <= number)?.y
}

function keyed(turns: TurnsView, number: number, key: string): number | undefined {
  const ahead = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[key]
  if (ahead !== undefined) return stepFrom(turns, number, ahead)
  const far = { PageDown: -10, PageUp: 10 }[key]
  if (far !== undefined) return Math.min(turns.last + 1, Math.max(1, number + far))
  return { Home: 1, End: turns.last + 1 }[key]
}

/** `turn 412 · Sat 14 Nov 09:12 · 8.8k tokens` */
function turnWords(turns: TurnsView, number: number): string {
  if (number > turns.last) return 'now'
  const near = turns.turns.findLast((turn) => turn.number <= number)
  if (near?.number !== number || near.used === null) return `turn ${fullCount(number)}`
  const { at, tokensIn } = near.used
  const tokens = `${shortCount(tokensIn)} tokens`
  return `turn ${fullCount(number)} · ${dayText(at)} ${clockText(at)} · ${tokens}`
}
