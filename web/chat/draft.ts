import { useState } from 'react'
import { Store, useStore } from '../api/store.ts'

const keyOf = (branch: string): string => `mainstem-draft ${branch}`
const drafts = new Store<Readonly<Record<string, string>>>({})

/** What is being typed in a branch. It survives a reload; a message that was refused comes back here. */
export function useDraft(branch: string): string {
  return useStore(drafts)[branch] ?? localStorage.getItem(keyOf(branch)) ?? ''
}

export function setDraft(branch: string, text: string): void {
  if (text === '') localStorage.removeItem(keyOf(branch))
  else localStorage.setItem(keyOf(branch), text)
  drafts.set({ ...drafts.get(), [branch]: text })
}

/** Goes through what was typed before, the newest first. A text of one's own is not replaced. */
export function useTyped(typed: readonly string[], text: string, write: (text: string) => void) {
  const [back, setBack] = useState(0)
  return {
    isBack: back > 0,
    end: (): void => setBack(0),
    /** Whether there is something to show. */
    go(step: 1 | -1): boolean {
      const next = back + step
      const isUntouched = text === '' || text === typed.at(-back)
      if (next < 0 || next > typed.length || !isUntouched) return false
      setBack(next)
      write(next === 0 ? '' : (typed.at(-next) ?? ''))
      return true
    },
  }
}
