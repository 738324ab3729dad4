import { join } from 'node:path'
import { z } from 'zod'
import { systemClock, type Clock } from '../../base/clock.ts'
import { ageText } from '../../base/words.ts'
import type { Inbound } from '../../channel/channel.ts'
import { EventError } from '../../event/codec.ts'
import type { Address } from '../../event/work.ts'
import { openDoor, type Door } from './door.ts'
import type { Dropped } from './drop-file.ts'
import {
  leaveFile,
  lookThroughFolder,
  makeDropFolder,
  removeFile,
  setAside,
  type Bad,
} from './drop-folder.ts'
import { OWNER } from '../../event/speaker.ts'

/** A webhook is run with its data. */
export const ORDER_CHARS_MAX = 16_000

/** What can be ordered from another process; nothing else is, whoever wrote the file. */
const ALLOWED = /^\/(?:run|pause|resume)(?: .*)?$/

const schema = z.strictObject({
  line: z
    .string()
    .max(ORDER_CHARS_MAX)
    .regex(ALLOWED)
    .refine((line) => line.isWellFormed()),
  at: z.int().min(0),
})

const orderFile: Dropped<z.infer<typeof schema>> = { schema, bytesMax: 64 * 1_024, thing: 'an order' }

/** An order that nobody took for so long is not what its author wants any more. */
const AGE_MS_MAX = 3_600_000

/** One file for each order that waits. */
export function ordersFolder(home: string): string {
  return join(home, 'orders')
}

/** Leaves a command for the process that writes to the log; gives the key under which the log will have it. */
export async function leaveOrder(home: string, line: string): Promise<string> {
  const order = schema.parse({ line, at: systemClock() })
  const folder = ordersFolder(home)
  await makeDropFolder(folder)
  return leaveFile(folder, `${JSON.stringify(order)}\n`)
}

export interface OrderDoorParts {
  readonly home: string
  readonly now: Clock
  readonly receive: (inbound: Inbound) => Promise<unknown>
  /** Where the order counts as typed, and is answered. */
  readonly conversation: Address
  readonly warn: (text: string) => void
  readonly fail: (error: unknown) => void
}

/**
 * Runs what other processes of the owner ask for, as if it were typed here. The name of a file is the key of its message:
 * it is admitted once, for ever, so a file that a death left behind does nothing (RECV1).
 */
export function openOrderDoor(parts: OrderDoorParts): Promise<Door> {
  const { home, warn, fail } = parts
  return openDoor({
    folder: ordersFolder(home),
    thing: 'order',
    take: (tellOfBad) => takeIn(parts, tellOfBad),
    isBug,
    warn,
    fail,
  })
}

/** What a disk or the log fails with has a code. */
function isBug(error: unknown): boolean {
  if (error instanceof EventError) return false
  return !(error instanceof Error && 'code' in error && typeof error.code === 'string')
}

async function takeIn(
  { home, now, receive, conversation, warn }: OrderDoorParts,
  tellOfBad: (bad: readonly Bad[]) => void,
): Promise<'more' | 'all'> {
  const folder = ordersFolder(home)
  const { waiting, bad, isWhole } = await lookThroughFolder(folder, orderFile)
  for (const { name, line, at } of waiting) {
    const age = now() - at
    if (age > AGE_MS_MAX)
      warn(
        `${line} was asked for ${ageText(age)} ago, when nobody was there to do it. It was not done; ask again.`,
      )
    else
      await receive({ ...conversation, person: OWNER, messageId: name, text: line, isOrder: true }).catch(
        async (error) => {
          // Else every start would meet the same bug.
          if (isBug(error)) await removeFile(folder, name)
          throw error
        },
      )
    await removeFile(folder, name)
  }
  const moved = await setAside(folder, bad)
  tellOfBad(bad)
  return isWhole || waiting.length + moved === 0 ? 'all' : 'more'
}
