import { useEffect, useRef, type RefObject } from 'react'
import type { Point } from './frame.ts'

export interface Gestures {
  /** Drags by this share of the width. */
  readonly pan: (share: number) => void
  /** `share`: where in the width. */
  readonly zoom: (factor: number, share: number) => void
  readonly point: (at: Point | undefined) => void
  readonly press: (at: Point, by: { readonly isTouch: boolean }) => void
}

const CLICK_PX = 5

/** Mouse, touch and pen: drag, wheel, pinch, point and press. */
export function useGestures(element: RefObject<HTMLElement | null>, gestures: Gestures): void {
  const latest = useRef(gestures)
  useEffect(() => {
    latest.current = gestures
  })
  useEffect(() => (element.current ? listen(element.current, latest) : undefined), [element])
}

function listen(on: HTMLElement, gestures: RefObject<Gestures>): () => void {
  const down = new Map<number, Point>()
  let movedPx = 0
  const placeOf = ({ clientX, clientY }: { clientX: number; clientY: number }): Point => {
    const { left, top } = on.getBoundingClientRect()
    return { x: clientX - left, y: clientY - top }
  }
  const start = (event: PointerEvent): void => {
    if (event.button !== 0) return
    on.setPointerCapture(event.pointerId)
    if (down.size === 0) movedPx = 0
    down.set(event.pointerId, placeOf(event))
  }
  const move = (event: PointerEvent): void => {
    const to = placeOf(event)
    const from = down.get(event.pointerId)
    if (from === undefined) return gestures.current.point(to)
    down.set(event.pointerId, to)
    movedPx += Math.abs(to.x - from.x) + Math.abs(to.y - from.y)
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1]
    if (other === undefined) {
      if (movedPx > CLICK_PX) gestures.current.pan((from.x - to.x) / on.clientWidth)
      return
    }
    const [before, after] = [Math.abs(from.x - other.x), Math.abs(to.x - other.x)]
    const middle = (to.x + other.x) / 2 / on.clientWidth
    if (before > 8 && after > 8) gestures.current.zoom(before / after, middle)
  }
  const end = (event: PointerEvent): void => {
    const was = down.delete(event.pointerId)
    const isClick = was && down.size === 0 && movedPx <= CLICK_PX && event.type === 'pointerup'
    if (isClick) gestures.current.press(placeOf(event), { isTouch: event.pointerType === 'touch' })
  }
  const leave = (): void => {
    if (down.size === 0) gestures.current.point(undefined)
  }
  const wheel = (event: WheelEvent): void => {
    event.preventDefault()
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
    const [x, y] = [event.deltaX * lines, event.deltaY * lines]
    if (event.shiftKey || Math.abs(x) > Math.abs(y)) return gestures.current.pan((x || y) / on.clientWidth)
    // A pinch on a touchpad comes as a wheel with Ctrl, in small steps.
    const factor = Math.exp(y * (event.ctrlKey ? 0.01 : 0.0022))
    gestures.current.zoom(factor, placeOf(event).x / on.clientWidth)
  }
  const controller = new AbortController()
  const { signal } = controller
  on.addEventListener('pointerdown', start, { signal })
  on.addEventListener('pointermove', move, { signal })
  on.addEventListener('pointerup', end, { signal })
  on.addEventListener('pointercancel', end, { signal })
  on.addEventListener('pointerleave', leave, { signal })
  on.addEventListener('wheel', wheel, { signal, passive: false })
  return () => controller.abort()
}
