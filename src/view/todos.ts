import { dueOf, withoutDue, type TodoItem } from '../memory/todo-file.ts'

/** To-dos as programs are shown them, which rely on the names. */
export function todosView(items: readonly TodoItem[]) {
  return items.map(({ text, ...item }) => {
    const due = dueOf(text)?.slice('(due '.length, -1) ?? null
    return { ...item, text: withoutDue(text), due }
  })
}
