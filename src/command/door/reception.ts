import {
  admittedAt,
  firstWaiting,
  isCommand,
  knownIds,
  waiting,
  type Admitted,
} from '../../agent/state/inbox.ts'
import { type Actor, type Said, ok, refusal } from '../../agent/contract/act.ts'
import {
  callAskedAt,
  callsAskedAt,
  callsAskedLast,
  isWrittenBelow,
  openCalls,
  type Approval,
} from '../../agent/state/approvals.ts'
import { beginSideJob } from '../../agent/run/run-act.ts'
import { messageSent } from '../../agent/branch/reply-act.ts'
import { askedIn, reportBy, spokeInSilence, whoAsked } from '../../agent/state/asker.ts'
import { addressKey, say } from '../../agent/state/outbox.ts'
import { authorOf, personIn, roleOf } from '../../agent/state/person.ts'
import { rooted } from '../../agent/state/root.ts'
import { nameIn, splitAsked } from '../../agent/tools/asked-command.ts'
import type { Inbound } from '../../channel/channel.ts'
import { getBranch } from '../../context/branch.ts'
import { limits } from '../../base/limits.ts'
import { beginningOf } from '../../base/words.ts'
import { EventError } from '../../event/codec.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Origin } from '../../event/speaker.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { HostSource, PersonSource } from '../../event/work.ts'
import { callAnswerIn, type CallAnswer } from '../../agent/right/call-wording.ts'
import { boundBranch, branchFor, mainFor } from '../../agent/branch/binding.ts'
import { commandNamed, type ParsedCommand } from '../read/catalogue.ts'
import { conclude, personAt, type Desk } from '../desk/desk.ts'
import { quotable } from '../read/arguments.ts'
import { may, refusedHere } from '../read/rights.ts'
import { parseInput, type Part } from '../read/parse.ts'
import { commandMeant, pingInView } from '../desk/ping-said.ts'
import { readPingWords } from '../read/ping-words.ts'
import { pressedIn, pressKey } from './pressed.ts'
import { replyPlace } from './reply-place.ts'
import { perform } from '../commands/dispatch.ts'

export type Received =
  /** It was admitted before, or is from somebody who was removed meanwhile: nothing was done. */
  | { readonly kind: 'duplicate' }
  /** In the inbox of this branch, in these places. */
  | { readonly kind: 'admitted'; readonly branch: BranchId; readonly entries: readonly Position[] }
  /** A command that acted at once. */
  | { readonly kind: 'done'; readonly branch: BranchId; readonly said: Said }
  | { readonly kind: 'empty' }
  /** A button whose question is closed, or that was never offered here. */
  | { readonly kind: 'closed' }

/**
 * Takes what a person typed, from any channel. Once this resolves, it is in the log: as an entry of an inbox, or as a
 * command that was performed. The order in which things were typed is kept, also across a restart.
 */
export async function receive(desk: Desk, inbound: Inbound): Promise<Received> {
  const { button } = inbound
  return button === undefined ? receiveText(desk, inbound) : press(desk, inbound, button)
}

async function receiveText(desk: Desk, inbound: Inbound): Promise<Received> {
  const { text, origin } = inbound
  if (text.length > limits.textCharsMax) throw new EventError(tooLong(text.length))
  const files = inbound.files ?? []
  const isWords = origin === 'token' || inbound.isForwarded === true
  if (isWords && text.trim() === '' && files.length === 0) return { kind: 'empty' }
  if (isWords || files.length > 0) return admit(desk, inbound, [{ kind: 'message', text }])
  const parts = parseInput(text).map((part) => judged(origin, part))
  const [first] = parts
  if (first === undefined) return { kind: 'empty' }
  const acting = actingIn(desk)
  const key = addressKey(inbound)
  for (let before = acting.get(key); before !== undefined; before = acting.get(key)) await before
  if (parts.some(({ kind }) => kind === 'mistake')) return sayMistakes(desk, inbound, parts)
  const act = actAtOnce(desk, inbound, parts)
  if (act === undefined) return admit(desk, inbound, parts)
  acting.set(key, isOver(act))
  return act.finally(() => acting.delete(key))
}

/** A command that may not be used where it was typed is done as little as one with a mistake (RIGHT1). */
function judged(origin: Origin, part: Part): Part {
  const say = part.kind === 'command' ? refusedHere(origin, part) : undefined
  return part.kind === 'command' && say !== undefined ? { kind: 'mistake', line: part.line, say } : part
}

function tooLong(length: number): string {
  const [was, most] = [length, limits.textCharsMax].map((count) => count.toLocaleString('en'))
  return `This message has ${was} characters, and a message can have at most ${most}. Nothing was done. Send it as a file, or in parts`
}

/** A button counts once, and only while its question is open (BUTTON1). */
async function press(desk: Desk, inbound: Inbound, key: string): Promise<Received> {
  const pressed = await desk.log.read((reader) => pressedIn(reader, inbound, { key, now: desk.now() }))
  if (pressed === undefined) return { kind: 'closed' }
  const { delivery, command: text } = pressed
  const messageId = pressKey(delivery)
  const received = await receiveText(desk, { ...inbound, text, messageId, isButton: true })
  return received.kind === 'duplicate' ? { kind: 'closed' } : received
}

/** Undefined: it waits in an inbox. */
function actAtOnce(desk: Desk, inbound: Inbound, parts: readonly Part[]): Promise<Received> | undefined {
  const [first, ...others] = parts
  // A button is never such an answer: its text is a command, or goes to the agent that offered it.
  if (inbound.isButton !== true) {
    const answer = readCallAnswer(inbound)
    if (answer !== undefined) return sayToQuestion(desk, inbound, { answer, parts })
    if (readPingWords(inbound.text) !== undefined) return sayToPing(desk, inbound, parts)
  }
  const stop = parts.find(isStop)
  if (stop !== undefined && others.length > 0)
    return stopFirst(desk, inbound, { stop, rest: parts.filter((part) => !isStop(part)) })
  const isAtOnce = others.length === 0 && first?.kind === 'command' && whenOf(first) === 'at-once'
  return isAtOnce ? performAtOnce(desk, inbound, first) : undefined
}

const BELOW_QUESTIONS: ReadonlySet<Origin> = new Set(['terminal', 'operator', 'page', 'phone', 'editor'])

/** Programs have no say: what comes by a pipe was not typed below a question (SAFE5). */
function readCallAnswer({ text, origin }: Inbound): CallAnswer | undefined {
  return BELOW_QUESTIONS.has(origin) ? callAnswerIn(text) : undefined
}

/**
 * `y`, `a`, `n` and `n WHY` answer the oldest question about a call that stands in this conversation, or the one that
 * they reply to. Without one they are messages.
 */
async function sayToQuestion(
  desk: Desk,
  inbound: Inbound,
  { answer: { verdict, why }, parts }: { answer: CallAnswer; parts: readonly Part[] },
): Promise<Received> {
  const now = desk.now()
  const number = await desk.log.read((reader) => questionMeant(reader, inbound, now))
  if (number === undefined) return admitNoAnswer(desk, inbound, parts)
  const command: ParsedCommand =
    verdict === 'denied'
      ? { name: 'deny', number, why }
      : { name: 'approve', number, always: verdict === 'always', words: null }
  return performAtOnce(desk, inbound, { kind: 'command', command, line: inbound.text.trim() })
}

/** A `y` below other words is a message. The person is told, since a question stands above and waits. */
async function admitNoAnswer(desk: Desk, inbound: Inbound, parts: readonly Part[]): Promise<Received> {
  const received = await admit(desk, inbound, parts)
  const [entry = null] = received.kind === 'admitted' ? received.entries : []
  const at = desk.now()
  const to = sourceOf(inbound)
  const asked = entry && (await desk.log.read((reader) => callAskedAt(reader, inbound, at)))
  if (received.kind !== 'admitted' || asked === null || asked === undefined) return received
  const text =
    'This is a message for the agent, since something was said below the question: ' +
    `/approve ${asked} allows the call, /deny ${asked} refuses it.`
  await desk.log.write((writing) =>
    say(writing, { branch: received.branch, at, to, notice: 'no-answer', text, cause: entry }),
  )
  desk.agent().deliver()
  return received
}

/** The number of the approval that an answer is for. */
function questionMeant(reader: Reader, inbound: Inbound, now: number): number | undefined {
  const { replyTo, origin, person } = inbound
  if (replyTo !== undefined) {
    // Whatever came below it, who replies to a question means that one.
    const replied = messageSent(reader, inbound, replyTo)
    if (replied?.form !== 'question') return undefined
    return openCalls(reader, now, person).find(({ request }) => request.position === replied.cause)?.request
      .number
  }
  const here = boundBranch(reader, inbound)
  const standing = callsAskedAt(reader, inbound, now)
  const isHere = ({ request: { number, branch } }: Approval): boolean =>
    branch === here || standing.some(({ request }) => request.number === number)
  // The page shows what a branch said, wherever it was sent.
  const asked = origin === 'page' ? callsAskedLast(reader, person, now).filter(isHere) : standing
  return asked.find(({ request }) => !isWrittenBelow(reader, inbound, request))?.request.number
}

/** `done` in reply to a ping, or right after one, is the command; anywhere else it is a message. */
async function sayToPing(desk: Desk, inbound: Inbound, parts: readonly Part[]): Promise<Received> {
  const { text, replyTo } = inbound
  const command = await commandMeant(desk, text, (reader) =>
    replyTo === undefined ? pingInView(reader, inbound) : messageSent(reader, inbound, replyTo),
  )
  if (command === undefined) return admit(desk, inbound, parts)
  return performAtOnce(desk, inbound, { kind: 'command', command, line: text.trim() })
}

/**
 * The command that is being performed in each conversation. It takes several writes, and a message typed after it must
 * not come in between: channels do not wait before they hand over the next message.
 */
const actings = new WeakMap<Desk, Map<string, Promise<void>>>()

function actingIn(desk: Desk): Map<string, Promise<void>> {
  const known = actings.get(desk)
  if (known !== undefined) return known
  const acting = new Map<string, Promise<void>>()
  actings.set(desk, acting)
  return acting
}

function isOver(act: Promise<unknown>): Promise<void> {
  return act.then(
    () => undefined,
    () => undefined,
  )
}

type CommandPart = Extract<Part, { kind: 'command' }>

function whenOf({ command }: CommandPart): 'at-once' | 'step-end' | 'turn-end' {
  return commandNamed(command.name)?.when ?? 'at-once'
}

function isStop(part: Part): part is CommandPart {
  return part.kind === 'command' && part.command.name === 'stop'
}

/** A `/stop` in a longer text is performed first: it would be useless after the turn. */
async function stopFirst(
  desk: Desk,
  inbound: Inbound,
  { stop, rest }: { stop: CommandPart; rest: readonly Part[] },
): Promise<Received> {
  if (await desk.log.read((reader) => knownIds(reader, inbound).length > 0)) return { kind: 'duplicate' }
  if (rest.length === 0) return performAtOnce(desk, inbound, stop)
  // Without the message's key, which the rest needs: after a crash in between, the platform may deliver it again.
  await performAtOnce(desk, { ...inbound, messageId: null }, stop)
  return admit(desk, inbound, rest)
}

function sourceOf(inbound: Inbound): PersonSource {
  const {
    channel,
    conversation,
    person,
    speaker,
    messageId: key,
    parts = [],
    album,
    isButton,
    isOrder,
    origin,
    thread,
    folder,
  } = inbound
  const all = album === undefined ? parts : [...parts, album]
  const marks = {
    ...(speaker && { speaker }),
    ...(all.length > 0 && { parts: [...all] }),
    ...(isButton && { isButton }),
    ...(isOrder && { isOrder }),
    ...(origin === 'token' && { isText: true as const }),
    ...(thread && { thread }),
    ...(folder && { folder }),
  }
  return { from: 'person', channel, conversation, person, key, ...marks }
}

async function performAtOnce(desk: Desk, inbound: Inbound, part: CommandPart): Promise<Received> {
  const branch = await contact(desk, inbound)
  if (branch === undefined) return { kind: 'duplicate' }
  if (await desk.log.read((reader) => waitsForMark(reader, branch, part))) return admit(desk, inbound, [part])
  const { replyTo } = inbound
  const replied = replyTo && (await desk.log.read((reader) => messageSent(reader, inbound, replyTo)))
  const order = { branch, source: sourceOf(inbound), took: null, ...(replied && { numbered: replied.to }) }
  const { command, line } = part
  return received(branch, await perform(desk, { ...order, line, command }))
}

/** The branch the conversation talks to; undefined: the message was received before. */
function contact(desk: Desk, inbound: Inbound): Promise<BranchId | undefined> {
  const person = personAt(desk)
  return desk.log.write((writing) =>
    isNew(writing, inbound) ? branchFor(writing, inbound, person) : undefined,
  )
}

/** Not admitted before, and from somebody who may talk here (PEOPLE1). */
function isNew(reader: Reader, inbound: Inbound): boolean {
  return knownIds(reader, inbound).length === 0 && roleOf(reader, inbound.person) !== undefined
}

function received(branch: BranchId, said: Said | undefined): Received {
  return said === undefined ? { kind: 'duplicate' } : { kind: 'done', branch, said }
}

/** `/fork MARK` waits if the `/mark MARK` typed before it still waits. */
function waitsForMark(reader: Reader, branch: BranchId, { command }: CommandPart): boolean {
  if (command.name !== 'fork' || command.mark === null) return false
  return waiting(reader, branch)
    .filter(isCommand)
    .some(({ position }) => {
      const [part] = parseInput(admittedAt(reader, position).text)
      return part?.kind === 'command' && part.command.name === 'mark' && part.command.mark === command.mark
    })
}

/** Nothing in a text with a mistake is performed: half of it may not be what its author meant. */
async function sayMistakes(desk: Desk, inbound: Inbound, parts: readonly Part[]): Promise<Received> {
  const says = parts.flatMap((part) => (part.kind === 'mistake' ? part.say : []))
  const text = [...says, ...(parts.length === 1 ? [] : ['Nothing in this message was done.'])].join('\n')
  const branch = await contact(desk, inbound)
  if (branch === undefined) return { kind: 'duplicate' }
  const order = {
    branch,
    source: sourceOf(inbound),
    took: null,
    line: quoted(inbound.text),
    command: NO_COMMAND,
  }
  return received(branch, await conclude(desk, order, refusal(text)))
}

const WAITS = 'This will be done when the turn ends. /stop interrupts the turn.'

async function admit(desk: Desk, inbound: Inbound, parts: readonly Part[]): Promise<Received> {
  const person = personAt(desk)
  const { at } = person
  const source = sourceOf(inbound)
  const admitted = await desk.log.write((writing): Received => {
    if (!isNew(writing, inbound)) return { kind: 'duplicate' }
    const actor = { ...person, author: authorOf(source), branch: placeFor(writing, inbound, person) }
    const { branch, before } = replyPlace(writing, actor, { inbound, source, parts })
    const forms = parts.map(entryOf)
    const quotes = inbound.isForwarded === true ? [FORWARDED, ...before] : before
    const more = {
      ...(quotes.length > 0 && { before: [...quotes] }),
      ...(inbound.files && inbound.files.length > 0 && { files: [...inbound.files] }),
      ...(inbound.wait && { notBefore: inbound.wait.until }),
    }
    const first = (writing.end + 1) as Position
    const entries = forms.map(({ form, text }) => {
      const one = { source, form, text, ...more, ...rooted(writing, first) }
      return writing.append({ kind: 'inbound-admitted', branch, at, ...one })
    })
    const isBusy = getBranch(writing, branch).state.kind === 'running'
    if (isBusy && forms.some(({ form }) => form === 'command'))
      say(writing, { branch, at, to: source, notice: 'queued', text: WAITS, cause: null })
    return { kind: 'admitted', branch, entries }
  })
  if (admitted.kind !== 'admitted') return admitted
  desk.agent().wake([admitted.branch])
  desk.agent().deliver()
  return admitted
}

const FORWARDED = '(written by the host: the person forwarded this message; its words are somebody else’s)'

function placeFor(writing: Writing, inbound: Inbound, person: Omit<Actor, 'branch'>): BranchId {
  if (inbound.origin !== 'token') return branchFor(writing, inbound, person)
  const branch = mainFor(writing, inbound.person, person)
  return inbound.isSideJob === true ? beginSideJob(writing, { ...person, branch }) : branch
}

/** After other parts of its text, even a command that acts at once waits in the inbox, but not for a whole turn. */
function entryOf(part: Part): Pick<Admitted, 'form' | 'text'> {
  if (part.kind === 'command')
    return { form: whenOf(part) === 'turn-end' ? 'command' : 'step-command', text: part.line }
  if (part.kind === 'mistake') throw new TypeError('a mistake is said, not admitted')
  return { form: part.kind, text: part.text }
}

/** Performs a command that waited in an inbox. It leaves the inbox in any case, or no start would get past it. */
export async function performAdmitted(desk: Desk, entry: Admitted): Promise<void> {
  try {
    await performWaiting(desk, entry)
  } catch (error) {
    if (!(error instanceof EventError)) throw error
    const { branch, source, position: took, text } = entry
    if (source.from === 'host') return dropRequest(desk, entry)
    const order = { branch, source, took, line: quoted(text), command: NO_COMMAND }
    await conclude(desk, order, refusal(`This cannot be written to the log: ${error.message}`))
  }
}

/** A long line stays in the inbox entry that was taken; the command that ends it only quotes its beginning. */
function quoted(line: string): string {
  return beginningOf(line, limits.commandBytesMax)
}

/** A line that this release no longer knows is refused. */
async function performWaiting(desk: Desk, entry: Admitted): Promise<void> {
  const { branch, source, position: took, text: line } = entry
  if (source.from === 'host') return performForModel(desk, entry, source)
  const [part] = parseInput(line)
  if (part?.kind === 'command')
    return void (await perform(desk, { branch, source, took, line, command: part.command }))
  const say = part?.kind === 'mistake' ? part.say : `'${quotable(line)}' is no longer a command.`
  await conclude(desk, { branch, source, took, line: quoted(line), command: NO_COMMAND }, refusal(say))
}

/** For an order that is only refused. */
const NO_COMMAND = { name: 'help', about: null } as const

/**
 * Performs a command that a model requested in its turn, which is over now. The answer goes to the person of that turn.
 * Whatever the line says, it leaves the inbox: otherwise nothing behind it would ever be reached.
 */
async function performForModel(desk: Desk, entry: Admitted, { turn }: HostSource): Promise<void> {
  const { branch, position: took, text: line } = entry
  const { to, person, isStopped, isTalkedTo } = await desk.log.read((reader) => ({
    person: personIn(reader, branch),
    to: whoAsked(reader, getBranch(reader, branch)),
    // A report whose time was over is what the person waits for.
    isStopped: wasStopped(reader, branch) && reportBy(reader, branch) === null,
    isTalkedTo: keepsOpen(reader, branch),
  }))
  if (turn === undefined || to === undefined) return dropRequest(desk, entry)
  const source: PersonSource = { from: 'person', ...to, person, key: null }
  const author = { by: 'model', turn } as const
  const command = requestedCommand(line)
  const order = { branch, source, took, line, command: command ?? NO_COMMAND, author }
  const name = nameIn(line)
  const refused = (why: string) => conclude(desk, order, refusal(why))
  if (command === undefined)
    await refused(`The model requested a command that this release does not have: ${name}`)
  else if (isStopped) await refused(`You stopped the turn, so its request was not carried out: ${name}`)
  else if (!may('model', { command })) await refused(`A model may not request this: ${name}`)
  // Not an error: nobody did anything wrong.
  else if (isTalkedTo) await conclude(desk, order, ok(`${KEPT_OPEN} ${name}`))
  else await perform(desk, order)
}

const KEPT_OPEN = 'You wrote meanwhile, so this fork stays open. What the agent was about to do:'

/** After a line break comes the model's report, word for word. */
function requestedCommand(line: string): ParsedCommand | undefined {
  const { command, words } = splitAsked(line)
  const [part] = parseInput(command)
  if (part?.kind !== 'command') return undefined
  if (words === null) return part.command
  return part.command.name === 'report' ? { ...part.command, text: words } : undefined
}

function dropRequest(desk: Desk, { branch, position: took, text: line }: Admitted): Promise<void> {
  const author = { by: 'policy', name: 'nobody-asked' } as const
  const command = {
    source: null,
    took,
    line,
    output: 'Nobody asked for this, so it was not done.',
    isError: true,
  }
  const at = desk.now()
  return desk.log.write((writing) => {
    if (firstWaiting(writing, branch)?.position !== took) return
    writing.append({ kind: 'command-run', branch, at, author, ...command })
  })
}

function wasStopped(reader: Reader, id: BranchId): boolean {
  const { state } = getBranch(reader, id)
  return state.kind === 'idle' && state.last?.outcome === 'stopped'
}

/** A model ends a fork because nobody writes there; a message that came meanwhile keeps it open. */
function keepsOpen(reader: Reader, id: BranchId): boolean {
  const branch = getBranch(reader, id)
  if (branch.mode !== 'fork') return false
  if (spokeInSilence(reader, branch)) return true
  const isWanted = askedIn(reader, branch) !== undefined
  return (
    !isWanted && waiting(reader, id).some(({ source, form }) => source === 'person' && form === 'message')
  )
}
