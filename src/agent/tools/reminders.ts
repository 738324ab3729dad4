import { z } from 'zod'
import { defineTool } from '../../tool/define-tool.ts'
import { builtIn, failed, ok, type Tool, type ToolResult } from '../../tool/tool.ts'
import type { Said } from '../contract/act.ts'
import { cancelReminder, listReminders, type ReminderParts } from '../job/reminder-list.ts'
import { addReminder, CHAIN_MAX, oneByOne, reminderAsked, TEXT_CHARS_MAX } from '../job/reminding.ts'

/** In one queue, so that a list after an add in the same step includes it. */
const QUEUE = 'reminders'

const ADD_USAGE = `Usage: add_reminder {"text": 1 to ${TEXT_CHARS_MAX} characters, "when": a time such as "in 20 minutes" or "tomorrow 9:00", "description"?, "background"?: true, "allow_ping"?: false, "max_chain"?: 0 to ${CHAIN_MAX}}.`

/** Reminders are files. After a crash between the file and the result, the reminder is set (TURN3). */
export function reminderTools(parts: ReminderParts): readonly Tool[] {
  const inTurn = oneByOne()
  return [
    defineTool({
      name: 'add_reminder',
      description:
        'Wake yourself at a later time with a text. Use it when the person asks to be reminded, and when you promised to come back to something. `when`: "in 20 minutes", "Friday 9:00", "2026-03-01 18:30", in the person\'s time zone; tell them the time that it returns. `text`: complete enough to act on without this conversation. `background`: look into it silently and ping only if needed; otherwise it speaks up here. `max_chain`: how many follow-up checks it may set for itself.',
      schema: reminderAsked,
      usage: ADD_USAGE,
      nature: builtIn('steers', { queue: QUEUE, says: 'host' }),
      run: async (wish, context) => resultOf(await inTurn(() => addReminder(parts, context, wish))),
    }),
    defineTool({
      name: 'list_reminders',
      description: 'List the reminders that are set, with their ids.',
      schema: z.object({}),
      usage: '',
      nature: builtIn('looks', { queue: QUEUE }),
      run: async (_, { branch }) => resultOf(await listReminders(parts, branch)),
    }),
    defineTool({
      name: 'cancel_reminder',
      description: 'Cancel a reminder by its id.',
      schema: z.strictObject({
        id: z.string().trim().min(1).max(200).describe('As `list_reminders` shows it'),
      }),
      usage: 'Usage: cancel_reminder {"id"}. list_reminders has the ids.',
      // It repeats the reminder's words, which may be a model's (LEAVE1).
      nature: builtIn('steers', { queue: QUEUE }),
      run: async ({ id }, { branch }) => resultOf(await inTurn(() => cancelReminder(parts, branch, id))),
    }),
  ]
}

export function resultOf({ text, isError }: Said): ToolResult {
  return isError ? failed(text) : ok(text)
}
