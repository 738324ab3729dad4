import { isOwners } from '../agent/state/person.ts'
import { meantText, nearest } from '../base/nearest.ts'
import { exported, toLine } from '../event/codec.ts'
import { kinds, type Event, type Kind } from '../event/event.ts'
import type { Log, Query } from '../log/log.ts'
import { searchedText } from './excerpt.ts'
import { LookError } from './named.ts'
import { PAGE_CHARS_MAX } from './page.ts'

/** A page is found by looking through at most so many events: no index helps to find what a filter means. */
const LOOKED_MAX = 20_000

/**
 * Events in order. `next` is where the next page begins, null at the end of the log. A page may have fewer events than
 * its limit, or none, though more fit further on.
 */
export async function logPage(
  log: Log,
  look: Query & { readonly grep?: string | undefined; readonly limit: number; readonly signal: AbortSignal },
) {
  const { grep, limit, signal, ...query } = look
  const events: ReturnType<typeof shownAs>[] = []
  const isWanted = containing(grep)
  let size = 0
  const upTo = (query.after ?? 0) + LOOKED_MAX
  for await (const event of log.events({ ...query, upTo })) {
    if (signal.aborted) break
    const isOwn = await log.read((reader) => isOwners(reader, event.branch))
    if (isOwn ? !isWanted(event) : grep !== undefined) continue
    if (events.length === limit || size > PAGE_CHARS_MAX)
      return { events, next: events.at(-1)?.position ?? null }
    events.push(shownAs(event, { isOwn }))
    size += isOwn ? toLine(event).length : 0
  }
  const end = await log.read((reader) => reader.end)
  return { events, next: upTo < end ? upTo : null }
}

/** An event as the owner is shown it: of what others say and do, only that there is something (PEOPLE2). */
export function shownAs(event: Event, { isOwn }: { readonly isOwn: boolean }) {
  const { position, at, branch, kind, ...rest } = exported(event)
  return { position, at, branch, kind, ...(isOwn && rest) }
}

/** Whether an event contains a text, in upper or lower case. */
export function containing(text: string | undefined): (event: Event) => boolean {
  const wanted = text?.toLowerCase()
  if (wanted === undefined) return () => true
  return (event) =>
    toLine(event).toLowerCase().includes(wanted) || searchedText(event).toLowerCase().includes(wanted)
}

export function kindNamed(word: string | undefined): Kind | undefined {
  const kind = kinds.find((known) => known === word)
  if (word === undefined || kind !== undefined) return kind
  const meant = meantText(nearest(word, kinds))
  throw new LookError('wrong', `There is no kind '${word}'${meant} The kinds are: ${kinds.join(', ')}`)
}
