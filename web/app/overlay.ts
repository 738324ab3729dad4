import { Store } from '../api/store.ts'

/** The layer over the page; one at a time. */
export const overlay = new Store<'palette' | 'keys' | 'more' | undefined>(undefined)

export function hide(): void {
  overlay.set(undefined)
}
