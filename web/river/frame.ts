import type { RiverBranch, RiverMessage, RiverThing, Scene } from './scene.ts'
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
export interface Hit {
  readonly target: Target
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface Rect {
  readonly x: number
  readonly y: number
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

const AXIS = 40
const TOP = 28
const LABEL_HEIGHT = 16

/** One frame: where things go, what was drawn where, and which places are taken by text. */
export class Frame {
  readonly hits: Hit[] = []
  readonly stemY: number
  readonly bottom: number
  /** How far the lanes on either side are apart, and how many fit. */
  readonly #up: { readonly gap: number; readonly count: number }
  readonly #down: { readonly gap: number; readonly count: number }
  readonly #texts: Rect[] = []
  readonly drawing: Drawing
  readonly #perMs: number

  constructor(drawing: Drawing) {
    this.drawing = drawing
    const { width, height, window, scene } = drawing
    this.#perMs = width / (window.to - window.from)
    this.bottom = height - AXIS
    this.stemY = Math.round(TOP + (this.bottom - TOP) * 0.48)
    const [lanesUp, lanesDown] = [Math.max(2, scene.lanesUp), Math.max(2, scene.lanes.length)]
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

  hit(target: Target, { x, y, width, height }: Rect): void {
    this.hits.push({ target, x, y, width, height })
  }

  isSelected(target: Target): boolean {
    return this.drawing.selected !== undefined && keyOf(target) === this.drawing.selected
  }

  /** Writes a text unless something is written there already. Says whether it did. */
  label(
    text: string,
    at: { readonly x: number; readonly y: number; readonly colour: string },
  ): Rect | undefined {
    const { context, width } = this.drawing
    const rect = { x: at.x - 2, y: at.y - 12, width: widthOf(context, text) + 4, height: LABEL_HEIGHT }
    if (rect.x > width || rect.x + rect.width < 0) return undefined
    if (this.#texts.some((other) => overlap(other, rect))) return undefined
    this.#texts.push(rect)
    context.fillStyle = at.colour
    context.fillText(text, at.x, at.y)
    return rect
  }

  /** Keeps texts away from here. */
  block(rect: Rect): void {
    this.#texts.push(rect)
  }
}

const FIRST_UP = 84
const FIRST_DOWN = 112
const GAP_MAX = 64
const GAP_MIN = 18

function spread(room: number, lanes: number): { readonly gap: number; readonly count: number } {
  const gap = Math.min(GAP_MAX, Math.max(GAP_MIN, room / Math.max(1, lanes - 1)))
  return { gap, count: Math.max(1, Math.floor(room / gap) + 1) }
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
