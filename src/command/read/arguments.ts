import { limits } from '../../base/limits.ts'
import { markNameSchema } from '../../event/item.ts'

/** What the arguments of a command mean, or why they do not fit: words that go on after the command's name. */
export type Reading<T extends object> = { readonly fits: T } | { readonly misfit: string }

/** `text` is all that follows the name, without spaces at its ends. */
export type ArgumentReader<T extends object> = (text: string) => Reading<T>

/** A slash command: how it is typed and explained. Left out: no aliases, no arguments, no offers, acts at once. */
export interface CommandEntry {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly group: 'talk' | 'forks' | 'rights' | 'jobs' | 'settings'
  /** What follows the name, one for each form. The first form is a model's too, where models may use the command. */
  readonly usage?: readonly [string, ...string[]]
  /** One line, for the overview. */
  readonly help: string
  /** The rest of its help, in lines of at most 78 columns. */
  readonly more: string
  readonly example: string
  /** What it waits for while a turn runs. */
  readonly when?: 'at-once' | 'step-end' | 'turn-end'
  /** What may be typed after the name; `MARK`, `ID`, `TOOL`, `GRANT`, `NUMBER` and `COMMAND` stand for those there are. */
  readonly offers?: readonly string[]
  readonly read: ArgumentReader<object>
}

export function nothing(text: string): Reading<object> {
  return text === '' ? { fits: {} } : { misfit: 'takes no arguments.' }
}

export function optionalMark(text: string): Reading<{ readonly mark: string | null }> {
  const mark = withoutRemark(text)
  if (mark === '') return { fits: { mark: null } }
  if (markNameSchema.safeParse(mark).success) return { fits: { mark } }
  const most = `at most ${limits.markNameMax} characters`
  return { misfit: `takes the name of one mark: ${most}, no spaces, no '-' at its beginning.` }
}

export function requiredText(text: string): Reading<{ readonly text: string }> {
  return text === '' ? { misfit: 'needs a text.' } : { fits: { text } }
}

export function optionalText(text: string): Reading<{ readonly text: string | null }> {
  return { fits: { text: text === '' ? null : text } }
}

/** One word or none; `what` says which word is wanted. */
export function optionalWord<K extends string>(
  key: K,
  what: string,
): ArgumentReader<Readonly<Record<K, string | null>>> {
  return (text) => {
    if (firstWord(text)[0] !== text) return { misfit: `takes ${what}.` }
    return { fits: { [key]: text === '' ? null : text } as Record<K, string | null> }
  }
}

/** That very word or none. */
export function flag<K extends string>(word: K): ArgumentReader<Readonly<Record<K, boolean>>> {
  return (text) => {
    if (text !== '' && text !== word) return { misfit: `takes '${word}' or nothing.` }
    return { fits: { [word]: text === word } as Record<K, boolean> }
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

/** Somebody's words, short enough for a sentence, and without control characters that a terminal would obey. */
export function quotable(text: string): string {
  const signs = Array.from(text.slice(0, 2 * QUOTED_MAX + 2).replaceAll(/[\p{Cc}\p{Cs}]/gu, '�'))
  return signs.length > QUOTED_MAX ? `${signs.slice(0, QUOTED_MAX).join('')}…` : signs.join('')
}
