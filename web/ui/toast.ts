import { Store } from '../api/store.ts'

type Tone = 'plain' | 'bad'

export const toasts = new Store<
  readonly { readonly id: number; readonly text: string; readonly tone: Tone }[]
>([])
let count = 0

/** Says for a moment what came of an act. */
export function toast(text: string, tone: Tone = 'plain'): void {
  const id = ++count
  toasts.set([...toasts.get(), { id, text, tone }].slice(-3))
  setTimeout(() => dismiss(id), tone === 'bad' ? 10_000 : 5_000)
}

export function dismiss(id: number): void {
  toasts.set(toasts.get().filter((one) => one.id !== id))
}
