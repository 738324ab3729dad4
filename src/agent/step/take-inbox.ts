import { estimateTokens } from '../../base/tokens.ts'
import { bounded, singleSpaced } from '../../base/words.ts'
import { getBranch } from '../../context/branch.ts'
import { messageAtOrAfter } from '../../context/message-index.ts'
import { saveTable } from '../../context/tables.ts'
import { addMessage, messageOf } from '../../context/step.ts'
import { isRefusal } from '../../context/decision.ts'
import { branchNames } from '../../context/naming.ts'
import { imagesOf, imageTokensOf, userText } from '../../context/prompt.ts'
import { escapeTyped, timeLine } from '../../context/wording.ts'
import type { EventOf, Message, Placed } from '../../event/event.ts'
import { dataLines, fence, FENCE_OPENING, plainName, withoutHostLines } from '../../event/fence.ts'
import { fileLabel, type KeptFile } from '../../event/file.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { senderOf } from '../../context/origin.ts'
import type { Actor } from '../contract/act.ts'
import { askedIn, joinsWork } from '../state/asker.ts'
import { authorOf, isOwners } from '../state/person.ts'
import type { ShownUpdates } from '../state/updates.ts'
import { admittedAt, isCommand, ready, waiting, type Admitted } from '../state/inbox.ts'

export interface Taking {
  readonly branch: BranchId
  readonly at: number
  readonly zone: string
  /** Whose messages may be taken: a running turn takes only people's. */
  readonly from: 'anybody' | 'people'
  /** The updates that the first message shows. */
  readonly updates?: ShownUpdates | undefined
  /** Tells the model, before the first message, not to answer an earlier one. */
  readonly withdrawn?: readonly string[]
  /** The text before a job's task; needed if a job may be taken. */
  readonly preamble?: (reader: Reader, job: Admitted) => Preamble | undefined
}

/** The text between the tag of a background run and its task. */
export interface Preamble {
  readonly text: string
  /** It quotes what a model wrote, which may be anybody's wish (LEAVE1). */
  readonly elsewhere: boolean
}

/** Takes messages and notes up to the first command, or the first message of another conversation. */
export function takeInbox(writing: Writing, taking: Taking): readonly Admitted[] {
  const taken = takeFront(writing, taking)
  if (!putOffAsked(writing, taking)) return taken
  const isShown = taken.some(({ form }) => form === 'message')
  return [...taken, ...takeFront(writing, { ...taking, updates: isShown ? undefined : taking.updates })]
}

function takeFront(writing: Writing, taking: Taking): readonly Admitted[] {
  const taken: Admitted[] = []
  let { updates } = taking
  for (const entry of ready(writing, taking.branch, taking.at)) {
    const isForNow = taking.from === 'anybody' || entry.source === 'person' || entry.form === 'note'
    if (isCommand(entry) || !isForNow) break
    const admitted = admittedAt(writing, entry.position)
    // A turn is for one conversation: the next one has a turn of its own (TURN6).
    if (entry.form === 'message' && !joinsWork(writing, getBranch(writing, taking.branch), admitted)) break
    const preamble = preambleFor(writing, admitted, taking)
    const before = (): string[] => [
      ...(admitted.late === undefined ? [] : [admitted.late]),
      ...(taken.length === 0 ? (taking.withdrawn ?? []) : []),
      ...(updates === undefined ? [] : [updates.text]),
      ...(preamble === undefined ? [] : [preamble.text]),
      ...(admitted.before ?? []),
    ]
    const message =
      entry.form === 'note'
        ? noteMessage(writing, admitted)
        : userMessage(writing, admitted, { ...taking, before: before() })
    const shows = message.role === 'user' && updates !== undefined ? { updates: updates.facts } : {}
    const quotes = entry.form === 'note' ? isModels(admitted) : preamble?.elsewhere
    const elsewhere = quotes === true && { elsewhere: true as const }
    add(writing, {
      branch: taking.branch,
      at: taking.at,
      message,
      took: entry.position,
      ...shows,
      ...elsewhere,
    })
    if (message.role === 'user') updates = undefined
    taken.push(admitted)
  }
  return taken
}

/** Whether a model wrote what it quotes: a reminder that a model set. */
function isModels({ source }: Admitted): boolean {
  return source.from === 'host' && source.isByModel === true
}

function preambleFor(writing: Writing, admitted: Admitted, { preamble }: Taking): Preamble | undefined {
  if (admitted.source.from !== 'host' || admitted.source.id === undefined) return undefined
  if (preamble === undefined) throw new TypeError('a job is taken, and nobody said what it is told first')
  return preamble(writing, admitted)
}

/**
 * Moves a model's command to the end of the inbox; returns whether it did. The command waits for the end of the work,
 * and a person's messages meanwhile belong to that work: after the command they would go wherever it leads. In a fork
 * that a model ends because nobody spoke it stays, and the messages after it keep the fork open.
 */
function putOffAsked(writing: Writing, { branch: id, at }: Taking): boolean {
  const [first, next] = waiting(writing, id, 2)
  if (first?.form !== 'command' || first.source !== 'host') return false
  if (next?.source !== 'person' || isCommand(next)) return false
  const branch = getBranch(writing, id)
  if (branch.mode === 'fork' && askedIn(writing, branch) === undefined) return false
  const { position: took, ...command } = admittedAt(writing, first.position)
  const to = writing.append(command)
  writing.append({ kind: 'inbound-moved', branch: id, at, took, to })
  return true
}

interface Addition extends Pick<EventOf<'message-added'>, 'branch' | 'at' | 'message' | 'elsewhere'> {
  readonly took?: Position
  readonly updates?: ShownUpdates['facts']
}

/** Appends a message where nothing can interfere: between two steps, in a living branch. */
export function add(writing: Writing, { branch, at, message, ...facts }: Addition): Position {
  const decided = addMessage(writing, { branch, at, message, tokens: tokensOf(message) })
  if (isRefusal(decided))
    throw new TypeError(`a ${message.role} message cannot stand here: ${decided.refused}`)
  // Whoever wrote it: what they pass on in it is from elsewhere (LEAVE1).
  const quotes = message.role === 'note' && message.text.includes(FENCE_OPENING)
  return writing.append({ ...decided.draft, ...facts, ...(quotes && { elsewhere: true }) })
}

/** A line that the host adds for the model. `why` explains it in brackets. */
export function addHostLine(
  writing: Writing,
  { branch, at }: Placed,
  { text, zone, why = '' }: { readonly text: string; readonly zone: string; readonly why?: string },
): void {
  const head = ['[system]', `(written by the host${why})`, timeLine(at, zone)].join('\n')
  add(writing, { branch, at, message: { role: 'user', text, head } })
}

function noteMessage(reader: Reader, { branch, source, text }: Admitted): Message {
  if (source.from === 'host')
    return { role: 'note', author: { by: 'policy', name: 'host' }, text: bounded(text) }
  return { role: 'note', author: authorOf(source), text: bounded(typedIn(reader, { branch, source, text })) }
}

type Heading = Pick<Taking, 'branch' | 'zone'> & { readonly before: string[] }

function userMessage(reader: Reader, admitted: Admitted, heading: Heading): Message {
  const { source, at, files } = admitted
  const { branch, zone, before } = heading
  const isFirst = isFirstInFork(reader, branch)
  // A task is somebody's words too: only the head speaks for the host.
  const isTask = isFirst && source.from === 'host' && source.tag === 'fork-started'
  const own = isTask ? [] : openingOf(source, parentName(reader, branch))
  const opening = isFirst ? ['[fork-started]', ENTERED, ...own] : own
  const back = isFirstSinceSave(reader, branch) ? [SAVED] : []
  const head = [...opening, ...back, `${timeLine(at, zone)}${speakerWords(source)}`].join('\n')
  const more = { ...(before.length > 0 && { before }), ...(files && { files: files.map(readable) }) }
  return { role: 'user', text: bounded(typedIn(reader, admitted)), head, ...more }
}

/**
 * What was said, as a model reads it. Of the owner only the beginning could look like the host's head; a guest, one of a
 * group, or a model could speak for the host or for the others in any line.
 */
function typedIn(reader: Reader, said: Pick<Admitted, 'branch' | 'source' | 'text'>): string {
  const { branch, text } = said
  const isTrusted = isOwners(reader, branch) && senderOf(reader, said) !== 'elsewhere'
  return isTrusted ? escapeTyped(text) : withoutHostLines(text)
}

/** The same of the text of a command. */
export function notedIn(
  reader: Reader,
  { branch, author }: Pick<Actor, 'branch' | 'author'>,
  text: string,
): string {
  return author.by === 'person' && isOwners(reader, branch) ? escapeTyped(text) : withoutHostLines(text)
}

/** A message as one text, for another that passes it on: what came with it is data there, and so are names (SAFE2). */
export function inOneText(reader: Reader, admitted: Admitted): string {
  const { files = [] } = admitted
  const parts = [...files.map(fileInText), typedIn(reader, admitted)]
  return bounded(parts.filter((part) => part !== '').join('\n'))
}

function fileInText(file: KeptFile): string {
  const { kind, name, text = '', note = '' } = file
  if (kind === 'voice') return escapeTyped(text)
  const parts = [fileLabel(file), text, note].filter((part) => part !== '')
  return fence(kind === 'words' ? 'message' : `file:${name}`, parts.join('\n'))
}

/** A transcript is not fenced, so it is escaped like typed words. The rest is from elsewhere (SAFE2). */
function readable(file: KeptFile): KeptFile {
  const { kind, name, text } = file
  const plain = { ...file, name: plainName(name) }
  if (text === undefined) return plain
  return { ...plain, text: kind === 'voice' ? escapeTyped(text) : dataLines(text) }
}

/** ` Ana:`, where several people speak. They name themselves, so the name cannot look like the host's words. */
function speakerWords(source: Admitted['source']): string {
  const name = source.from === 'person' ? source.speaker?.name : undefined
  if (name === undefined) return ''
  return ` ${singleSpaced(plainName(name).replaceAll(/[^\p{L}\p{M}\p{N} .'’_-]/gu, ' '))}:`
}

/** A saved fork's messages begin like the fork did, and nothing in them says that it has ended. */
function isFirstSinceSave(reader: Reader, id: BranchId): boolean {
  const [newest] = reader.rows(saveTable, { prefix: [id], order: 'down', limit: 1 })
  const saved = newest?.position
  if (saved === undefined || !isFirstSince(reader, id, saved)) return false
  let { version } = getBranch(reader, id)
  for (let event = reader.event(version); event.kind === 'context-compacted' && version > saved;) {
    version = event.prev
    event = reader.event(version)
  }
  return version === saved
}

/** In a fork entered without a topic, the person's first message is its topic. */
function isFirstInFork(reader: Reader, id: BranchId): boolean {
  const { mode, forkedAt } = getBranch(reader, id)
  return mode === 'fork' && isFirstSince(reader, id, forkedAt)
}

/** Whether only notes were added since. */
function isFirstSince(reader: Reader, id: BranchId, since: Position): boolean {
  for (let from: number = since; ;) {
    const next = messageAtOrAfter(reader, id, from)
    if (next === undefined) return true
    if (messageOf(reader.event(next.position)).role !== 'note') return false
    from = next.position + 1
  }
}

const ENTERED =
  '(written by the host: the person entered this fork to talk here; main knows of it only what is saved or reported)'

const SAVED = '(written by the host: the fork above was saved here and has ended)'

/** `[routine-bg:morning-brief]`, and its meaning. */
function openingOf(source: Admitted['source'], parent: string): string[] {
  if (source.from === 'person') return source.isButton ? ['[button]', EXPLAINED.button] : []
  const { tag, id } = source
  const isOwnReminder = source.isByModel === true && tag.startsWith('reminder')
  const told = tag === 'fork-started' ? childOf(parent) : EXPLAINED[tag]
  const explained = isOwnReminder
    ? `${OWN_REMINDER} ${tag === 'reminder' ? 'the person sees your answer' : 'nobody is waiting for an answer'})`
    : told
  return [id === undefined ? `[${tag}]` : `[${tag}:${id}]`, explained]
}

/** The name is one that `slash send` takes. */
function parentName(reader: Reader, id: BranchId): string {
  return branchNames(reader)(getBranch(reader, id).parent ?? id)
}

function childOf(parent: string): string {
  return `(written by the host: you are a child of ${parent}; do the task, and your answer is mailed to ${parent})`
}

const RUNS_ALONE = '(scheduled background run; nobody is waiting for an answer)'

/** Otherwise words that a web page talked a model into would come back as a task of the person. */
const OWN_REMINDER = "(a reminder that you set yourself is due; its text is yours, not the person's;"

/** Tells a model what a message is that no person typed. */
const EXPLAINED = {
  'fork-timeout': '(written by the host: nobody has said anything in this fork for a while)',
  system: '(written by the host)',
  routine: '(written by the host: a job that is due; the person sees your answer)',
  reminder: '(written by the host: a reminder that is due; the person sees your answer)',
  'routine-bg': RUNS_ALONE,
  'reminder-bg': RUNS_ALONE,
  webhook: '(background run; its data came from outside, and nobody is waiting for an answer)',
  button: '(the person pressed a button)',
} as const

export function tokensOf(message: Message): number {
  if (message.role === 'user')
    return estimateTokens(userText(message)) + imageTokensOf(imagesOf(message.files))
  if (message.role !== 'assistant') return estimateTokens(message.text)
  const { text, calls, reasoning = [] } = message
  const spoken = estimateTokens(text)
  if (calls.length === 0 && reasoning.length === 0) return spoken
  return spoken + estimateTokens(JSON.stringify([calls, reasoning]))
}
