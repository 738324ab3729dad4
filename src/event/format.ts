/**
 * The log's format: the kinds of events there are, their versions, and how lists are packed in a body (`packing.ts`). A
 * program opens every format up to its own and refuses a newer one, so raise it with every new kind, field or version.
 *
 * - 1: contexts.
 * - 2: work, mail and deliveries. Messages may name what they took, how they are headed, and a model's reasoning; a turn
 *   may be deferred.
 * - 3: rights, updates and runs. A delivery may be a question with choices or a ping, a message may show updates, and a
 *   save settle them.
 * - 4: jobs. Pings may be held, or refused for more reasons; a run may have a chain, a person, a session that goes on.
 * - 5: a delivery may name its cause; an author and an address may name a person.
 * - 6: a call's program is in the log with its process group.
 * - 7: an import is closed by an event; a reminder's message may say that a model set it; model calls that broke off
 *   count, and more is noted about spending.
 * - 8: calls of webhooks wait in the log, and a firing names the one it took. A program may pass on a person's words.
 * - 9: people, their identities and how they were let in. A message in an inbox may be changed, withdrawn or held
 *   back. A message to people may have parts and buttons, and grow while it is written.
 * - 10: an answer may be cut; a turn may name its model, what caused it and why its model was not called, a reminder
 *   what its setter works for, a call its day, and a request for a report its time.
 * - 11: a result says whether its call failed, and its links may be made up; a notice says which one it is; commands,
 *   deliveries, parts of messages and branches what they go back to. A summary may be from elsewhere, and an account
 *   may be known by the setting `links` alone.
 */
export const LOG_FORMAT = 11
export const PROGRAM_VERSION = '0.1.0'
