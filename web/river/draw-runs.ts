import { fullCount } from '../ui/numbers.ts'
import { HOOK, type Frame } from './frame.ts'
import { indexFrom, type RunLane } from './scene.ts'

/** Runs that are nearer to each other are drawn as one line. */
const APART = 44
const TAIL = 22
/** Runs are counted in columns of so many pixels. */
const COLUMN = 3
/** Messages are drawn on runs that are longer than this. */
const ROOMY = 60

/** Background runs: each job has a lane, and runs that are close together are bundled. */
export function drawRuns(frame: Frame): void {
  for (const lane of frame.drawing.scene.lanes) drawLane(frame, lane)
}

export function nameRuns(frame: Frame): void {
  for (const lane of frame.drawing.scene.lanes) nameLane(frame, lane)
}

interface Bundle {
  readonly first: number
  last: number
  x0: number
  x1: number
  count: number
}

function drawLane(frame: Frame, lane: RunLane): void {
  const { window, width } = frame.drawing
  const y = frame.y({ side: 'down', lane: lane.lane })
  let bundle: Bundle | undefined
  for (
    let index = indexFrom(lane.starts, window.from - (window.to - window.from) * 0.1);
    index < lane.starts.length;
    index++
  ) {
    const start = frame.x(lane.starts[index] ?? 0)
    if (start > width + TAIL) break
    const end = Math.max(start, frame.x(Math.min(lane.ends[index] ?? 0, frame.drawing.now)))
    const count = lane.counts[index] ?? 0
    if (bundle !== undefined && start - bundle.x1 < APART) {
      bundle.last = index
      bundle.x1 = Math.max(bundle.x1, end)
      bundle.count += count
      continue
    }
    if (bundle !== undefined) drawBundle(frame, lane, { ...bundle, y })
    bundle = { first: index, last: index, x0: start, x1: end, count }
  }
  if (bundle !== undefined) drawBundle(frame, lane, { ...bundle, y })
}

function drawBundle(frame: Frame, lane: RunLane, bundle: Bundle & { readonly y: number }): void {
  const { context, look } = frame.drawing
  const { x0, y, first, last } = bundle
  const isOne = first === last
  // What has just begun is drawn up to now, and not beyond.
  const limit = Math.max(x0 + 6, frame.x(frame.drawing.now) - 2)
  const hook = Math.min(x0 + HOOK, limit)
  const lastX = frame.x(lane.starts[last] ?? 0) + HOOK
  const end = Math.min(limit, Math.max(bundle.x1, isOne ? x0 + HOOK + TAIL : lastX))
  context.strokeStyle = look.run
  context.globalAlpha = 0.65
  context.lineWidth = 1.5
  context.beginPath()
  context.moveTo(x0, frame.stemY)
  context.bezierCurveTo(hook, frame.stemY, x0, y, hook, y)
  context.stroke()
  context.globalAlpha = isOne ? 1 : 0.65
  context.lineWidth = isOne ? 2.5 : 1.5
  context.beginPath()
  context.moveTo(hook, y)
  context.lineTo(end, y)
  context.stroke()
  context.globalAlpha = 1
  if (isOne) dot(frame, lane, { index: first, x: end, y })
  else drawBeads(frame, lane, bundle)
}

/** Each run of a bundle; where they touch, a band that is higher where there are more. */
function drawBeads(frame: Frame, lane: RunLane, { first, last, y }: Bundle & { readonly y: number }): void {
  const { context, look, scene, window, width } = frame.drawing
  const perRun = Math.abs(frame.x(lane.starts[last] ?? 0) - frame.x(lane.starts[first] ?? 0)) / (last - first)
  const limit = frame.x(frame.drawing.now)
  if (perRun >= 9) {
    for (let index = first; index <= last; index++)
      dot(frame, lane, { index, x: Math.min(limit, frame.x(lane.starts[index] ?? 0) + HOOK), y })
    return
  }
  const bin = Math.max(1, (scene.binMs / (window.to - window.from)) * width)
  context.fillStyle = look.run
  const wide = Math.max(2, Math.min(bin, COLUMN))
  // Columns side by side that are equally high are one rectangle.
  let [column, sum, from0, high] = [Number.NaN, 0, Number.NaN, 0]
  const fill = (to: number): void => {
    const x = Math.min(limit - 2, from0 * COLUMN + HOOK)
    if (high > 0) context.fillRect(x, y - high / 2, (to - from0) * COLUMN + wide, high)
  }
  const flush = (next: number): void => {
    const height = sum === 0 ? 0 : Math.min(14, 2 * Math.round(1 + 1.1 * Math.log2(1 + sum)))
    if (height !== high) {
      fill(column - 1)
      ;[from0, high] = [column, height]
    }
    if (next > column + 1 || wide < COLUMN) {
      fill(column)
      high = 0
    }
  }
  for (let index = first; index <= last; index++) {
    const next = Math.round(frame.x(lane.starts[index] ?? 0) / COLUMN)
    if (next !== column) {
      flush(next)
      ;[column, sum] = [next, 0]
    }
    sum += lane.counts[index] ?? 0
  }
  flush(Infinity)
  const [from, to] = [lane.starts[first] ?? 0, lane.starts[last] ?? 0]
  const count = countOf(lane, first, last)
  frame.hit(
    { kind: 'bin', what: lane.job, count, from, to: Math.max(to, from + scene.binMs) },
    { x: frame.x(from), y: y - 8, width: Math.max(16, frame.x(to) - frame.x(from) + HOOK), height: 16 },
  )
}

function countOf(lane: RunLane, first: number, last: number): number {
  let count = 0
  for (let index = first; index <= last; index++) count += lane.counts[index] ?? 0
  return count
}

function dot(
  frame: Frame,
  lane: RunLane,
  { index, x, y }: { readonly index: number; readonly x: number; readonly y: number },
): void {
  const { context, look, scene } = frame.drawing
  const run = scene.runs[lane.of[index] ?? -1]
  const from = lane.starts[index] ?? 0
  const count = lane.counts[index] ?? 0
  const target =
    run === undefined
      ? ({ kind: 'bin', what: lane.job, count, from, to: from + scene.binMs } as const)
      : ({ kind: 'branch', branch: run } as const)
  if (run !== undefined)
    frame.drawn(run.id, {
      x0: x,
      x1: x,
      y,
      bend: 0,
      startY: y,
      isShort: frame.x(run.until ?? frame.drawing.now) - frame.x(run.from) < ROOMY,
    })
  const isBad = run?.end === 'failed' || run?.end === 'timed-out'
  context.beginPath()
  context.arc(x, y, (count > 1 ? 4.5 : 3.5) + (frame.isSelected(target) ? 2 : 0), 0, Math.PI * 2)
  context.fillStyle = run?.until === null || isBad ? look.paper : look.run
  context.fill()
  if (run?.until === null || isBad) {
    context.strokeStyle = isBad ? look.warn : look.run
    context.lineWidth = 2
    context.stroke()
  }
  frame.hit(target, { x: x - 8, y: y - 8, width: 16, height: 16 })
}

function nameLane(frame: Frame, lane: RunLane): void {
  const { window, look, width } = frame.drawing
  const [first, last] = [indexFrom(lane.starts, window.from), indexFrom(lane.starts, window.to)]
  if (first === last) return
  const y = frame.y({ side: 'down', lane: lane.lane })
  const x = Math.max(12, Math.min(width - 160, frame.x(lane.starts[first] ?? 0) + HOOK))
  const count = countOf(lane, first, last - 1)
  const job = lane.job.replace(' ', ' · ')
  frame.label(count > 1 ? `${job} × ${fullCount(count)}` : job, { x, y: y + 20, colour: look.dim })
}
