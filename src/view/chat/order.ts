import { admittedAt, waiting, type Admitted } from '../../agent/state/inbox.ts'
import { bounded } from '../../base/words.ts'
import { channelTitle } from '../../channel/channel.ts'
import type { Event, EventOf } from '../../event/event.ts'
import { shownWith } from '../../event/file.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'

/** A window on a conversation, and the branch that it talks to now. */
export interface Window extends Address {
  readonly here: BranchId | undefined
}

/** A person's words, as a window shows them. */
export interface Said {
  readonly text: string
  readonly at: number
  readonly key?: string
  /** The channel, if it was not said in this conversation. */
  readonly place?: string
}

/**
 * What a person said, if this event is where it stands: a message where a turn took it, a command where it was done. So
 * in every window each question is followed by its own answer, whenever it was typed (ORDER1).
 */
export function saidAt(reader: Reader, event: Event, window: Window): Said | undefined {
  if (event.kind === 'command-run') return commandAt(reader, event, window)
  if (event.kind !== 'message-added' || event.took === undefined) return undefined
  return saidIn(admittedAt(reader, event.took), window)
}

/** What people said and no window shows up to a position, oldest first: it stands below everything else. */
export function queuedAfter(reader: Reader, window: Window, to: number): readonly Said[] {
  const { here } = window
  const left = here === undefined ? [] : waiting(reader, here).map(({ position }) => position)
  const taken = Array.from({ length: reader.end - to }, (_, index) => tookAt(reader, to + 1 + index))
  return [...taken.flatMap((position) => position ?? []), ...left]
    .map((position) => admittedAt(reader, position))
    .flatMap((entry) => saidIn(entry, window) ?? [])
}

/** Whether a person typed what comes from this source, in that conversation. */
export function isTypedAt(
  { channel, conversation }: Address,
  source: EventOf<'command-run' | 'inbound-admitted'>['source'],
): boolean {
  return source?.from === 'person' && source.channel === channel && source.conversation === conversation
}

function commandAt(
  reader: Reader,
  { source, took, line, at }: EventOf<'command-run'>,
  window: Window,
): Said | undefined {
  const entry = took === null ? undefined : admittedAt(reader, took)
  const from = source ?? entry?.source ?? null
  if (from?.from !== 'person' || !isTypedAt(window, from)) return undefined
  return { text: line, at: entry?.at ?? at, ...(from.key !== null && { key: from.key }) }
}

function saidIn(entry: Admitted, window: Window): Said | undefined {
  const { source, form, branch, before, at } = entry
  if (source.from !== 'person') return undefined
  if (!isTypedAt(window, source)) {
    if (form !== 'message' || branch !== window.here) return undefined
    return { text: bounded(shownWith(entry)), at, place: channelTitle(source.channel) }
  }
  // The text of a `/reply`, whose whole line is in the log too.
  if (before !== undefined) return undefined
  return { text: bounded(shownWith(entry)), at, ...(source.key !== null && { key: source.key }) }
}

/** The entry of an inbox that this event took. */
function tookAt(reader: Reader, position: number): Position | undefined {
  const event = reader.event(position as Position)
  if (event.kind === 'message-added') return event.took
  return event.kind === 'command-run' ? (event.took ?? undefined) : undefined
}
