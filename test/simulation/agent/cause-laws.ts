import type { AgentSettings } from '../../../src/agent/state/settings.ts'
import type { Event, EventOf } from '../../../src/event/event.ts'
import type { BranchId, TurnId } from '../../../src/event/id.ts'
import { hold } from '../witness.ts'

interface Turn {
  readonly branch: BranchId
  outcome: string | undefined
}

/** CAUSE1: no message and no firing causes more calls, tokens or branches than it may, in whichever branch. */
export class CauseLaws {
  /** As low as any of the settings that may count now. Not given: only the counting is tried. */
  max: (() => AgentSettings['causedMax']) | undefined
  readonly caused = new Map<number, { calls: number; tokens: number; branches: number }>()
  readonly #roots = new Map<BranchId, number>()
  readonly #turns = new Map<TurnId, Turn>()
  readonly #judged = new Set<string>()
  readonly #running = new Set<BranchId>()
  readonly #admitted = new Map<number, EventOf<'inbound-admitted'>['source']>()
  readonly #mail = new Map<BranchId, { position: number; root: number }[]>()

  take(event: Event): void {
    switch (event.kind) {
      case 'branch-created':
        this.#begin(event)
        if (event.author.by === 'model') this.#add(event, 'branches')
        return
      case 'run-started':
        return this.#begin(event)
      case 'inbound-admitted':
        return void this.#admitted.set(event.position, event.source)
      case 'message-added':
        return this.#takeUp(event)
      case 'mail-sent':
        return this.#send(event)
      case 'mail-read':
        return void this.#mail.delete(event.branch)
      case 'turn-started':
        return this.#start(event)
      case 'turn-ended': {
        const turn = this.#turns.get(event.turn)
        if (turn !== undefined) turn.outcome = event.outcome
        return void this.#running.delete(event.branch)
      }
      case 'model-called': {
        const { tokens } = this.#of(event.branch)
        const most = this.max?.().tokens ?? Infinity
        hold(tokens < most, `[CAUSE1] ${event.position} calls a model after ${tokens} tokens`)
        return this.#add(event, 'calls')
      }
      case 'model-failed': {
        const caused = this.#of(event.branch)
        caused.calls = Math.max(0, caused.calls - 1)
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

  #of(branch: BranchId): { calls: number; tokens: number; branches: number } {
    const root = this.rootOf(branch)
    const caused = this.caused.get(root) ?? { calls: 0, tokens: 0, branches: 0 }
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

  #begin({ branch, author, position }: EventOf<'branch-created' | 'run-started'>): void {
    const maker = author.by === 'model' ? this.#turns.get(author.turn)?.branch : undefined
    this.#roots.set(branch, maker === undefined ? position : this.rootOf(maker))
  }

  #takeUp({ branch, took, message }: EventOf<'message-added'>): void {
    const source = took === undefined ? undefined : this.#admitted.get(took)
    if (took === undefined || source === undefined || message.role !== 'user') return
    const isFiring = source.from === 'host' && ['routine', 'reminder'].includes(source.tag)
    if (source.from === 'person' || isFiring) this.#roots.set(branch, took)
  }

  #send({ branch, from, position }: EventOf<'mail-sent'>): void {
    const root = this.#running.has(from) ? this.rootOf(from) : position
    this.#mail.set(branch, [...(this.#mail.get(branch) ?? []), { position, root }])
  }

  #start({ branch, turn, continues, position }: EventOf<'turn-started'>): void {
    this.#turns.set(turn, { branch, outcome: undefined })
    this.#running.add(branch)
    const before = continues === null ? undefined : this.#turns.get(continues)?.outcome
    if (before === 'failed' || before === 'stopped') this.#roots.set(branch, position)
    const mail = continues === null ? this.#mail.get(branch)?.at(-1) : undefined
    if (mail !== undefined) this.#roots.set(branch, mail.root)
  }
}
