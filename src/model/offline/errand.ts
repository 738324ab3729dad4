import type { Task } from './errand-lead.ts'

/** Something to do with a tool of reminders or to-dos, in one step. */
export interface Errand {
  readonly kind: 'errand'
  readonly tool: 'add_reminder' | 'list_reminders' | 'todo_add' | 'todo_list' | ChangeTool
  readonly args: Readonly<Record<string, string>>
  /** What somebody is to be reminded of: asked about again where no time fits. */
  readonly task?: Task
}

/** Something to do with one of a list, which has to be looked at first. */
export interface Choice {
  readonly kind: 'choice'
  readonly tool: ChangeTool
  /** Which one; '' where it is the only one. */
  readonly words: string
  readonly isAll: boolean
  /** What a to-do is to say. */
  readonly text?: string
}

export type ChangeTool = 'cancel_reminder' | 'todo_done' | 'todo_update' | 'todo_delete'

/** How one that was chosen is named to the tool. */
export function changeErrand({ tool, text }: Pick<Choice, 'tool' | 'text'>, key: string): Errand {
  if (tool === 'cancel_reminder') return { kind: 'errand', tool, args: { id: key } }
  return { kind: 'errand', tool, args: { item: key, ...(text !== undefined && { text }) } }
}
