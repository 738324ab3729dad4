import type { Event, EventOf, Message } from '../../event/event.ts'
import { senderOf } from '../../context/origin.ts'
import { FENCE_OPENING } from '../../event/fence.ts'
import { foundBy } from '../../event/file.ts'
import type { BranchId, Position } from '../../event/id.ts'
import { ASSISTANT, HOST, UNNAMED } from '../../event/speaker.ts'
import type { Reader } from '../../event/table.ts'

/** Increase it when events may give other documents: the index is then rebuilt. */
export const DOCUMENTS_VERSION = 5

/** A part of the log that can be found: a message, an update, or one summary of a compaction. */
export interface Document {
  readonly position: Position
  /** Which summary of its event; 0 for a message. For an update: 0 where it was reported, more where it is shown. */
  readonly part: number
  readonly branch: BranchId
  readonly at: number
  readonly kind: DocumentKind
  readonly speaker: string
  readonly text: string
  /** The speaker sent it, and some of it is not theirs: a file, forwarded words, a quote. */
  readonly isPassedOn?: true
}

/**
 * `echo`: a look into the log and its result. It repeats earlier messages and would be found before them, more so each
 * time, so a search leaves it out if there is anything else.
 */
export const documentKinds = ['user', 'assistant', 'tool', 'note', 'summary', 'echo', 'update'] as const
export type DocumentKind = (typeof documentKinds)[number]

/** Whether it is part of a conversation; summaries and updates are not. */
export function isTalk(kind: DocumentKind): boolean {
  return kind !== 'summary' && kind !== 'update'
}

/** The searchable documents of an event. */
export function documentsOf(reader: Reader, event: Event): readonly Document[] {
  if (event.kind === 'message-added') return [messageDocument(reader, event), ...updatesShown(reader, event)]
  if (event.kind === 'update-reported') return [updateDocument(event)]
  if (event.kind !== 'context-compacted') return []
  const { position, branch, at, writer: speaker } = event
  const place = { position, branch, at, kind: 'summary', speaker } as const
  return event.summaries.map(({ text }, part) => ({ ...place, part, text }))
}

export function documentAt(
  reader: Reader,
  { position, part }: Pick<Document, 'position' | 'part'>,
): Document {
  const document = documentsOf(reader, reader.event(position))[part]
  if (document === undefined) throw new TypeError(`there is no document at ${position}, part ${part}`)
  return document
}

function messageDocument(reader: Reader, event: EventOf<'message-added'>): Document {
  const { position, branch, at, message } = event
  const place = { position, part: 0, branch, at }
  switch (message.role) {
    case 'user': {
      const text = saidIn(reader, event, message)
      // A reminder that a model set, its task for a child: as little the host's as the person's.
      if (isModels(reader, event)) return { ...place, kind: 'assistant', speaker: ASSISTANT, text }
      const passedOn = isPassedOn(message) ? { isPassedOn: true as const } : {}
      return { ...place, kind: 'user', speaker: speakerOf(reader, event), text, ...passedOn }
    }
    case 'assistant': {
      const calls = message.calls.map(({ tool, args }) => `${tool} ${textsIn(args).join(' ')}`)
      const text = [message.text, ...calls].filter((part) => part !== '').join('\n')
      return { ...place, kind: isLook(message) ? 'echo' : 'assistant', speaker: ASSISTANT, text }
    }
    case 'tool':
      return {
        ...place,
        kind: LOOKS.has(message.tool) ? 'echo' : 'tool',
        speaker: message.tool,
        text: resultWords(message.text),
      }
    case 'note': {
      // A note that a person added has that person as its speaker.
      const speaker = message.author.by === 'person' ? speakerOf(reader, event) : HOST
      return { ...place, kind: 'note', speaker, text: message.text }
    }
  }
}

/** The words of a result. A model gets most results as JSON, which nobody wants to read in a hit. */
function resultWords(result: string): string {
  if (!/^\s*[[{]/.test(result)) return result
  try {
    return textsIn(JSON.parse(result)).join(' ')
  } catch {
    return result
  }
}

const LOOKS: ReadonlySet<string> = new Set(['recall', 'read_log'])

function isLook({ text, calls }: Extract<Message, { role: 'assistant' }>): boolean {
  return text === '' && calls.length > 0 && calls.every(({ tool }) => LOOKS.has(tool))
}

/**
 * Without the host's text before a message: tags, times and rules are the same in thousands of messages, and updates
 * are documents of their own. The quoted message stays: a bare "yes, do that" is found by it.
 */
function saidIn(
  reader: Reader,
  { took, updates }: EventOf<'message-added'>,
  { before = [], ...said }: Extract<Message, { role: 'user' }>,
): string {
  const text = foundBy(said)
  if (before.length === 0) return text
  const inbound = took === undefined ? undefined : reader.event(took)
  const isTaken = inbound?.kind === 'inbound-admitted'
  const quotes = isTaken ? (inbound.before ?? []) : before.slice(updates === undefined ? 0 : 1)
  return [...quotes.map(quotedIn), text].join('\n')
}

const QUOTED = /<data source="message">\n([^]*?)\n<\/data>$/u

function quotedIn(quote: string): string {
  const [, words] = QUOTED.exec(quote) ?? []
  return words === undefined ? quote : `> ${words.replaceAll('\n', '\n> ')}`
}

/** The updates a message shows, one per line; the oldest ones may only be counted. */
function updatesShown(reader: Reader, event: EventOf<'message-added'>): Document[] {
  const { position, branch, message, updates } = event
  if (updates === undefined || message.role !== 'user') return []
  const lines = message.before?.[0]?.split('\n').filter((line) => line.startsWith('- (')) ?? []
  return updates.shown
    .slice(Math.max(0, updates.shown.length - lines.length))
    .filter((at) => at < position)
    .map((at) => reader.event(at))
    .filter((reported) => reported.kind === 'update-reported')
    .map((reported, index) => ({ ...updateDocument(reported), position, branch, part: index + 1 }))
}

function updateDocument({ position, branch, at, source, text }: EventOf<'update-reported'>): Document {
  return { position, part: 0, branch, at, kind: 'update', speaker: source, text }
}

function isModels(reader: Reader, { took, branch }: EventOf<'message-added'>): boolean {
  const inbound = took === undefined ? undefined : reader.event(took)
  // A button's words are its maker's, but the person chose them.
  if (inbound?.kind !== 'inbound-admitted' || inbound.source.from === 'person') return false
  return senderOf(reader, { branch, source: inbound.source }) === 'elsewhere'
}

/** Updates are documents of their own, and a voice note is what its sender says. */
function isPassedOn({ text, before = [], files = [] }: Extract<Message, { role: 'user' }>): boolean {
  const isFiles = files.some(({ kind, text: words = '' }) => kind !== 'voice' && words !== '')
  return isFiles || text.includes(FENCE_OPENING) || before.some((quote) => QUOTED.test(quote))
}

function speakerOf(reader: Reader, { took }: EventOf<'message-added'>): string {
  if (took === undefined) return UNNAMED
  const inbound = reader.event(took)
  if (inbound.kind !== 'inbound-admitted') return UNNAMED
  return inbound.source.from === 'person' ? inbound.source.person : HOST
}

/** All texts and numbers inside a JSON value, in order. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
