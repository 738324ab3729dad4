import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { todoList, type TodoAsked } from '../../agent/job/todo-list.ts'
import { systemClock } from '../../base/clock.ts'
import { requireHome } from '../../runtime/home/home.ts'
import { settingsOf } from '../frame/home.ts'
import { todoFiles } from '../../runtime/home/todo-lock.ts'
import { prepareHome } from '../../runtime/home/workspace.ts'
import { todosView } from '../../memory/todo-file.ts'
import { CommandError, type Command, type CommandCall } from '../frame/command.ts'

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
  verbs: {
    list: {
      takes: '',
      options: ['all'],
      run: (call) => ask(call, { action: 'list', which: call.isSet('all') ? 'all' : 'open' }),
    },
    add: {
      takes: 'TEXT…',
      options: ['due'],
      run: (call, words) => ask(call, { action: 'add', text: words.join(' ') }),
    },
    done: {
      takes: 'ITEM…',
      options: [],
      run: (call, words) => ask(call, { action: 'done', item: words.join(' ') }),
    },
    update: {
      takes: 'ITEM [TEXT…]',
      options: ['due'],
      run: (call, [item = '', ...words]) =>
        ask(call, { action: 'update', item, ...(words.length > 0 && { text: words.join(' ') }) }),
    },
    delete: {
      takes: 'ITEM…',
      options: [],
      run: (call, words) => ask(call, { action: 'delete', item: words.join(' ') }),
    },
  },
}

async function ask(call: CommandCall, asked: TodoAsked): Promise<number> {
  const isLook = asked.action === 'list'
  // Looking creates nothing, not even the home.
  if (isLook) requireHome(call.home)
  else prepareHome(call.home)
  const files = existsSync(join(call.home, 'workspace')) ? todoFiles(call.home) : NO_FILES
  const todos = todoList({ files, now: systemClock, zone: () => settingsOf(call).zone })
  const due = call.text('due')
  const wish = { ...asked, ...(due !== undefined && { due }) }
  const { text, isError, shown } = await todos(wish, { max: Number.POSITIVE_INFINITY })
  if (isError) throw new CommandError(text)
  const items = todosView(shown)
  return call.print(isLook ? items : items[0], () => text)
}

const NO_FILES: Parameters<typeof todoList>[0]['files'] = {
  read: async () => undefined,
  change: async () => undefined,
}
