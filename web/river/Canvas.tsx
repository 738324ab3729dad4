import { useEffect, useRef, useState } from 'react'
import { useNow } from '../ui/time.tsx'
import { drawRiver } from './draw.ts'
import { COLOURS, type Drawing, type Frame, type Look } from './frame.ts'
import style from './river.module.css'

interface CanvasProps extends Pick<Drawing, 'scene' | 'window' | 'selected'> {
  readonly onDrawn: (frame: Frame) => void
}

/** The picture. It is drawn once a frame at most, and only if something has changed. */
export function Canvas({ scene, window, selected, onDrawn }: CanvasProps) {
  const place = useRef<HTMLCanvasElement>(null)
  const look = useLook()
  const now = useNow()
  const [size, setSize] = useState<DOMRectReadOnly>()
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setSize(entry?.contentRect))
    if (place.current) observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    const drawn = requestAnimationFrame(() => {
      const [canvas, context] = [place.current, place.current?.getContext('2d')]
      if (!canvas || !context || !size) return
      const { width, height } = size
      const scale = devicePixelRatio
      const [wide, high] = [Math.round(width * scale), Math.round(height * scale)]
      // Even the same size, set again, would clear it and take time.
      if (canvas.width !== wide) canvas.width = wide
      if (canvas.height !== high) canvas.height = high
      context.setTransform(scale, 0, 0, scale, 0, 0)
      performance.mark('river-draw')
      onDrawn(drawRiver({ context, width, height, look, scene, window, now, selected }))
      performance.measure('river-draw', 'river-draw')
    })
    return () => cancelAnimationFrame(drawn)
  }, [scene, window, size, selected, look, now, onDrawn])
  return <canvas ref={place} className={style.canvas} aria-hidden="true" />
}

/** The theme's colours, read again when it changes. */
function useLook(): Look {
  const [look, setLook] = useState(readLook)
  useEffect(() => {
    const change = (): void => setLook(readLook())
    const system = matchMedia('(prefers-color-scheme: dark)')
    const observer = new MutationObserver(change)
    observer.observe(document.documentElement, { attributes: true })
    system.addEventListener('change', change)
    return () => {
      observer.disconnect()
      system.removeEventListener('change', change)
    }
  }, [])
  return look
}

function readLook(): Look {
  const colours = Object.entries(COLOURS).map(([name, token]) => [name, colourOf(token)])
  const { fontFamily } = getComputedStyle(document.body)
  return { ...(Object.fromEntries(colours) as Look), font: `12.5px ${fontFamily}` }
}

let probe: HTMLElement | undefined

/** The colour of a token as the theme has it now, for a canvas. */
function colourOf(token: `--${string}`): string {
  if (probe === undefined) {
    probe = document.createElement('span')
    probe.hidden = true
    document.body.append(probe)
  }
  probe.style.color = `var(${token})`
  return getComputedStyle(probe).color
}
