import { counted } from '../ui/numbers.ts'
import { brief, CHAR_PX, swing, type Frame, type Point } from './frame.ts'
import type { RiverThing } from '../../src/view/river/river.ts'
import { between } from './scene.ts'

const MARGIN = 200
/** More threads than this are pale and have no names. */
const MANY = 12

/** Those of a kind that are in view, at least `apart` pixels from each other. */
function visible(frame: Frame, kind: RiverThing['kind'], { apart, max = 80 }: Thinned): RiverThing[] {
  const things = frame.drawing.scene.things.get(kind) ?? []
  const near = between(things, frame.time(-MARGIN), frame.time(frame.drawing.width + MARGIN))
  return frame.thinned(near, { x: ({ at }) => frame.x(at), apart, max })
}

interface Thinned {
  readonly apart: number
  readonly max?: number
}

/** Mail and updates: dotted threads from their senders. */
export function drawThreads(frame: Frame): void {
  const { look } = frame.drawing
  // Dots are slow to draw, and many of them must not hide the rest.
  const threads = [...mailsOf(frame), ...visible(frame, 'update', { apart: 6, max: 40 })]
  const alpha = threads.length > MANY ? 0.55 : 1
  for (const thing of threads) {
    if (thing.sender === undefined) continue
    const from = frame.on({ ...thing.sender, at: thing.at })
    const [x, y] = [Math.max(from.x, Math.min(from.x + 16, frame.nowX)), frame.y(thing)]
    const [top, height] = [Math.min(from.y, y), Math.abs(y - from.y)]
    const rect = { x: from.x + 4, y: top + 10, width: 14, height: Math.max(0, height - 20) }
    const isSelected = frame.hit({ kind: 'thing', thing }, rect)
    const colour = isSelected ? look.ink : thing.sender.side === 'down' ? look.run : look.child
    frame.stroke({ colour, alpha, width: 1.5, dash: [1, 5] }, (context) => {
      const high = y - from.y
      context.moveTo(from.x, from.y)
      context.bezierCurveTo(x, from.y + high * 0.35, x, from.y + high * 0.7, x, y)
    })
  }
}

function mailsOf(frame: Frame): RiverThing[] {
  return visible(frame, 'mail', { apart: 6, max: 20 })
}

export function drawThings(frame: Frame): void {
  drawPings(frame)
  for (const thing of visible(frame, 'cut', { apart: 10 })) drawCut(frame, thing)
  drawMarks(frame)
  for (const thing of visible(frame, 'compaction', { apart: 4 })) drawCompaction(frame, thing)
  const mails = mailsOf(frame)
  for (const thing of mails.length > MANY ? [] : mails) {
    const { x, y } = frame.on({ ...(thing.sender ?? thing), at: thing.at })
    frame.label('mail', { x: x + 20, y: (frame.y(thing) + y) / 2, colour: frame.drawing.look.dim })
  }
}

/** Dots, each named with as much of its text as fits before the next one on its lane. */
function drawPings(frame: Frame): void {
  const { look } = frame.drawing
  const pings = visible(frame, 'ping', { apart: 5 }).map((thing) => ({ thing, at: frame.on(thing) }))
  for (const { thing, at } of pings) {
    const isSelected = frame.hitAround({ kind: 'thing', thing }, at)
    frame.dot(at, isSelected ? 7.5 : 5.5, { fill: look.warn, ring: look.paper })
    frame.block(at, 6)
  }
  const next = new Map<number, number>()
  for (const { thing, at } of pings.toReversed()) {
    const { x, y } = at
    const room = (next.get(y) ?? Infinity) - x - 24
    next.set(y, x)
    const chars = Math.min(34, Math.floor(room / CHAR_PX) - 14)
    if (chars < 8) continue
    const words = `pinged you: “${brief(thing.text, chars)}”`
    frame.label(words, { x: x + 10, y: y + 4, colour: look.warn, before: x - 10 })
  }
}

/** A ghost of the stretch that was rewound; what was cleared is only named. */
function drawCut(frame: Frame, thing: RiverThing): void {
  const { look } = frame.drawing
  const { since, isUndone, text } = thing
  const target = { kind: 'thing', thing } as const
  const x1 = frame.x(thing.at)
  const lost = `${counted(thing.messages ?? 0, 'message')}${thing.canUndo === true ? ' · Undo' : ''}`
  if (since === undefined) {
    const named = frame.label(`cleared · ${lost}`, { x: x1 + 6, y: frame.stemY + 26, colour: look.dim })
    frame.hit(target, { x: x1 - 5, y: frame.stemY - 14, width: 18 + named, height: 44 })
    return
  }
  const x0 = frame.x(since)
  const end = Math.max(x1, Math.min(x0 + GHOST_MIN, Math.max(frame.nowX, x0 + 20)))
  if (end < 0) return
  const [y, top] = [frame.ghostY, frame.stemY + 8]
  const level = x0 + Math.min(48, (end - x0) * 0.5)
  const isSelected = frame.hit(target, { x: x0, y: y - 10, width: end - x0, height: 34 })
  const pen = { colour: isSelected ? look.ink : look.faint, alpha: isUndone ? 0.4 : 1 }
  frame.stroke({ ...pen, width: 4, dash: [0.5, 6.5] }, (context) => {
    context.moveTo(x0, top)
    swing(context, { from: { x: x0, y: top }, to: { x: level, y } })
    context.lineTo(end, y)
  })
  const words = `${isUndone ? 'rewind undone' : `rewound to ${text}`} · ${lost}`
  frame.label(words, { x: Math.max(8, level), y: y + 20, colour: look.dim, before: end })
}

const GHOST_MIN = 64

/** Flags; where they would cover each other, poles. */
function drawMarks(frame: Frame): void {
  const { context, look } = frame.drawing
  const right = new Map<number, number>()
  const flags: (Point & { readonly name: string })[] = []
  for (const thing of visible(frame, 'mark', { apart: 3 })) {
    const [x, y] = [frame.x(thing.at), frame.y(thing) - (thing.side === 'main' ? 9 : 2)]
    const isFlag = x - (right.get(y) ?? -Infinity) >= FLAG + 3
    const rect = { x: x - 2, y: y - 24, width: isFlag ? FLAG + 3 : 5, height: 24 }
    const isSelected = frame.hit({ kind: 'thing', thing }, rect)
    context.fillStyle = isSelected ? look.ink : look.summary
    if (!isFlag) {
      context.fillRect(x, y - 12, 1.5, 12)
      continue
    }
    context.beginPath()
    for (const [right, up] of FLAG_SHAPE) context.lineTo(x + right, y - up)
    context.fill()
    right.set(y, x)
    frame.block({ x: x + FLAG / 2, y: y - 17 }, FLAG / 2)
    flags.push({ x, y, name: thing.text })
  }
  for (const { x, y, name } of flags) frame.label(name, { x: x + FLAG + 5, y: y - 12, colour: look.ink })
}

const FLAG = 17
const FLAG_SHAPE = [
  [0, 0],
  [0, 22],
  [FLAG, 22],
  [FLAG - 4, 17],
  [FLAG, 12],
  [1.5, 12],
  [1.5, 0],
] as const

function drawCompaction(frame: Frame, thing: RiverThing): void {
  if (thing.side !== 'main') return
  const { look } = frame.drawing
  const [x, y] = [frame.x(thing.at), frame.stemY - 13]
  const isSelected = frame.hitAround({ kind: 'thing', thing }, { x, y }, { width: 10, height: 28 })
  frame.stroke({ colour: look.summary, width: isSelected ? 3 : 1.5 }, (context) => {
    context.moveTo(x, y)
    context.lineTo(x, y - 5)
  })
  const words = `${counted(thing.messages ?? 0, 'message')} summarized`
  frame.label(words, { x: x + 4, y: y - 9, colour: look.summaryInk, before: x - 4 })
}

/** Where there are too many to be listed: the more, the higher. */
export function drawDense(frame: Frame): void {
  const { context, look, scene, width } = frame.drawing
  const bars = [
    { what: 'branch', colour: look.fork, y: frame.stemY - 16, most: 36 },
    { what: 'ping', colour: look.warn, y: frame.bottom - 6, most: 12 },
    { what: 'mark', colour: look.summary, y: frame.stemY - 18, most: 12 },
    { what: 'compaction', colour: look.summary, y: frame.stemY - 15, most: 12 },
  ] as const
  context.globalAlpha = 0.6
  for (const { what, colour, y, most } of bars) {
    context.fillStyle = colour
    for (const { at, until, count } of between(
      scene.dense.get(what) ?? [],
      frame.time(0),
      frame.time(width),
    )) {
      const wide = Math.max(2, Math.min(most / 3, frame.x(until) - frame.x(at) - 1))
      const high = Math.min(most, (most / 8) * (4 / 3 + Math.log2(1 + count)))
      context.fillRect(frame.x((at + until) / 2) - wide / 2, y - high, wide, high)
    }
  }
  context.globalAlpha = 1
}
