import type { Event, EventOf, Mode, Outcome } from '../../../src/event/event.ts'
import { handleOf, type BranchId, type Position, type TurnId } from '../../../src/event/id.ts'
import type { Address } from '../../../src/event/work.ts'
import { hold } from '../witness.ts'

/** Turns that continue each other: the answer to one request. */
export interface Work {
  readonly startedAt: Position
  readonly turns: Turn[]
  /** The address of the person who last spoke in it. */
  asked: Address | undefined
  /** The inbox entries taken as user messages, as logged. */
  readonly said: { readonly text: string; readonly position: Position }[]
  /** Given by a branch above or by mail, so that the parent waits for it. */
  isGiven: boolean
  answers: number
}

export interface Turn {
  readonly id: TurnId
  readonly branch: BranchId
  readonly startedAt: Position
  readonly work: Work
  calls: number
  answered: number
  /** A call of the model without an answer yet. */
  isCalling: boolean
  answers: number
  notices: number
  /** An answer that was shown in part ended there. */
  cut: 'stopped' | 'broken' | undefined
  /** The person was told that it is stopped. */
  isGivenUp: boolean
  outcome: Outcome | undefined
  /** How many commits there were when it ended. */
  endedIn: number
}

export interface BranchNow {
  readonly id: BranchId
  readonly mode: Mode
  readonly parent: BranchId | null
  isEnded: boolean
  running: Turn | undefined
  /** The last turn, while the next one would still continue it. */
  last: Turn | undefined
  /** Where its newest turn began, whatever its outcome. */
  turnAt: number
  readonly open: Set<string>
  lastSaid: string
}

/** Handles of branches. */
export interface Known {
  readonly all: readonly string[]
  readonly living: readonly string[]
  /** Those with a turn; the main session cannot be killed anyway. */
  readonly running: readonly string[]
  /** Living background runs. */
  readonly runs: readonly string[]
}

/** All branches and turns, kept in the simplest way. Throws when an event must not follow those before it. */
export class Tree {
  readonly branches = new Map<BranchId, BranchNow>()
  readonly turns = new Map<TurnId, Turn>()
  /** Incremented by whoever observes them. */
  commits = 0
  readonly #callIds = new Set<string>()

  get living(): BranchNow[] {
    return [...this.branches.values()].filter(({ isEnded }) => !isEnded)
  }

  get known(): Known {
    const all = [...this.branches.values()]
    const { living } = this
    return {
      all: handles(all),
      living: handles(living),
      runs: handles(living.filter(({ mode }) => mode === 'background')),
      running: handles(living.filter(({ running, mode }) => running !== undefined && mode !== 'main')),
    }
  }

  branch(id: BranchId): BranchNow {
    const branch = this.branches.get(id)
    hold(branch !== undefined, `there is no branch ${id}`)
    return branch
  }

  turn(id: TurnId): Turn {
    const turn = this.turns.get(id)
    hold(turn !== undefined, `there is no turn ${id}`)
    return turn
  }

  take(event: Event): void {
    switch (event.kind) {
      case 'branch-created':
        return this.#create(event)
      case 'branch-ended':
        return this.#endBranch(event)
      case 'turn-started':
        return this.#start(event)
      case 'turn-ended':
        return this.#end(event)
      case 'message-added':
        return this.#add(event)
      case 'mark-set':
      case 'context-saved':
      case 'context-compacted':
      case 'context-expanded':
        return void this.#whole(event)
      case 'context-cleared':
      case 'context-undone':
      case 'context-redone':
        return this.#part(event)
      case 'model-called':
      case 'model-answered':
      case 'model-failed':
        return this.#call(event)
      default:
    }
  }

  #create({ branch, mode, parent, position }: EventOf<'branch-created'>): void {
    hold(!this.branches.has(branch), `branch ${branch} begins twice`)
    hold(parent === null || this.branches.has(parent), `${branch} has a parent that never was`)
    const fresh = { isEnded: false, running: undefined, last: undefined, turnAt: position, lastSaid: '' }
    this.branches.set(branch, { id: branch, mode, parent, open: new Set(), ...fresh })
  }

  #endBranch(event: EventOf<'branch-ended'>): void {
    const branch = this.#open(event)
    const left = event.reason === 'killed' && this.living.find((other) => this.#worksBelow(other, branch.id))
    hold(
      left === undefined || left === false,
      `[KILL1] ${branch.id} is killed, and what is below it lives on`,
    )
    branch.isEnded = true
    branch.running = undefined
  }

  /** A fork below, and everything that works for it, belongs to the person. */
  #worksBelow({ mode, parent }: BranchNow, above: BranchId): boolean {
    if (mode === 'fork' || parent === null) return false
    return parent === above || this.#worksBelow(this.branch(parent), above)
  }

  /** The branch of an event that only a living branch may write. */
  #open({ branch: id, kind, position }: Event): BranchNow {
    const branch = this.branch(id)
    hold(!branch.isEnded, `[KILL1] ${id} has ended, and yet it writes a '${kind}' at ${position}`)
    return branch
  }

  #whole(event: Event): BranchNow {
    const branch = this.#open(event)
    hold(branch.open.size === 0, `[CTX3] a '${event.kind}' at ${event.position} while calls wait for results`)
    return branch
  }

  #start(event: EventOf<'turn-started'>): void {
    const { turn: id, continues, position: startedAt } = event
    const branch = this.#whole(event)
    const { last } = branch
    hold(
      branch.running === undefined,
      `[TURN1] turn ${id} starts in ${branch.id} while ${branch.running?.id} runs`,
    )
    hold(!this.turns.has(id), `turn ${id} starts twice`)
    const isOwed = last?.outcome === 'interrupted' || last?.outcome === 'deferred'
    hold(
      !isOwed || continues === last.id,
      `[TURN4] ${id} does not go on with ${last?.id}, which is ${last?.outcome}`,
    )
    const isKnown = continues === null || (continues === last?.id && last.outcome !== 'answered')
    hold(isKnown, `[TURN4] ${id} continues ${continues}, which is ${last?.outcome ?? 'not the last turn'}`)
    const work =
      continues === null || last === undefined
        ? { startedAt, turns: [], asked: undefined, said: [], isGiven: false, answers: 0 }
        : last.work
    const counts = {
      calls: 0,
      answered: 0,
      isCalling: false,
      answers: 0,
      notices: 0,
      cut: undefined,
      isGivenUp: false,
      outcome: undefined,
      endedIn: 0,
    }
    const turn: Turn = { id, branch: branch.id, startedAt, work, ...counts }
    work.turns.push(turn)
    this.turns.set(id, turn)
    branch.running = turn
    branch.turnAt = startedAt
  }

  #end(event: EventOf<'turn-ended'>): void {
    const branch = this.#whole(event)
    const turn = branch.running
    hold(turn?.id === event.turn, `${event.turn} ends, but ${turn?.id ?? 'no turn'} runs`)
    turn.outcome = event.outcome
    turn.endedIn = this.commits
    branch.running = undefined
    branch.last = turn
  }

  #add(event: EventOf<'message-added'>): void {
    const { message, position } = event
    if (message.role === 'tool') {
      const branch = this.#open(event)
      hold(branch.open.delete(message.call), `[CTX3] a result at ${position} that no call waits for`)
      return this.#belongs(event, branch)
    }
    const branch = this.#whole(event)
    this.#belongs(event, branch)
    const isHosts = message.role === 'user' && event.took === undefined
    // At the limit of tool rounds the host asks for an answer; that gives no new work.
    const isMailWake = isHosts && !message.head?.startsWith('[system]')
    if (isMailWake && branch.running !== undefined) branch.running.work.isGiven = true
    if (message.role !== 'assistant') return
    hold(branch.running !== undefined, `[TURN2] a model speaks at ${position}, and no turn runs`)
    branch.lastSaid = message.text
    branch.running.cut = message.cut
    hold(
      message.cut === undefined || message.calls.length === 0,
      `[TURN7] ${position} is cut, and calls tools`,
    )
    // The simulated models never say this; they fail with it.
    const isFault = message.model !== 'offline' && message.text.includes('fault')
    hold(!isFault, `[TURN5] what went wrong is in the model's mouth at ${position}`)
    for (const { id } of message.calls) {
      hold(!this.#callIds.has(id), `[TURN3] the call id ${id} is used a second time at ${position}`)
      this.#callIds.add(id)
      branch.open.add(id)
    }
  }

  #belongs({ turn, position }: EventOf<'message-added'>, branch: BranchNow): void {
    const running = branch.running?.id ?? null
    hold(turn === running, `[TURN2] the message at ${position} belongs to ${turn}, but ${running} runs`)
  }

  /** Messages that wait for a turn must not come in before an interrupted turn has continued. */
  #part(event: Event): void {
    const branch = this.#whole(event)
    if (branch.running !== undefined) return
    const { last } = branch
    if (event.kind === 'context-cleared' && event.drops === 'answer') return this.#again(event, branch)
    hold(
      last?.outcome !== 'interrupted',
      `[TURN4] the '${event.kind}' at ${event.position} comes before ${last?.id} goes on, so that never will`,
    )
    branch.last = undefined
  }

  /** TURN8: the answer alone is dropped, and its question is open again. */
  #again({ position }: Event, { last }: BranchNow): void {
    hold(last !== undefined, `[TURN8] ${position} asks again, and nothing was asked`)
    const hasAnswer = last.outcome === 'answered' || last.cut !== undefined
    hold(hasAnswer, `[TURN8] ${position} drops an answer, and ${last.id} is ${last.outcome}`)
    last.outcome = 'interrupted'
    last.work.answers = 0
  }

  #call(event: EventOf<'model-called' | 'model-answered' | 'model-failed'>): void {
    const branch = this.#whole(event)
    const turn = branch.running
    hold(turn?.id === event.turn, `a '${event.kind}' at ${event.position} of a turn that does not run`)
    const isNew = event.kind === 'model-called'
    hold(turn.isCalling !== isNew, `[TURN2] the '${event.kind}' at ${event.position} comes out of turn`)
    turn.isCalling = isNew
    if (isNew) turn.calls++
    if (event.kind === 'model-answered') turn.answered++
    hold(event.call === turn.calls, `call ${event.call} of ${turn.id} should be ${turn.calls}`)
  }
}

function handles(branches: readonly BranchNow[]): string[] {
  return branches.map(({ id }) => handleOf(id))
}
