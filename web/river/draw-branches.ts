import { counted } from '../ui/numbers.ts'
import { dayText } from '../ui/time.tsx'
import { brief, type Frame } from './frame.ts'
import type { RiverBranch } from '../../src/view/river/river.ts'
import { indexFrom } from './scene.ts'

/** The least width of a branch, and the most of its bends. */
const LENGTH_MIN = 14
const BEND_MAX = 64
const KEPT_MAX = 160
const LANES_MAX = 64
/** Of more than this, short ones have no names. */
const CROWD = 24
const NAME_CHARS = 36

/** Forks and children: they leave their parent's line, and rejoin it if they were saved. What is returned is named later. */
export function drawBranches(frame: Frame): readonly Drawn[] {
  drawCanopy(frame)
  const visible = inView(frame)
  for (const { branch, x0, x1 } of visible) drawBranch(frame, branch, { x0, x1 })
  return visible
}

/** Those that begin at least a few pixels from each other on their lane; further apart if they are too many. */
function inView(frame: Frame): Drawn[] {
  const { width, scene } = frame.drawing
  for (let gap = 3; ; gap *= 1.6) {
    const kept: Drawn[] = []
    const starts = new Float64Array(LANES_MAX).fill(-Infinity)
    for (const branch of scene.branches) {
      const [x0, x1] = endsOf(frame, branch)
      if (x0 > width || kept.length > KEPT_MAX) break
      const row = branch.lane % LANES_MAX
      if (x1 < 0 || x0 - (starts[row] ?? 0) < gap) continue
      starts[row] = x0
      kept.push({ branch, x0, x1 })
    }
    if (kept.length <= KEPT_MAX) return kept
  }
}

interface Drawn extends Ends {
  readonly branch: RiverBranch
}

/** Long ones first: they have room for their names. */
export function nameBranches(frame: Frame, drawn: readonly Drawn[]): void {
  const sorted = drawn.toSorted((one, other) => other.x1 - other.x0 - (one.x1 - one.x0))
  for (const one of sorted) nameBranch(frame, one, sorted.length > CROWD)
}

interface Ends {
  readonly x0: number
  readonly x1: number
}

function endsOf(frame: Frame, { from, until }: RiverBranch): readonly [number, number] {
  const x0 = frame.x(from)
  return [x0, Math.max(frame.x(until ?? frame.drawing.now), x0 + LENGTH_MIN)]
}

function drawBranch(frame: Frame, branch: RiverBranch, ends: Ends): void {
  const { x1 } = ends
  // One that leaves a child leaves it where the child has reached its lane.
  const x0 = Math.max(ends.x0, Math.min(frame.levelFrom(branch.parent?.branch), x1 - LENGTH_MIN))
  const { context, look } = frame.drawing
  const target = { kind: 'branch', branch } as const
  const y = frame.y(branch)
  const start = branch.parent === null ? frame.stemY : frame.yAt(branch.parent, x0)
  const isSaved = branch.end === 'saved'
  const bend = Math.min(BEND_MAX, (x1 - x0) * (isSaved ? 0.42 : 0.5))
  const colour = branch.mode === 'fork' ? look.fork : look.child
  const isShort = x1 - x0 < 40
  frame.drawn(branch.id, {
    x0: x0 + bend,
    x1: isSaved ? x1 - bend : x1,
    y,
    bend,
    startY: start,
    isShort: x1 - x0 < 120,
  })
  context.strokeStyle = colour
  context.lineWidth =
    (branch.mode === 'fork' ? 4.5 : 3.5) * (isShort ? 0.5 : 1) + (frame.isSelected(target) ? 2 : 0)
  context.globalAlpha = branch.end === 'discarded' || branch.end === 'killed' ? 0.55 : 1
  context.beginPath()
  context.moveTo(x0, start)
  context.bezierCurveTo(x0 + bend * 0.55, start, x0 + bend * 0.45, y, x0 + bend, y)
  context.lineTo(isSaved ? x1 - bend : x1, y)
  if (isSaved) context.bezierCurveTo(x1 - bend * 0.45, y, x1 - bend * 0.55, start, x1, start)
  context.stroke()
  if (!isSaved) drawEnd(frame, branch, { x: x1, y, colour, isShort })
  context.globalAlpha = 1
  frame.hit(target, { x: x0, y: y - 8, width: Math.max(14, x1 - x0 + 6), height: 16 })
}

/** Where saved branches rejoin: over the stem. */
export function drawJoints(frame: Frame, drawn: readonly Drawn[]): void {
  for (const { branch, x0, x1 } of drawn) {
    if (branch.end !== 'saved') continue
    const y = branch.parent === null ? frame.stemY : frame.y(branch.parent)
    const colour = frame.drawing.look.fork
    drawEnd(frame, branch, { x: x1, y: y - (y === frame.stemY ? 4 : 0), colour, isShort: x1 - x0 < 40 })
  }
}

/** A dot; a ring for what goes on. */
function drawEnd(
  frame: Frame,
  { until }: RiverBranch,
  { x, y, colour, isShort }: { x: number; y: number; colour: string; isShort: boolean },
): void {
  const { context, look } = frame.drawing
  context.beginPath()
  context.arc(x, y, isShort ? 3 : 5, 0, Math.PI * 2)
  context.fillStyle = until === null ? look.paper : colour
  context.fill()
  if (until !== null) return
  context.strokeStyle = colour
  context.lineWidth = 2
  context.stroke()
}

const MODES = { fork: 'fork', child: 'child', main: 'main', background: 'run' } as const

function nameBranch(frame: Frame, { branch, x0, x1 }: Drawn, isCrowded: boolean): void {
  const { look, width } = frame.drawing
  const length = Math.min(x1, width) - Math.max(x0, 0)
  const y = frame.y(branch)
  if (x1 - x0 < 40) {
    if (!isCrowded) frame.label(nameOf(branch), { x: x1 + 8, y: y + 4, colour: look.dim })
    return
  }
  if (length < 26) return
  const bend = Math.min(BEND_MAX, (x1 - x0) * 0.42)
  const x = Math.min(Math.max(frame.levelFrom(branch.id) + 4, 12), Math.max(x1 - 40, x0))
  const written = frame.label(nameOf(branch), { x, y: y - 10, colour: look.ink })
  if (written === undefined || length - bend < 150) return
  frame.label(fateText(branch), { x, y: y + 20, colour: look.dim })
}

function nameOf({ mode, title, handle }: RiverBranch): string {
  return `${MODES[mode]} · ${brief(title ?? handle, NAME_CHARS)}`
}

/** `14 messages, saved on Wed 11 Nov` */
export function fateText({ messages, end, until }: RiverBranch): string {
  const said = counted(messages, 'message')
  const day = until === null ? '' : ` on ${dayText(until)}`
  switch (end) {
    case 'running':
      return `${said}, working now`
    case 'idle':
      return `${said}, still open`
    case 'timed-out':
      return `${said}, timed out${day}`
    default:
      return `${said}, ${end}${day}`
  }
}

/** Where branches are too many to be listed: how many began there. */
function drawCanopy(frame: Frame): void {
  const { context, width, look, scene } = frame.drawing
  const dense = scene.dense.get('branch')
  if (dense === undefined) return
  const bin = Math.max(2, (scene.binMs / (frame.drawing.window.to - frame.drawing.window.from)) * width - 1)
  context.fillStyle = look.fork
  context.globalAlpha = 0.45
  for (let index = indexFrom(dense.at, frame.time(-bin)); index < dense.at.length; index++) {
    const x = frame.x(dense.at[index] ?? 0)
    if (x > width) break
    const height = Math.min(36, 6 + 5 * Math.log2(1 + (dense.counts[index] ?? 0)))
    context.fillRect(x - bin / 2, frame.stemY - 16 - height, bin, height)
  }
  context.globalAlpha = 1
}
