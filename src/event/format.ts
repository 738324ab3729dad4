import type { Kind } from './event.ts'

const first = {
  'branch-created': 1,
  'branch-ended': 1,
  'message-added': 1,
  'turn-started': 1,
  'turn-ended': 1,
  'mark-set': 1,
  'context-cleared': 1,
  'context-compacted': 1,
  'compaction-abandoned': 1,
  'context-expanded': 1,
  'context-saved': 1,
  'context-undone': 1,
  'context-redone': 1,
} as const

const second = {
  ...first,
  'content-kept': 1,
  'inbound-admitted': 1,
  'inbound-moved': 1,
  'model-called': 1,
  'model-answered': 1,
  'model-failed': 1,
  'command-run': 1,
  'delivery-intended': 1,
  'delivery-done': 1,
  'delivery-failed': 1,
  'mail-sent': 1,
  'mail-read': 1,
  'conversation-bound': 1,
  'setup-changed': 1,
  'model-used': 1,
  'policy-set': 1,
  'spending-noted': 1,
} as const

const third = {
  ...second,
  'call-decided': 1,
  'approval-asked': 1,
  'approval-decided': 1,
  'proposal-done': 1,
  'permission-granted': 1,
  'permission-revoked': 1,
  'memory-changed': 1,
  'update-reported': 1,
  'run-started': 1,
  'run-sent-back': 1,
  'fork-entered': 1,
  'ping-decided': 1,
} as const

const fourth = {
  ...third,
  'job-scheduled': 1,
  'job-fired': 1,
  'job-skipped': 1,
  'run-rested': 1,
  'jobs-paused': 1,
  'jobs-resumed': 1,
  'definition-judged': 1,
  'zone-set': 1,
  'budget-set': 1,
  'ping-settled': 1,
  'ping-answered': 1,
  'notice-raised': 1,
  'notices-told': 1,
  'digest-sent': 1,
} as const

/**
 * The log's format is the set of event kinds with their versions. A program opens every format up to its own
 * and refuses a newer one, so whoever adds a kind or a version adds a line here; the old lines stay. How lists are
 * packed in a body (`packing.ts`) is part of it too: bodies are unpacked first and upcast then.
 */
export const formats: readonly Readonly<Partial<Record<Kind, number>>>[] = [
  {},
  first,
  // Messages may name what they took, how they are headed, and a model's reasoning; a turn may be deferred.
  second,
  // A delivery may be a question with choices or a ping, a message may show updates, and a save settle them.
  third,
  // Pings may be held, or be refused for more reasons; a run may have a chain, a person, a session that goes on.
  fourth,
  // A delivery may name its cause; an author and an address may name a person.
  fourth,
]

export const LOG_FORMAT = formats.length - 1
export const PROGRAM_VERSION = '0.1.0'
