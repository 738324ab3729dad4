import { useEffect, useRef, useState } from 'react'
import { useNow } from '../ui/time.tsx'
import { colourOf } from '../ui/colour.ts'
import { drawRiver } from './draw.ts'
import type { Frame, Look } from './frame.ts'
import style from './river.module.css'
import type { Scene } from './scene.ts'
import type { Window } from './window.ts'

interface CanvasProps {
  readonly scene: Scene
  readonly window: Window
  readonly size: Size
  readonly selected: string | undefined
  readonly onDrawn: (frame: Frame) => void
}

export interface Size {
  readonly width: number
  readonly height: number
}

/** The picture. It is drawn once a frame at most, and only if something has changed. */
export function Canvas({ scene, window, size, selected, onDrawn }: CanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const look = useLook()
  const now = useNow()
  useEffect(() => {
    const drawn = requestAnimationFrame(() => {
      const context = canvas.current?.getContext('2d')
      if (!canvas.current || !context) return
      const { width, height } = size
      const scale = devicePixelRatio
      const [wide, high] = [Math.round(width * scale), Math.round(height * scale)]
      if (canvas.current.width !== wide) canvas.current.width = wide
      if (canvas.current.height !== high) canvas.current.height = high
      context.setTransform(scale, 0, 0, scale, 0, 0)
      performance.mark('river-draw')
      onDrawn(drawRiver({ context, width, height, look, scene, window, now, selected }))
      performance.measure('river-draw', 'river-draw')
    })
    return () => cancelAnimationFrame(drawn)
  }, [scene, window, size, selected, look, now, onDrawn])
  return <canvas ref={canvas} className={style.canvas} aria-hidden="true" />
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
  const { fontFamily } = getComputedStyle(document.body)
  return {
    paper: colourOf('--paper'),
    line: colourOf('--line'),
    ink: colourOf('--ink'),
    dim: colourOf('--dim'),
    faint: colourOf('--faint'),
    hair: colourOf('--hair'),
    stem: colourOf('--stem'),
    soft: colourOf('--stem-soft'),
    fork: colourOf('--k-recall'),
    child: colourOf('--k-memory'),
    run: colourOf('--k-updates'),
    summary: colourOf('--k-summary'),
    summaryInk: colourOf('--summary-ink'),
    warn: colourOf('--warn'),
    font: `12.5px ${fontFamily}`,
  }
}
