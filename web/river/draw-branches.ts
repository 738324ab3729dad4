import { counted } from '../ui/numbers.ts'
import { dayText } from '../ui/time.tsx'
import type { Frame } from './frame.ts'
import { indexFrom, type RiverBranch } from './scene.ts'

/** The least width of a branch, and the most of its bends. */
const LENGTH_MIN = 14
const BEND_MAX = 64
const CELL = 6

/** Forks and children: they leave their parent's line, and rejoin it if they were saved. */
export function drawBranches(frame: Frame): void {
  const { width, scene } = frame.drawing
  drawCanopy(frame)
  const taken = new Set<number>()
  const visible: { branch: RiverBranch; x0: number; x1: number }[] = []
  for (const branch of scene.branches) {
    const [x0, x1] = endsOf(frame, branch)
    if (x0 > width) break
    if (x1 < 0) continue
    const cell = branch.lane * 4_096 + Math.floor(x0 / CELL)
    // Two that would be drawn over each other are one.
    if (x1 - x0 <= LENGTH_MIN + 1 && taken.has(cell)) continue
    taken.add(cell)
    visible.push({ branch, x0, x1 })
  }
  for (const { branch, x0, x1 } of visible) drawBranch(frame, branch, { x0, x1 })
  // Long ones first: they have room for their names.
  visible.sort((one, other) => other.x1 - other.x0 - (one.x1 - one.x0))
  for (const { branch, x0, x1 } of visible) nameBranch(frame, branch, { x0, x1 })
}

interface Ends {
  readonly x0: number
  readonly x1: number
}

function endsOf(frame: Frame, { from, until }: RiverBranch): readonly [number, number] {
  const x0 = frame.x(from)
  return [x0, Math.max(frame.x(until ?? frame.drawing.now), x0 + LENGTH_MIN)]
}

function drawBranch(frame: Frame, branch: RiverBranch, { x0, x1 }: Ends): void {
  const { context, look } = frame.drawing
  const target = { kind: 'branch', branch } as const
  const [start, y] = [frame.y(branch.parent ?? { side: 'main', lane: 0 }), frame.y(branch)]
  const isSaved = branch.end === 'saved'
  const bend = Math.min(BEND_MAX, (x1 - x0) * (isSaved ? 0.42 : 0.5))
  const colour = branch.mode === 'fork' ? look.fork : look.child
  const isShort = x1 - x0 < 40
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
  const [endX, endY] = [x1, isSaved ? start : y]
  context.beginPath()
  context.arc(endX, endY, isShort ? 3 : 5, 0, Math.PI * 2)
  context.fillStyle = colour
  if (branch.until === null) {
    context.fillStyle = look.paper
    context.lineWidth = 2
    context.fill()
    context.stroke()
  } else context.fill()
  context.globalAlpha = 1
  frame.hit(target, { x: x0, y: y - 8, width: Math.max(14, x1 - x0 + 6), height: 16 })
}

const MODES = { fork: 'fork', child: 'child', main: 'main', background: 'run' } as const

function nameBranch(frame: Frame, branch: RiverBranch, { x0, x1 }: Ends): void {
  const { look, width } = frame.drawing
  const length = Math.min(x1, width) - Math.max(x0, 0)
  if (length < 26) return
  const y = frame.y(branch)
  const bend = Math.min(BEND_MAX, (x1 - x0) * 0.42)
  const x = Math.min(Math.max(x0 + bend + 4, 12), Math.max(x1 - 40, x0))
  const name = `${MODES[branch.mode]} · ${branch.title ?? branch.handle}`
  const written = frame.label(name, { x, y: y - 10, colour: look.ink })
  if (written === undefined || length < 120) return
  frame.label(fateText(branch), { x, y: y + 20, colour: look.dim })
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
