import { useSyncExternalStore } from 'react'

/** What lies over the page; one at a time. */
export type Overlay = 'palette' | 'keys' | 'more'

let shown: Overlay | undefined
const listeners = new Set<() => void>()

export function show(overlay: Overlay | undefined): void {
  shown = overlay
  for (const listener of listeners) listener()
}

export function hide(): void {
  show(undefined)
}

export function useOverlay(): Overlay | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => shown,
  )
}
