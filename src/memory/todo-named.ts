import { withoutDue, type TodoItem } from './todo-file.ts'

/** What a word may mean: those to change and those that were shown. */
export interface Naming {
  readonly items: readonly TodoItem[]
  /** What each number was when it was shown; undefined: a number counts as it is now. */
  readonly shown?: ReadonlyMap<number, string>
  /** Whom words mean first. */
  readonly among: 'open' | 'all'
}

export type NamedTodo =
  | { readonly kind: 'found'; readonly item: TodoItem }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly items: readonly TodoItem[] }
  /** The number was shown to be something else, or not at all. */
  | { readonly kind: 'moved'; readonly was: string | undefined; readonly is: TodoItem | undefined }

/** The to-do that a number or words mean: its number, its exact words, or words that only it has. */
export function namedTodo(word: string, naming: Naming): NamedTodo {
  // The list says that of what is late.
  const given = word.trim().replace(/(?<=\)), overdue$/i, '')
  const [, digits] = /^(?:#|n(?:o\.?|umber) ?|item )?(\d{1,9})[.):]?$/i.exec(given) ?? []
  if (digits !== undefined) {
    const byNumber = numbered(Number(digits), naming)
    if (byNumber.kind !== 'none') return byNumber
  }
  const exact = byWords(given, naming, (text, sought) => text === sought)
  // What is only a number is no part of words: a 9 stands in many dates.
  if (exact.kind !== 'none' || digits !== undefined) return exact
  const both = withNumber(given, naming)
  return both ?? byWords(given, naming, (text, sought) => text.includes(sought))
}

function numbered(number: number, { items, shown }: Naming): NamedTodo {
  const item = items.find((one) => one.number === number)
  if (shown === undefined) return item === undefined ? { kind: 'none' } : { kind: 'found', item }
  const was = shown.get(number)
  if (item !== undefined && was === item.text) return { kind: 'found', item }
  return item === undefined && was === undefined ? { kind: 'none' } : { kind: 'moved', was, is: item }
}

/** `3. Buy milk`: both must fit. */
function withNumber(given: string, { items }: Naming): NamedTodo | undefined {
  const [, digits, words = ''] = /^#?(\d{1,9})[.):]?\s+(?:\[[ xX]\]\s+)?(\S.*)$/su.exec(given) ?? []
  const item = items.find(({ number }) => number === Number(digits))
  if (digits === undefined || item === undefined) return undefined
  return formsOf(item).includes(keyOf(words)) ? { kind: 'found', item } : undefined
}

/** With its date and without. */
function formsOf({ text }: TodoItem): string[] {
  return [keyOf(text), keyOf(withoutDue(text))]
}

function byWords(
  given: string,
  { items, among }: Naming,
  fits: (text: string, sought: string) => boolean,
): NamedTodo {
  const sought = keyOf(given)
  if (sought === '') return { kind: 'none' }
  const fitting = items.filter((item) => formsOf(item).some((text) => fits(text, sought)))
  const open = fitting.filter(({ isDone }) => !isDone)
  const meant = among === 'open' && open.length > 0 ? open : fitting
  const [only, ...others] = meant
  if (only === undefined) return { kind: 'none' }
  return others.length === 0 ? { kind: 'found', item: only } : { kind: 'several', items: meant }
}

function keyOf(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim().toLowerCase()
}
