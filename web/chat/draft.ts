import { useCallback, useEffect, useState } from 'react'
import type { Unsent } from './unsent.ts'

const keyOf = (branch: string): string => `mainstem-draft ${branch}`

/** What is being typed in a branch. It survives a reload; a message that was refused comes back here. */
export function useDraft(branch: string): readonly [string, (text: string) => void] {
  const [text, setText] = useState(() => localStorage.getItem(keyOf(branch)) ?? '')
  const write = useCallback(
    (next: string): void => {
      setText(next)
      if (next === '') localStorage.removeItem(keyOf(branch))
      else localStorage.setItem(keyOf(branch), next)
    },
    [branch],
  )
  useEffect(() => {
    const take = (event: Event): void => {
      const { detail } = event as CustomEvent<Unsent>
      if (detail.branch === branch) write(detail.text)
    }
    addEventListener('mainstem-draft', take)
    return () => removeEventListener('mainstem-draft', take)
  }, [branch, write])
  return [text, write]
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
