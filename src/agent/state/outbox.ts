import { limits } from '../../base/limits.ts'
import { refuse } from '../../context/branch.ts'
import type { EventOf } from '../../event/event.ts'
import type { KeptFile } from '../../event/file.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import { allRows, type Folds, type Reader, type Writer, type Writing } from '../../event/table.ts'
import type { Address, Choice, Embed, Notice } from '../../event/work.ts'
import { addOpen, dropOpen, openList } from './ledger.ts'
import { putNewest } from './newest.ts'
import { rootAt, rooted, rootOfTurn } from './root.ts'
import {
  buttonsTable,
  deliveryTable,
  movedTable,
  numberedTable,
  outboxTable,
  partTable,
  previewTable,
  sentTable,
  turnTable,
} from './tables.ts'

/** A message to send to somebody: a notice of the host, or one of another form. */
export type Saying = SayingFacts & (OtherForm | { readonly notice: Notice })

interface OtherForm {
  readonly form: Exclude<EventOf<'delivery-intended'>['form'], 'notice'>
}

interface SayingFacts {
  readonly branch: BranchId
  readonly at: number
  readonly to: Address
  readonly text: string
  /** The event that it answers or reports; null: the host speaks unprompted. */
  readonly cause: Position | null
  /** The turn that says it, if any. */
  readonly turn?: TurnId | null
  /** What it goes back to, if neither its cause nor its turn says it. */
  readonly root?: Position | undefined
  readonly embed?: Embed
  readonly choices?: readonly Choice[]
  readonly files?: readonly KeptFile[]
}

export function say(writing: Writing, message: Saying): Position {
  return intend(writing, message, undefined)
}

/** As `say`, unasked. Its number lets a person reply to it. `hasJob`: the person can ask for fewer. */
export function sayUnasked(
  writing: Writing,
  { hasJob = false, ...message }: Saying & { hasJob?: boolean },
): Position {
  const number = lastNumber(writing, placeNow(writing, message.to)) + 1
  if (!('form' in message) || message.form !== 'ping') return intend(writing, message, number)
  const choices = [...(message.choices ?? []), ...pingChoices(number, hasJob)]
  return intend(writing, { ...message, choices }, number)
}

function intend(writing: Writing, message: Saying, number: number | undefined): Position {
  const { branch, at, to, text, cause, turn = null, root, embed, choices = [], files } = message
  const form =
    'form' in message ? { form: message.form } : ({ form: 'notice', notice: message.notice } as const)
  return writing.append({
    kind: 'delivery-intended',
    branch,
    at,
    to: placeNow(writing, to),
    ...form,
    text,
    turn,
    ...(embed !== undefined && { embed }),
    ...(files !== undefined && { files: [...files] }),
    ...(choices.length > 0 && { choices: [...choices] }),
    ...(number !== undefined && { number }),
    ...(cause !== null && { cause }),
    ...rooted(writing, root ?? rootOfMessage(writing, cause, turn)),
  })
}

/** An answer goes back to what it answers, and what is said on the way to what the turn works for. */
function rootOfMessage(reader: Reader, cause: Position | null, turn: TurnId | null): Position | undefined {
  const kind = cause === null ? undefined : reader.event(cause).kind
  const isAnswer = kind === 'inbound-admitted' || kind === 'command-run'
  const ofTurn = turn === null || isAnswer ? undefined : rootOfTurn(reader, turn)
  return ofTurn ?? (cause === null ? undefined : rootAt(reader, cause))
}

/** One-press reactions to any ping, by its number. */
export function pingChoices(number: number, hasJob: boolean): Choice[] {
  const all = [
    { label: 'Done', command: `/done ${number}` },
    { label: 'Snooze 10 min', command: `/snooze ${number} 10m` },
    { label: 'Snooze 1 h', command: `/snooze ${number} 1h` },
    { label: 'Snooze tomorrow', command: `/snooze ${number} tomorrow` },
  ]
  return hasJob ? [...all, { label: 'Less of this', command: `/less ${number}` }] : all
}

/** Drops the standard choices of every ping: a model's own choices are words and never a command (SAFE4). */
export function ownChoices(choices: readonly Choice[]): Choice[] {
  return choices.filter(({ command }) => !command.startsWith('/'))
}

/** An address as one text. Channel names contain no line break. */
export function addressKey({ channel, conversation }: Address): string {
  return `${channel}\n${conversation}`
}

/** Where a conversation goes on by now. Moves never make a circle. */
export function placeNow(reader: Reader, { channel, conversation }: Address): Address {
  const to = reader.row(movedTable, [addressKey({ channel, conversation })])?.moved_to ?? null
  return to === null ? { channel, conversation } : placeNow(reader, { channel, conversation: to })
}

export function firstUnsettled(reader: Reader, address: string): Position | undefined {
  return unsettled(reader, address, 1)[0]
}

/** Every address with a message to send. */
export function addresses(reader: Reader): Address[] {
  return openList(reader, 'addresses').map((address) => {
    const [channel = '', conversation = ''] = address.split(/\n(.*)/s)
    return { channel, conversation }
  })
}

/** Deliveries to this address without an outcome, oldest first. */
export function unsettled(reader: Reader, address: string, limit = limits.waitingMax as number): Position[] {
  const from = (reader.row(outboxTable, [address])?.settled_to ?? 0) + 1
  const rows = reader.rows(deliveryTable, { prefix: [address], from, order: 'up', limit })
  return rows.map(({ position }) => position)
}

/** The platform's id of the message at `cause`, if a person wrote it in this conversation. */
export function messageIdOf(reader: Reader, to: Address, cause: Position | null): string | undefined {
  const event = cause === null ? undefined : reader.event(cause)
  const source = event?.kind === 'inbound-admitted' || event?.kind === 'command-run' ? event.source : null
  if (source?.from !== 'person' || source.isButton === true) return undefined
  return addressKey(source) === addressKey(to) ? (source.key ?? undefined) : undefined
}

/** The parts of a delivery that the platform has, in order. */
export function partsSent(reader: Reader, delivery: Position) {
  return [...allRows(reader, partTable, { prefix: [delivery] })]
}

/** The keys of a delivery's buttons; undefined: none were made. */
export function keysOf(reader: Reader, delivery: Position): readonly string[] | undefined {
  const row = reader.row(buttonsTable, [delivery])
  return row && (reader.event(row.made) as EventOf<'buttons-made'>).keys
}

/** The newest messages with buttons that are known to be shown, newest first. Files come behind the buttons. */
export function shownButtons(
  reader: Reader,
  limit: number,
): { readonly delivery: EventOf<'delivery-intended'>; readonly platformId: string }[] {
  return reader.rows(buttonsTable, { prefix: [], order: 'down', limit }).flatMap((row) => {
    const delivery = reader.event(row.delivery) as EventOf<'delivery-intended'>
    const { platform_id: platformId } = row
    return platformId === null || delivery.files !== undefined ? [] : { delivery, platformId }
  })
}

/** A message that grows while a turn answers. */
export interface OpenPreview {
  readonly begun: EventOf<'preview-begun'>
  /** Null: it is not known to be shown. */
  readonly platformId: string | null
}

export function openPreview(reader: Reader, address: string): OpenPreview | undefined {
  const { begun = null, platform_id: platformId = null } = reader.row(previewTable, [address]) ?? {}
  return begun === null ? undefined : { begun: reader.event(begun) as EventOf<'preview-begun'>, platformId }
}

/** Whether a message is what this preview becomes. A question and a ping are to be noticed, and an edit is not. */
export function becomes(
  reader: Reader,
  preview: OpenPreview,
  { turn, form }: EventOf<'delivery-intended'>,
): boolean {
  const canReplace = turn !== null && (form === 'answer' || form === 'notice')
  return canReplace && isSameWork(reader, preview.begun.turn, turn)
}

/** Begins a preview there, unless it would stand among other messages. */
export function beginPreview(
  writing: Writing,
  preview: Pick<EventOf<'preview-begun'>, 'branch' | 'at' | 'to' | 'turn' | 'text'>,
): void {
  const to = placeNow(writing, preview.to)
  const key = addressKey(to)
  if (firstUnsettled(writing, key) !== undefined || openPreview(writing, key) !== undefined) return
  writing.append({ kind: 'preview-begun', ...preview, to })
}

/** Addresses where a preview is open. */
export function previewed(reader: Reader): string[] {
  return [...allRows(reader, previewTable, { prefix: [] })].flatMap(({ address, begun }) =>
    begun === null ? [] : address,
  )
}

/** Whether one of these turns continues the other, or both continue the same. */
export function isSameWork(reader: Reader, one: TurnId, other: TurnId): boolean {
  const since = reader.row(turnTable, [one])?.since
  return one === other || (since !== undefined && since === reader.row(turnTable, [other])?.since)
}

/** The number of the last message in this conversation that nobody had waited for. */
export function lastNumber(reader: Reader, to: Address): number {
  const stretch = { prefix: [addressKey(to)], order: 'down', limit: 1 } as const
  return reader.rows(numberedTable, stretch)[0]?.number ?? 0
}

/** Folds messages to people: what is to be sent, what was, and what grows while it is written. */
export const outboxFolds: Folds = {
  'delivery-intended': foldIntent,
  'delivery-done': settle,
  'delivery-failed': settle,
  'delivery-part': (event, writer) => {
    const { intent: delivery, position, platformId: platform_id } = event
    const { to } = firstIn(event, writer)
    writer.put(partTable, { delivery, position, platform_id })
    writer.put(sentTable, { ...placeNow(writer, to), platform_id, position: delivery })
  },
  'buttons-made': (event, writer) => {
    const { choices = [] } = intentOf(event, writer)
    if (choices.length !== event.keys.length)
      refuse(event, `delivery ${event.intent} has ${choices.length} choices`)
    writer.put(buttonsTable, { delivery: event.intent, made: event.position, platform_id: null })
  },
  'preview-begun': (event, writer) => {
    const address = addressKey(event.to)
    if (firstUnsettled(writer, address) !== undefined) refuse(event, 'something waits to be sent there')
    writer.put(previewTable, { address, begun: event.position, platform_id: null })
  },
  'preview-shown': (event, writer) => {
    const address = previewedAt(event, writer)
    writer.put(previewTable, { address, begun: event.intent, platform_id: event.platformId })
  },
  'preview-removed': (event, writer) => endPreview(writer, previewedAt(event, writer)),
  'import-closed': ({ position }, writer) => {
    for (const address of openList(writer, 'addresses'))
      writer.put(outboxTable, { address, settled_to: position })
    dropOpen(writer, 'addresses', () => true)
    for (const { address } of allRows(writer, previewTable, { prefix: [] })) endPreview(writer, address)
    // It must not lead messages of ours somewhere else (SAFE5).
    for (const row of allRows(writer, movedTable, { prefix: [] }))
      writer.put(movedTable, { ...row, moved_to: null })
  },
  'conversation-bound': (event, writer) => {
    const { channel, conversation, before } = event
    if (before === undefined) return
    const isFresh = [before, conversation].every(
      (one) => placeNow(writer, { channel, conversation: one }).conversation === one,
    )
    if (!isFresh || before === conversation) refuse(event, `${before} or ${conversation} was moved before`)
    writer.put(movedTable, { address: addressKey({ channel, conversation: before }), moved_to: conversation })
  },
}

function noteAnswer({ form, turn, position }: EventOf<'delivery-intended'>, writer: Writer): void {
  const row = form === 'answer' && turn !== null ? writer.row(turnTable, [turn]) : undefined
  if (row !== undefined) writer.put(turnTable, { ...row, answer: position })
}

function foldIntent(event: EventOf<'delivery-intended'>, writer: Writer): void {
  noteAnswer(event, writer)
  const address = addressKey(event.to)
  writer.put(deliveryTable, { address, position: event.position })
  if (!openList(writer, 'addresses').includes(address)) addOpen(writer, 'addresses', address)
}

function settle(event: EventOf<'delivery-done' | 'delivery-failed'>, writer: Writer): void {
  const delivery = firstIn(event, writer)
  const { to } = delivery
  const address = addressKey(to)
  writer.put(outboxTable, { address, settled_to: event.intent })
  if (firstUnsettled(writer, address) === undefined) dropOpen(writer, 'addresses', (one) => one === address)
  const preview = openPreview(writer, address)
  if (preview !== undefined && becomes(writer, preview, delivery)) endPreview(writer, address)
  if (event.kind === 'delivery-failed') return
  if (event.foot !== undefined) putNewest(writer, event, { what: 'foot', about: address })
  const { platformId: platform_id, intent: position } = event
  if (platform_id === null) return
  writer.put(sentTable, { ...placeNow(writer, to), platform_id, position })
  const buttons = writer.row(buttonsTable, [position])
  if (buttons !== undefined) writer.put(buttonsTable, { ...buttons, platform_id })
}

type OfIntent = EventOf<'delivery-done' | 'delivery-failed' | 'delivery-part' | 'buttons-made'>

function intentOf(event: OfIntent, writer: Writer): EventOf<'delivery-intended'> {
  const intent = event.intent < event.position ? writer.event(event.intent) : undefined
  if (intent?.kind !== 'delivery-intended') refuse(event, `event ${event.intent} is no intended delivery`)
  return intent
}

/** Messages to one address are settled in order. */
function firstIn(event: OfIntent, writer: Writer): EventOf<'delivery-intended'> {
  const intent = intentOf(event, writer)
  const first = firstUnsettled(writer, addressKey(intent.to))
  if (first !== event.intent) refuse(event, `delivery ${first ?? 'none'} comes first`)
  return intent
}

function previewedAt(event: EventOf<'preview-shown' | 'preview-removed'>, writer: Writer): string {
  const begun = event.intent < event.position ? writer.event(event.intent) : undefined
  const address = begun?.kind === 'preview-begun' ? addressKey(begun.to) : ''
  if (openPreview(writer, address)?.begun.position !== event.intent)
    refuse(event, `no preview is open that began at ${event.intent}`)
  return address
}

function endPreview(writer: Writer, address: string): void {
  writer.put(previewTable, { address, begun: null, platform_id: null })
}
