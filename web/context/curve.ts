import type { TurnsView } from '../../src/view/prompt/turn-context.ts'

type Turn = TurnsView['turns'][number]

export interface Point {
  readonly number: number
  /** From 0 to 100, to the right and down. */
  readonly x: number
  readonly y: number
  readonly change: Turn['change']
}

/** Where a turn stands on the slider, from 0 to 1; now is one after the last. */
export function placeOf(last: number, number: number): number {
  return last === 0 ? 1 : (number - 1) / last
}

export function numberAt(last: number, place: number): number {
  return 1 + Math.round(Math.min(1, Math.max(0, place)) * last)
}

/** Keeps the line off the edges. */
const [TOP, BOTTOM] = [12, 92]

/** The size of each prompt; a turn that called no model is as high as the one before it. */
export function curveOf({ turns, last }: TurnsView): Point[] {
  const most = turns.reduce((max, { used }) => Math.max(max, used?.tokensIn ?? 0), 1)
  let tokens = turns.find(({ used }) => used !== null)?.used?.tokensIn ?? 0
  return turns.map(({ number, used, change }) => {
    tokens = used?.tokensIn ?? tokens
    return { number, change, x: placeOf(last, number) * 100, y: BOTTOM - (tokens / most) * (BOTTOM - TOP) }
  })
}

export function areaUnder(points: readonly Point[]): string {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return ''
  return `M${first.x},100${points.map(({ x, y }) => `L${x},${y}`).join('')}L${last.x},100Z`
}

/** The next turn that called a model, or now; undefined: there is none. */
export function stepFrom({ turns, last }: TurnsView, number: number, step: number): number | undefined {
  const idle = new Set(turns.filter(({ used }) => used === null).map((turn) => turn.number))
  let next = number + step
  while (idle.has(next)) next += step
  return next < 1 || next > last + 1 ? undefined : next
}
