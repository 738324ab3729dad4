import { withoutDue, type TodoItem } from './todo-file.ts'

export interface Naming {
  readonly items: readonly TodoItem[]
  /** The text each number had when it was shown. Undefined: a number counts as it is now. */
  readonly shown: ReadonlyMap<number, string> | undefined
  /** `open`: words mean open to-dos first. */
  readonly among: 'open' | 'all'
}

/** The to-do that was meant, or why it is unclear and which ones it could be. */
export type NamedTodo =
  | { readonly item: TodoItem }
  | { readonly problem: 'unknown' | 'not-shown' | 'moved' }
  | { readonly problem: 'several'; readonly items: readonly TodoItem[] }

/** `3`, `#3`, `number 3`, `3. [ ] Buy milk` */
const NUMBERED = /^(?:#|n(?:o\.?|umber) ?|item )?(\d{1,9})(?:[.):]?$|[.):]?\s(?:\[[ x]\]\s)?(\S.*)$)/u

/** Finds a to-do by its number, its exact words, or words that only it has. */
export function namedTodo(name: string, { items, shown, among }: Naming): NamedTodo {
  // The list says `, overdue` after the date of a late one.
  const sought = keyOf(name).replace(/(?<=\)), overdue$/, '')
  const [, digits, words] = NUMBERED.exec(sought) ?? []
  const numbered = items.find(({ number }) => number === Number(digits))
  const isNumber = digits !== undefined && words === undefined
  if (isNumber) {
    const was = shown === undefined ? numbered?.text : shown.get(Number(digits))
    if (numbered !== undefined && numbered.text === was) return { item: numbered }
    if (was !== undefined) return { problem: 'moved' }
    if (numbered !== undefined) return { problem: 'not-shown' }
  } else if (numbered !== undefined && words !== undefined && formsOf(numbered).includes(words)) {
    return { item: numbered }
  }
  const exact = items.filter((item) => formsOf(item).includes(sought))
  // A bare number is not searched for in the words: a 9 is part of many dates.
  const isPart = exact.length === 0 && !isNumber && sought !== ''
  const fitting = isPart ? items.filter((item) => formsOf(item).some((text) => text.includes(sought))) : exact
  const open = fitting.filter(({ isDone }) => !isDone)
  const meant = among === 'open' && open.length > 0 ? open : fitting
  const [only, ...others] = meant
  if (only === undefined) return { problem: 'unknown' }
  return others.length === 0 ? { item: only } : { problem: 'several', items: meant }
}

/** With its date and without. */
function formsOf({ text }: TodoItem): string[] {
  return [keyOf(text), keyOf(withoutDue(text))]
}

function keyOf(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim().toLowerCase()
}
