import { z } from 'zod'
import { isoAt } from '../../base/time-text.ts'
import { headOf, messageAtOrBefore } from '../../context/message-index.ts'
import { branchNames } from '../../context/naming.ts'
import { userText } from '../../context/prompt.ts'
import { messageTable } from '../../context/tables.ts'
import { noteLabel } from '../../context/wording.ts'
import { fence } from '../../event/fence.ts'
import type { EventOf, Message } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Reader, Stretch } from '../../event/table.ts'
import { fateOf, labelOf } from '../../recall/scope/fate.ts'
import { defineTool, type Meant } from '../../tool/define-tool.ts'
import { builtIn, failed, type Tool, type ToolResult } from '../../tool/tool.ts'
import { readBranch, readNamed, type BranchReading } from './arguments.ts'

const LIMIT_MAX = 200
/** How much is shown of each text in a list, and of one that is asked for in full. */
const TEXT_MAX = 2_000
const PIECE_MAX = 20_000
/** For all texts together: two hundred long ones would push everything else out of the context. */
const TEXTS_MAX = 40_000

const USAGE =
  'Usage: read_log {"branch"?: an ID or "main", "before"?: position, or "around"?: position, ' +
  `"limit"?: 1 to ${LIMIT_MAX}}, or {"around": position, "full": true, "skip"?: characters}.`

const POSITION = 'a position is a whole number from 1 on'
const position = z
  .int({ error: POSITION })
  .min(1, { error: POSITION })
  .transform((at) => at as Position)

const argumentsSchema = z
  .strictObject({
    branch: z.string().describe('An ID or "main"; your own unless given').exactOptional(),
    before: position.describe('Messages before this position').exactOptional(),
    around: position.describe('Messages on both sides of this position').exactOptional(),
    limit: z.int().min(1).max(LIMIT_MAX).describe('How many messages').exactOptional(),
    full: z.boolean().describe('Only the message at `around`, with all of its text').exactOptional(),
    skip: z.int().min(0).describe('With `full`: how many characters to skip').exactOptional(),
  })
  .refine(({ before, around }) => before === undefined || around === undefined, {
    error: 'before and around do not go together',
  })
  .refine(({ full, around }) => full !== true || around !== undefined, { error: 'full needs around' })
  .refine(({ skip, full }) => skip === undefined || full === true, { error: 'skip needs full' })

type Asked = z.infer<typeof argumentsSchema>

export interface ReadLogParts extends Pick<BranchReading, 'log' | 'recall'> {
  /** The default limit. */
  readonly recentMax: () => number
}

/** Reads messages in full, whatever the context shows of them now, from branches that `recall` would search. */
export function readLogTool({ log, recall, recentMax }: ReadLogParts): Tool {
  return defineTool({
    name: 'read_log',
    description:
      'Read messages of the log in order: the newest, those around a position that `recall` gave, or those before one. `more` in the result has the arguments for older ones.',
    schema: argumentsSchema,
    usage: USAGE,
    nature: builtIn('looks'),
    run: (given, { branch: caller }) => {
      const limit = given.limit ?? Math.min(Math.max(recentMax(), 1), LIMIT_MAX)
      const named = (reader: Reader) => branchAsked(reader, caller, given)
      return readNamed({ log, recall, caller, named, foreign: NOTHING_THERE }, (reader, src) => {
        const place = { src, name: branchNames(reader)(src), isForeign: src !== caller }
        const { around, full, skip = 0 } = given
        if (full === true && around !== undefined) return readFull(reader, place, { at: around, skip })
        return readSome(reader, place, { ...given, limit })
      })
    },
  })
}

const NEWEST = 'Without `around` you get the newest messages.'
const NOTHING_THERE = `No message stands there, or it belongs to another person. ${NEWEST} ${USAGE}`

interface Place {
  readonly src: BranchId
  readonly name: string
  readonly isForeign: boolean
}

/** A position is enough to find its branch. */
function branchAsked(reader: Reader, caller: BranchId, { branch, around }: Asked): Meant<BranchId> {
  if (branch !== undefined) return readBranch(reader, caller, branch)
  const event = around === undefined || around > reader.end ? undefined : reader.event(around)
  const isFound = event?.kind === 'message-added' || event?.kind === 'update-reported'
  return { is: isFound ? event.branch : caller }
}

function readFull(reader: Reader, place: Place, { at, skip }: { at: Position; skip: number }): ToolResult {
  if (!positions(reader, place, { from: at, to: at, order: 'up', limit: 1 }).includes(at))
    return failed(
      `No message of ${place.name} stands at position ${at}, or its step still runs. ${NEWEST} ${USAGE}`,
    )
  const event = messageEvent(reader, at)
  const { length } = textOf(event.message)
  if (skip > 0 && skip >= length)
    return failed(
      `The text at ${at} has only ${length} characters, so nothing is left after ${skip}. ${USAGE}`,
    )
  return result([shown(reader, event, { place, skip, max: PIECE_MAX, isFull: true })], null)
}

function readSome(reader: Reader, place: Place, asked: Asked & { limit: number }): ToolResult {
  const { before, around, limit } = asked
  const { found, centre } =
    around === undefined
      ? newest(positions(reader, place, { to: (before ?? Infinity) - 1, order: 'down', limit }))
      : surrounding(reader, place, { around, limit })
  const texts = found.map((position) =>
    shown(reader, messageEvent(reader, position), { place, skip: 0, max: TEXT_MAX, isFull: false }),
  )
  const messages = fitting(texts, centre)
  const first = messages[0]?.position
  const isMore = first !== undefined && messageAtOrBefore(reader, place.src, first - 1) !== undefined
  const more = { ...(place.isForeign && { branch: place.name }), before: first }
  return result(messages, isMore ? more : null)
}

function result(messages: readonly ShownMessage[], more: object | null): ToolResult {
  return { text: JSON.stringify({ messages, more }), isError: false }
}

function newest(down: readonly Position[]) {
  return { found: down.toReversed(), centre: down.length - 1 }
}

/** Half before and half after. If one side is short, the other gets more. `centre` is the index of the middle one. */
function surrounding(reader: Reader, place: Place, { around, limit }: { around: Position; limit: number }) {
  const older = positions(reader, place, { to: around, order: 'down', limit })
  const newer = positions(reader, place, { from: around + 1, order: 'up', limit })
  const newerCount = Math.min(newer.length, Math.max(Math.floor(limit / 2), limit - older.length))
  const olderFound = older.slice(0, limit - newerCount).toReversed()
  return {
    found: [...olderFound, ...newer.slice(0, newerCount)],
    centre: Math.max(0, olderFound.length - 1),
  }
}

/** Never past the head: running steps, such as the one that reads, are not part of the conversation yet. */
function positions(
  reader: Reader,
  { src }: Place,
  stretch: Pick<Stretch, 'order' | 'limit'> & { from?: number; to?: number },
): Position[] {
  const head = headOf(reader, src)
  if (head === null) return []
  const to = Math.min(stretch.to ?? head, head)
  const rows = reader.rows(messageTable, { ...stretch, prefix: [src], to })
  return rows.map(({ position }) => position)
}

function messageEvent(reader: Reader, position: Position): EventOf<'message-added'> {
  return reader.event(position) as EventOf<'message-added'>
}

/** Drops the messages farthest from the centre until the rest fits. */
function fitting(messages: readonly ShownMessage[], centre: number): readonly ShownMessage[] {
  let size = messages.reduce((sum, { text }) => sum + text.length, 0)
  let [first, last] = [0, messages.length - 1]
  while (size > TEXTS_MAX && first < last) {
    const farthest = centre - first >= last - centre ? first++ : last--
    size -= messages[farthest]?.text.length ?? 0
  }
  return messages.slice(first, last + 1)
}

type ShownMessage = ReturnType<typeof shown>

function shown(
  reader: Reader,
  { branch, position, at, message }: EventOf<'message-added'>,
  { place: { name }, skip, max, isFull }: { place: Place; skip: number; max: number; isFull: boolean },
) {
  const whole = textOf(message)
  const end = cutPlace(whole, skip + max)
  const piece = whole.slice(skip, end).toWellFormed()
  const next = { around: position, full: true, ...(isFull && { skip: end }) }
  const note = `\n(cut: ${end} of ${whole.length} characters; ${isFull ? 'the rest' : 'all of it'}: read_log ${JSON.stringify(next)})`
  // Of one's own branch too: a piece of a page does not begin with the page's fence. The host's words stay outside.
  const text = fence(`log:${name}`, piece) + (end < whole.length ? note : '')
  // Why it is no longer in use: rewound, cleared, discarded.
  const label = labelOf(fateOf(reader, { branch, position }))
  const who = message.role
  return { position, at: isoAt(at), who, ...(label && { label }), text }
}

/** Avoids cutting a character in half. */
function cutPlace(text: string, at: number): number {
  if (at >= text.length) return text.length
  return /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) ? at - 1 : at
}

function textOf(message: Message): string {
  switch (message.role) {
    case 'user':
      return userText(message)
    case 'note':
      return `${noteLabel(message.author)}\n${message.text}`
    case 'tool':
      return `[result of ${message.tool}]\n${message.text}`
    case 'assistant': {
      const calls = message.calls.map(({ tool, args }) => `[calls ${tool} ${JSON.stringify(args)}]`)
      return [message.text, ...calls].filter((part) => part !== '').join('\n')
    }
  }
}
