import { z } from 'zod'
import { defineTool, HIDDEN } from '../../tool/define-tool.ts'
import { builtIn, failed, ok, type Tool, type ToolResult } from '../../tool/tool.ts'
import type { Said } from '../contract/act.ts'
import { cancelReminder, listReminders, type ReminderParts } from '../job/reminder-list.ts'
import { addReminder, oneByOne } from '../job/reminding.ts'

const TEXT_CHARS_MAX = 4_000
const DESCRIPTION_CHARS_MAX = 200
const CHAIN_MAX = 100

/** In one queue, so that a list after an add in the same step includes it. */
const QUEUE = 'reminders'

const ADD_USAGE = `Usage: add_reminder {"text": 1 to ${TEXT_CHARS_MAX} characters, "when": a time such as "in 20 minutes" or "tomorrow 9:00", "description"?, "background"?: true, "allow_ping"?: false, "max_chain"?: 0 to ${CHAIN_MAX}}.`

const addSchema = z.strictObject({
  text: z.string().trim().min(1).max(TEXT_CHARS_MAX),
  when: z.string().max(500).describe('in 20 min, Friday 9:00'),
  description: z.string().max(DESCRIPTION_CHARS_MAX).exactOptional().meta(HIDDEN),
  background: z.boolean().exactOptional(),
  allow_ping: z.boolean().exactOptional(),
  max_chain: z.int().min(0).max(CHAIN_MAX).describe('Follow-ups').exactOptional(),
})

/**
 * Sets, lists and cancels reminders, which are files. No call runs twice (TURN3): after a crash between the file and the
 * result, the reminder is set and the model is told that the result is unknown. The list shows it.
 */
export function reminderTools(parts: ReminderParts): readonly Tool[] {
  const inTurn = oneByOne()
  return [
    defineTool({
      name: 'add_reminder',
      description: 'Brings a text back to you; tell the person the time it answers.',
      schema: addSchema,
      usage: ADD_USAGE,
      nature: builtIn('steers', { queue: QUEUE }),
      run: async ({ allow_ping: allowPing, max_chain: maxChain, ...wish }, context) => {
        const more = {
          ...(allowPing !== undefined && { allowPing }),
          ...(maxChain !== undefined && { maxChain }),
        }
        return resultOf(await inTurn(() => addReminder(parts, context, { ...wish, ...more })))
      },
    }),
    defineTool({
      name: 'list_reminders',
      description: 'Lists reminders.',
      schema: z.object({}),
      usage: '',
      nature: builtIn('looks', { queue: QUEUE }),
      run: async (_, { branch }) => resultOf(await listReminders(parts, branch)),
    }),
    defineTool({
      name: 'cancel_reminder',
      description: 'Cancels one.',
      schema: z.strictObject({ id: z.string().trim().min(1).max(200) }),
      usage: 'Usage: cancel_reminder {"id"}. list_reminders has the ids.',
      nature: builtIn('steers', { queue: QUEUE }),
      run: async ({ id }, { branch }) => resultOf(await inTurn(() => cancelReminder(parts, branch, id))),
    }),
  ]
}

export function resultOf({ text, isError }: Said): ToolResult {
  return isError ? failed(text) : ok(text)
}
