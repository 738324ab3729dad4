import type { EventOf } from '../event/event.ts'
import { FENCE_OPENING } from '../event/fence.ts'
import type { Position } from '../event/id.ts'
import { isSummary, type Items, type Range } from '../event/item.ts'
import type { Reader } from '../event/table.ts'
import { getBranch } from './branch.ts'
import { messageAt, messageAtOrBefore } from './message-index.ts'
import { summaryOriginTable } from './tables.ts'

/** Whose text it is. `elsewhere`: nobody of this house, so it may want something from the model that reads it (LEAVE1). */
export type TextOrigin = 'person' | 'host' | 'model' | 'elsewhere'

type Added = EventOf<'message-added'>

/** Whose text a message holds; what an older log does not say counts as from elsewhere. */
export function originsOf(reader: Reader, event: Added): readonly TextOrigin[] {
  const { message } = event
  switch (message.role) {
    case 'assistant':
      return ['model']
    case 'tool':
      return [message.origin ?? (message.synthetic === undefined ? 'elsewhere' : 'host')]
    case 'note':
      if (event.elsewhere === true) return ['elsewhere']
      return [message.author.by === 'policy' ? 'host' : message.author.by]
    case 'user':
      return [...new Set([writerOf(reader, event), ...besidesIn(reader, event)])]
  }
}

/** What comes with a message: files, quotes, updates, data of webhooks and pipes. A voice note is what its sender says. */
function besidesIn(reader: Reader, { message, took, updates }: Added): TextOrigin[] {
  if (message.role !== 'user') return []
  const admitted = admittedAt(reader, took)
  const isQuoting = admitted?.source.from === 'person' && (admitted.before?.length ?? 0) > 0
  const isHook = admitted?.source.from === 'host' && admitted.source.tag === 'webhook'
  const hasFiles = (message.files ?? []).some(({ kind }) => kind !== 'voice')
  const isMixed =
    isQuoting || isHook || hasFiles || updates !== undefined || message.text.includes(FENCE_OPENING)
  return isMixed ? ['elsewhere'] : []
}

/** A text without an inbox entry is a line of the host, or was imported from where nobody vouches for it. */
function writerOf(reader: Reader, { took, message, branch }: Added): TextOrigin {
  const source = admittedAt(reader, took)?.source
  if (source !== undefined) return senderOf(reader, { branch, source })
  return message.role === 'user' && message.head !== undefined ? 'host' : 'elsewhere'
}

/** Whose words the text of an inbox entry is: what a model wrote may be anybody's wish. */
export function senderOf(
  reader: Reader,
  { branch, source }: Pick<EventOf<'inbound-admitted'>, 'branch' | 'source'>,
): TextOrigin {
  // The person sees the label of a button, not what it says.
  if (source.from === 'person') return source.isButton === true ? 'elsewhere' : 'person'
  switch (source.tag) {
    case 'system':
    case 'fork-timeout':
      return 'host'
    case 'fork-started': {
      // What a model writes to another branch may come from anybody.
      const created = reader.event(getBranch(reader, branch).forkedAt)
      return created.kind === 'branch-created' && created.author.by === 'person' ? 'person' : 'elsewhere'
    }
    default:
      // A person wrote or approved the file of a job; a model's own reminders and follow-ups nobody did.
      return source.isByModel === true || (source.chain?.depth ?? 0) > 0 ? 'elsewhere' : 'person'
  }
}

function admittedAt(reader: Reader, took: Position | undefined): EventOf<'inbound-admitted'> | undefined {
  const event = took === undefined ? undefined : reader.event(took)
  return event?.kind === 'inbound-admitted' ? event : undefined
}

/** Whether a model that reads this message reads text from elsewhere, or what a model wrote that had read some. */
export function isElsewhere(reader: Reader, event: Added): boolean {
  return event.elsewhere === true || originsOf(reader, event).includes('elsewhere')
}

/** The same of a list: found from the ends of its ranges, however long they are. */
export function hasElsewhere(reader: Reader, items: Items): boolean {
  return items.some((item) =>
    isSummary(item) ? isSummaryElsewhere(reader, item) : hasElsewhereIn(reader, item),
  )
}

function hasElsewhereIn(reader: Reader, { src, from, to }: Range): boolean {
  const before = messageAtOrBefore(reader, src, from - 1)?.elsewhere ?? 0
  return messageAt(reader, src, to).elsewhere > before
}

/** A summary has the origins of what it covers. */
function isSummaryElsewhere(reader: Reader, { summary, part }: { summary: Position; part: number }): boolean {
  return reader.row(summaryOriginTable, [summary, part])?.elsewhere !== 0
}

/** The same of one piece of the log that recall brought back; what is no message or summary was told from elsewhere. */
export function isElsewhereAt(reader: Reader, position: Position): boolean {
  const event = reader.event(position)
  if (event.kind === 'message-added') return isElsewhere(reader, event)
  if (event.kind !== 'context-compacted') return true
  return event.summaries.some((_, part) => isSummaryElsewhere(reader, { summary: position, part }))
}
