import { newest } from '../agent/state/newest.ts'
import {
  identitiesOf,
  identityKey,
  openPairings,
  PAIRING_MS,
  peopleIn,
  type Role,
} from '../agent/state/person.ts'
import type { AgentSettings } from '../agent/state/settings.ts'
import { newestTable } from '../agent/state/tables.ts'
import { timeText, type Place } from '../base/time-text.ts'
import { tableRows } from '../base/width.ts'
import { counted } from '../base/words.ts'
import { OWNER } from '../event/speaker.ts'
import { allRows, type Reader } from '../event/table.ts'

/** Who may talk to the assistant, who waits to be let in, and how many strangers wrote. */
export interface PeopleView {
  readonly people: readonly {
    readonly id: string
    readonly name: string
    readonly role: Role
    readonly identities: readonly string[]
    readonly lastWroteAt: string | null
  }[]
  readonly pairings: readonly {
    readonly code: string
    readonly name: string
    readonly identity: string
    readonly askedAt: string
    readonly until: string
  }[]
  /** The last count of each channel. */
  readonly strangers: readonly {
    readonly channel: string
    readonly notedAt: string
    readonly messages: number
    readonly senders: readonly string[]
  }[]
}

export interface PeopleLook {
  readonly now: number
  readonly settings: Pick<AgentSettings, 'links' | 'zone'>
}

export function peopleView(reader: Reader, { now, settings: { links } }: PeopleLook): PeopleView {
  const owner = { person: OWNER, name: OWNER, role: 'owner' } as const
  const people = [owner, ...peopleIn(reader)].map(({ person: id, name, role }) => {
    const spoke = newest(reader, 'spoke', id)?.at
    const identities = [...new Set([...(id === OWNER ? links : []), ...identitiesOf(reader, id)])]
    return { id, name, role, identities, lastWroteAt: spoke === undefined ? null : iso(spoke) }
  })
  const pairings = openPairings(reader, now).map((asked) => ({
    code: asked.code,
    name: asked.name,
    identity: identityKey(asked),
    askedAt: iso(asked.at),
    until: iso(asked.at + PAIRING_MS),
  }))
  return { people, pairings, strangers: strangersIn(reader) }
}

function strangersIn(reader: Reader): PeopleView['strangers'] {
  return [...allRows(reader, newestTable, { prefix: ['strangers'] })].flatMap(({ about }) => {
    const noted = newest(reader, 'strangers', about)
    if (noted === undefined) return []
    const { channel, count: messages, senders, at } = noted
    return { channel, notedAt: iso(at), messages, senders }
  })
}

function iso(at: number): string {
  return new Date(at).toISOString()
}

const at = (time: string, place: Place): string => timeText(Date.parse(time), place)

export function peopleText({ people, pairings, strangers }: PeopleView, place: Place): string {
  const rows = people.map(({ id, name, role, identities, lastWroteAt }) => [
    role === 'owner' ? 'you' : name.toLowerCase() === id ? name : `${name} (${id})`,
    role,
    identities.join(', ') || '-',
    lastWroteAt === null ? 'has not written yet' : `last wrote ${at(lastWroteAt, place)}`,
  ])
  return [
    ...tableRows(rows),
    ...(pairings.length === 0 ? [] : [`Waiting to be let in: ${pairings.length}. /pair lists them.`]),
    ...strangers.map(
      ({ channel, messages, notedAt }) =>
        `Strangers on ${channel}: ${counted(messages, 'message')}, noted ${at(notedAt, place)}.`,
    ),
  ].join('\n')
}

export function pairingsText({ pairings }: PeopleView, place: Place): string {
  if (pairings.length === 0) return 'Nobody waits to be let in.'
  const rows = pairings.map(({ code, identity, name, until }) => [
    code,
    identity,
    name,
    `until ${at(until, place)}`,
  ])
  return [...tableRows(rows), '/pair approve CODE me, /pair approve CODE NAME or /pair refuse CODE'].join(
    '\n',
  )
}
