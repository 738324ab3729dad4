import { join } from 'node:path'
import { z } from 'zod'
import { systemClock, type Clock } from '../../base/clock.ts'
import { ageText } from '../../base/words.ts'
import type { Inbound } from '../../channel/channel.ts'
import { EventError } from '../../event/codec.ts'
import type { Address } from '../../event/work.ts'
import { OWNER } from '../../event/speaker.ts'
import { leaveFile, openDoor, removeFile, type Door, type DropFolder } from './drop-folder.ts'

/** Includes the data a webhook is run with. */
export const ORDER_CHARS_MAX = 16_000

const schema = z.strictObject({
  line: z
    .string()
    .max(ORDER_CHARS_MAX)
    // The only commands another process can order, whoever wrote the file.
    .regex(/^\/(?:run|pause|resume)(?: .*)?$/)
    .refine((line) => line.isWellFormed()),
  at: z.int().min(0),
})

/** After this long, the author no longer expects the order to be carried out. */
const AGE_MS_MAX = 3_600_000

/** One file per order that waits. */
export function ordersFolder(home: string): string {
  return join(home, 'orders')
}

function drop(home: string): DropFolder<z.infer<typeof schema>> {
  return { folder: ordersFolder(home), thing: 'order', schema }
}

/** Leaves a command for the process that writes to the log. Returns the key it will have in the log. */
export async function leaveOrder(home: string, line: string): Promise<string> {
  return leaveFile(drop(home), schema.parse({ line, at: systemClock() }))
}

/**
 * Runs commands that other processes of the owner leave, as if they were typed here. The name of a file is the key of
 * its message, which is admitted only once: a file left behind by a crash does nothing (RECV1).
 */
export function openOrderDoor(parts: {
  readonly home: string
  readonly now: Clock
  readonly receive: (inbound: Inbound) => Promise<unknown>
  /** Orders count as typed here, and are answered here. */
  readonly conversation: Address
  readonly warn: (text: string) => void
  readonly fail: (error: unknown) => void
}): Promise<Door> {
  const { home, now, receive, conversation, warn, fail } = parts
  return openDoor(drop(home), {
    take: async ({ name, line, at }) => {
      const age = now() - at
      if (age > AGE_MS_MAX)
        return warn(
          `Skipped ${line}: it was requested ${ageText(age)} ago, while mainstem was not running. Request it again if you still want it.`,
        )
      const inbound = { ...conversation, person: OWNER, messageId: name, text: line, isOrder: true } as const
      await receive(inbound).catch(async (error) => {
        // Otherwise every start would hit the same bug.
        if (isBug(error)) await removeFile(ordersFolder(home), name)
        throw error
      })
    },
    isBug,
    warn,
    fail,
  })
}

/** Errors of a disk or of the log have a code. */
function isBug(error: unknown): boolean {
  if (error instanceof EventError) return false
  return !(error instanceof Error && 'code' in error && typeof error.code === 'string')
}
