import { brief, swing, type Frame } from './frame.ts'
import type { RiverBranch } from '../../src/view/river/river.ts'
import { branchName, fateText } from './target.ts'

/** The least width of a branch, and the most of its bends. */
const LENGTH_MIN = 14
const BEND_MAX = 64
const KEPT_MAX = 160
/** Narrower ones are drawn thinner, and named beside their end. */
const NARROW = 40
/** Of more than this, narrow ones have no names. */
const CROWD = 24
const NAME_CHARS = 43

/** Forks and children: they leave their parent's line, and rejoin it if they were saved. */
export function drawBranches(frame: Frame): readonly Drawn[] {
  const { width, scene } = frame.drawing
  const inView = scene.branches.filter((branch) => {
    const { x0, x1 } = endsOf(frame, branch)
    return x0 <= width && x1 >= 0
  })
  return frame
    .thinned(inView, { x: ({ from }) => frame.x(from), apart: 3, max: KEPT_MAX })
    .map((branch) => drawBranch(frame, branch))
}

/** What is drawn later: the ends over the stem, and then the names. */
interface Drawn {
  readonly branch: RiverBranch
  readonly x0: number
  readonly x1: number
  readonly endY: number
  readonly colour: string
}

function endsOf(frame: Frame, { from, until }: RiverBranch) {
  const x0 = frame.x(from)
  return { x0, x1: Math.max(frame.x(until ?? frame.drawing.now), x0 + LENGTH_MIN) }
}

function drawBranch(frame: Frame, branch: RiverBranch): Drawn {
  const { look } = frame.drawing
  const ends = endsOf(frame, branch)
  const { x1 } = ends
  // One that leaves a child leaves it where the child has reached its lane.
  const x0 = Math.max(ends.x0, Math.min(frame.levelFrom(branch.parent?.branch), x1 - LENGTH_MIN))
  const y = frame.y(branch)
  const startY = branch.parent === null ? frame.stemY : frame.yAt(branch.parent, x0)
  const isSaved = branch.end === 'saved'
  const bend = Math.min(BEND_MAX, (x1 - x0) * (isSaved ? 0.42 : 0.5))
  const level = { x0: x0 + bend, x1: isSaved ? x1 - bend : x1 }
  const [colour, wide] = branch.mode === 'fork' ? [look.fork, 4.5] : [look.child, 3.5]
  frame.drawn(branch.id, { ...level, bend, startY, colour, isShort: x1 - x0 < 120 })
  const rect = { x: x0, y: y - 8, width: x1 - x0 + 6, height: 16 }
  const isSelected = frame.hit({ kind: 'branch', branch }, rect)
  const width = wide * (x1 - x0 < NARROW ? 0.5 : 1) + (isSelected ? 2 : 0)
  const alpha = branch.end === 'discarded' || branch.end === 'killed' ? 0.55 : 1
  frame.stroke({ colour, width, alpha }, (context) => {
    context.moveTo(x0, startY)
    swing(context, { from: { x: x0, y: startY }, to: { x: level.x0, y } })
    context.lineTo(level.x1, y)
    if (isSaved) swing(context, { from: { x: level.x1, y }, to: { x: x1, y: startY } })
  })
  const joint = startY === frame.stemY ? startY - 4 : startY
  return { branch, x0, x1, endY: isSaved ? joint : y, colour }
}

/** A dot; a ring for what goes on. */
export function drawEnds(frame: Frame, drawn: readonly Drawn[]): void {
  for (const { branch, x0, x1, endY, colour } of drawn) {
    const paint = branch.until === null ? { fill: frame.drawing.look.paper, ring: colour } : { fill: colour }
    frame.dot({ x: x1, y: endY }, x1 - x0 < NARROW ? 3 : 5, paint)
  }
}

/** Long ones first: they have room for their names. */
export function nameBranches(frame: Frame, drawn: readonly Drawn[]): void {
  const { look, width } = frame.drawing
  const sorted = drawn.toSorted((one, other) => other.x1 - other.x0 - (one.x1 - one.x0))
  for (const { branch, x0, x1 } of sorted) {
    const y = frame.y(branch)
    const name = brief(branchName(branch), NAME_CHARS)
    if (x1 - x0 < NARROW) {
      if (sorted.length <= CROWD) frame.label(name, { x: x1 + 8, y: y + 4, colour: look.dim })
      continue
    }
    const length = Math.min(x1, width) - Math.max(x0, 0)
    if (length < 26) continue
    const x = Math.min(Math.max(frame.levelFrom(branch.id) + 4, 12), Math.max(x1 - NARROW, x0))
    const isNamed = frame.label(name, { x, y: y - 10, colour: look.ink }) > 0
    if (isNamed && length > 150 + BEND_MAX) frame.label(fateText(branch), { x, y: y + 20, colour: look.dim })
  }
}
