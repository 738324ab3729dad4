import { newest } from '../agent/state/newest.ts'
import { identitiesOf, identityKey, openPairings, PAIRING_MS, peopleIn } from '../agent/state/person.ts'
import type { AgentSettings } from '../agent/state/settings.ts'
import { newestTable } from '../agent/state/tables.ts'
import { clockIn, isoAt, timeText, type Place } from '../base/time-text.ts'
import { tableRows } from '../base/width.ts'
import { counted } from '../base/words.ts'
import { OWNER } from '../event/speaker.ts'
import { allRows, type Reader } from '../event/table.ts'
import { othersView } from './cost.ts'
import { moneyWords, tokenWords } from './words.ts'

export type PeopleView = ReturnType<typeof peopleView>

/** Who may talk to the assistant, who waits to be let in, and how many strangers wrote. */
export function peopleView(
  reader: Reader,
  { now, settings }: { readonly now: number; readonly settings: AgentSettings },
) {
  const owner = { person: OWNER, name: OWNER, role: 'owner' } as const
  const used = othersView(reader, clockIn(now, settings.zone).date, settings)
  const people = [owner, ...peopleIn(reader)].map(({ person: id, name, role }) => {
    const spoke = newest(reader, 'spoke', id)?.at
    const identities = [...new Set([...(id === OWNER ? settings.links : []), ...identitiesOf(reader, id)])]
    return {
      id,
      name,
      role,
      identities,
      lastWroteAt: spoke === undefined ? null : isoAt(spoke),
      ...usedBy(used, id),
    }
  })
  const pairings = openPairings(reader, now).map((asked) => ({
    code: asked.code,
    name: asked.name,
    identity: identityKey(asked),
    askedAt: isoAt(asked.at),
    until: isoAt(asked.at + PAIRING_MS),
  }))
  // The last count of each channel.
  const strangers = [...allRows(reader, newestTable, { prefix: ['strangers'] })]
    .flatMap(({ about }) => newest(reader, 'strangers', about) ?? [])
    .map(({ channel, count: messages, senders, at }) => ({ channel, notedAt: isoAt(at), messages, senders }))
  return { people, pairings, strangers }
}

/** What a guest or group used today; null for you, who pays for all: /cost has that. */
function usedBy(used: ReturnType<typeof othersView>, id: string) {
  const {
    calls = 0,
    cost = null,
    tokensIn = 0,
    tokensOut = 0,
  } = used.find(({ person }) => person === id) ?? {}
  return { usedToday: id === OWNER ? null : { calls, cost, tokensIn, tokensOut } }
}

function usedWords(used: PeopleView['people'][number]['usedToday']): string[] {
  if (used === null || used.calls === 0) return []
  const { cost, calls, tokensIn, tokensOut } = used
  const amount = cost === null ? `${tokenWords(tokensIn + tokensOut)} tokens` : moneyWords(cost)
  return [`${amount} today (${counted(calls, 'call')})`]
}

function at(time: string, place: Place): string {
  return timeText(Date.parse(time), place)
}

/** Who was let in has written, to ask for it. */
const NOT_WRITTEN = {
  owner: 'has not written yet',
  guest: 'has not written since you let them in',
  group: 'nothing was written since you let it in',
}

export function peopleText({ people, pairings, strangers }: PeopleView, place: Place): string {
  const rows = people.map(({ id, name, role, identities, lastWroteAt, usedToday }) => [
    role === 'owner' ? 'you' : name.toLowerCase() === id ? name : `${name} (${id})`,
    role,
    identities.join(', ') || '-',
    lastWroteAt === null ? NOT_WRITTEN[role] : `last wrote ${at(lastWroteAt, place)}`,
    ...usedWords(usedToday),
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
  if (pairings.length === 0) return 'No one is waiting to be let in.'
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
