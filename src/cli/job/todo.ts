import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { todoList, type TodoList, type TodoSaid, type Which } from '../../agent/job/todo-list.ts'
import { systemClock } from '../../base/clock.ts'
import { dueOf, withoutDue, type TodoItem } from '../../memory/todo-file.ts'
import { requireHome } from '../../runtime/home/home.ts'
import { settingsOf } from '../frame/home.ts'
import { todoFiles } from '../../runtime/home/todo-files.ts'
import { prepareHome } from '../../runtime/home/workspace.ts'
import {
  CommandError,
  isSet,
  textOption,
  UsageError,
  type Command,
  type CommandCall,
} from '../frame/command.ts'

export const todoCommand: Command = {
  name: 'todo',
  summary: 'your to-do list, a file that you and the agent share',
  usage: '[list | add TEXT | done ITEM | update ITEM TEXT | delete ITEM] [--due WHEN] [--all] [--json]',
  details: `Shows or changes the to-dos of workspace/todo.md: the lines of lists with a box, "- [ ] milk". All
other lines of that file are yours and stay as they are; edit it whenever you like.

  list                what is open, with numbers (also without a word)
  add TEXT            a new one, behind the last that is open
  done ITEM           ticks one off: its number, its words, or words that only it has
  update ITEM TEXT    other words for it; a date that it has stays
  delete ITEM         takes it away, with what stands below it

  --due WHEN    with add: when it is due, such as "Friday 9:00"
  --all         with list: also what is done
  --json        output as JSON

Works while another process writes to the log.`,
  options: { all: 'flag', json: 'flag', due: 'text' },
  argumentsMax: Number.POSITIVE_INFINITY,
  run: runTodo,
}

async function runTodo(call: CommandCall): Promise<number> {
  const [verb = 'list', ...words] = call.words
  const act = acts[verb]
  if (act === undefined || !Object.hasOwn(acts, verb))
    throw new UsageError(`'mainstem todo' has no '${verb}'. ${EXPECTED}`)
  if (words.length < act.wordsMin) throw new UsageError(`${act.needs}. ${EXPECTED}`)
  if (verb !== 'add' && textOption(call, 'due') !== undefined)
    throw new UsageError(`--due goes with add: mainstem todo add TEXT --due WHEN`)
  if (verb !== 'list' && isSet(call, 'all'))
    throw new UsageError('--all goes with list: mainstem todo list --all')
  if (verb === 'list') return list(call, words)
  const said = await act.run(listIn(call, 'make'), { words, due: textOption(call, 'due') })
  if (said.isError) throw new CommandError(said.text)
  const item = said.item
  const shown = isSet(call, 'json') && item !== undefined ? JSON.stringify(jsonOf(item)) : said.text
  await call.out.line(call.out.safe(shown))
  return 0
}

const EXPECTED = 'There are list, add TEXT, done ITEM, update ITEM TEXT and delete ITEM'

interface Given {
  readonly words: readonly string[]
  readonly due: string | undefined
}

interface Act {
  readonly wordsMin: number
  readonly needs: string
  readonly run: (todos: TodoList, given: Given) => Promise<TodoSaid>
}

/** A person's number counts as it is now: they see what was done. */
const acts: Readonly<Record<string, Act>> = {
  list: { wordsMin: 0, needs: '', run: (todos) => todos.list('open') },
  add: {
    wordsMin: 1,
    needs: "'mainstem todo add' needs a text",
    run: (todos, { words, due }) => todos.add(words.join(' '), due),
  },
  done: {
    wordsMin: 1,
    needs: "'mainstem todo done' needs a number or words",
    run: (todos, { words }) => todos.done({ item: words.join(' ') }),
  },
  update: {
    wordsMin: 2,
    needs: "'mainstem todo update' needs a number or words in quotes, and then the new words",
    run: (todos, { words: [item = '', ...words] }) => todos.update({ item }, words.join(' ')),
  },
  delete: {
    wordsMin: 1,
    needs: "'mainstem todo delete' needs a number or words",
    run: (todos, { words }) => todos.delete({ item: words.join(' ') }),
  },
}

async function list(call: CommandCall, words: readonly string[]): Promise<number> {
  if (words.length > 0)
    throw new UsageError(`'mainstem todo list' does not take '${words[0] ?? ''}'. ${EXPECTED}`)
  requireHome(call.home)
  const which: Which = isSet(call, 'all') ? 'all' : 'open'
  // Nothing is made by looking.
  const isThere = existsSync(join(call.home, 'workspace'))
  const todos = isThere ? listIn(call, 'look') : undefined
  const items = (await todos?.items()) ?? []
  if ('isError' in items) throw new CommandError(items.text)
  if (isSet(call, 'json')) {
    const chosen = items.filter(({ isDone }) => which === 'all' || !isDone)
    await call.out.line(JSON.stringify(chosen.map(jsonOf), undefined, 2))
    return 0
  }
  const text = (await todos?.list(which, Number.POSITIVE_INFINITY))?.text ?? 'There are no to-dos yet.'
  for (const line of text.split('\n')) await call.out.line(call.out.safe(line))
  return 0
}

function listIn(call: CommandCall, purpose: 'look' | 'make'): TodoList {
  if (purpose === 'make') prepareHome(call.home)
  return todoList({ files: todoFiles(call.home), now: systemClock, zone: () => settingsOf(call).zone })
}

function jsonOf({ number, text, isDone, depth }: TodoItem): object {
  const due = dueOf(text)?.slice('(due '.length, -1) ?? null
  return { number, text: due === null ? text : withoutDue(text), isDone, depth, due }
}
