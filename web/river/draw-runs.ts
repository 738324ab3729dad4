import { fullCount } from '../ui/numbers.ts'
import { HOOK, swing, type Frame } from './frame.ts'
import { between, type Lane, type Run } from './scene.ts'
import type { Target } from './target.ts'

/** Runs that are nearer to each other are drawn as one line. */
const APART = 44
const TAIL = 22
/** Runs nearer than this are a band, counted in columns of so many pixels. */
const BEAD = 9
const COLUMN = 3
/** Messages are drawn on runs that are longer than this. */
const ROOMY = 60

/** Background runs: each job has a lane, and runs that are close together are bundled. */
export function drawRuns(frame: Frame): void {
  const { scene, width, now } = frame.drawing
  for (const lane of scene.lanes) {
    let bundle: Run[] = []
    let end = -Infinity
    for (const run of between(lane.runs, frame.time(-width * 0.1), frame.time(width + TAIL))) {
      const x = frame.x(run.at)
      if (x - end >= APART && bundle.length > 0) {
        drawBundle(frame, lane, { runs: bundle, end })
        bundle = []
      }
      bundle.push(run)
      end = Math.max(end, x, frame.x(Math.min(run.until, now)))
    }
    if (bundle.length > 0) drawBundle(frame, lane, { runs: bundle, end })
  }
}

function drawBundle(frame: Frame, lane: Lane, { runs, end }: { runs: readonly Run[]; end: number }): void {
  const colour = frame.drawing.look.run
  const [first, last] = [runs[0]!, runs.at(-1)!]
  const [x0, x1, y] = [frame.x(first.at), frame.x(last.at), yOf(frame, lane)]
  const isOne = runs.length === 1
  // What has just begun is drawn up to now, and not beyond.
  const limit = Math.max(x0 + 6, frame.nowX - 2)
  const hook = Math.min(x0 + HOOK, limit)
  const to = Math.min(limit, Math.max(end, isOne ? x0 + HOOK + TAIL : x1 + HOOK))
  frame.stroke({ colour, width: 1.5, alpha: 0.65 }, (context) => {
    context.moveTo(x0, frame.stemY)
    swing(context, { from: { x: x0, y: frame.stemY }, to: { x: hook, y }, steep: 1 })
  })
  frame.stroke(isOne ? { colour, width: 2.5 } : { colour, width: 1.5, alpha: 0.65 }, (context) => {
    context.moveTo(hook, y)
    context.lineTo(to, y)
  })
  if (isOne) drawRun(frame, lane, { run: first, x: to })
  else if ((x1 - x0) / (runs.length - 1) < BEAD) drawBand(frame, lane, runs)
  else for (const run of runs) drawRun(frame, lane, { run, x: Math.min(limit, frame.x(run.at) + HOOK) })
}

/** A band, higher where there are more runs. */
function drawBand(frame: Frame, lane: Lane, runs: readonly Run[]): void {
  const { context, look } = frame.drawing
  const y = yOf(frame, lane)
  const target = targetOf(frame, lane, runs)
  const [x0, x1] = [frame.x(target.from), frame.x(runs.at(-1)!.at)]
  const counts = new Uint32Array(Math.round((x1 - x0) / COLUMN) + 1)
  for (const { at, count } of runs) {
    const column = Math.round((frame.x(at) - x0) / COLUMN)
    counts[column] = (counts[column] ?? 0) + count
  }
  context.fillStyle = look.run
  // Columns side by side that are equally high are one rectangle.
  let [from, high] = [0, 0]
  for (let column = 0; column <= counts.length; column++) {
    const count = counts[column] ?? 0
    const height = count === 0 ? 0 : Math.min(14, 2 * Math.round(1 + 1.1 * Math.log2(1 + count)))
    if (height === high) continue
    const x = Math.min(frame.nowX - 2, x0 + from * COLUMN + HOOK)
    context.fillRect(x, y - high / 2, (column - from) * COLUMN, high)
    ;[from, high] = [column, height]
  }
  frame.hit(target, { x: x0, y: y - 8, width: Math.max(16, x1 - x0 + HOOK), height: 16 })
}

function drawRun(frame: Frame, lane: Lane, { run, x }: { run: Run; x: number }): void {
  const { look } = frame.drawing
  const { branch } = run
  const y = yOf(frame, lane)
  if (branch !== undefined) {
    const isShort = frame.x(branch.until ?? frame.drawing.now) - frame.x(branch.from) < ROOMY
    frame.drawn(branch.id, { x0: x, x1: x, bend: 0, startY: y, colour: look.run, isShort })
  }
  const target = branch === undefined ? targetOf(frame, lane, [run]) : ({ kind: 'branch', branch } as const)
  const radius = (run.count > 1 ? 4.5 : 3.5) + (frame.hitAround(target, { x, y }) ? 2 : 0)
  const isBad = branch?.end === 'failed' || branch?.end === 'timed-out'
  const ring = isBad ? look.warn : branch?.until === null ? look.run : undefined
  frame.dot({ x, y }, radius, { fill: ring === undefined ? look.run : look.paper, ring })
}

/** Several runs, as one thing to point at. */
function targetOf(frame: Frame, { job }: Lane, runs: readonly Run[]): Extract<Target, { kind: 'bin' }> {
  const from = runs[0]!.at
  const to = Math.max(runs.at(-1)!.at, from + frame.drawing.scene.binMs)
  return { kind: 'bin', what: job, count: countOf(runs), from, to }
}

export function nameRuns(frame: Frame): void {
  const { scene, window, look, width } = frame.drawing
  for (const lane of scene.lanes) {
    const runs = between(lane.runs, window.from, window.to)
    const [first] = runs
    if (first === undefined) continue
    const x = Math.max(12, Math.min(width - 160, frame.x(first.at) + HOOK))
    const count = countOf(runs)
    const job = lane.job.replace(' ', ' · ')
    const words = count > 1 ? `${job} × ${fullCount(count)}` : job
    frame.label(words, { x, y: yOf(frame, lane) + 20, colour: look.dim })
  }
}

function countOf(runs: readonly Run[]): number {
  return runs.reduce((sum, { count }) => sum + count, 0)
}

function yOf(frame: Frame, { lane }: Lane): number {
  return frame.y({ side: 'down', lane })
}
