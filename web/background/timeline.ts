/** A job's firing, or its first one of many, before it has a place. */
export interface Mark {
  /** From the left, in pixels. */
  readonly x: number
  /** Of its label, in pixels. */
  readonly width: number
  /** It goes on to the right end. */
  readonly isOften: boolean
}

export interface Placed {
  /** 0 is the lowest; -1: it found no place, and stands on the line of hours. */
  readonly lane: number
  readonly label: 'right' | 'left' | 'none'
}

/** Around a dot. */
const DOT = 8
/** Between a dot and its label, and after it. */
const GAP = 10
export const LANES_MAX = 7

/** Places marks in lanes so that no label covers another mark. They come in the order of their times. */
export function placeMarks(marks: readonly Mark[], total: number): Placed[] {
  /** The stretches that are taken, by lane. */
  const taken: [from: number, to: number][][] = []
  const isFree = (lane: number, from: number, to: number): boolean =>
    from >= -DOT &&
    to <= total + DOT &&
    (taken[lane] ?? []).every(([start, end]) => to <= start || from >= end)
  return marks.map(({ x, width, isOften }) => {
    const right = isOften ? total : x + DOT + width + GAP
    const ways = [
      { label: 'right', from: x - DOT, to: right },
      { label: 'left', from: x - DOT - width - GAP, to: x + DOT },
    ] as const
    for (let lane = 0; lane < LANES_MAX; lane++)
      for (const { label, from, to } of isOften ? ways.slice(0, 1) : ways)
        if (isFree(lane, from, to)) {
          ;(taken[lane] ??= []).push([from, to])
          return { lane, label }
        }
    return { lane: -1, label: 'none' }
  })
}

const HOUR_MS = 3_600_000
const STEPS = [1, 2, 3, 4, 6, 12]

/** Whole hours between two instants, as close as so many pixels allow. `offsetMs`: of the zone. */
export function hourTicks(
  { from, to }: { readonly from: number; readonly to: number },
  { total, apart, offsetMs }: { readonly total: number; readonly apart: number; readonly offsetMs: number },
): number[] {
  const hours = (to - from) / HOUR_MS
  const step = (STEPS.find((one) => (total / hours) * one >= apart) ?? 24) * HOUR_MS
  const ticks: number[] = []
  for (let at = Math.ceil((from + offsetMs) / step) * step - offsetMs; at <= to; at += step) ticks.push(at)
  return ticks
}
