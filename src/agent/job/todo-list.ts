import { z } from 'zod'
import type { Clock } from '../../base/clock.ts'
import type { Place } from '../../base/time-text.ts'
import { oneLine, shorten } from '../../base/width.ts'
import { counted } from '../../base/words.ts'
import { shownAt } from '../../base/zone-time.ts'
import {
  addTodo,
  changeTodo,
  dueOf,
  plainTodo,
  TODO_CHARACTERS_MAX,
  TODO_FILE,
  todoItems,
  withoutDue,
  withoutTodo,
  type TodoItem,
} from '../../memory/todo-file.ts'
import { namedTodo } from '../../memory/todo-named.ts'
import { readWhen } from '../../schedule/when.ts'
import { PathError } from '../../tool/files/path.ts'
import type { Workspace } from '../../tool/files/workspace.ts'

const words = z.string().max(4_000)

/** What the tool, `/todo` and `mainstem todo` can ask of the list. */
export const todoAsked = z.strictObject({
  action: z.enum(['add', 'list', 'done', 'update', 'delete']).describe('What to do with the list'),
  // Models write a number both ways.
  item: z
    .union([words.min(1), z.int().min(1)], { error: 'give its number or its words' })
    .transform(String)
    .describe('Its number, or some of its words')
    .exactOptional(),
  text: words.describe('The words of the to-do').exactOptional(),
  due: words.describe('A time, as in "Friday 9:00"').exactOptional(),
  which: z.enum(['open', 'done', 'all']).describe('With list; open ones unless given').exactOptional(),
})

export type TodoAsked = z.output<typeof todoAsked>

/** `reopen`: for a person who ticked the wrong box on the page. */
export type TodoWish = Omit<TodoAsked, 'action'> & { readonly action: TodoAsked['action'] | 'reopen' }

/** Why an action cannot be done without more words; undefined: it has what it needs. */
export function missingIn({
  action,
  item,
  text,
  due,
}: Omit<TodoWish, 'item'> & { item?: unknown }): string | undefined {
  if (action === 'list') return undefined
  if (action === 'add') return text === undefined ? "'add' needs a text" : undefined
  if (item === undefined) return `'${action}' needs an item: its number or its words`
  return action === 'update' && (text ?? due) === undefined
    ? "'update' needs a text or a due date"
    : undefined
}

export interface TodoParts {
  readonly files: Pick<Workspace, 'read' | 'change'>
  readonly now: Clock
  readonly zone: () => string
}

export interface TodoSaid {
  readonly text: string
  readonly isError: boolean
  /** The to-dos that the text names. */
  readonly shown: readonly TodoItem[]
}

/**
 * Reads or changes the to-do list, a file that people edit too. A refusal is returned, never thrown. `shown`: the text
 * each number had when it was shown; left out, a number counts as it is now. `max`: how many to-dos are listed.
 */
export type TodoList = (
  asked: TodoWish,
  options?: { readonly shown?: ReadonlyMap<number, string>; readonly max?: number },
) => Promise<TodoSaid>

export function todoList({ files, now, zone }: TodoParts): TodoList {
  return async (asked, { shown, max = LISTED_MAX } = {}) => {
    const missing = missingIn(asked)
    if (missing !== undefined) return no(`${missing}.`)
    const place = { now: now(), zone: zone() }
    try {
      if (asked.action === 'list') {
        const items = todoItems((await files.read(TODO_FILE)) ?? '')
        return listSaid(items, asked.which ?? 'open', { max, now: wallTime(place.now, place.zone) })
      }
      const isDueGone = asked.due?.trim().toLowerCase() === 'none'
      const due = isDueGone ? { is: '' } : await dueFrom(asked.due ?? '', place)
      if ('problem' in due) return no(`Nothing changed. ${due.problem}`)
      return await change(files, (file) => changed(file, { ...asked, due: due.is, isDueGone, shown }))
    } catch (error) {
      if (error instanceof PathError) return no(error.message)
      throw error
    }
  }
}

/** What is said, and the new text of the file; without one nothing is written. */
type Changed = TodoSaid & { readonly file?: string }

const TRIES = 5

/** Reads, decides and writes; decides again if a person's editor saved in between. */
async function change(files: TodoParts['files'], decide: (text: string) => Changed): Promise<TodoSaid> {
  let said: Changed = no(`Somebody else keeps changing ${TODO_FILE}. Try again later.`)
  await files.change(TODO_FILE, async ({ place, before }) => {
    // A link to a protected file would be a way around its protection (SAFE4).
    if (place.toLowerCase() !== TODO_FILE)
      throw new PathError(
        `${TODO_FILE} is a link to ${place}, and to-dos need a file of their own. Ask the person to replace the link.`,
      )
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
}

interface Change extends Omit<TodoWish, 'due'> {
  /** ` (due 2026-03-01)`, or empty. */
  readonly due: string
  /** `none` was given: an empty `due` alone may be a model that fills in every field. */
  readonly isDueGone: boolean
  readonly shown: ReadonlyMap<number, string> | undefined
}

function changed(file: string, { action, item = '', text, due, isDueGone, shown }: Change): Changed {
  if (action === 'add') {
    const line = lineFrom(text ?? '', due)
    if ('problem' in line) return no(line.problem)
    const added = addTodo(file, line.is)
    return yes(added.text, added, (one) => `Added as ${added.number}: ${wordsOf(one)}`)
  }
  const found = find(file, item, { among: action === 'done' || action === 'update' ? 'open' : 'all', shown })
  if ('isError' in found) return found
  const { number } = found
  if (action === 'delete') return deleted(file, found)
  if (action === 'reopen')
    return yes(changeTodo(file, number, { isDone: false }), found, (one) => `Open again: ${wordsOf(one)}`)
  if (action === 'update') {
    const given = text ?? withoutDue(found.text)
    // New words keep the date, unless they come with another one.
    const isDateKept = due === '' && !isDueGone && dueOf(plainTodo(given)) === undefined
    const line = lineFrom(given, isDateKept ? dueOf(found.text) : due)
    if ('problem' in line) return no(line.problem)
    const fresh = changeTodo(file, number, { text: line.is })
    return yes(fresh, found, (one) => `${number} is now: ${wordsOf(one)}. It was: ${wordsOf(found)}`)
  }
  if (found.isDone)
    return { text: `${number} was already done: ${wordsOf(found)}`, isError: false, shown: [found] }
  const fresh = changeTodo(file, number, { isDone: true })
  const open = todoItems(fresh).filter(({ isDone }) => !isDone).length
  const left = open === 0 ? 'Nothing is open any more.' : `${open} open.`
  return yes(fresh, found, (one) => `Done: ${number}. ${wordsOf(one)}. ${left}`)
}

function deleted(file: string, item: TodoItem): Changed {
  const { text, gone } = withoutTodo(file, item.number)
  const below = gone.filter(({ number }) => number !== item.number)
  const also = below.length === 0 ? '' : `, with what was below it: ${below.map(wordsOf).join('; ')}`
  const isBeforeOthers = todoItems(text).some(({ number }) => number >= item.number)
  const moved = isBeforeOthers ? ' The numbers after it have changed.' : ''
  return { file: text, text: `Deleted: ${wordsOf(item)}${also}.${moved}`, isError: false, shown: [item] }
}

function find(
  file: string,
  name: string,
  { among, shown }: Pick<Parameters<typeof namedTodo>[1], 'among' | 'shown'>,
): TodoItem | TodoSaid {
  const items = todoItems(file)
  const named = namedTodo(name, { items, among, shown })
  if ('item' in named) return named.item
  const given = `'${shorten(oneLine(name), QUOTED_COLUMNS)}'`
  if (named.problem === 'several') {
    const several = listed(named.items)
    return { ...no(`${given} could be several:\n${several.text}\nGive a number.`), shown: several.shown }
  }
  const problem = {
    unknown: `No to-do is ${given}.`,
    'not-shown': `Number ${given} was not shown here yet.`,
    moved: `The list has changed since number ${given} was shown.`,
  }[named.problem]
  const all = listSaid(items, among)
  return { ...no(`Nothing changed. ${problem} ${all.text}`), shown: all.shown }
}

function lineFrom(text: string, due = ''): { readonly is: string } | { readonly problem: string } {
  const line = plainTodo(text)
  if (!/[\p{L}\p{N}\p{S}\p{P}]/u.test(line))
    return { problem: 'A to-do needs words. Say what there is to do.' }
  if (line.length > TODO_CHARACTERS_MAX)
    return {
      problem: `That has ${counted(line.length, 'character')}; a to-do has at most ${TODO_CHARACTERS_MAX}. Make it shorter, and keep the rest in a note.`,
    }
  return { is: due === '' ? line : `${withoutDue(line)} ${due}` }
}

async function dueFrom(due: string, place: Place): Promise<{ is: string } | { problem: string }> {
  if (due.trim() === '') return { is: '' }
  const when = await readWhen(due, place)
  if ('problem' in when) return when
  const wall = wallTime(when.at, place.zone)
  // Words that can take a time of day have none of their own: `Friday` is due all day.
  const isDay = !DAY_PART.test(due) && 'at' in (await readWhen(`${due} at 10:00`, place))
  return { is: `(due ${isDay ? wall.slice(0, DATE_CHARS) : wall})` }
}

const DAY_PART = /morning|afternoon|evening|night/i
const DATE_CHARS = '2026-03-01'.length

/** `2026-03-01 09:30` */
function wallTime(at: number, zone: string): string {
  return new Date(shownAt(at, zone)).toISOString().slice(0, 16).replace('T', ' ')
}

const LISTED_MAX = 100
const ITEM_COLUMNS = 300
const QUOTED_COLUMNS = 60

interface Listing {
  readonly max?: number
  /** `2026-03-01 09:30`. Left out: no to-do is marked as overdue. */
  readonly now?: string
}

function listSaid(
  items: readonly TodoItem[],
  which: 'open' | 'done' | 'all',
  listing: Listing = {},
): TodoSaid {
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
  { max = LISTED_MAX, now = '' }: Listing = {},
): Pick<TodoSaid, 'text' | 'shown'> {
  const shown = items.slice(0, max)
  const lines = shown.map((item) => {
    const { number, isDone, depth } = item
    const overdue = isOverdue(item, now) ? ', overdue' : ''
    return `${'  '.repeat(Math.min(depth, 8))}${number}. [${isDone ? 'x' : ' '}] ${wordsOf(item)}${overdue}`
  })
  const more = items.length - shown.length
  return { text: [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'), shown }
}

/** A to-do that is due on a day has all of that day. */
function isOverdue({ text, isDone }: TodoItem, now: string): boolean {
  const due = isDone ? undefined : dueOf(text)?.slice('(due '.length, -1)
  return due !== undefined && (due.length > DATE_CHARS ? due : `${due} 23:59`) < now
}

function wordsOf({ text }: TodoItem): string {
  return shorten(oneLine(text), ITEM_COLUMNS)
}

/** A change of the file, with what is said of the to-do in its new form. */
function yes(file: string, { number }: Pick<TodoItem, 'number'>, say: (item: TodoItem) => string): Changed {
  const item = todoItems(file).find((one) => one.number === number)
  if (item === undefined) throw new TypeError(`to-do ${number} is not in the text that was made with it`)
  return { file, text: say(item), isError: false, shown: [item] }
}

function no(text: string): TodoSaid {
  return { text, isError: true, shown: [] }
}
