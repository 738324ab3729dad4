import { brief, type Frame } from './frame.ts'
import { between } from './scene.ts'

const HALF_MIN = 2.5
const HALF_MAX = 12
/** Half the pixels that a narrowing takes, about. */
const EASE = 6

/** Main: as wide as its context was large. */
export function drawStem(frame: Frame): void {
  const { context, width, look, scene } = frame.drawing
  const { stemY } = frame
  const [first, last] = [Math.max(0, frame.x(scene.since)), Math.min(width, frame.nowX)]
  if (last <= 0 || first >= width) return
  const halves = halvesOf(frame)
  const [from, to] = [Math.floor(first), Math.ceil(last)]
  context.fillStyle = look.stem
  context.beginPath()
  for (let x = from; x <= to; x++) context.lineTo(x, stemY - (halves[x] ?? HALF_MIN))
  for (let x = to; x >= from; x--) context.lineTo(x, stemY + (halves[x] ?? HALF_MIN))
  context.closePath()
  context.fill()
  drawTalk(frame)
  if (first === 0) return
  frame.dot({ x: first, y: stemY }, 5, { fill: look.stem })
  frame.label('Mainstem begins', { x: first + 10, y: stemY + 24, colour: look.dim })
}

/** Half the width of the stem at every pixel. Steps become slopes. */
function halvesOf(frame: Frame): Float32Array {
  const { window, scene, width } = frame.drawing
  const halves = new Float32Array(Math.ceil(width) + 1)
  const put = ({ tokens }: { readonly tokens: number }, x: number): void => {
    halves[Math.max(0, Math.round(x))] =
      HALF_MIN + (HALF_MAX - HALF_MIN) * Math.sqrt(Math.min(1, tokens / scene.tokensMax))
  }
  put(between(scene.stem, 0, window.from).at(-1) ?? { tokens: 0 }, 0)
  for (const bin of between(scene.stem, window.from, window.to)) put(bin, frame.x(bin.at + scene.binMs / 2))
  for (const [x, half] of halves.entries()) if (half === 0) halves[x] = halves[x - 1] ?? 0
  return eased(eased(halves))
}

/** A moving average; twice, it is round enough. */
function eased(values: Float32Array): Float32Array {
  const valueAt = (index: number): number => values.at(Math.min(values.length - 1, Math.max(0, index))) ?? 0
  let sum = 0
  for (let index = -EASE; index < EASE; index++) sum += valueAt(index)
  return values.map((_, index) => {
    const mean = sum / (2 * EASE)
    sum += valueAt(index + EASE) - valueAt(index - EASE)
    return mean
  })
}

/** A light line inside the stem where something was said. */
function drawTalk(frame: Frame): void {
  const { look, scene, window } = frame.drawing
  if (scene.messages.length > 0) return
  frame.stroke({ colour: look.paper, width: 1.5, alpha: 0.5 }, (context) => {
    for (const { at, count } of between(scene.stem, window.from - scene.binMs, window.to)) {
      if (count === 0) continue
      context.moveTo(frame.x(at), frame.stemY)
      context.lineTo(Math.max(frame.x(at) + 1, frame.x(at + scene.binMs)), frame.stemY)
    }
  })
}

/** Single messages, where there is room for them. */
export function drawMessages(frame: Frame): void {
  const { width, look, scene } = frame.drawing
  let before = -Infinity
  for (const message of scene.messages) {
    const at = frame.along(message)
    if (at === undefined || at.x < -8 || at.x > width + 8) continue
    const { role, side, text } = message
    const isPerson = role === 'user'
    const isSelected = frame.hitAround({ kind: 'message', message }, at, { width: 14, height: 18 })
    frame.dot(at, isSelected ? 6 : isPerson ? 4 : 2.5, {
      fill: role === 'tool' || role === 'note' ? look.hair : look.paper,
      ring: isSelected ? look.ink : at.colour,
    })
    if (!isPerson || side !== 'main' || at.x - before <= 120) continue
    if (frame.label(brief(text, 42), { x: at.x - 3, y: frame.stemY + 32, colour: look.dim }) > 0)
      before = at.x
  }
}
