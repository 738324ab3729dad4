import { z } from 'zod'
import type { JsonObject } from '../../base/json.ts'
import type { BranchId } from '../../event/id.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import { FILES_QUEUE } from '../../tool/files/write-tool.ts'
import { argumentProblem, readArguments } from '../../tool/read-arguments.ts'
import { builtIn, failed, said, type Tool, type ToolResult } from '../../tool/tool.ts'
import { todoList, type TodoList, type TodoParts, type TodoSaid } from '../job/todo-list.ts'

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

interface Doing {
  readonly list: TodoList
  readonly shown: ReadonlyMap<number, string>
}

/** The tools of the to-do list. A number means what it was when the branch was told of it, or nothing. */
export function todoTools(parts: TodoParts): readonly Tool[] {
  const list = todoList(parts)
  const numbers = new ShownNumbers()
  return todos.map(({ spec, effect, usage, schema, act }) => ({
    spec,
    nature: builtIn(effect, { queue: FILES_QUEUE }),
    check: (args: JsonObject) => argumentProblem(schema, args, usage),
    run: async (args: JsonObject, { branch }): Promise<ToolResult> => {
      const done = await act(args, { list, shown: numbers.of(branch) })
      numbers.note(branch, done)
      return done.isError ? failed(done.text) : said(done.text)
    },
  }))
}

interface TodoTool {
  readonly spec: ToolSpec
  readonly effect: 'looks' | 'edits'
  readonly usage: string
  readonly schema: z.ZodType
  readonly act: (args: JsonObject, doing: Doing) => Promise<TodoSaid>
}

interface Made<T> extends Omit<TodoTool, 'schema' | 'act' | 'spec'>, Pick<ToolSpec, 'name' | 'description'> {
  readonly properties: JsonObject
  readonly required?: string[]
  readonly schema: z.ZodType<T>
  readonly act: (given: T, doing: Doing) => Promise<TodoSaid>
}

function todo<T>(made: Made<T>): TodoTool {
  const { name, description, properties, required, effect, usage, schema, act } = made
  return {
    spec: {
      name,
      description,
      parameters: { type: 'object', properties, ...(required !== undefined && { required }) },
    },
    effect,
    usage,
    schema,
    act: async (args, doing) => {
      const problem = argumentProblem(schema, args, usage)
      const read = readArguments(schema, args, usage)
      if ('misfit' in read) return { text: problem ?? usage, isError: true, shown: [] }
      return act(read.is, doing)
    },
  }
}

const TEXT = { type: 'string' }
const ITEM_USAGE = '"item": its number as it was listed, or its words'

const todos: readonly TodoTool[] = [
  todo({
    name: 'todo_add',
    description: "Adds to todo.md, the person's list.",
    properties: { text: TEXT, due: TEXT },
    required: ['text'],
    effect: 'edits',
    usage: 'Usage: todo_add {"text", "due"?: a time such as Friday 9:00}.',
    schema: z.strictObject({ text, due: text.exactOptional() }),
    act: (given, { list }) => list.add(given.text, given.due),
  }),
  todo({
    name: 'todo_list',
    description: 'Numbered to-dos.',
    properties: { which: { ...TEXT, enum: ['open', 'done', 'all'] } },
    effect: 'looks',
    usage: 'Usage: todo_list {"which"?: "open", "done" or "all"}.',
    schema: z.strictObject({ which: z.enum(['open', 'done', 'all']).exactOptional() }),
    act: ({ which = 'open' }, { list }) => list.list(which),
  }),
  todo({
    name: 'todo_done',
    description: 'Ticks one off, by number or words.',
    properties: { item: TEXT },
    required: ['item'],
    effect: 'edits',
    usage: `Usage: todo_done {${ITEM_USAGE}}.`,
    schema: z.strictObject({ item }),
    act: (given, { list, shown }) => list.done({ ...given, shown }),
  }),
  todo({
    name: 'todo_update',
    description: 'Rewords one.',
    properties: { item: TEXT, text: TEXT },
    required: ['item', 'text'],
    effect: 'edits',
    usage: `Usage: todo_update {${ITEM_USAGE}, "text"}.`,
    schema: z.strictObject({ item, text }),
    act: (given, { list, shown }) => list.update({ item: given.item, shown }, given.text),
  }),
  todo({
    name: 'todo_delete',
    description: 'Deletes one.',
    properties: { item: TEXT },
    required: ['item'],
    effect: 'edits',
    usage: `Usage: todo_delete {${ITEM_USAGE}}.`,
    schema: z.strictObject({ item }),
    act: (given, { list, shown }) => list.delete({ ...given, shown }),
  }),
]
