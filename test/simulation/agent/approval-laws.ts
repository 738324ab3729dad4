import type { Event, EventOf, Mode, Outcome } from '../../../src/event/event.ts'
import type { BranchId, TurnId } from '../../../src/event/id.ts'
import { hold } from '../witness.ts'

/** What the laws of rights need to know of branches and turns. */
export interface Places {
  branch(id: BranchId): {
    readonly mode: Mode
    readonly running: { readonly id: TurnId; readonly calls: number } | undefined
  }
  turn(id: TurnId): { readonly outcome: Outcome | undefined; readonly endedIn?: number }
  /** Commits so far, if they are counted. */
  readonly commits?: number
}

export interface Approval {
  readonly asked: EventOf<'approval-asked'>
  /** The process that asked. */
  readonly life: number
  decided: EventOf<'approval-decided'> | undefined
  /** The approved change was made, or could not be. */
  done: EventOf<'proposal-done'> | undefined
}

/** How long a person has for a call. */
const ASK_MS = 600_000

/** PERM2: who is asked, and until when an answer counts. SAFE4: only people allow anything. */
export class ApprovalLaws {
  readonly all: Approval[] = []
  /** Incremented by whoever starts processes. */
  life = 0
  readonly #places: Places

  constructor(places: Places) {
    this.#places = places
  }

  /** Approved, but not carried out yet. */
  get undone(): Approval[] {
    return this.all.filter(({ decided, done }) => decided?.verdict === 'approved' && done === undefined)
  }

  /** The approvals that wait, as a person would see them. */
  get open(): Approval[] {
    return this.all.filter(({ asked: { wish, branch }, decided }) => {
      if (decided !== undefined) return false
      return wish.kind !== 'call' || this.#places.branch(branch).running?.id === wish.turn
    })
  }

  ofCall(call: string): Approval | undefined {
    return this.all.find(({ asked: { wish } }) => wish.kind === 'call' && wish.call === call)
  }

  take(event: Event): void {
    switch (event.kind) {
      case 'approval-asked':
        return this.#ask(event)
      case 'approval-decided':
        return this.#decide(event)
      case 'proposal-done':
        return this.#finish(event)
      case 'delivery-intended':
        return hold(
          event.form !== 'question' || this.#isForPeople(event.branch),
          `[PERM2] ${event.position} asks a question for ${event.branch}, for which nobody waits`,
        )
      case 'permission-granted':
      case 'permission-revoked':
        return hold(
          event.author.by === 'person',
          `[SAFE4] no person wrote the '${event.kind}' at ${event.position}`,
        )
      default:
    }
  }

  #isForPeople(branch: BranchId): boolean {
    const { mode } = this.#places.branch(branch)
    return mode === 'main' || mode === 'fork'
  }

  #ask(event: EventOf<'approval-asked'>): void {
    const { number, position, wish, branch, at, until } = event
    hold(number === this.all.length + 1, `approval ${number} is asked for after ${this.all.length}`)
    const { running } = this.#places.branch(branch)
    hold(running?.id === wish.turn, `[KILL1] approval ${number} is asked for by ${wish.turn}, which is over`)
    if (wish.kind === 'call') {
      hold(this.#isForPeople(branch), `[PERM2] ${position} asks for ${branch}, for which nobody waits`)
      hold(this.ofCall(wish.call) === undefined, `[PERM2] ${position} asks for ${wish.call} a second time`)
    }
    const end = wish.kind === 'call' ? at + ASK_MS : null
    hold(until === end, `[PERM2] approval ${number} is open until ${until}, not ${end}`)
    this.all.push({ asked: event, life: this.life, decided: undefined, done: undefined })
  }

  #finish(event: EventOf<'proposal-done'>): void {
    const approval = this.all[event.number - 1]
    hold(
      approval !== undefined && this.undone.includes(approval),
      `[SAFE4] ${event.position} carries approval ${event.number} out, and it is not to be`,
    )
    approval.done = event
  }

  #decide(event: EventOf<'approval-decided'>): void {
    const { number, verdict, author, position, at, instead } = event
    const approval = this.all[number - 1]
    hold(approval !== undefined, `${position} decides approval ${number}, which nobody asked for`)
    hold(approval.decided === undefined, `[PERM2] approval ${number} is decided again at ${position}`)
    const { wish, until, branch } = approval.asked
    const isCall = wish.kind === 'call'
    const verdicts = isCall ? ['once', 'always', 'denied', 'expired'] : ['approved', 'denied']
    hold(verdicts.includes(verdict), `approval ${number} of a ${wish.kind} is '${verdict}'`)
    const mayDiffer = wish.kind === 'memory' || verdict === 'denied'
    hold(instead === undefined || mayDiffer, `approval ${number} is given in other words`)
    const decider = verdict === 'expired' ? 'policy' : 'person'
    hold(author.by === decider, `[SAFE4] approval ${number} is '${verdict}' by a ${author.by}`)
    if (decider === 'person')
      hold(until === null || at < until, `[PERM2] approval ${number} is given at ${at}, after ${until}`)
    approval.decided = event
    if (!isCall) return
    const { running } = this.#places.branch(branch)
    hold(running?.id === wish.turn, `[PERM2] approval ${number} is '${verdict}' when its turn is over`)
    hold(approval.life === this.life, `[PERM2] approval ${number} is '${verdict}' after a restart`)
  }
}
