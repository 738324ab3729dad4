import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useMemo, useState, type KeyboardEvent, type PointerEvent } from 'react'
import type { TurnsView } from '../../src/view/prompt/turn-context.ts'
import { Button } from '../ui/button.tsx'
import { fullCount, shortCount } from '../ui/numbers.ts'
import { clockText, dayText } from '../ui/time.tsx'
import ui from '../ui/ui.module.css'
import style from './context.module.css'
import { areaUnder, CHANGES, curveOf, numberAt, placeOf, stepFrom } from './curve.ts'

interface SliderProps {
  readonly turns: TurnsView
  /** One more than the last turn: now. */
  readonly number: number
  readonly walk: (to: number | undefined) => void
}

/** Walks through the turns of a branch; the curve is how large each prompt was. */
export function TurnSlider({ turns, number, walk }: SliderProps) {
  const [earlier, later] = [stepFrom(turns, number, -1), stepFrom(turns, number, 1)]
  const next = later === turns.last + 1 ? undefined : later
  const isNow = number > turns.last
  return (
    <div className={style.walk}>
      <Button
        disabled={earlier === undefined}
        aria-label={`The turn before: ${earlier ?? 'none'}`}
        onClick={() => walk(earlier)}
      >
        <ChevronLeft />
        {earlier}
      </Button>
      <Track turns={turns} number={number} walk={walk} />
      <Button
        disabled={later === undefined}
        aria-label={next === undefined ? 'The next prompt' : `The next turn: ${next}`}
        onClick={() => walk(later)}
      >
        {next}
        <ChevronRight />
      </Button>
      <Button look={isNow ? 'main' : 'plain'} aria-pressed={isNow} onClick={() => walk(turns.last + 1)}>
        Now
      </Button>
    </div>
  )
}

function Track({ turns, number, walk }: SliderProps) {
  const [hovered, setHovered] = useState<number>()
  const points = useMemo(() => curveOf(turns), [turns])
  const left = (of: number) => ({ left: `${placeOf(turns.last, of) * 100}%` })
  const pointed = (event: PointerEvent): number => {
    const box = event.currentTarget.getBoundingClientRect()
    return numberAt(turns.last, (event.clientX - box.left) / box.width)
  }
  const move = (event: PointerEvent): void => {
    const at = pointed(event)
    setHovered(at)
    if (event.currentTarget.hasPointerCapture(event.pointerId) && at !== number) walk(at)
  }
  const press = (event: KeyboardEvent): void => {
    const to = keyed(turns, number, event.key)
    if (to === undefined) return
    event.preventDefault()
    walk(to)
  }
  return (
    <div
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
        walk(pointed(event))
      }}
      onPointerMove={move}
      onPointerLeave={() => setHovered(undefined)}
    >
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
        <path d={areaUnder(points)} />
        <polyline points={points.map(({ x, y }) => `${x},${y}`).join(' ')} />
      </svg>
      {points.map(
        ({ change, number: of }) =>
          change !== null && (
            <span
              key={of}
              className={style.changed}
              data-change={change}
              style={left(of)}
              title={`${CHANGES[change]} before turn ${fullCount(of)}`}
            />
          ),
      )}
      <span className={style.needle} style={left(number)}>
        <i style={{ top: `${points.findLast((point) => point.number <= number)?.y}%` }} />
      </span>
      {hovered !== undefined && (
        <span className={`${ui.over} ${style.hint}`} style={left(hovered)}>
          {turnWords(turns, hovered)}
        </span>
      )}
    </div>
  )
}

function keyed(turns: TurnsView, number: number, key: string): number | undefined {
  const ahead = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[key]
  if (ahead !== undefined) return stepFrom(turns, number, ahead)
  const far = { PageDown: number - 10, PageUp: number + 10, Home: 1, End: turns.last + 1 }[key]
  return far === undefined ? undefined : Math.min(turns.last + 1, Math.max(1, far))
}

/** `turn 412 · Sat 14 Nov 09:12 · 8.8k tokens` */
function turnWords({ turns, last }: TurnsView, number: number): string {
  if (number > last) return 'now'
  const used = turns.find((turn) => turn.number === number)?.used
  const about = used
    ? ` · ${dayText(used.at)} ${clockText(used.at)} · ${shortCount(used.tokensIn)} tokens`
    : ''
  return `turn ${fullCount(number)}${about}`
}
