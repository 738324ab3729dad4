import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { missingIn, todoAsked, todoList, type TodoAsked } from '../../agent/job/todo-list.ts'
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
  details: `Shows or changes the to-dos in workspace/todo.md: list lines with a box, such as "- [ ] milk". All
other lines of that file are yours and stay as they are. Edit it whenever you like.

  list                shows what is open, with numbers (the default)
  add TEXT            adds one after the last that is open
  done ITEM           ticks one off. ITEM is its number, its words, or words that only it has
  update ITEM TEXT    rewords one and keeps its date
  delete ITEM         deletes one and everything below it

  --due WHEN    with add and update: when it is due, such as "Friday 9:00"
  --all         with list: also shows what is done
  --json        output as JSON

Works while another process writes to the log.`,
  options: { all: 'flag', json: 'flag', due: 'text' },
  argumentsMax: Number.POSITIVE_INFINITY,
  run: runTodo,
}

async function runTodo(call: CommandCall): Promise<number> {
  const asked = askedIn(call)
  const isLook = asked.action === 'list'
  // Looking creates nothing, not even the home.
  if (isLook) requireHome(call.home)
  else prepareHome(call.home)
  const files = existsSync(join(call.home, 'workspace')) ? todoFiles(call.home) : NO_FILES
  const ask = todoList({ files, now: systemClock, zone: () => settingsOf(call).zone })
  const { text, isError, shown } = await ask(asked, { max: Number.POSITIVE_INFINITY })
  if (isError) throw new CommandError(text)
  const items = shown.map(jsonOf)
  const json = isLook ? JSON.stringify(items, undefined, 2) : JSON.stringify(items[0])
  for (const line of (isSet(call, 'json') ? json : text).split('\n')) await call.out.line(call.out.safe(line))
  return 0
}

const NO_FILES: Parameters<typeof todoList>[0]['files'] = {
  read: async () => undefined,
  change: async () => undefined,
}

const USAGE = 'Usage: mainstem todo list | add TEXT | done ITEM | update ITEM TEXT | delete ITEM'

function askedIn(call: CommandCall): TodoAsked {
  const [verb = 'list', ...words] = call.words
  const { data: action } = todoAsked.shape.action.safeParse(verb)
  if (action === undefined) throw new UsageError(`'mainstem todo' has no '${verb}'. ${USAGE}`)
  const due = textOption(call, 'due')
  const isWritten = action === 'add' || action === 'update'
  if (due !== undefined && !isWritten)
    throw new UsageError('--due goes with add and update: mainstem todo add TEXT --due WHEN')
  const isAll = isSet(call, 'all')
  if (isAll && action !== 'list') throw new UsageError('--all goes with list: mainstem todo list --all')
  if (action === 'list' && words[0] !== undefined)
    throw new UsageError(`'mainstem todo list' does not take '${words[0]}'. ${USAGE}`)
  const item = action === 'update' ? words.splice(0, 1) : isWritten ? [] : words.splice(0)
  const asked: TodoAsked = {
    action,
    ...(item.length > 0 && { item: item.join(' ') }),
    ...(words.length > 0 && { text: words.join(' ') }),
    ...(due !== undefined && { due }),
    which: isAll ? 'all' : 'open',
  }
  const missing = missingIn(asked)
  if (missing !== undefined) throw new UsageError(`${missing}. ${USAGE}`)
  return asked
}

function jsonOf({ text, ...item }: TodoItem): object {
  const due = dueOf(text)?.slice('(due '.length, -1) ?? null
  return { ...item, text: withoutDue(text), due }
}
