import type { Event, EventOf } from '../../../src/event/event.ts'
import type { Happening } from '../../../src/event/happening.ts'
import type { BranchId, Position, TurnId } from '../../../src/event/id.ts'
import type { Address } from '../../../src/event/work.ts'
import { hold } from '../witness.ts'
import type { MailLaws } from './mail-laws.ts'
import type { BranchNow, Tree, Turn } from './tree.ts'

/** Whoever asked gets exactly one answer, or is told why there is none. */
export class AnswerLaws {
  readonly #tree: Tree
  readonly #mail: MailLaws
  /** The last person who talked to a branch, or was connected to it. */
  readonly #spoke = new Map<BranchId, Address>()
  /** Stopped turns, and how many of those a person gave to a child by `/fork MARK`. */
  readonly stopped: Turn[] = []
  /** The host's requests for the report of a fork. They have a minute. */
  readonly #timed = new Set<Position>()
  handedOver = 0
  /** False where the pieces of an answer stay inside the process under test. */
  readonly #seesPieces: boolean
  /** Turns that a person wanted to retry. */
  readonly #retried = new Set<Turn>()
  #intended: EventOf<'delivery-intended'> | undefined
  /** What people see of answers that are being written. */
  readonly #shown = new Map<TurnId, string>()
  /** Turns that ended in the last commit, and with them what was shown. */
  #lost = new Map<BranchId, Turn>()

  constructor(tree: Tree, mail: MailLaws, { seesPieces }: { seesPieces: boolean }) {
    this.#tree = tree
    this.#mail = mail
    this.#seesPieces = seesPieces
  }

  /** Somebody watches the process. */
  hear(happening: Happening): void {
    if (!('turn' in happening)) return
    const { kind, turn } = happening
    if (kind === 'piece') this.#shown.set(turn, (this.#shown.get(turn) ?? '') + happening.text)
    else this.#shown.delete(turn)
  }

  /** What a process that died had shown is gone with it. */
  begins(): void {
    this.#shown.clear()
  }

  committed(): void {
    const [lost] = this.#lost.values()
    hold(lost === undefined, `[TURN7] ${lost?.id} is ${lost?.outcome}, and what was shown of it is lost`)
  }

  take(event: Event): void {
    if (event.kind === 'message-added') this.#said(event)
    if (
      event.kind === 'inbound-admitted' &&
      event.source.from === 'host' &&
      event.source.reportBy !== undefined
    )
      this.#timed.add(event.position)
    if (event.kind === 'message-added' && event.took !== undefined && this.#timed.has(event.took))
      this.#timed.add(event.position)
    if (event.kind === 'inbound-admitted' && event.source.from === 'person')
      this.#talk(event.branch, event.source)
    if (event.kind === 'conversation-bound') this.#talk(event.branch, event)
    if (event.kind === 'delivery-intended' && event.turn !== null) this.#intended = event
    if (event.kind === 'command-run') this.#ran(event)
    if (event.kind === 'turn-ended') this.#ended(this.#tree.turn(event.turn))
  }

  #isTimed({ work }: Turn): boolean {
    return work.said.some(({ position }) => this.#timed.has(position))
  }

  #talk(branch: BranchId, { channel, conversation }: Address): void {
    this.#spoke.set(branch, { channel, conversation })
  }

  #ran({ branch, line, output }: EventOf<'command-run'>): void {
    if (output.includes('I stopped answering here')) {
      this.handedOver++
      this.#lost.delete(branch)
    }
    const { last, running } = this.#tree.branch(branch)
    if (line === '/retry' && last !== undefined) this.#retried.add(last)
    if (!output.startsWith('Stopped')) return
    if (running !== undefined) running.isGivenUp = true
    else if (last !== undefined) given(last)
  }

  /** TURN7: what is kept of an answer that was cut is what people saw of it, and nothing else. */
  #said({ message, turn, position }: EventOf<'message-added'>): void {
    if (message.role !== 'assistant' || turn === null) return
    const shown = this.#shown.get(turn) ?? ''
    if (message.cut !== undefined) {
      hold(message.text.trim() !== '', `[TURN7] ${position} is cut, and blank`)
      const isShown = !this.#seesPieces || message.text === shown
      hold(isShown, `[TURN7] ${position} has '${message.text}', and '${shown}' was shown`)
    }
    this.#shown.delete(turn)
  }

  /** The person who talks to this branch, or to the nearest one above. */
  #near(id: BranchId): Address | undefined {
    const { parent } = this.#tree.branch(id)
    return this.#spoke.get(id) ?? (parent === null ? undefined : this.#near(parent))
  }

  #ended(turn: Turn): void {
    const branch = this.#tree.branch(turn.branch)
    const isForPeople = branch.mode === 'main' || branch.mode === 'fork'
    const asked = turn.work.asked ?? (isForPeople ? this.#near(branch.id) : undefined)
    const isEnded = turn.outcome === 'stopped' || turn.outcome === 'failed'
    if (isEnded && (this.#shown.get(turn.id) ?? '').trim() !== '') this.#lost.set(branch.id, turn)
    const kept = { stopped: 'stopped', failed: 'broken' }[turn.outcome as string]
    const isCut = turn.cut !== undefined && turn.cut === kept
    hold(turn.cut === undefined || isCut, `[TURN7] ${turn.id} is ${turn.outcome}, and its answer ${turn.cut}`)
    turn.answers -= isCut && asked !== undefined ? 1 : 0
    turn.work.answers += turn.answers
    switch (turn.outcome) {
      case 'answered':
        return this.#answered(turn, branch, asked)
      case 'failed':
        hold(turn.answers === 0, `[TURN4] ${turn.id} failed, and yet it answers`)
        // The host reports then what the agent could not, and says so in that.
        if (this.#isTimed(turn)) return
        hold(
          turn.notices === (asked === undefined ? 0 : 1),
          `[TURN4] ${turn.id} failed, told ${turn.notices} ×`,
        )
        return this.#mailed(turn, branch)
      case 'deferred':
        return this.#deferred(turn, asked)
      case 'stopped':
        if (!this.#isTimed(turn)) this.stopped.push(turn)
        return silent(turn)
      case 'interrupted':
        if (turn.isGivenUp) given(turn)
        return silent(turn)
      case undefined:
        throw new Error(`[TURN4] ${turn.id} ended without an outcome`)
    }
  }

  #answered(turn: Turn, branch: BranchNow, asked: Address | undefined): void {
    hold(turn.notices === 0, `[TURN4] ${turn.id} answers, and says besides that it failed`)
    this.#mailed(turn, branch)
    if (asked === undefined)
      return hold(turn.answers === 0, `[TURN4] ${turn.id} answers a person, and none asked`)
    hold(turn.answers === 1, `[TURN4] ${turn.id} has ${turn.answers} answers`)
    hold(turn.work.answers === 1, `[TURN4] what ${turn.id} goes on with is answered ${turn.work.answers} ×`)
    const { to, text } = this.#intended ?? {}
    const isThere = to?.channel === asked.channel && to.conversation === asked.conversation
    hold(isThere, `[TURN4] ${turn.id} answers ${to?.conversation}, but ${asked.conversation} asked`)
    hold(
      text?.includes(branch.lastSaid.trim()) === true,
      `[TURN4] ${turn.id} does not answer what its model said`,
    )
  }

  /** Said once, and not again by the turns that continue it until a model answers or a person retries. */
  #deferred(turn: Turn, asked: Address | undefined): void {
    const { id, answers, notices, work } = turn
    hold(answers === 0, `[TURN4] ${id} is deferred, and yet it answers`)
    if (asked === undefined)
      return hold(notices === 0, `[TURN4] ${id} is deferred, and tells somebody who did not ask`)
    hold(notices <= 1, `[TURN4] ${id} is deferred, told ${notices} ×`)
    const known = turn.answered > 0 ? [] : outOfReach(work.turns.slice(0, -1))
    if (known.length === 0) return hold(notices === 1, `[TURN4] ${id} is deferred, and nobody is told`)
    const isTold = known.some((other) => other.notices > 0)
    const isRetried = work.turns.some((other) => this.#retried.has(other))
    hold(notices === 0 || !isTold || isRetried, `[TURN4] ${id} is deferred, and that is told again`)
  }

  /** A child that was given its work answers its parent by mail. */
  #mailed(turn: Turn, { id: from, mode, parent }: BranchNow): void {
    if (mode !== 'child' || parent === null || !turn.work.isGiven || this.#tree.branch(parent).isEnded) return
    const hasWritten = this.#mail.hasWritten({ from, to: parent, since: turn.work.startedAt })
    hold(hasWritten, `[TURN4] ${turn.id} ends, and the parent of ${from} hears nothing of it`)
  }
}

/** The deferred turns since a model last answered. */
function outOfReach(turns: readonly Turn[]): readonly Turn[] {
  const deferred: Turn[] = []
  for (const turn of turns.toReversed()) {
    if (turn.outcome === 'deferred') deferred.push(turn)
    else if (turn.outcome !== 'interrupted') break
    if (turn.answered > 0) break
  }
  return deferred
}

/** Whoever was told that a turn is stopped hears no more of it. */
function given({ id, outcome }: Turn): void {
  const goesOn = outcome === 'interrupted' || outcome === 'deferred'
  hold(!goesOn, `[TURN4] the person was told that ${id} is stopped, and it goes on`)
}

function silent(turn: Turn): void {
  const { id, answers, notices, outcome } = turn
  hold(answers === 0 && notices === 0, `[TURN4] ${id} is ${outcome}, and yet it speaks`)
}
