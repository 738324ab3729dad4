import type { Outgoing } from '../../../src/channel/channel.ts'
import type { Event, EventOf } from '../../../src/event/event.ts'
import type { Position } from '../../../src/event/id.ts'
import { hold } from '../witness.ts'
import type { Tree } from './tree.ts'

interface Intent {
  readonly intended: EventOf<'delivery-intended'>
  outcome: 'done' | 'failed' | undefined
  settledAt: Position | undefined
  /** The lives in which the person saw it. */
  readonly shownIn: number[]
}

/** The end of the log when a process opened it, and when its agent started. */
export interface Process {
  readonly life: number
  readonly foundAt: number
  readonly startedAt: number
}

/** SEND1: first the intent, then the network, then the outcome; in order, and shown again only after a death. */
export class PostLaws {
  readonly intents = new Map<Position, Intent>()
  readonly #tree: Tree
  readonly #outboxes = new Map<string, Intent[]>()
  #commandRun: EventOf<'command-run'> | undefined
  /** Pings written after their turn was over: the next commit says why. */
  #late = new Set<Position>()

  constructor(tree: Tree) {
    this.#tree = tree
  }

  get unsettled(): Intent[] {
    return [...this.#outboxes.values()].flat()
  }

  take(event: Event): void {
    this.#answerCommand(event)
    switch (event.kind) {
      case 'delivery-intended':
        return this.#intend(event)
      case 'delivery-done':
        return this.#settle(event, 'done')
      case 'delivery-failed':
        return this.#settle(event, 'failed')
      case 'ping-decided':
        if (event.delivery !== null && (event.of !== undefined || event.because === 'asked'))
          this.#late.delete(event.delivery)
        return
      case 'ping-settled':
        if (event.outcome === 'moved' && event.delivery !== null) this.#late.delete(event.delivery)
        return
      default:
    }
  }

  /** A message for a finished turn had been held, was snoozed, or goes elsewhere. */
  committed(): void {
    const [late] = this.#late
    hold(late === undefined, `${late} speaks for a turn that does not run`)
  }

  /** A person sees this now. */
  show(message: Outgoing, process: Process): void {
    const { id } = message
    const intent = this.intents.get(id)
    hold(intent !== undefined, `[SEND1] ${id} is sent before it is durable that it is meant`)
    hold(intent.outcome === undefined, `[SEND1] ${id} is sent though it is ${intent.outcome} already`)
    const first = this.#outboxes.get(addressOf(intent.intended))?.[0]?.intended.position
    hold(first === id, `[SEND1] ${id} is sent before ${first}`)
    this.shown(message, process)
  }

  /** A person saw this at some time in that process's life. */
  shown(message: Outgoing, { life, foundAt, startedAt }: Process): void {
    const { id, text, form, conversation, isAgain } = message
    const intent = this.intents.get(id)
    hold(intent !== undefined, `[SEND1] ${id} was sent, and it was never meant`)
    const { intended, settledAt, shownIn } = intent
    const isSame =
      intended.text === text && intended.form === form && intended.to.conversation === conversation
    hold(isSame, `[SEND1] ${id} is not sent as it was meant`)
    const isLate = settledAt !== undefined && settledAt <= foundAt
    hold(!isLate, `[SEND1] ${id} is sent though it was settled before that process began`)
    hold(!shownIn.includes(life), `[SEND1] ${id} is shown twice though nobody died`)
    hold(shownIn.length === 0 || isAgain, `[SEND1] ${id} is shown again, and does not say so`)
    hold(!isAgain || id <= startedAt, `[SEND1] ${id} says that it is shown again, and is not`)
    shownIn.push(life)
  }

  /** Nothing more will be sent. */
  settled(): void {
    const [left] = this.unsettled
    hold(left === undefined, `[SEND1] ${left?.intended.position} was never settled`)
    for (const [id, { outcome, shownIn }] of this.intents)
      hold(outcome !== 'done' || shownIn.length > 0, `[SEND1] ${id} is ${outcome}, and nobody saw it`)
  }

  /** A command and its answer belong together: the answer is the very next event. */
  #answerCommand(event: Event): void {
    const run = this.#commandRun
    if (run !== undefined) {
      const isAnswer =
        event.kind === 'delivery-intended' && event.form === 'output' && event.text === run.output
      hold(isAnswer, `nothing answers the command at ${run.position}`)
    }
    // A model's command, or one that came too late, is answered to nobody.
    const isAnswered = event.kind === 'command-run' && event.author.by !== 'policy'
    this.#commandRun = isAnswered ? event : undefined
  }

  #intend(event: EventOf<'delivery-intended'>): void {
    const intent: Intent = { intended: event, outcome: undefined, settledAt: undefined, shownIn: [] }
    this.intents.set(event.position, intent)
    const outbox = this.#outboxes.get(addressOf(event)) ?? []
    outbox.push(intent)
    this.#outboxes.set(addressOf(event), outbox)
    if (event.turn === null) return
    const turn = this.#tree.turn(event.turn)
    const { running } = this.#tree.branch(event.branch)
    if (running !== turn && event.form === 'ping') return void this.#late.add(event.position)
    hold(running === turn, `${event.position} speaks for ${turn.id}, which does not run`)
    if (event.form === 'answer') turn.answers++
    else if (!isBeside(event)) turn.notices++
  }

  #settle(
    { intent: id, position }: EventOf<'delivery-done' | 'delivery-failed'>,
    outcome: 'done' | 'failed',
  ) {
    const intent = this.intents.get(id)
    hold(intent !== undefined, `[SEND1] ${position} is the outcome of nothing that was meant`)
    const first = this.#outboxes.get(addressOf(intent.intended))?.shift()
    hold(first === intent, `[SEND1] ${id} is settled at ${position} before ${first?.intended.position}`)
    intent.outcome = outcome
    intent.settledAt = position
  }
}

/** Messages besides the turn's outcome. */
function isBeside({ form, text }: EventOf<'delivery-intended'>): boolean {
  if (form === 'question' || form === 'ping' || text.startsWith('catching up')) return true
  return text.includes('spending limit is used') || /^[\w:() ]+ was refused: /.test(text)
}

function addressOf({ to }: EventOf<'delivery-intended'>): string {
  return JSON.stringify([to.channel, to.conversation])
}
