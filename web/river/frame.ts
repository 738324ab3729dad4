import { keyOf, type Target } from './target.ts'
import type { Scene } from './scene.ts'
import type { Window } from './window.ts'

/** The tokens of the colours that are drawn with. */
export const COLOURS = {
  paper: '--paper',
  line: '--line',
  ink: '--ink',
  dim: '--dim',
  faint: '--faint',
  hair: '--hair',
  stem: '--stem',
  fork: '--k-recall',
  child: '--k-memory',
  run: '--k-updates',
  summary: '--k-summary',
  summaryInk: '--summary-ink',
  warn: '--warn',
} as const

/** Colours and the font, as the theme has them. */
export type Look = Readonly<Record<keyof typeof COLOURS | 'font', string>>

/** Something that can be pointed at, and where it was drawn. */
export interface Hit extends Rect {
  readonly target: Target
}

export interface Point {
  readonly x: number
  readonly y: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

type Rect = Point & Size

export interface Drawing extends Size {
  readonly context: CanvasRenderingContext2D
  readonly look: Look
  readonly scene: Scene
  readonly window: Window
  readonly now: number
  /** The key of the target that is pointed at or stepped to. */
  readonly selected: string | undefined
}

/** A lane above or below the stem. */
interface Place {
  readonly side: string
  readonly lane: number
}

/** Where on a branch something happened. */
type Spot = Place & { readonly branch: string; readonly at: number }

/** How a branch was drawn: level from `x0` to `x1`, and bent before and after that. */
interface Course {
  readonly x0: number
  readonly x1: number
  readonly bend: number
  readonly startY: number
  readonly colour: string
  /** It has no room for single messages. */
  readonly isShort: boolean
}

/** How far right of its start a run reaches its lane. */
export const HOOK = 14

const AXIS = 40
export const TOP = 28
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
  readonly nowX: number
  readonly drawing: Drawing
  /** How far the lanes on either side are apart, and how many fit. */
  readonly #up: Lanes
  readonly #down: Lanes
  readonly #texts: Rect[] = []
  #written = 0
  readonly #courses = new Map<string, Course>()
  readonly #perMs: number

  constructor(drawing: Drawing) {
    this.drawing = drawing
    const { width, height, window, scene } = drawing
    this.#perMs = width / (window.to - window.from)
    this.nowX = this.x(drawing.now)
    this.bottom = height - AXIS
    const lanesUp = scene.branches.reduce((most, { lane }) => Math.max(most, lane), 2)
    const lanesDown = Math.max(2, scene.lanes.length)
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

  y({ side, lane }: Place): number {
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
    return this.#courses.get(branch ?? '')?.x0 ?? -Infinity
  }

  /** Where something is drawn on the level part of its branch's line. */
  on(spot: Spot): Point {
    const [x, y] = [this.x(spot.at), this.y(spot)]
    const course = this.#courses.get(spot.branch)
    if (course !== undefined) return { x: Math.min(Math.max(x, course.x0), course.x1), y }
    // A run that was only counted.
    return { x: spot.side === 'down' ? Math.min(x + HOOK, this.nowX) : x, y }
  }

  /** Where a message is drawn, at its own time, and the colour of its line. Undefined: there is no room for it. */
  along(message: Spot): (Point & { readonly colour: string | undefined }) | undefined {
    const course = this.#courses.get(message.branch)
    if (course?.isShort ?? message.side !== 'main') return undefined
    const start = course === undefined || course.bend === 0 ? -Infinity : course.x0 - course.bend
    const x = Math.max(this.x(message.at), start)
    return { x, y: this.yAt(message, x), colour: course?.colour }
  }

  /** The height of a branch's line: in a bend it lies between two lanes. */
  yAt({ branch, ...place }: Omit<Spot, 'at'>, x: number): number {
    const y = this.y(place)
    const course = this.#courses.get(branch)
    if (course === undefined || course.bend === 0) return y
    const share = Math.min(1, Math.max(0, course.x0 - x, x - course.x1) / course.bend)
    return y + (course.startY - y) * share * share * (3 - 2 * share)
  }

  /** Notes where a target can be pointed at, and says whether it is selected. */
  hit(target: Target, rect: Rect): boolean {
    this.hits.push({ target, ...rect })
    return this.drawing.selected !== undefined && keyOf(target) === this.drawing.selected
  }

  /** The same, for what is this wide and high around a point. */
  hitAround(target: Target, { x, y }: Point, { width, height }: Size = { width: 16, height: 16 }): boolean {
    return this.hit(target, { x: x - width / 2, y: y - height / 2, width, height })
  }

  /** Strokes what `trace` traces. */
  stroke(pen: Pen, trace: (context: CanvasRenderingContext2D) => void): void {
    const { context } = this.drawing
    context.strokeStyle = pen.colour
    context.lineWidth = pen.width
    context.globalAlpha = pen.alpha ?? 1
    if (pen.dash) context.setLineDash(pen.dash)
    context.beginPath()
    trace(context)
    context.stroke()
    context.globalAlpha = 1
    if (pen.dash) context.setLineDash([])
  }

  /** A dot, with a ring around it if it has a colour for one. */
  dot({ x, y }: Point, radius: number, { fill, ring }: { fill: string; ring?: string | undefined }): void {
    const { context } = this.drawing
    context.beginPath()
    context.arc(x, y, radius, 0, Math.PI * 2)
    context.fillStyle = fill
    context.fill()
    if (ring === undefined) return
    context.strokeStyle = ring
    context.lineWidth = 2
    context.stroke()
  }

  /**
   * Of many, those at least `apart` pixels from each other on their lane (of what was sent: on the sender's); further
   * apart if they are still too many.
   */
  thinned<T extends Place & { readonly sender?: Place }>(
    all: readonly T[],
    { x, apart, max }: { x: (one: T) => number; apart: number; max: number },
  ): T[] {
    // Of very many, only a few would be left after many rounds.
    for (let gap = all.length > 10 * max ? Math.max(apart, 24) : apart; ; gap *= 1.7) {
      const kept: T[] = []
      const last: number[] = []
      for (const one of all) {
        const { side, lane } = one.sender ?? one
        const row = 2 * lane + (side === 'down' ? 1 : 0)
        const place = x(one)
        if (place - (last[row] ?? -Infinity) < gap) continue
        last[row] = place
        if (kept.push(one) > max) break
      }
      if (kept.length <= max) return kept
    }
  }

  /** Keeps texts away from here. */
  block({ x, y }: Point, radius: number): void {
    this.#texts.push({ x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius })
  }

  /**
   * Writes a text unless something is written there already. One that would be cut off at the right is written so that
   * it ends at `before`, or shortened. Returns how wide it is, or 0.
   */
  label(words: string, { x, y, colour, before }: Point & { colour: string; before?: number }): number {
    const { context, width, look } = this.drawing
    if (this.#written >= TEXTS_MAX) return 0
    const right = width - 8
    const isOver = x + widthOf(context, words) > right
    const flips = isOver && before !== undefined
    const text = isOver ? brief(words, Math.floor((flips ? before - 8 : right - x) / CHAR_PX)) : words
    if (text.length < Math.min(words.length, 6)) return 0
    const wide = widthOf(context, text)
    const left = flips ? before - wide : x
    const rect = { x: left - 3, y: y - 12, width: wide + 6, height: LABEL_HEIGHT }
    if (rect.x < 0 || rect.x > width || this.#texts.some((other) => overlap(other, rect))) return 0
    this.#texts.push(rect)
    this.#written++
    context.globalAlpha = 0.82
    context.fillStyle = look.paper
    context.fillRect(left - 1, y - 10, wide + 2, 13)
    context.globalAlpha = 1
    context.fillStyle = colour
    context.fillText(text, left, y)
    return wide
  }
}

interface Pen {
  readonly colour: string
  readonly width: number
  readonly alpha?: number
  readonly dash?: number[]
}

/** Traces from one level line to another. The steeper, the more of the way is upright. */
export function swing(
  context: CanvasRenderingContext2D,
  { from, to, steep = 0.55 }: { from: Point; to: Point; steep?: number },
): void {
  const wide = to.x - from.x
  context.bezierCurveTo(from.x + wide * steep, from.y, to.x - wide * steep, to.y, to.x, to.y)
}

interface Lanes {
  readonly gap: number
  readonly count: number
}

const FIRST_UP = 80
const FIRST_DOWN = 104
const GAP_MAX = 100
const GAP_MIN = 18

function spread(room: number, lanes: number): Lanes {
  const gap = Math.min(GAP_MAX, Math.max(GAP_MIN, room / (lanes - 1)))
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
