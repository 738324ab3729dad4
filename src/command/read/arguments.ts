import { limits } from '../../base/limits.ts'
import { markNameSchema } from '../../event/item.ts'

/** The arguments of a command, or why they do not fit: the rest of a sentence that begins with the command's name. */
export type Reading<T extends object> = T | string

/** `text` is everything after the name, trimmed. */
export type ArgumentReader<T extends object> = (text: string) => Reading<T>

/** Slash commands by name: how each is typed and explained. Left out: no aliases, no arguments, no offers, acts at once. */
export type Entries = Readonly<Record<string, CommandEntry>>

/** Names that exist when a command is typed. */
export type NameKind =
  | 'MARK'
  | 'ID'
  | 'TOOL'
  | 'GRANT'
  | 'NUMBER'
  | 'MODEL'
  | 'FILE'
  | 'JOB'
  | 'ROUTINE'
  | 'REMINDER'
  | 'COMMAND'

export interface CommandEntry {
  readonly aliases?: readonly string[]
  /** What follows the name, one for each form. The first form is a model's too, where models may use the command. */
  readonly usage?: readonly [string, ...string[]]
  /** One line, for the overview. */
  readonly help: string
  /** The rest of its help, in lines of at most 78 columns. */
  readonly more: string
  /** Left out: the name alone. */
  readonly example?: string
  /** What it waits for while a turn runs. */
  readonly when?: 'at-once' | 'step-end' | 'turn-end'
  /** What completion offers after the name: words with their help, or `MARK` and the like for names that exist. */
  readonly offers?: readonly (readonly [word: string, help: string] | `${string}${NameKind}`)[]
  readonly read?: ArgumentReader<object>
}

export function optionalMark(text: string): Reading<{ readonly mark: string | null }> {
  const mark = withoutRemark(text)
  if (mark === '') return { mark: null }
  if (markNameSchema.safeParse(mark).success) return { mark }
  const most = `at most ${limits.markNameMax} characters`
  return `takes the name of one mark: ${most}, no spaces, no '-' at its beginning.`
}

export function required(what: 'text' | 'file'): ArgumentReader<{ readonly text: string }> {
  return (text) => (text === '' ? `needs a ${what}.` : { text })
}

export function optionalText(text: string): Reading<{ readonly text: string | null }> {
  return { text: text === '' ? null : text }
}

/** One word or none; `what` says which word is wanted. */
export function optionalWord<K extends string>(
  key: K,
  what: string,
): ArgumentReader<Readonly<Record<K, string | null>>> {
  return (text) => {
    if (firstWord(text)[0] !== text) return `takes ${what}.`
    return { [key]: text === '' ? null : text } as Record<K, string | null>
  }
}

/** This word or none. */
export function flag<K extends string>(word: K): ArgumentReader<Readonly<Record<K, boolean>>> {
  return (text) => {
    if (text !== '' && text !== word) return `takes '${word}' or nothing.`
    return { [word]: text === word } as Record<K, boolean>
  }
}

/** `3` or `#3`: the number of a message or an approval. */
export function numberIn(word: string): number | undefined {
  return /^#?[1-9]\d{0,8}$/.test(word) ? Number(word.replace('#', '')) : undefined
}

export function firstWord(text: string): readonly [word: string, rest: string] {
  const end = text.search(/\s/)
  return end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end).trimStart()]
}

/** `MARK   # why`, as people write it in notes that they paste. */
export function withoutRemark(text: string): string {
  const [word, rest] = firstWord(text)
  return firstWord(rest)[0] === '#' ? word : text
}

const QUOTED_MAX = 40

/** A text short enough for a sentence, without control characters, which a terminal would obey. */
export function quotable(text: string): string {
  const signs = Array.from(text.slice(0, 2 * QUOTED_MAX + 2).replaceAll(/[\p{Cc}\p{Cs}]/gu, '�'))
  return signs.length > QUOTED_MAX ? `${signs.slice(0, QUOTED_MAX).join('')}…` : signs.join('')
}
