import type { Prompt, PromptMessage, Settings, ToolSpec } from '../../src/event/prompt.ts'
import type { Reply } from '../../src/model/model.ts'
import { offlineModel } from '../../src/model/offline/offline.ts'
import { findWhen } from '../../src/schedule/when.ts'

const settings: Settings = {
  model: 'offline',
  tokensMax: null,
  temperature: null,
  thinking: 'off',
  toolChoice: 'auto',
}

/** All tools that the offline model knows of. */
const tools: readonly ToolSpec[] = [
  'slash',
  'recall',
  'remember',
  'enter_fork',
  'save_context',
  'exit_fork',
  'report_updates',
  'ping_user',
  'add_reminder',
  'list_reminders',
  'cancel_reminder',
  'follow_up_chain',
  'todo_add',
  'todo_list',
  'todo_done',
  'todo_update',
  'todo_delete',
].map((name) => ({ name, description: '', parameters: {} }))

export function askOffline(messages: readonly PromptMessage[], more: Partial<Prompt> = {}): Promise<Reply> {
  const { signal } = new AbortController()
  return offlineModel(findWhen).call({ system: '', messages, tools, settings, ...more }, { signal })
}

export function user(text: string): PromptMessage {
  return { role: 'user', text }
}
