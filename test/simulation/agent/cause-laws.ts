import type { AgentSettings } from '../../../src/agent/state/settings.ts'
import type { Event, EventOf } from '../../../src/event/event.ts'
import type { BranchId, TurnId } from '../../../src/event/id.ts'
import { hold } from '../witness.ts'

interface Turn {
  readonly branch: BranchId
  outcome: string | undefined
}

interface Caused {
  day: string
  calls: number
  tokens: number
  branches: number
}

/**
 * CAUSE1 to CAUSE3: no message and no firing causes more calls, tokens or branches in a day than it may, in whichever
 * branch and by whichever reminders, and all jobs together no more calls of models.
 */
export class CauseLaws {
  /** As low as any of the settings that may count now. Not given: only the counting is tried. */
  max: (() => AgentSettings['causedMax']) | undefined
  unattendedMax: (() => number) | undefined
  readonly caused = new Map<number, Caused>()
  /** Calls of models a day for which no person waits. */
  readonly unattended = new Map<string, number>()
  /** Roots that no person wanted. */
  readonly #ofJobs = new Set<number>()
  /** The roots of reminders, by id and time, and of the calls that were counted as unattended. */
  readonly #reminders = new Map<string, number>()
  readonly #days = new Map<string, string>()
  #firing: string | undefined
  readonly #roots = new Map<BranchId, number>()
  readonly #turns = new Map<TurnId, Turn>()
  readonly #judged = new Set<string>()
  readonly #running = new Set<BranchId>()
  /** Branches whose running turn says what it is for. */
  readonly #rooted = new Set<BranchId>()
  readonly #admitted = new Map<number, EventOf<'inbound-admitted'>['source']>()
  /** What later parts of messages go back to. */
  readonly #parts = new Map<number, number>()
  readonly #mail = new Map<BranchId, { position: number; root: number }[]>()

  take(event: Event): void {
    switch (event.kind) {
      case 'branch-created':
        this.#begin(event)
        if (event.author.by === 'model') this.#add(event, 'branches')
        return
      case 'run-started':
        return this.#begin(event)
      case 'job-scheduled':
        return this.#set(event)
      case 'job-fired':
        this.#firing = event.what === 'reminder' ? `${event.job} ${event.due}` : undefined
        return
      case 'inbound-admitted':
        this.#checkRoot(event, event.source.from === 'host' ? event.source : {})
        return this.#admit(event)
      case 'message-added':
        return this.#takeUp(event)
      case 'mail-sent':
        return this.#send(event)
      case 'mail-read':
        return void this.#mail.delete(event.branch)
      case 'turn-started':
        return this.#start(event)
      case 'context-cleared':
        if (event.drops === 'answer') this.#roots.set(event.branch, event.position)
        return
      case 'turn-ended': {
        const turn = this.#turns.get(event.turn)
        if (turn !== undefined) turn.outcome = event.outcome
        return void this.#running.delete(event.branch)
      }
      case 'model-called': {
        this.#countDay(event)
        const { tokens } = this.#of(event.branch)
        const most = this.max?.().tokens ?? Infinity
        hold(tokens < most, `[CAUSE1] ${event.position} calls a model after ${tokens} tokens`)
        return this.#add(event, 'calls')
      }
      case 'model-failed': {
        const caused = this.#of(event.branch)
        caused.calls = Math.max(0, caused.calls - 1)
        const day = this.#days.get(`${event.turn} ${event.call}`)
        if (day !== undefined) this.unattended.set(day, Math.max(0, (this.unattended.get(day) ?? 0) - 1))
        return
      }
      case 'call-decided':
        return this.#judge(event, event.call)
      case 'approval-asked':
        return event.wish.kind === 'call' ? this.#judge(event, event.wish.call) : undefined
      case 'model-answered':
      case 'model-used': {
        const { tokensIn, tokensCached, tokensOut } = event.usage
        this.#of(event.branch).tokens += Math.max(0, tokensIn - tokensCached) + tokensOut
        return
      }
      default:
    }
  }

  rootOf(branch: BranchId): number {
    return this.#roots.get(branch) ?? 0
  }

  /** What a call of a job sets works for that job; what a person's work sets is for nobody yet. */
  #set({ what, job, due, root, branch, position }: EventOf<'job-scheduled'>): void {
    if (root === undefined) return
    hold(what === 'reminder' && root === this.rootOf(branch), `[CAUSE2] ${position} names another's root`)
    hold(this.#ofJobs.has(root), `[CAUSE2] ${position} was set for a person, and has no count of its own`)
    this.#reminders.set(`${job} ${due}`, root)
  }

  /** What a reminder starts works for what it was set for. */
  #checkRoot({ position }: Event, { root, tag }: { root?: number; tag?: string }): void {
    if (tag !== 'reminder' || this.#firing === undefined) return
    hold(root === this.#reminders.get(this.#firing), `[CAUSE2] ${position} forgets what it was set for`)
    this.#firing = undefined
  }

  #countDay({ branch, turn, call, day = '', position }: EventOf<'model-called'>): void {
    const caused = this.#of(branch)
    if (day > caused.day) Object.assign(caused, { day, calls: 0, tokens: 0, branches: 0 })
    if (!this.#ofJobs.has(this.rootOf(branch))) return
    const now = (this.unattended.get(day) ?? 0) + 1
    this.unattended.set(day, now)
    this.#days.set(`${turn} ${call}`, day)
    const most = this.unattendedMax?.() ?? Infinity
    hold(now <= most, `[CAUSE3] ${position} is number ${now} of the calls that nobody asked for`)
  }

  #of(branch: BranchId): Caused {
    const root = this.rootOf(branch)
    const caused = this.caused.get(root) ?? { day: '', calls: 0, tokens: 0, branches: 0 }
    this.caused.set(root, caused)
    return caused
  }

  #add({ branch, position }: Event, what: 'calls' | 'branches'): void {
    const now = ++this.#of(branch)[what]
    const most = this.max?.()[what] ?? Infinity
    hold(now <= most, `[CAUSE1] ${position} is number ${now} of the ${what} that one root causes`)
  }

  #judge(event: Event, call: string): void {
    if (this.#judged.has(call)) return
    this.#judged.add(call)
    this.#add(event, 'calls')
  }

  #begin(event: EventOf<'branch-created' | 'run-started'>): void {
    const { branch, author, position } = event
    const isByTime = author.by === 'policy' && author.name === 'schedule'
    if (event.kind === 'run-started' && isByTime) this.#ofJobs.add(position)
    if (event.root !== undefined) return void this.#roots.set(branch, event.root)
    const maker = author.by === 'model' ? this.#turns.get(author.turn)?.branch : undefined
    this.#roots.set(branch, maker === undefined ? position : this.rootOf(maker))
  }

  #takeUp({ branch, took, message }: EventOf<'message-added'>): void {
    const source = took === undefined ? undefined : this.#admitted.get(took)
    if (took === undefined || source === undefined || message.role !== 'user') return
    const isFiring = source.from === 'host' && ['routine', 'reminder'].includes(source.tag)
    if (isFiring) this.#ofJobs.add(took)
    if (source.from === 'person' || (isFiring && !this.#rooted.has(branch)))
      this.#roots.set(branch, this.#parts.get(took) ?? took)
  }

  /** A later part of a message, or one that was moved, goes back to the first. */
  #admit({ position, source, root }: EventOf<'inbound-admitted'>): void {
    this.#admitted.set(position, source)
    if (root === undefined || source.from !== 'person') return
    hold(
      this.#admitted.get(root)?.from === 'person',
      `[FACT1] ${position} is no part of a message at ${root}`,
    )
    this.#parts.set(position, root)
  }

  #send({ branch, from, position }: EventOf<'mail-sent'>): void {
    const root = this.#running.has(from) ? this.rootOf(from) : position
    this.#mail.set(branch, [...(this.#mail.get(branch) ?? []), { position, root }])
  }

  #start({ branch, turn, continues, position, root }: EventOf<'turn-started'>): void {
    this.#turns.set(turn, { branch, outcome: undefined })
    this.#running.add(branch)
    this.#rooted.delete(branch)
    if (root !== undefined) {
      const known = [this.rootOf(branch), this.#mail.get(branch)?.at(-1)?.root, ...this.#reminders.values()]
      hold(known.includes(root) || this.#admitted.has(root), `[CAUSE2] ${position} works for something else`)
      this.#rooted.add(branch)
      return void this.#roots.set(branch, root)
    }
    const before = continues === null ? undefined : this.#turns.get(continues)?.outcome
    if (before === 'failed' || before === 'stopped') this.#roots.set(branch, position)
    const mail = continues === null ? this.#mail.get(branch)?.at(-1) : undefined
    if (mail !== undefined) this.#roots.set(branch, mail.root)
  }
}
