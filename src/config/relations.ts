import type { FlatConfig, Key } from './settings.ts'

/** Something that has to hold between several parameters. */
export interface Relation {
  readonly keys: readonly Key[]
  /** What is wrong and what to do, in whole sentences; undefined when all is well. */
  wrong(values: FlatConfig): string | undefined
}

export const relations: readonly Relation[] = [
  {
    keys: ['historyWindow', 'compactionThreshold', 'truncationLimit'],
    wrong: ({ historyWindow, compactionThreshold, truncationLimit }) =>
      historyWindow < compactionThreshold && compactionThreshold < truncationLimit
        ? undefined
        : `historyWindow (${historyWindow}) has to be less than compactionThreshold (${compactionThreshold}), and that less than truncationLimit (${truncationLimit}).`,
  },
  {
    keys: ['model', 'fallbackModels'],
    wrong: ({ model, fallbackModels }) =>
      model !== null && fallbackModels.includes(model)
        ? `fallbackModels names ${model}, which is the model itself. Take it out of fallbackModels.`
        : undefined,
  },
  {
    keys: ['cbBackoff', 'cbResetMs'],
    wrong: ({ cbBackoff, cbResetMs }) => {
      const longest = Math.max(...cbBackoff)
      // Otherwise each opening is forgotten before the next, and only the first wait ever holds.
      return longest >= cbResetMs
        ? `cbResetMs (${cbResetMs}) has to be more than the longest wait of cbBackoff (${longest}). Raise the one or lower the other.`
        : undefined
    },
  },
]
