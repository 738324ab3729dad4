import { actReply, messageSent, quote, type ReplyPlace } from '../../agent/branch/reply-act.ts'
import { admittedBefore } from '../../agent/state/inbox.ts'
import { say } from '../../agent/state/outbox.ts'
import { shownWith } from '../../event/file.ts'
import type { Actor } from '../../agent/contract/act.ts'
import type { Inbound, RepliedTo } from '../../channel/channel.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { PersonSource } from '../../event/work.ts'
import type { Part } from '../read/parse.ts'

export interface Placing {
  readonly inbound: Inbound
  readonly source: PersonSource
  readonly parts: readonly Part[]
}

type Place = Pick<ReplyPlace, 'branch' | 'before'>

/**
 * The branch that a text goes to, and the quotes before it. Only messages that reply to another message have quotes;
 * commands do not.
 */
export function replyPlace(writing: Writing, actor: Actor, { inbound, source, parts }: Placing): Place {
  const { branch, at } = actor
  const { replyTo } = inbound
  if (replyTo === undefined || parts.some(({ kind }) => kind !== 'message')) return { branch, before: [] }
  const to = messageSent(writing, inbound, replyTo)
  if (to === undefined) return { branch, before: quoted(writing, inbound, replyTo) }
  const { text, choices = [], ...place } = actReply(writing, actor, { to, source })
  if (text !== '')
    say(writing, { branch: place.branch, at, to: source, notice: 'replied', text, choices, cause: null })
  return place
}

/** Quotes a message that is not ours, from the platform or from the log. */
function quoted(reader: Reader, inbound: Inbound, { messageId, ...told }: RepliedTo): readonly string[] {
  const text = told.text ?? saidBefore(reader, inbound, messageId) ?? ''
  return told.embed === undefined && text.trim() === '' ? [] : [quote({ ...told, text })]
}

/** The person's own earlier message, if it was one. */
function saidBefore(reader: Reader, inbound: Inbound, messageId: string): string | undefined {
  const position = admittedBefore(reader, inbound, messageId)
  const event = position && reader.event(position)
  if (event?.kind === 'inbound-admitted') return shownWith(event)
  return event?.kind === 'command-run' ? event.line : undefined
}
