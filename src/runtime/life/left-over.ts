import { readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../base/clock.ts'
import { parsedJson } from '../../base/json.ts'
import { readText } from '../../base/regular-file.ts'
import { ageText } from '../../base/words.ts'
import type { Inbound } from '../../channel/channel.ts'
import { OWNER } from '../../event/speaker.ts'
import type { Address } from '../../event/work.ts'
import type { Log } from '../../log/log.ts'
import { reportUpdate } from './reported-update.ts'

const time = z.int().min(0)
const orderSchema = z.strictObject({
  line: z.string().regex(/^\/(?:run|pause|resume)(?: .*)?$/),
  at: time,
})
const updateSchema = z.strictObject({ text: z.string().min(1), source: z.string().min(1), at: time })

/** After this long, nobody expects an order to be carried out. */
const ORDER_MS_MAX = 3_600_000

interface Parts {
  readonly home: string
  readonly log: Log
  readonly now: Clock
  readonly conversation: Address
  readonly receive: (inbound: Inbound) => Promise<unknown>
  readonly warn: (text: string) => void
}

/**
 * Takes in what an older release left in the folders `orders` and `updates`, where processes handed over what is now
 * said over the socket. The name of a file is its key, so that a file left behind by a crash does nothing.
 */
export async function takeLeftOver({ home, log, now, conversation, receive, warn }: Parts): Promise<void> {
  await takeFiles(join(home, 'updates'), updateSchema, (key, { text, source, at }) =>
    reportUpdate(log, conversation, { key, text, source, at: Math.min(at, now()) }),
  )
  await takeFiles(join(home, 'orders'), orderSchema, async (messageId, { line, at }) => {
    const age = now() - at
    if (age > ORDER_MS_MAX) warn(`Skipped ${line}: it was requested ${ageText(age)} ago.`)
    else
      await receive({
        ...conversation,
        origin: 'program',
        person: OWNER,
        messageId,
        text: line,
        isOrder: true,
      })
  })
}

const NAME = /^[0-9a-f]{32}\.json$/
const BYTES_MAX = 64 * 1_024

/** A file with anything else in it stays, and its folder with it. */
async function takeFiles<T>(
  folder: string,
  schema: z.ZodType<T>,
  take: (name: string, content: T) => Promise<void>,
): Promise<void> {
  for (const name of namesIn(folder)) {
    const path = join(folder, name)
    const read = readText(path, { links: 'refuse', bytesMax: BYTES_MAX })
    const { success, data } = schema.safeParse('text' in read ? parsedJson(read.text) : undefined)
    if (!success || !NAME.test(name)) continue
    await take(name, data)
    rmSync(path, { force: true })
  }
  try {
    rmdirSync(folder)
  } catch {
    // It was never there, or has something else in it.
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    return []
  }
}
