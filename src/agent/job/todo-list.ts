import type { Clock } from '../../base/clock.ts'
import { oneLine, shorten } from '../../base/width.ts'
import { counted } from '../../base/words.ts'
import { shownAt } from '../../base/zone-time.ts'
import {
  addTodo,
  dueOf,
  plainTodo,
  rewordTodo,
  tickTodo,
  TODO_CHARACTERS_MAX,
  TODO_FILE,
  todoItems,
  withoutTodo,
  type TodoItem,
} from '../../memory/todo-file.ts'
import { namedTodo, type NamedTodo, type Naming } from '../../memory/todo-named.ts'
import { readWhen } from '../../schedule/when.ts'
import { PathError } from '../../tool/files/path.ts'
import type { Workspace } from '../../tool/files/workspace.ts'

export interface TodoParts {
  readonly files: Pick<Workspace, 'read' | 'change'>
  readonly now: Clock
  readonly zone: () => string
}

/** What is said of the list, and what it is a word of. */
export interface TodoSaid {
  readonly text: string
  readonly isError: boolean
  /** Those whose numbers the text tells, as they are now. */
  readonly shown: readonly TodoItem[]
  /** The to-do that was added or changed. */
  readonly item?: TodoItem
}

export type Which = 'open' | 'done' | 'all'

/** How a to-do is named, and what its number was when it was shown; undefined: it counts as it is now. */
export interface TodoName {
  readonly item: string
  readonly shown?: ReadonlyMap<number, string>
}

/** The to-do list, a file that people edit too. What cannot be done is said, never thrown. */
export interface TodoList {
  items(): Promise<readonly TodoItem[] | TodoSaid>
  /** At most so many are listed. */
  list(which: Which, max?: number): Promise<TodoSaid>
  add(words: string, due: string | undefined): Promise<TodoSaid>
  done(name: TodoName): Promise<TodoSaid>
  update(name: TodoName, words: string): Promise<TodoSaid>
  delete(name: TodoName): Promise<TodoSaid>
}

export function todoList(parts: TodoParts): TodoList {
  const { files } = parts
  const items = () => unlessOutOfReach(async () => todoItems((await files.read(TODO_FILE)) ?? ''))
  return {
    items,
    list: async (which, max) => {
      const there = await items()
      return 'isError' in there
        ? there
        : listSaid(there, which, { ...(max !== undefined && { max }), now: wallNow(parts) })
    },
    add: async (words, due) => {
      const line = await lineFrom(words, due, parts)
      if ('problem' in line) return no(line.problem)
      return change(files, (text) => added(text, line.is))
    },
    done: (name) => change(files, (text) => ticked(text, name)),
    update: (name, words) => change(files, (text) => reworded(text, name, words)),
    delete: (name) => change(files, (text) => deleted(text, name)),
  }
}

/** The new text of the file with what is said of it; without one nothing is written. */
type Changed = TodoSaid & { readonly file?: string }

const TRIES = 5

/**
 * Reads, decides and writes, one change after the other. A person's editor or another process may write meanwhile:
 * what was decided counts only while the file is what it was decided on.
 */
function change(files: TodoParts['files'], decide: (text: string) => Changed): Promise<TodoSaid> {
  return unlessOutOfReach(async () => {
    let said: Changed = no(`${TODO_FILE} is being changed all the time by somebody else. Try again later.`)
    await files.change(TODO_FILE, async ({ place, before }) => {
      if (place.toLowerCase() !== TODO_FILE) throw new PathError(linkWords(place))
      let seen = before
      for (let tries = 0; tries < TRIES; tries++) {
        const decided = decide(seen ?? '')
        const now = decided.file === undefined ? seen : await files.read(TODO_FILE)
        if (now === seen) {
          said = decided
          return decided.file
        }
        seen = now
      }
      return undefined
    })
    return said
  })
}

/** A link to what is protected would be a way around that (SAFE4). */
function linkWords(place: string): string {
  return `${TODO_FILE} is a link to ${place}, and to-dos are kept in a file of their own. Ask the person to put the file itself there.`
}

async function unlessOutOfReach<T>(work: () => Promise<T>): Promise<T | TodoSaid> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof PathError) return no(error.message)
    throw error
  }
}

function added(text: string, line: string): Changed {
  const { text: file, number } = addTodo(text, line)
  const item = itemIn(file, number)
  return { file, text: `Added as ${number}: ${wordsOf(item)}`, isError: false, shown: [item], item }
}

function ticked(text: string, name: TodoName): Changed {
  const found = find(text, name, 'open')
  if ('isError' in found) return found
  const { number, isDone } = found.is
  if (isDone) return { ...yes(`${number} was done already: ${wordsOf(found.is)}`, found.is) }
  const file = tickTodo(text, number, 'done')
  const item = itemIn(file, number)
  const left = todoItems(file).filter((one) => !one.isDone).length
  return { file, ...yes(`Done: ${number}. ${wordsOf(item)}. ${leftWords(left)}`, item) }
}

function leftWords(count: number): string {
  return count === 0 ? 'Nothing is open any more.' : `${count} open.`
}

function reworded(text: string, name: TodoName, words: string): Changed {
  const found = find(text, name, 'open')
  if ('isError' in found) return found
  const { number, text: before } = found.is
  const line = plainTodo(words)
  const problem = lineProblem(line)
  if (problem !== undefined) return no(problem)
  // Whoever says it in other words has not said that it is due no more.
  const due = dueOf(line) === undefined ? dueOf(before) : undefined
  const file = rewordTodo(text, number, due === undefined ? line : `${line} ${due}`)
  const item = itemIn(file, number)
  return { file, ...yes(`${number} is now: ${wordsOf(item)}. It was: ${wordsOf(found.is)}`, item) }
}

function deleted(text: string, name: TodoName): Changed {
  const found = find(text, name, 'all')
  if ('isError' in found) return found
  const { text: file, gone } = withoutTodo(text, found.is.number)
  const below = gone.filter(({ number }) => number !== found.is.number)
  const also = below.length === 0 ? '' : `, with what stood below it: ${below.map(wordsOf).join('; ')}`
  const later = todoItems(file).some(({ number }) => number >= found.is.number)
  const moved = later ? ' What came behind it has other numbers now.' : ''
  const said = `Deleted: ${wordsOf(found.is)}${also}.${moved}`
  return { file, text: said, isError: false, shown: [], item: found.is }
}

function itemIn(text: string, number: number): TodoItem {
  const item = todoItems(text).find((one) => one.number === number)
  if (item === undefined) throw new TypeError(`to-do ${number} is not in the text that was made with it`)
  return item
}

type Found = { readonly is: TodoItem } | TodoSaid

function find(text: string, { item, shown }: TodoName, among: Naming['among']): Found {
  const items = todoItems(text)
  const named = namedTodo(item, { items, among, ...(shown !== undefined && { shown }) })
  return named.kind === 'found' ? { is: named.item } : unclear(named, { item, items, among })
}

function unclear(
  named: Exclude<NamedTodo, { kind: 'found' }>,
  { item, items, among }: Pick<Naming, 'items' | 'among'> & { readonly item: string },
): TodoSaid {
  const given = `'${shorten(oneLine(item), QUOTED_COLUMNS)}'`
  const all = listSaid(items, among)
  if (named.kind === 'several') {
    const several = listed(named.items)
    return { ...no(`${given} could be several:\n${several.text}\nGive a number.`), shown: several.shown }
  }
  if (named.kind === 'none')
    return {
      ...no(`No to-do is ${given}. ${all.text}${all.shown.length === 0 ? '' : '\nNothing changed.'}`),
      shown: all.shown,
    }
  const { was, is } = named
  const problem =
    was === undefined
      ? `What number ${given} is was not told here yet.`
      : is === undefined
        ? `The list has changed: there is no number ${given} any more.`
        : `The list has changed: ${given} was "${wordsOf({ text: was })}" and is now "${wordsOf(is)}".`
  return { ...no(`Nothing changed. ${problem} ${all.text}`), shown: all.shown }
}

type Line = { readonly is: string } | { readonly problem: string }

async function lineFrom(words: string, due: string | undefined, { now, zone }: TodoParts): Promise<Line> {
  const line = plainTodo(words)
  const problem = lineProblem(line)
  if (problem !== undefined) return { problem }
  if (due === undefined || due.trim() === '') return { is: line }
  const place = { now: now(), zone: zone() }
  const when = await readWhen(due, place)
  if ('problem' in when) return { problem: `Nothing was added. ${when.problem}` }
  const wall = new Date(shownAt(when.at, place.zone)).toISOString()
  const time = NAMES_A_TIME.test(due) ? ` ${wall.slice(11, 16)}` : ''
  return { is: `${line} (due ${wall.slice(0, 10)}${time})` }
}

/** Without one it is due on that day: nobody spoke of nine o'clock. */
const NAMES_A_TIME =
  /\d[:.h]\d\d|\d\s?[ap]\.?m\b|\b(?:at|noon|midday|midnight|o'?clock|half|quarter|past|tonight|morning|afternoon|evening|night|(?:end|close) of (?:the )?day)\b|(?:\d|\ban?)\s?(?:s|m|h|secs?|seconds?|mins?|minutes?|hrs?|hours?)\b|^\s*\d{1,2}\s*$|day \d{1,2}$|tomorrow \d{1,2}$/iu

function lineProblem(line: string): string | undefined {
  if (!/[\p{L}\p{N}\p{S}\p{P}]/u.test(line)) return 'A to-do needs words. Say what there is to do.'
  return line.length > TODO_CHARACTERS_MAX
    ? `That has ${counted(line.length, 'character')}; a to-do has at most ${TODO_CHARACTERS_MAX}. Say it shorter, and keep the rest in a note.`
    : undefined
}

const LISTED_MAX = 100
const ITEM_COLUMNS = 300
const QUOTED_COLUMNS = 60

interface Listing {
  readonly max?: number
  /** `2026-03-01 09:30`: what was due before is marked; left out: nothing is. */
  readonly now?: string
}

function wallNow({ now, zone }: TodoParts): string {
  return new Date(shownAt(now(), zone())).toISOString().slice(0, 16).replace('T', ' ')
}

/** What is due on a day has all of that day. */
function isOverdue({ text, isDone }: TodoItem, now: string): boolean {
  const due = isDone ? undefined : dueOf(text)?.slice('(due '.length, -1)
  return due !== undefined && (due.length > DATE_CHARS ? due : `${due} 23:59`) < now
}

const DATE_CHARS = '2026-03-01'.length

function listSaid(items: readonly TodoItem[], which: Which, listing: Listing = {}): TodoSaid {
  const chosen = items.filter(({ isDone }) => which === 'all' || isDone === (which === 'done'))
  const open = items.filter(({ isDone }) => !isDone).length
  const counts = `${open} open, ${items.length - open} done`
  if (items.length === 0) return { text: `${TODO_FILE} has no to-dos.`, isError: false, shown: [] }
  if (chosen.length === 0) return { text: `No to-do is ${which}: ${counts}.`, isError: false, shown: [] }
  const { text, shown } = listed(chosen, listing)
  return { text: `${TODO_FILE}, ${counts}:\n${text}`, isError: false, shown }
}

function listed(
  items: readonly TodoItem[],
  { max = LISTED_MAX, now }: Listing = {},
): Pick<TodoSaid, 'text' | 'shown'> {
  const shown = items.slice(0, max)
  const lines = shown.map((item) => {
    const { number, isDone, depth } = item
    const overdue = now !== undefined && isOverdue(item, now) ? ', overdue' : ''
    return `${'  '.repeat(Math.min(depth, 8))}${number}. [${isDone ? 'x' : ' '}] ${wordsOf(item)}${overdue}`
  })
  const more = items.length - shown.length
  return { text: [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'), shown }
}

function wordsOf({ text }: Pick<TodoItem, 'text'>): string {
  return shorten(oneLine(text), ITEM_COLUMNS)
}

function yes(text: string, item: TodoItem): TodoSaid {
  return { text, isError: false, shown: [item], item }
}

function no(text: string): TodoSaid {
  return { text, isError: true, shown: [] }
}
