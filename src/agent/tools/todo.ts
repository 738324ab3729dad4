import { z } from 'zod'
import type { BranchId } from '../../event/id.ts'
import { FILES_QUEUE } from '../../tool/files/write-tool.ts'
import { defineTool, type ToolDefinition } from '../../tool/define-tool.ts'
import { builtIn, failed, said, type Tool } from '../../tool/tool.ts'
import { todoList, type TodoParts, type TodoSaid } from '../job/todo-list.ts'

const GIVEN_MAX = 4_000
const text = z.string().max(GIVEN_MAX)
/** Models write a number both ways. */
const item = z
  .union([text.min(1), z.int().min(1)], { error: 'give its number or its words' })
  .transform(String)

/** What was last told to a branch of what each number is. */
class ShownNumbers {
  readonly #shown = new Map<BranchId, Map<number, string>>()

  of(branch: BranchId): ReadonlyMap<number, string> {
    return this.#shown.get(branch) ?? new Map<number, string>()
  }

  note(branch: BranchId, { shown }: TodoSaid): void {
    const numbers = this.#shown.get(branch) ?? new Map<number, string>()
    for (const { number, text: words } of shown) numbers.set(number, words)
    // The longest unused goes: whoever comes back is shown the list anew.
    this.#shown.delete(branch)
    this.#shown.set(branch, numbers)
    const [oldest] = this.#shown.keys()
    if (this.#shown.size > BRANCHES_MAX && oldest !== undefined) this.#shown.delete(oldest)
  }
}

const BRANCHES_MAX = 200

/** The tools of the to-do list. A number means what it was when the branch was told of it, or nothing. */
export function todoTools(parts: TodoParts): readonly Tool[] {
  const list = todoList(parts)
  const numbers = new ShownNumbers()
  const made = <T>({ effect, act, ...tool }: TodoTool<T>): Tool =>
    defineTool({
      ...tool,
      nature: builtIn(effect, { queue: FILES_QUEUE }),
      run: async (given, { branch }) => {
        const done = await act(given, numbers.of(branch))
        numbers.note(branch, done)
        return done.isError ? failed(done.text) : said(done.text)
      },
    })
  return [
    made({
      name: 'todo_add',
      description: "Adds to todo.md, the person's list.",
      effect: 'edits',
      usage: 'Usage: todo_add {"text", "due"?: a time such as Friday 9:00}.',
      schema: z.strictObject({ text, due: text.exactOptional() }),
      act: (given) => list.add(given.text, given.due),
    }),
    made({
      name: 'todo_list',
      description: 'Numbered to-dos.',
      effect: 'looks',
      usage: 'Usage: todo_list {"which"?: "open", "done" or "all"}.',
      schema: z.strictObject({ which: z.enum(['open', 'done', 'all']).exactOptional() }),
      act: ({ which = 'open' }) => list.list(which),
    }),
    made({
      name: 'todo_done',
      description: 'Ticks one off, by number or words.',
      effect: 'edits',
      usage: `Usage: todo_done {${ITEM_USAGE}}.`,
      schema: z.strictObject({ item }),
      act: (given, shown) => list.done({ ...given, shown }),
    }),
    made({
      name: 'todo_update',
      description: 'Rewords one.',
      effect: 'edits',
      usage: `Usage: todo_update {${ITEM_USAGE}, "text"}.`,
      schema: z.strictObject({ item, text }),
      act: (given, shown) => list.update({ item: given.item, shown }, given.text),
    }),
    made({
      name: 'todo_delete',
      description: 'Deletes one.',
      effect: 'edits',
      usage: `Usage: todo_delete {${ITEM_USAGE}}.`,
      schema: z.strictObject({ item }),
      act: (given, shown) => list.delete({ ...given, shown }),
    }),
  ]
}

interface TodoTool<T> extends Omit<ToolDefinition<T>, 'nature' | 'run'> {
  readonly effect: 'looks' | 'edits'
  readonly act: (given: T, shown: ReadonlyMap<number, string>) => Promise<TodoSaid>
}

const ITEM_USAGE = '"item": its number as it was listed, or its words'
