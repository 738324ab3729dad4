import type { RiverBranch, RiverMessage, RiverThing } from '../../src/view/river/river.ts'
import type { Scene } from './scene.ts'
import type { Window } from './window.ts'

/** Colours and the font, as the theme has them. */
export interface Look {
  readonly paper: string
  readonly line: string
  readonly ink: string
  readonly dim: string
  readonly faint: string
  readonly hair: string
  readonly stem: string
  readonly soft: string
  readonly fork: string
  readonly child: string
  readonly run: string
  readonly summary: string
  readonly summaryInk: string
  readonly warn: string
  readonly font: string
}

/** Something that can be pointed at. */
export type Target =
  | { readonly kind: 'branch'; readonly branch: RiverBranch }
  | { readonly kind: 'thing'; readonly thing: RiverThing }
  | { readonly kind: 'message'; readonly message: RiverMessage }
  /** What was counted: pointing at it zooms in. */
  | {
      readonly kind: 'bin'
      readonly what: string
      readonly count: number
      readonly from: number
      readonly to: number
    }

/** Where it was drawn. */
export interface Hit extends Rect {
  readonly target: Target
}

export interface Point {
  readonly x: number
  readonly y: number
}

interface Rect extends Point {
  readonly width: number
  readonly height: number
}

export interface Drawing {
  readonly context: CanvasRenderingContext2D
  readonly width: number
  readonly height: number
  readonly look: Look
  readonly scene: Scene
  readonly window: Window
  readonly now: number
  /** The key of the target that is pointed at or stepped to. */
  readonly selected: string | undefined
}

export function keyOf(target: Target): string {
  switch (target.kind) {
    case 'branch':
      return `${target.branch.id} ${target.branch.from}`
    case 'thing':
      return `thing ${target.thing.position}`
    case 'message':
      return `message ${target.message.position}`
    case 'bin':
      return `bin ${target.what} ${target.from}`
  }
}

/** How a branch was drawn: level from `x0` to `x1`, and bent before and after that. */
interface Course {
  readonly x0: number
  readonly x1: number
  readonly y: number
  readonly bend: number
  readonly startY: number
  /** It has no room for single messages. */
  readonly isShort: boolean
}

/** How far right of its start a run reaches its lane. */
export const HOOK = 14

const AXIS = 40
const TOP = 28
const LABEL_HEIGHT = 16
/** More text than this says nothing, and takes longest to draw. */
const TEXTS_MAX = 60
/** About as wide as a character is. */
export const CHAR_PX = 6.8

/** One frame: where things go, what was drawn where, and which places are taken by text. */
export class Frame {
  readonly hits: Hit[] = []
  readonly stemY: number
  readonly bottom: number
  /** How far the lanes on either side are apart, and how many fit. */
  readonly #up: { readonly gap: number; readonly count: number }
  readonly #down: { readonly gap: number; readonly count: number }
  readonly #texts: Rect[] = []
  #written = 0
  readonly #courses = new Map<string, Course>()
  readonly drawing: Drawing
  readonly #perMs: number

  constructor(drawing: Drawing) {
    this.drawing = drawing
    const { width, height, window, scene } = drawing
    this.#perMs = width / (window.to - window.from)
    this.bottom = height - AXIS
    const [lanesUp, lanesDown] = [Math.max(2, scene.lanesUp), Math.max(2, scene.lanes.length)]
    const share = Math.min(0.6, Math.max(0.34, (lanesUp + 0.6) / (lanesUp + lanesDown + 1.2)))
    this.stemY = Math.round(TOP + (this.bottom - TOP) * share)
    this.#up = spread(this.stemY - TOP - FIRST_UP - 12, lanesUp)
    this.#down = spread(this.bottom - this.stemY - FIRST_DOWN - 24, lanesDown)
  }

  x(at: number): number {
    return (at - this.drawing.window.from) * this.#perMs
  }

  time(x: number): number {
    return this.drawing.window.from + x / this.#perMs
  }

  y({ side, lane }: { readonly side: string; readonly lane: number }): number {
    if (side === 'main') return this.stemY
    const { gap, count } = side === 'up' ? this.#up : this.#down
    // Lanes that do not fit share those that do.
    const place = (lane - 1) % count
    return side === 'up' ? this.stemY - FIRST_UP - place * gap : this.stemY + FIRST_DOWN + place * gap
  }

  /** Where a stretch that was rewound lies: under the stem, above the runs. */
  get ghostY(): number {
    return this.stemY + FIRST_DOWN * 0.56
  }

  /** Notes how a branch was drawn, so that what happened on it lies on its line. */
  drawn(branch: string, course: Course): void {
    this.#courses.set(branch, course)
  }

  /** Where the level part of a branch's line begins, if it is drawn. */
  levelFrom(branch: string | undefined): number {
    return (branch === undefined ? undefined : this.#courses.get(branch)?.x0) ?? -Infinity
  }

  /** Where something on a branch is drawn. */
  on({ branch, side, lane, at }: { branch: string; side: string; lane: number; at: number }): Point {
    const [x, y] = [this.x(at), this.y({ side, lane })]
    const course = this.#courses.get(branch)
    if (course !== undefined) return { x: Math.min(Math.max(x, course.x0), course.x1), y: course.y }
    // A run that was only counted.
    return { x: side === 'down' ? Math.min(x + HOOK, this.x(this.drawing.now)) : x, y }
  }

  /** The same for messages, which keep their time. Undefined: there is no room for them. */
  along(message: { branch: string; side: string; lane: number; at: number }): Point | undefined {
    const course = this.#courses.get(message.branch)
    if (course?.isShort === true || (course === undefined && message.side !== 'main')) return undefined
    const x = this.x(message.at)
    return { x, y: this.yAt(message, x) }
  }

  /** The height of a branch's line: in a bend it lies between two lanes. */
  yAt({ branch, side, lane }: { branch: string; side: string; lane: number }, x: number): number {
    const y = this.y({ side, lane })
    const course = this.#courses.get(branch)
    if (course === undefined || course.bend === 0) return y
    const share = Math.min(1, Math.max(0, course.x0 - x, x - course.x1) / course.bend)
    return y + (course.startY - y) * share * share * (3 - 2 * share)
  }

  /** Keeps texts away from here. */
  block({ x, y }: Point, radius: number): void {
    this.#texts.push({ x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius })
  }

  hit(target: Target, { x, y, width, height }: Rect): void {
    this.hits.push({ target, x, y, width, height })
  }

  isSelected(target: Target): boolean {
    return this.drawing.selected !== undefined && keyOf(target) === this.drawing.selected
  }

  /**
   * Writes a text unless something is written there already. One that would be cut off at the right is written so that
   * it ends at `before`, or shortened. Returns where it was written.
   */
  label(words: string, at: Point & { readonly colour: string; readonly before?: number }): Rect | undefined {
    const { context, width, look } = this.drawing
    if (this.#written >= TEXTS_MAX) return undefined
    const isOver = at.x + widthOf(context, words) > width - 8
    const flips = isOver && at.before !== undefined
    const room = flips ? (at.before ?? 0) - 8 : width - 8 - at.x
    const text = isOver ? brief(words, Math.floor(room / CHAR_PX)) : words
    if (text.length < Math.min(words.length, 6)) return undefined
    const wide = widthOf(context, text)
    const x = flips ? (at.before ?? 0) - wide : at.x
    const rect = { x: x - 3, y: at.y - 12, width: wide + 6, height: LABEL_HEIGHT }
    if (rect.x > width || rect.x + rect.width < 0 || (flips && rect.x < 0)) return undefined
    if (this.#texts.some((other) => overlap(other, rect))) return undefined
    this.#texts.push(rect)
    this.#written++
    context.globalAlpha = 0.82
    context.fillStyle = look.paper
    context.fillRect(x - 1, at.y - 10, wide + 2, 13)
    context.globalAlpha = 1
    context.fillStyle = at.colour
    context.fillText(text, x, at.y)
    return rect
  }
}

const FIRST_UP = 80
const FIRST_DOWN = 104
const GAP_MAX = 100
const GAP_MIN = 18

function spread(room: number, lanes: number): { readonly gap: number; readonly count: number } {
  const gap = Math.min(GAP_MAX, Math.max(GAP_MIN, room / Math.max(1, lanes - 1)))
  return { gap, count: Math.max(1, Math.floor(room / gap) + 1) }
}

/** `text`, with `…` where it was too long. */
export function brief(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, Math.max(0, charsMax - 1)).trimEnd()}…` : text
}

function overlap(one: Rect, other: Rect): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  )
}

/** Measuring text is slow, and the same texts are drawn at every frame. */
const widths = new Map<string, number>()

function widthOf(context: CanvasRenderingContext2D, text: string): number {
  const known = widths.get(text)
  if (known !== undefined) return known
  if (widths.size > 5_000) widths.clear()
  const { width } = context.measureText(text)
  widths.set(text, width)
  return width
}
