import { refuse } from '../../context/branch.ts'
import type { EventOf } from '../../event/event.ts'
import { allRows, type Folds, type RowOf, type Writer } from '../../event/table.ts'
import { isWaiting } from './inbox.ts'
import { putNewest } from './newest.ts'
import { identityKey, newestPairings } from './person.ts'
import { bindingTable, identityTable, inboundTable, inboxTable, pairingTable, personTable } from './tables.ts'

/** Folds people, their identities, pairings, and what they change in an inbox. */
export const peopleFolds: Folds = {
  'person-added': add,
  'identity-linked': (event, writer) => {
    const { person, channel, conversation = null, isLink } = event
    const is_link = isLink === true ? 1 : 0
    writer.put(identityTable, { identity: identityKey(event), person, channel, conversation, is_link })
  },
  'identity-unlinked': (event, writer) => {
    const row = writer.row(identityTable, [identityKey(event)])
    if (row === undefined || row.person === null) refuse(event, `${identityKey(event)} is nobody's`)
    unlink(writer, ({ identity }) => identity === row.identity)
  },
  'pairing-asked': ({ position, code }, writer) =>
    writer.put(pairingTable, { position, code, decided: null }),
  'pairing-decided': decide,
  'person-removed': remove,
  'strangers-noted': (event, writer) => putNewest(writer, event, { what: 'strangers', about: event.channel }),
  'inbound-edited': (event, writer) =>
    writer.put(inboundTable, { ...waitingRow(event, writer), edited: event.position }),
  'inbound-dropped': (event, writer) =>
    writer.put(inboundTable, { ...waitingRow(event, writer), form: 'dropped' }),
  'import-closed': (_, writer) => unlink(writer, () => true),
}

function add(event: EventOf<'person-added'>, writer: Writer): void {
  const { person, name, role, main } = event
  if (writer.row(personTable, [person]) !== undefined) refuse(event, `'${person}' was added before`)
  writer.put(personTable, { person, name, role, main, removed: null })
}

function decide(event: EventOf<'pairing-decided'>, writer: Writer): void {
  const asked = newestPairings(writer).find(({ code, decided }) => code === event.code && decided === null)
  if (asked === undefined) refuse(event, `nobody waits with the code ${event.code}`)
  writer.put(pairingTable, { ...asked, decided: event.position })
}

function remove(event: EventOf<'person-removed'>, writer: Writer): void {
  const row = writer.row(personTable, [event.person])
  if (row === undefined || row.removed !== null) refuse(event, `there is no '${event.person}'`)
  writer.put(personTable, { ...row, removed: event.position })
  unlink(writer, ({ person }) => person === event.person)
}

/** Their conversations talk to no branch, and no branch answers there. An import lets nobody in (SAFE5). */
function unlink(writer: Writer, isGone: (row: RowOf<typeof identityTable>) => boolean): void {
  for (const row of allRows(writer, identityTable, { prefix: [] })) {
    if (row.person === null || !isGone(row)) continue
    writer.put(identityTable, { ...row, person: null })
    const { channel, conversation } = row
    if (conversation === null) continue
    const branch = writer.row(bindingTable, [channel, conversation])?.branch ?? null
    writer.put(bindingTable, { channel, conversation, branch: null })
    const inbox = branch === null ? undefined : writer.row(inboxTable, [branch])
    if (inbox?.channel === channel && inbox.conversation === conversation)
      writer.put(inboxTable, { ...inbox, channel: null, conversation: null })
  }
}

function waitingRow(event: EventOf<'inbound-edited' | 'inbound-dropped'>, writer: Writer) {
  const row = writer.row(inboundTable, [event.branch, event.entry])
  if (row === undefined || !isWaiting(writer, event.branch, event.entry))
    refuse(event, `nothing waits at ${event.entry}`)
  return row
}
