import { clockIn, type Place } from '../../base/time-text.ts'
import { counted } from '../../base/words.ts'
import { channelTitle } from '../../channel/channel.ts'
import type { Event, EventOf } from '../../event/event.ts'
import type { Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import { admittedAt } from '../state/inbox.ts'
import { aboutPerson, newest } from '../state/newest.ts'
import { addressKey } from '../state/outbox.ts'
import { mainAbove, personIn } from '../state/person.ts'
import { deliveryTable, inboundTable, momentTable } from '../state/tables.ts'

type Intent = EventOf<'delivery-intended'>

/** How far back is looked, in messages. */
const LOOKED_MAX = 100

export interface Around {
  /** A line before the answer: what was said elsewhere since the last answer here. */
  readonly head?: string
  /** Lines below it: changes that nobody was told of here, at most once a day. */
  readonly foot?: string
}

/** Lines around an answer in a chat app, for somebody who has read nothing elsewhere. */
export function aroundAnswer(reader: Reader, intent: Intent, { now, zone }: Place): Around {
  const since = intent.form === 'answer' ? lastAnswer(reader, intent) : undefined
  if (since === undefined) return {}
  const head = headOf(reader, intent, since)
  const last = newest(reader, 'foot', addressKey(intent.to))
  const isToday = last !== undefined && clockIn(last.at, zone).date === clockIn(now, zone).date
  const foot = isToday ? '' : footOf(reader, intent, since)
  return { ...(head !== '' && { head }), ...(foot !== '' && { foot }) }
}

function lastAnswer(reader: Reader, { to, position }: Intent): Position | undefined {
  const stretch = { prefix: [addressKey(to)], to: position - 1, order: 'down', limit: LOOKED_MAX } as const
  return reader
    .rows(deliveryTable, stretch)
    .find((row) => (reader.event(row.position) as Intent).form === 'answer')?.position
}

/** `(meanwhile in the terminal: 3 messages)` */
function headOf(reader: Reader, { branch, to, position }: Intent, since: Position): string {
  const main = mainAbove(reader, branch)
  if (main === undefined) return ''
  const stretch = { prefix: [main], from: since, to: position, order: 'up', limit: LOOKED_MAX } as const
  const places = reader.rows(inboundTable, stretch).flatMap((row): string[] => {
    if (row.source !== 'person' || row.form !== 'message') return []
    const { source } = admittedAt(reader, row.position)
    return source.from !== 'person' || addressKey(source) === addressKey(to) ? [] : [placeName(source, to)]
  })
  const counts = Map.groupBy(places, (place) => place)
  const parts = [...counts].map(([place, { length }]) => `${place}: ${counted(length, 'message')}`)
  return parts.length === 0 ? '' : `(meanwhile ${parts.join(', ')})`
}

function placeName({ channel }: Address, to: Address): string {
  if (channel === to.channel) return 'in another chat'
  return channel === 'terminal' ? 'in the terminal' : `on ${channelTitle(channel)}`
}

function footOf(reader: Reader, { branch, to, position }: Intent, since: Position): string {
  // A later change belongs to the next answer, and this one would change if it had to be sent again.
  const isNews = (event: Event): boolean =>
    event.position > since && event.position < position && !isKnownIn(reader, to, event)
  const stretch = { prefix: [branch], from: since, to: position, order: 'down', limit: LOOKED_MAX } as const
  const isSummarized = reader.rows(momentTable, stretch).some((row) => {
    const event = reader.event(row.position)
    return event.kind === 'context-compacted' && isNews(event)
  })
  const setup = newest(reader, 'setup', aboutPerson(personIn(reader, branch)))
  const isChanged = setup !== undefined && isNews(setup)
  return [...(isSummarized ? [SUMMARIZED] : []), ...(isChanged ? [CHANGED] : [])].join('\n')
}

const SUMMARIZED = '(Older messages were summarized. /context shows it, /expand brings them back.)'
const CHANGED = '(AGENTS.md or the tools have changed. /tools lists them.)'

/** Whether a command in this conversation did it: the command's event follows at once. */
function isKnownIn(reader: Reader, to: Address, { position }: Event): boolean {
  for (let next = position + 1; next <= Math.min(reader.end, position + 4); next++) {
    const after = reader.event(next as Position)
    if (after.kind === 'command-run')
      return after.source !== null && addressKey(after.source) === addressKey(to)
  }
  return false
}
