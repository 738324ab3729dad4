import { useSyncExternalStore } from 'react'

export interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: 'plain' | 'bad'
}

let toasts: readonly Toast[] = []
let count = 0
const listeners = new Set<() => void>()

function set(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** Says for a moment what came of an act. */
export function toast(text: string, tone: Toast['tone'] = 'plain'): void {
  const id = ++count
  set([...toasts, { id, text, tone }].slice(-3))
  setTimeout(() => dismiss(id), tone === 'bad' ? 10_000 : 5_000)
}

export function dismiss(id: number): void {
  set(toasts.filter((one) => one.id !== id))
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => toasts,
  )
}
