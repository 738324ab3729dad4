import type { BranchId } from '../../event/id.ts'
import { defineTool } from '../../tool/define-tool.ts'
import { FILES_QUEUE } from '../../tool/files/write-tool.ts'
import { builtIn, failed, ok, type Tool } from '../../tool/tool.ts'
import { missingIn, todoAsked, todoList, type TodoParts } from '../job/todo-list.ts'

const BRANCHES_MAX = 200

const USAGE =
  'Usage: todo {"action": "add", "list", "done", "update" or "delete", "text"?, "item"?: its number as it was listed, or its words, "due"?: a time such as Friday 9:00, "which"?: "open", "done" or "all"}.'

/** The to-do list for models. A number means the to-do that the branch was last shown under it, or nothing. */
export function todoTool(parts: TodoParts): Tool {
  const ask = todoList(parts)
  const shownTo = new Map<BranchId, Map<number, string>>()
  return defineTool({
    name: 'todo',
    description:
      'The person\'s to-do list, todo.md. `action`: add (`text`), list (`which`), done, update (`text` or `due`) or delete. `item`: its number or some of its words. `due`: a time such as "Friday 9:00". It wakes nobody: for that, set a reminder.',
    schema: todoAsked.superRefine((asked, context) => {
      const message = missingIn(asked)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    }),
    usage: USAGE,
    nature: builtIn('edits', {
      queue: FILES_QUEUE,
      effectOf: ({ action }) => (action === 'list' ? 'looks' : 'edits'),
      subjectOf: ({ action, item, text, due }) => wordsIn(action, item, text, due),
      patternFor: ({ action }) => `todo(${wordsIn(action)}*)`,
    }),
    run: async (asked, { branch }) => {
      const numbers = shownTo.get(branch) ?? new Map<number, string>()
      const { text, isError, shown } = await ask(asked, { shown: numbers })
      for (const item of shown) numbers.set(item.number, item.text)
      // The branch that was longest without to-dos is forgotten: it is shown the list again when it comes back.
      shownTo.delete(branch)
      shownTo.set(branch, numbers)
      const [oldest] = shownTo.keys()
      if (shownTo.size > BRANCHES_MAX && oldest !== undefined) shownTo.delete(oldest)
      return isError ? failed(text) : ok(text)
    },
  })
}

function wordsIn(...values: readonly unknown[]): string {
  return values.filter((value) => typeof value === 'string' || typeof value === 'number').join(' ')
}
