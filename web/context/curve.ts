import type { TurnsView } from '../../src/view/prompt/turn-context.ts'

/** What was done to the context before a turn. */
export const CHANGES = {
  compacted: 'summarized',
  cleared: 'cleared',
  rewound: 'rewound',
  expanded: 'summary opened',
  saved: 'fork saved',
  undone: 'undone',
} as const

type Points = ReturnType<typeof curveOf>

/** Where a turn stands on the slider, from 0 to 1; now is one after the last. */
export function placeOf(last: number, number: number): number {
  return last === 0 ? 1 : (number - 1) / last
}

export function numberAt(last: number, place: number): number {
  return 1 + Math.round(Math.min(1, Math.max(0, place)) * last)
}

/** Keeps the line off the edges. */
const [TOP, BOTTOM] = [12, 92]

/** The size of each prompt, from 0 to 100 to the right and down; a turn that called no model is as high as the one before it. */
export function curveOf({ turns, last }: TurnsView) {
  const most = turns.reduce((max, { used }) => Math.max(max, used?.tokensIn ?? 0), 1)
  let tokens = turns.find(({ used }) => used !== null)?.used?.tokensIn ?? 0
  return turns.map(({ number, used, change }) => {
    tokens = used?.tokensIn ?? tokens
    return { number, change, x: placeOf(last, number) * 100, y: BOTTOM - (tokens / most) * (BOTTOM - TOP) }
  })
}

export function areaUnder(points: Points): string {
  const line = points.map(({ x, y }) => `L${x},${y}`).join('')
  return `M0,100${line}L${points.at(-1)?.x ?? 0},100Z`
}

/** The next turn that called a model, or now; undefined: there is none. */
export function stepFrom({ turns, last }: TurnsView, number: number, step: number): number | undefined {
  const idle = new Set(turns.filter(({ used }) => used === null).map((turn) => turn.number))
  let next = number + step
  while (idle.has(next)) next += step
  return next < 1 || next > last + 1 ? undefined : next
}
