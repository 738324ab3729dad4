import { counted } from '../ui/numbers.ts'
import { brief, CHAR_PX, type Frame } from './frame.ts'
import type { RiverThing } from '../../src/view/river/river.ts'
import { indexFrom } from './scene.ts'

const MARGIN = 200
const KEPT_MAX = 80
const LANES_MAX = 64

/** Those in view, at least `apart` pixels from each other on their lane; further apart if they are still too many. */
function visible(frame: Frame, kind: RiverThing['kind'], { apart, max = KEPT_MAX }: Thinned): RiverThing[] {
  const things = frame.drawing.scene.things.get(kind)
  if (things === undefined) return []
  const [first, last] = [
    indexFrom(things.at, frame.time(-MARGIN)),
    indexFrom(things.at, frame.time(frame.drawing.width + MARGIN)),
  ]
  // Of very many, only a few would be left after many rounds.
  const start = last - first > 10 * KEPT_MAX ? Math.max(apart, 24) : apart
  for (let gap = start; ; gap *= 1.8) {
    const kept: RiverThing[] = []
    const cells = new Int32Array(LANES_MAX * 2).fill(-1_000_000)
    for (let index = first; index < last && kept.length <= max; index++) {
      const thing = things.list[index]
      if (thing === undefined) continue
      const { side, lane } = thing.sender ?? thing
      const row = (lane % LANES_MAX) + (side === 'down' ? LANES_MAX : 0)
      const x = frame.x(thing.at)
      if (x - (cells[row] ?? 0) < gap) continue
      cells[row] = x
      kept.push(thing)
    }
    if (kept.length <= max) return kept
  }
}

interface Thinned {
  readonly apart: number
  readonly max?: number
}

/** Mail and updates: dotted threads from whoever sent them. */
export function drawThreads(frame: Frame): void {
  const { context, look } = frame.drawing
  context.setLineDash([1, 5])
  context.lineWidth = 1.5
  // Dots are slow to draw, and many of them must not hide the rest.
  const threads = [
    ...visible(frame, 'mail', { apart: 6, max: 20 }),
    ...visible(frame, 'update', { apart: 6, max: 40 }),
  ]
  context.globalAlpha = threads.length > MANY ? 0.55 : 1
  for (const thing of threads) {
    if (thing.sender === undefined) continue
    const { x, y: from } = frame.on({ ...thing.sender, at: thing.at })
    const to = frame.y(thing)
    const target = { kind: 'thing', thing } as const
    context.strokeStyle = frame.isSelected(target)
      ? look.ink
      : thing.sender.side === 'down'
        ? look.run
        : look.child
    context.beginPath()
    context.moveTo(x, from)
    const end = Math.max(x, Math.min(x + 16, frame.x(frame.drawing.now)))
    context.bezierCurveTo(end, from + (to - from) * 0.35, end, from + (to - from) * 0.7, end, to)
    context.stroke()
    const [top, height] = [Math.min(from, to), Math.abs(to - from)]
    frame.hit(target, { x: x + 4, y: top + 10, width: 14, height: Math.max(0, height - 20) })
  }
  context.globalAlpha = 1
  context.setLineDash([])
}

const MANY = 12

export function drawThings(frame: Frame): void {
  drawDense(frame)
  const pings = visible(frame, 'ping', { apart: 5 })
  for (const thing of pings) frame.block(frame.on(thing), 6)
  for (const thing of pings) drawPing(frame, thing)
  namePings(frame, pings)
  for (const thing of visible(frame, 'cut', { apart: 10 })) drawCut(frame, thing)
  drawMarks(frame)
  for (const thing of visible(frame, 'compaction', { apart: 4 })) drawCompaction(frame, thing)
  const mails = visible(frame, 'mail', { apart: 6, max: 20 })
  for (const thing of mails.length > MANY ? [] : mails) {
    const { x, y } = frame.on({ ...(thing.sender ?? thing), at: thing.at })
    frame.label('mail', { x: x + 20, y: (frame.y(thing) + y) / 2, colour: frame.drawing.look.dim })
  }
}

function drawPing(frame: Frame, thing: RiverThing): void {
  const { context, look } = frame.drawing
  const { x, y } = frame.on(thing)
  const target = { kind: 'thing', thing } as const
  context.beginPath()
  context.arc(x, y, frame.isSelected(target) ? 7.5 : 5.5, 0, Math.PI * 2)
  context.fillStyle = look.warn
  context.fill()
  context.strokeStyle = look.paper
  context.lineWidth = 1.5
  context.stroke()
  frame.hit(target, { x: x - 8, y: y - 8, width: 16, height: 16 })
}

/** As much of each as fits before the next one on its lane. */
function namePings(frame: Frame, pings: readonly RiverThing[]): void {
  const next = new Map<number, number>()
  for (const thing of pings.toReversed()) {
    const { x, y } = frame.on(thing)
    const room = (next.get(y) ?? Infinity) - x - 24
    next.set(y, x)
    const chars = Math.min(34, Math.floor(room / CHAR_PX) - 14)
    if (chars < 8) continue
    const words = `pinged you: “${brief(thing.text, chars)}”`
    frame.label(words, { x: x + 10, y: y + 4, colour: frame.drawing.look.warn, before: x - 10 })
  }
}

function drawCut(frame: Frame, thing: RiverThing): void {
  const { context, look } = frame.drawing
  const target = { kind: 'thing', thing } as const
  const [x1, lost] = [frame.x(thing.at), counted(thing.messages ?? 0, 'message')]
  if (thing.since === undefined) {
    const written = frame.label(`cleared · ${lost}${undoText(thing)}`, {
      x: x1 + 6,
      y: frame.stemY + 26,
      colour: look.dim,
    })
    frame.hit(target, { x: x1 - 5, y: frame.stemY - 14, width: 12 + (written?.width ?? 0), height: 44 })
    return
  }
  const x0 = frame.x(thing.since)
  const nowX = frame.x(frame.drawing.now)
  const end = Math.max(x1, Math.min(x0 + GHOST_MIN, Math.max(nowX, x0 + 20)))
  if (end < 0) return
  const [y, bend] = [frame.ghostY, Math.min(48, (end - x0) * 0.5)]
  context.strokeStyle = frame.isSelected(target) ? look.ink : look.faint
  context.globalAlpha = thing.isUndone ? 0.4 : 1
  context.lineWidth = 4
  context.setLineDash([0.5, 6.5])
  context.beginPath()
  context.moveTo(x0, frame.stemY + 8)
  context.bezierCurveTo(x0 + bend * 0.55, frame.stemY + 8, x0 + bend * 0.45, y, x0 + bend, y)
  context.lineTo(end, y)
  context.stroke()
  context.setLineDash([])
  context.globalAlpha = 1
  frame.hit(target, { x: x0, y: y - 10, width: end - x0, height: 34 })
  const words = `${thing.isUndone ? 'rewind undone' : `rewound to ${thing.text}`} · ${lost}${undoText(thing)}`
  frame.label(words, { x: Math.max(8, x0 + bend), y: y + 20, colour: look.dim, before: end })
}

const GHOST_MIN = 64

function undoText({ canUndo }: RiverThing): string {
  return canUndo === true ? ' · Undo' : ''
}

/** Flags; where they would cover each other, poles. */
function drawMarks(frame: Frame): void {
  const marks = visible(frame, 'mark', { apart: 3 })
  const right = new Map<number, number>()
  const flags = marks.filter((thing) => {
    const [x, y] = [frame.x(thing.at), frame.y(thing)]
    const hasRoom = x - (right.get(y) ?? -Infinity) >= FLAG + 3
    if (hasRoom) right.set(y, x)
    drawMark(frame, thing, hasRoom)
    return hasRoom
  })
  for (const thing of flags) {
    const { x, y } = poleOf(frame, thing)
    frame.label(thing.text, { x: x + FLAG + 5, y: y - 12, colour: frame.drawing.look.ink })
  }
}

const FLAG = 17

function poleOf(frame: Frame, thing: RiverThing): { readonly x: number; readonly y: number } {
  return { x: frame.x(thing.at), y: frame.y(thing) - (thing.side === 'main' ? 9 : 2) }
}

function drawMark(frame: Frame, thing: RiverThing, isFlag: boolean): void {
  const { context, look } = frame.drawing
  const { x, y } = poleOf(frame, thing)
  const target = { kind: 'thing', thing } as const
  context.fillStyle = look.summary
  if (!isFlag) context.fillRect(x, y - 12, 1.5, 12)
  else {
    context.beginPath()
    context.moveTo(x, y)
    context.lineTo(x, y - 22)
    context.lineTo(x + FLAG, y - 22)
    context.lineTo(x + FLAG - 4, y - 17)
    context.lineTo(x + FLAG, y - 12)
    context.lineTo(x + 1.5, y - 12)
    context.lineTo(x + 1.5, y)
    context.closePath()
    context.fill()
    frame.block({ x: x + FLAG / 2, y: y - 17 }, FLAG / 2)
  }
  if (isFlag && frame.isSelected(target)) {
    context.strokeStyle = look.ink
    context.lineWidth = 1.5
    context.stroke()
  }
  frame.hit(target, { x: x - 2, y: y - 24, width: isFlag ? FLAG + 3 : 5, height: 24 })
}

function drawCompaction(frame: Frame, thing: RiverThing): void {
  if (thing.side !== 'main') return
  const { context, look } = frame.drawing
  const target = { kind: 'thing', thing } as const
  const x = frame.x(thing.at)
  context.strokeStyle = look.summary
  context.lineWidth = frame.isSelected(target) ? 3 : 1.5
  context.beginPath()
  context.moveTo(x, frame.stemY - 13)
  context.lineTo(x, frame.stemY - 18)
  context.stroke()
  frame.hit(target, { x: x - 5, y: frame.stemY - 26, width: 10, height: 30 })
  frame.label(`${counted(thing.messages ?? 0, 'message')} summarized`, {
    x: x + 4,
    y: frame.stemY - 22,
    colour: look.summaryInk,
    before: x - 4,
  })
}

/** Where pings, marks or compactions are too many to be listed. */
function drawDense(frame: Frame): void {
  const { context, look, scene, width } = frame.drawing
  const rows = [
    ['ping', look.warn, frame.bottom - 6],
    ['mark', look.summary, frame.stemY - 18],
    ['compaction', look.summary, frame.stemY - 15],
  ] as const
  for (const [what, colour, y] of rows) {
    const dense = scene.dense.get(what)
    if (dense === undefined) continue
    context.fillStyle = colour
    context.beginPath()
    for (let index = indexFrom(dense.at, frame.time(0)); index < dense.at.length; index++) {
      const x = frame.x(dense.at[index] ?? 0)
      if (x > width) break
      const height = Math.min(12, 2 + 1.5 * Math.log2(1 + (dense.counts[index] ?? 0)))
      context.rect(x - 1, y - height, 2, height)
    }
    context.fill()
  }
}
