import { drawBranches, drawEnds, nameBranches } from './draw-branches.ts'
import { drawRuns, nameRuns } from './draw-runs.ts'
import { drawMessages, drawStem } from './draw-stem.ts'
import { drawDense, drawThings, drawThreads } from './draw-things.ts'
import { Frame, TOP, type Drawing } from './frame.ts'
import { ticksOf } from './window.ts'

/** Draws the whole river. What is returned knows what was drawn where. */
export function drawRiver(drawing: Drawing): Frame {
  const frame = new Frame(drawing)
  const { context, width, height, look } = drawing
  context.clearRect(0, 0, width, height)
  context.font = look.font
  context.lineCap = 'round'
  context.lineJoin = 'round'
  drawGrid(frame)
  drawNow(frame)
  drawRuns(frame)
  drawDense(frame)
  const branches = drawBranches(frame)
  drawThreads(frame)
  drawStem(frame)
  drawEnds(frame, branches)
  drawMessages(frame)
  nameBranches(frame, branches)
  drawThings(frame)
  nameRuns(frame)
  return frame
}

function drawGrid(frame: Frame): void {
  const { context, width, window, look } = frame.drawing
  const { unit, ticks } = ticksOf(window, width, width < 500 ? 72 : 96)
  frame.stroke({ colour: look.line, width: 1 }, () => {
    for (const { at } of ticks) {
      const x = Math.round(frame.x(at)) + 0.5
      context.moveTo(x, TOP)
      context.lineTo(x, frame.bottom)
    }
  })
  // A day is written in its middle, a moment at its line.
  const isCentred = unit === 'day' || unit === 'month' || unit === 'year'
  context.textAlign = 'center'
  for (const [index, { at, label, isMajor }] of ticks.entries()) {
    const next = ticks[index + 1]?.at ?? at + (at - (ticks[index - 1]?.at ?? at))
    const x = isCentred ? (frame.x(at) + frame.x(next)) / 2 : frame.x(at)
    context.fillStyle = isMajor ? look.dim : look.faint
    if (x > 20 && x < width - 20) context.fillText(label, x, frame.bottom + 24)
  }
  context.textAlign = 'left'
}

function drawNow(frame: Frame): void {
  const { context, width, look } = frame.drawing
  const x = Math.round(frame.nowX)
  if (x < 0 || x > width) return
  context.fillStyle = look.warn
  context.globalAlpha = 0.7
  context.fillRect(x, TOP, 1, frame.bottom - TOP)
  context.globalAlpha = 1
  frame.label('now', { x: x + 6, y: TOP + 12, colour: look.warn, before: x - 6 })
}
