import { brief, type Frame } from './frame.ts'
import { indexFrom } from './scene.ts'

const HALF_MIN = 2.5
const HALF_MAX = 12
/** Half the pixels that a narrowing takes, about. */
const EASE = 6

/** Main: as wide as its context was large. */
export function drawStem(frame: Frame): void {
  const { context, width, look, scene, now } = frame.drawing
  const [first, last] = [Math.max(0, frame.x(scene.since)), Math.min(width, frame.x(now))]
  if (last <= 0 || first >= width) return
  const halves = halvesOf(frame, Math.ceil(width) + 1)
  const { stemY } = frame
  context.fillStyle = look.stem
  context.beginPath()
  const [from, to] = [Math.floor(first), Math.ceil(last)]
  for (let x = from; x <= to; x++) context.lineTo(x, stemY - (halves[x] ?? HALF_MIN))
  for (let x = to; x >= from; x--) context.lineTo(x, stemY + (halves[x] ?? HALF_MIN))
  context.closePath()
  context.fill()
  drawTalk(frame)
  if (first > 0) {
    context.beginPath()
    context.arc(first, stemY, 5, 0, Math.PI * 2)
    context.fillStyle = look.stem
    context.fill()
    frame.label('Mainstem begins', { x: first + 10, y: stemY + 24, colour: look.dim })
  }
}

/** Half the width of the stem at every pixel. Steps become slopes. */
function halvesOf(frame: Frame, pixels: number): Float32Array {
  const { at, tokens } = frame.drawing.scene.stem
  const { window, scene } = frame.drawing
  const goal = new Float32Array(pixels)
  const start = Math.max(0, indexFrom(at, window.from) - 1)
  let value = HALF_MIN
  let filled = 0
  for (let index = start; index < at.length && (at[index] ?? 0) <= window.to; index++) {
    const x = Math.min(pixels, Math.max(0, Math.round(frame.x((at[index] ?? 0) + scene.binMs / 2))))
    for (; filled < x; filled++) goal[filled] = value
    value = HALF_MIN + (HALF_MAX - HALF_MIN) * Math.sqrt(Math.min(1, (tokens[index] ?? 0) / scene.tokensMax))
    if (filled === 0) for (let left = 0; left < x; left++) goal[left] = value
  }
  for (; filled < pixels; filled++) goal[filled] = value
  return eased(goal)
}

/** A moving average, twice: cheap, and round enough. */
function eased(values: Float32Array): Float32Array {
  let from = values
  for (let round = 0; round < 2; round++) {
    const to = new Float32Array(from.length)
    const last = from.length - 1
    const valueAt = (index: number): number => from[Math.min(last, Math.max(0, index))] ?? 0
    let sum = 0
    for (let index = -EASE; index < EASE; index++) sum += valueAt(index)
    for (let index = 0; index <= last; index++) {
      to[index] = sum / (2 * EASE)
      sum += valueAt(index + EASE) - valueAt(index - EASE)
    }
    from = to
  }
  return from
}

/** A light line inside the stem where something was said. */
function drawTalk(frame: Frame): void {
  const { context, width, look, scene, window } = frame.drawing
  if (scene.messages.length > 0) return
  const { at, counts } = scene.stem
  const pixelOfBin = Math.max(1, (scene.binMs / (window.to - window.from)) * width)
  context.fillStyle = look.paper
  let [from, to, most] = [-1, -1, 0]
  const flush = (): void => {
    if (from < 0) return
    context.globalAlpha = Math.min(0.7, 0.3 + most / 60)
    context.fillRect(from, frame.stemY - 0.75, Math.max(3, to - from), 1.5)
  }
  for (let index = indexFrom(at, window.from - scene.binMs); index < at.length; index++) {
    const start = frame.x(at[index] ?? 0)
    if (start > width) break
    if ((counts[index] ?? 0) === 0) continue
    if (start <= to + 0.5 && from >= 0) most = Math.max(most, counts[index] ?? 0)
    else {
      flush()
      ;[from, most] = [start, counts[index] ?? 0]
    }
    to = start + pixelOfBin
  }
  flush()
  context.globalAlpha = 1
}

/** Single messages, where there is room for them. */
export function drawMessages(frame: Frame): void {
  const { context, width, look, scene } = frame.drawing
  const colours = { up: look.fork, down: look.run, main: look.stem } as const
  let before = -Infinity
  for (const message of scene.messages) {
    const place = frame.along(message)
    if (place === undefined || place.x < -8 || place.x > width + 8) continue
    const { x, y } = place
    const target = { kind: 'message', message } as const
    const isSelected = frame.isSelected(target)
    const isPerson = message.role === 'user'
    context.beginPath()
    context.arc(x, y, isSelected ? 6 : isPerson ? 4 : 2.5, 0, Math.PI * 2)
    context.fillStyle = message.role === 'tool' || message.role === 'note' ? look.hair : look.paper
    context.fill()
    if (isSelected || message.side !== 'main') {
      context.strokeStyle = isSelected ? look.ink : colours[message.side]
      context.lineWidth = 2
      context.stroke()
    }
    frame.hit(target, { x: x - 7, y: y - 9, width: 14, height: 18 })
    if (isPerson && message.side === 'main' && x - before > 120) {
      if (frame.label(brief(message.text, 42), { x: x - 3, y: frame.stemY + 32, colour: look.dim }))
        before = x
    }
  }
}
