import { type Said, ok, refusal } from '../../agent/contract/act.ts'
import type { TodoList, TodoSaid } from '../../agent/job/todo-list.ts'
import type { TodoAsked } from '../read/catalogue-jobs.ts'
import { concludeDone, wasRun, type Desk, type OrderOf } from '../desk/desk.ts'

/** The file is changed before it is written down: whoever is asked twice must not add twice. */
export async function runTodo(desk: Desk, order: OrderOf<'todo'>): Promise<Said | undefined> {
  if (await desk.log.read((reader) => wasRun(reader, order))) return undefined
  const { text, isError } = await sayOf(desk.todos, order.command.asked)
  return concludeDone(desk, order, () => (isError ? refusal(text) : ok(text)))
}

function sayOf(todos: TodoList, asked: TodoAsked): Promise<TodoSaid> {
  if (asked.act === 'list') return todos.list(asked.which)
  if (asked.act === 'add') return todos.add(asked.words, undefined)
  const name = { item: asked.words }
  return asked.act === 'done' ? todos.done(name) : todos.delete(name)
}
