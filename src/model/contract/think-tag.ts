import type { Reasoning } from '../../event/prompt.ts'

const OPEN = '<think>'
const CLOSE = '</think>'

/**
 * Servers that do not know how a model thinks pass its thoughts on as text: `<think>…</think>` before the answer. Only
 * at the very beginning, for further on somebody may write about the tag.
 */
interface ThinkTag {
  /** The next piece of the text; returns what of it is for the person. */
  take(piece: string): string
  /** What was thought, and text that was held back. Thoughts that never end are text, unless the answer was cut. */
  end(isCut: boolean): { readonly text: string; readonly reasoning: readonly Reasoning[] }
}

/** Blanks before an answer are looked at again with every piece, so only so many are waited for. */
const BLANK_MAX = 1_000

type State = 'beginning' | 'thinking' | 'after' | 'answer'

export function startThinkTag(): ThinkTag {
  let state: State = 'beginning'
  let held = ''
  let thought = ''

  /** One step on from what is held; whether there may be another. */
  const step = (): boolean => {
    const start = held.trimStart()
    if (state === 'beginning' && start.startsWith(OPEN)) {
      held = start.slice(OPEN.length)
      state = 'thinking'
      return true
    }
    if (state === 'beginning' && (!OPEN.startsWith(start) || held.length > BLANK_MAX)) state = 'answer'
    const end = state === 'thinking' ? held.indexOf(CLOSE) : -1
    if (end >= 0) {
      thought += held.slice(0, end)
      held = held.slice(end + CLOSE.length)
      state = 'after'
      return true
    }
    if (state === 'thinking') {
      // Only what may be the beginning of the end is looked at again: thoughts are long, and pieces short.
      const known = Math.max(0, held.length - CLOSE.length + 1)
      thought += held.slice(0, known)
      held = held.slice(known)
    }
    if (state === 'after') {
      held = start
      if (start !== '') state = 'answer'
    }
    return false
  }
  return {
    take(piece) {
      held += piece
      while (step());
      if (state !== 'answer') return ''
      const shown = held
      held = ''
      return shown
    },
    end(isCut) {
      const text = state === 'beginning' ? held : ''
      if (state === 'thinking' && !isCut) return { text: OPEN + thought + held, reasoning: [] }
      if (state === 'thinking') thought += held
      const words = thought.trim()
      // Without the model's name, for it is not sent back: a server that did not know it for a thought would refuse it.
      return { text, reasoning: words === '' ? [] : [{ text: words, data: {} }] }
    },
  }
}
