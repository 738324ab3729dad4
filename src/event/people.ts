import { z } from 'zod'
import { authorSchema, columnText, columnWord, event } from './fields.ts'
import { branchIdSchema, positionSchema } from './id.ts'

/** Who may talk to the assistant. The owner is never added: every main session that nobody was given is theirs. */

/** A person's short id, which never changes and is never given twice. */
const person = columnWord
/** Who somebody is on a platform; `user` is its id for them. */
const identity = { channel: columnWord, user: columnWord }

export const peopleSchemas = [
  /** `main` is their main session, created just before. A group has a conversation of several people. */
  event('person-added', {
    person,
    name: columnWord,
    role: z.enum(['guest', 'group']),
    main: branchIdSchema,
    author: authorSchema,
  }),
  /** `conversation`: where they were let in. */
  event('identity-linked', {
    person,
    ...identity,
    conversation: columnWord.exactOptional(),
    /** An account in the setting `links` wrote from there: it is the owner's only while it stands in that setting. */
    isLink: z.literal(true).exactOptional(),
    author: authorSchema,
  }),
  /** A stranger again; nothing is sent there any more. */
  event('identity-unlinked', { ...identity, author: authorSchema }),
  /** A stranger was shown this code. It counts for an hour. */
  event('pairing-asked', { ...identity, conversation: columnWord, name: columnText, code: columnWord }),
  /** `me`: the owner's own identity. `person`: the guest that was added or linked. */
  event('pairing-decided', {
    code: columnWord,
    decision: z.enum(['me', 'guest', 'refused']),
    person: person.exactOptional(),
    author: authorSchema,
  }),
  /** Their identities are strangers again. Their branches stay theirs. */
  event('person-removed', { person, author: authorSchema }),
  /** Messages of strangers on a channel since the last such event, at most one an hour. `senders`: the first of them. */
  event('strangers-noted', {
    channel: columnWord,
    count: z.int().min(1),
    senders: z.array(columnText),
  }),
  /** The person changed a message that still waits in the inbox, at `entry`. */
  event('inbound-edited', { entry: positionSchema, text: z.string() }),
  /** The person deleted it, so nobody takes it. */
  event('inbound-dropped', { entry: positionSchema }),
] as const
