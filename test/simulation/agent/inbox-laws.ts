import type { Event, EventOf } from '../../../src/event/event.ts'
import type { BranchId, Position } from '../../../src/event/id.ts'
import type { HostSource, PersonSource } from '../../../src/event/work.ts'
import { hold } from '../witness.ts'
import type { Tree, Work } from './tree.ts'

export interface Entry {
  readonly admitted: EventOf<'inbound-admitted'>
  takenAt: Position | undefined
}

/** How one platform message entered the log: as entries of an inbox, or as a command that ran at once. */
export interface Admission {
  readonly entries: Entry[]
  readonly run: EventOf<'command-run'> | undefined
}

/** RECV1: each admitted entry is taken once, in order, in its branch, and by the right event. */
export class InboxLaws {
  readonly entries = new Map<Position, Entry>()
  readonly admissions = new Map<string, Admission>()
  readonly #tree: Tree
  readonly #waiting = new Map<BranchId, Entry[]>()
  /** An entry admitted again, which is right if it was moved: the next event says so. */
  #again: Entry | undefined

  constructor(tree: Tree) {
    this.#tree = tree
  }

  waiting(branch: BranchId): Entry[] {
    const waiting = this.#waiting.get(branch) ?? []
    this.#waiting.set(branch, waiting)
    return waiting
  }

  take(event: Event): void {
    const again = this.#again?.admitted.position
    hold(
      again === undefined || (event.kind === 'inbound-moved' && event.to === again),
      `[RECV1] what is admitted at ${again} was admitted before`,
    )
    this.#again = undefined
    switch (event.kind) {
      case 'inbound-admitted':
        return this.#admit(event)
      case 'inbound-moved':
        return this.#move(event)
      case 'message-added':
        if (event.took !== undefined) this.#takeMessage(event, event.took)
        return
      case 'command-run':
        if (event.took !== null) this.#takeCommand(event, event.took)
        if (event.source !== null) this.#remember(event, event.source)
        return
      case 'model-called':
        return this.#leaveNothing(event)
      default:
    }
  }

  #admit(event: EventOf<'inbound-admitted'>): void {
    const { branch, position, source } = event
    hold(!this.#tree.branch(branch).isEnded, `[RECV1] ${position} is admitted to ${branch}, which has ended`)
    const entry = { admitted: event, takenAt: undefined }
    this.entries.set(position, entry)
    this.waiting(branch).push(entry)
    if (source.from !== 'person' || source.key === null) return
    const known = this.admissions.get(keyOf(source))
    if (known === undefined) this.admissions.set(keyOf(source), { entries: [entry], run: undefined })
    else if (known.entries.at(-1)?.admitted.position === position - 1) known.entries.push(entry)
    else this.#again = entry
  }

  /**
   * Messages to one branch become messages, or parts of one, to another. A model's command may move to the end of the
   * same inbox, after the person's messages.
   */
  #move(event: EventOf<'inbound-moved'>): void {
    const { took, to, position } = event
    const { admitted } = this.#taken(event, took)
    const there = this.entries.get(to)
    const isPutOff = isAsked(admitted) && there?.admitted.text === admitted.text
    const isThere =
      there !== undefined &&
      there.takenAt === undefined &&
      (there.admitted.branch !== event.branch || isPutOff)
    hold(
      isThere && there.admitted.text.includes(admitted.text),
      `[RECV1] ${took} is not what ${position} moves`,
    )
    const [before, after] = [admitted.source, there.admitted.source]
    const isSame =
      after.from === 'host' || (before.from === 'person' && before.conversation === after.conversation)
    hold(isSame, `[RECV1] ${position} moves what another one said`)
  }

  #remember(event: EventOf<'command-run'>, source: PersonSource): void {
    if (source.key === null) return
    const isNew = !this.admissions.has(keyOf(source))
    hold(isNew, `[RECV1] ${source.key}, '${event.line}', is run again at ${event.position}`)
    this.admissions.set(keyOf(source), { entries: [], run: event })
  }

  #taken(event: Event, took: Position): Entry {
    const entry = this.#waiting.get(event.branch)?.shift()
    const first = entry?.admitted.position
    hold(
      entry !== undefined && first === took,
      `[RECV1] ${event.position} takes ${took}, but ${first} is first`,
    )
    entry.takenAt = event.position
    return entry
  }

  #takeMessage(event: EventOf<'message-added'>, took: Position): void {
    const { message, position, branch } = event
    const { admitted } = this.#taken(event, took)
    const { source, text } = admitted
    const form = admitted.form === 'message' && this.#isTask(event) ? 'note' : admitted.form
    const role = form === 'message' ? 'user' : form
    hold(message.role === role, `[RECV1] the ${form} at ${took} became a ${message.role} message`)
    hold(isTextOf(message.text, text), `[RECV1] ${position} does not say what was admitted at ${took}`)
    const { running, last } = this.#tree.branch(branch)
    const isSteering = running !== undefined && running.calls > 0
    const mayJoin = source.from === 'person' || form === 'note'
    hold(!isSteering || mayJoin, `what the host said at ${took} joins a running turn`)
    if (form !== 'message') return
    // While a work is deferred, new messages join it already, so that commands typed after them do not wait.
    const work = running?.work ?? (last?.outcome === 'deferred' ? last.work : undefined)
    hold(work !== undefined, `[RECV1] the message at ${took} is in no turn`)
    hold(!isOthers(work, source), `[TURN6] what was said at ${took} joins the turn of another conversation`)
    work.said.push({ text: message.text, position })
    if (source.from === 'host') work.isGiven = true
    else work.asked = { channel: source.channel, conversation: source.conversation }
  }

  /** Text typed between `/mark M` and a waiting `/fork M` is for the child, so nobody answers it here. */
  #isTask({ branch, message }: EventOf<'message-added'>): boolean {
    const waits = this.waiting(branch).some(({ admitted }) => /^\/fork [A-Z]/.test(admitted.text))
    return waits && message.role === 'note'
  }

  #takeCommand(event: EventOf<'command-run'>, took: Position): void {
    const { admitted } = this.#taken(event, took)
    const isCommand = admitted.form === 'command' || admitted.form === 'step-command'
    hold(isCommand && admitted.text === event.line, `[RECV1] '${event.line}' was not what waited at ${took}`)
  }

  /**
   * A turn takes the whole inbox, and a later step all new messages of people. Both stop at a command, and at a message of
   * another conversation.
   */
  #leaveNothing({ turn, call, branch, position }: EventOf<'model-called'>): void {
    const first = this.#waiting.get(branch)?.[0]?.admitted
    if (first === undefined || first.form === 'command' || first.form === 'step-command') return
    const { startedAt, work } = this.#tree.turn(turn)
    const isHosts = first.source.from === 'host' && first.form === 'message'
    const isNext = first.form === 'message' && isOthers(work, first.source)
    const mayWait = isNext || (call === 1 ? first.position > startedAt : isHosts)
    hold(mayWait, `[RECV1] call ${call} at ${position} leaves the ${first.form} at ${first.position} behind`)
  }
}

function isOthers({ asked }: Pick<Work, 'asked'>, source: PersonSource | HostSource): boolean {
  if (asked === undefined || source.from !== 'person') return false
  return asked.channel !== source.channel || asked.conversation !== source.conversation
}

function isAsked({ source, form }: EventOf<'inbound-admitted'>): boolean {
  return source.from === 'host' && form === 'command'
}

export function keyOf({ channel, conversation, key }: PersonSource): string {
  return JSON.stringify([channel, conversation, key])
}

/** Unchanged, or with one backslash if it could be taken for the host's words. */
function isTextOf(stored: string, typed: string): boolean {
  if (stored === typed) return true
  const at = stored.indexOf('\\')
  return at >= 0 && stored.slice(0, at) + stored.slice(at + 1) === typed
}
