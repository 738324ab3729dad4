import { actReply, messageSent, quote, type ReplyPlace } from '../../agent/branch/reply-act.ts'
import { admittedBefore } from '../../agent/state/inbox.ts'
import { say } from '../../agent/state/outbox.ts'
import type { Actor } from '../../agent/contract/act.ts'
import type { Inbound, RepliedTo } from '../../channel/channel.ts'
import type { Reader } from '../../event/table.ts'
import type { PersonSource } from '../../event/work.ts'
import type { Writing } from '../../log/log.ts'
import type { Part } from '../read/parse.ts'

export interface Placing {
  readonly inbound: Inbound
  readonly source: PersonSource
  readonly parts: readonly Part[]
}

type Place = Pick<ReplyPlace, 'branch' | 'before'>

/**
 * Where a text goes that a person wrote to the branch of `actor`. A message that replies to another brings that along;
 * commands mean what they say.
 */
export function replyPlace(writing: Writing, actor: Actor, { inbound, source, parts }: Placing): Place {
  const { branch, at } = actor
  const { replyTo } = inbound
  if (replyTo === undefined || parts.some(({ kind }) => kind !== 'message')) return { branch, before: [] }
  const to = messageSent(writing, inbound, replyTo.messageId)
  if (to === undefined) return { branch, before: quoted(writing, inbound, replyTo) }
  const { text, choices = [], ...place } = actReply(writing, actor, { to, source })
  if (text !== '')
    say(writing, { branch: place.branch, at, to: source, form: 'notice', text, choices, cause: null })
  return place
}

/** Of a message that is none of ours, what the platform tells of it, or what the log knows. */
function quoted(reader: Reader, inbound: Inbound, { messageId, ...told }: RepliedTo): readonly string[] {
  const text = told.text ?? saidBefore(reader, inbound, messageId) ?? ''
  return told.embed === undefined && text.trim() === '' ? [] : [quote({ ...told, text })]
}

/** What the person wrote there themselves, if it was that. */
function saidBefore(reader: Reader, inbound: Inbound, messageId: string): string | undefined {
  const position = admittedBefore(reader, inbound, messageId)
  const event = position && reader.event(position)
  if (event?.kind === 'inbound-admitted') return event.text
  return event?.kind === 'command-run' ? event.line : undefined
}
