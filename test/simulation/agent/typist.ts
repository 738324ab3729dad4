import type { Received } from '../../../src/command/door/reception.ts'
import type { EventOf } from '../../../src/event/event.ts'
import { handleOf, type BranchId } from '../../../src/event/id.ts'
import { isFull } from '../mortal-store.ts'
import type { AgentLife } from './agent-life.ts'
import type { ApprovalLaws } from './approval-laws.ts'
import { short, type Around } from './around.ts'
import { CHANNEL, countStops, type Typed } from './diary.ts'
import { MARKS } from './sim-model.ts'
import {
  answering,
  atOnce,
  atTurnEnd,
  scheduleCommand,
  something,
  tangent,
  threeSayings,
  type Numbers,
  type PersonParts,
  type Saying,
} from './sim-person.ts'

/** The person at a keyboard, and the platforms that deliver the text, sometimes more than once. */
export class Typist {
  readonly #around: Around
  #life: AgentLife | undefined
  /** Deliveries that the person waits for. */
  #receiving = new Set<Promise<void>>()

  constructor(around: Around) {
    this.#around = around
  }

  get isWaiting(): boolean {
    return this.#receiving.size > 0
  }

  hasMet(life: AgentLife): boolean {
    return this.#life === life
  }

  /** A new process is up: platforms deliver again what the previous one never took, or never confirmed. */
  meet(life: AgentLife): void {
    this.#life = life
    this.#receiving = new Set()
    for (const typed of this.#around.diary.typed)
      if (typed.heard.length === 0 && !this.#around.chance.oneIn(3)) this.#giveAgain(typed)
  }

  type(): void {
    this.#type(something(this.#person))
  }

  /** Answers an approval with yes or no, sometimes both, or does something else at the same moment. */
  answer(): void {
    const { chance, number } = this.#around
    if (chance.oneIn(6)) this.#run(`/remember fact ${number()}`)
    if (chance.oneIn(6)) this.#run('/stop')
    for (let times = chance.oneIn(4) ? 2 : 1; times > 0; times--) this.#run(answering(this.#person))
  }

  /** Does something to a branch that is busy. */
  disturb(branch: BranchId): void {
    const { chance } = this.#around
    if (chance.oneIn(4)) return this.answer()
    const handle = handleOf(branch)
    const line = chance.pick([
      `/kill ${handle}`,
      `/kill ${handle}`,
      '/stop',
      '/exit',
      '/save',
      `/fork ${chance.pick(MARKS)}`,
    ])
    this.#type(line === '/save' ? atTurnEnd(line) : atOnce(line))
  }

  /** Three messages in a row that together give a task to a child. */
  delegate(): Promise<void> {
    return this.#typeAll(threeSayings(this.#person))
  }

  digress(): Promise<void> {
    return this.#typeAll(tangent(this.#person))
  }

  /** Starts several jobs at once. */
  send(): void {
    const { chance, number } = this.#around
    for (let jobs = 1 + chance.below(3); jobs > 0; jobs--) this.#run(`/run job-${number()}.md`)
  }

  /** Replies to one of the last unasked messages, by its number. */
  reply(): void {
    const { chance, number, laws } = this.#around
    const { counts } = laws.pings
    if (counts.length === 0) return this.send()
    const [conversation, last] = chance.pick(counts)
    const text = `/reply ${Math.max(1, last - chance.below(3))} reply ${number()}`
    this.#type(atOnce(text), conversation)
  }

  /** Commands about jobs and pings. */
  schedule(): void {
    const { chance, laws } = this.#around
    const { counts } = laws.pings
    const [there, most] = counts.length > 0 ? chance.pick(counts) : (['desk', 0] as const)
    const person = { ...this.#person, unasked: () => most }
    if (!chance.oneIn(3)) return this.#type(atOnce(scheduleCommand(person)), there)
    const line = chance.pick(['done', 'later', 'snooze 1m', 'less of this'])
    const last = this.#lastPing(there)
    // The platform's id of the message.
    this.#type({ text: line, expected: { kind: 'word', line } }, there, last && `p${last.position}`)
  }

  /** Asks for fewer pings of the job that wrote last. */
  less(): void {
    const ping = this.#lastPing()
    if (ping?.number !== undefined) this.#type(atOnce(`/less ${ping.number}`), ping.to.conversation)
  }

  #lastPing(conversation?: string): EventOf<'delivery-intended'> | undefined {
    const { laws } = this.#around
    const shown = [...laws.post.intents.values()].findLast(({ intended, outcome }) => {
      const isThere = conversation === undefined || intended.to.conversation === conversation
      return isThere && intended.form === 'ping' && intended.number !== undefined && outcome === 'done'
    })
    return shown?.intended
  }

  /** Resumes everything that is paused. */
  async resumeAll(): Promise<void> {
    const paused = ['', 'daily-0', 'daily-1', 'routine daily-2', 'once-0', 'once-1']
    for (const job of paused) this.#type(atOnce(`/resume ${job}`.trim()), 'desk')
    await this.#around.chance.lag()
  }

  /** Switches to a branch that may have ended long ago. */
  return(): void {
    const { chance, laws } = this.#around
    const ended = [...laws.tree.branches.values()].filter(({ isEnded }) => isEnded)
    if (ended.length > 0) this.#run(`/switch ${handleOf(chance.pick(ended).id)}`)
  }

  async #typeAll(sayings: readonly Saying[]): Promise<void> {
    const { chance, clock } = this.#around
    for (const saying of sayings) {
      this.#type(saying, 'desk')
      await chance.lag()
      if (chance.oneIn(4)) clock.next()
      if (this.#life?.isDead === true) return
    }
  }

  typeAgain(): void {
    const { chance, diary } = this.#around
    const recent = diary.typed.slice(-6)
    if (recent.length > 0) this.#giveAgain(chance.pick(chance.oneIn(3) ? diary.typed : recent))
  }

  /** Resolves once everything given was taken. */
  async heardAll(): Promise<void> {
    await Promise.all(this.#receiving)
  }

  get #person(): PersonParts {
    const { chance, number, laws } = this.#around
    const approvals = () => numbersOf(laws.approvals)
    const unasked = () => laws.pings.numbersMax
    return { chance, number, known: () => laws.tree.known, approvals, unasked }
  }

  #run(line: string): void {
    this.#type(atOnce(line))
  }

  #type({ text, expected }: Saying, conversation = this.#somewhere(), to?: string): void {
    const { chance, diary, number } = this.#around
    const key = chance.oneIn(8) ? null : `k${number()}`
    const replyTo = to ?? this.#repliesTo(conversation)
    const typed: Typed = { conversation, key, text, expected, heard: [], ...(replyTo && { replyTo }) }
    diary.typed.push(typed)
    this.#give(typed)
    // Possibly at the same moment.
    if (chance.oneIn(12)) this.#giveAgain(typed)
  }

  /** Sometimes the platform's id of a message shown there, sometimes one that never existed. */
  #repliesTo(conversation: string): string | undefined {
    const { chance, laws } = this.#around
    if (!chance.oneIn(8)) return undefined
    const shown = [...laws.post.intents.values()].filter(
      ({ intended, outcome }) => intended.to.conversation === conversation && outcome === 'done',
    )
    const numbered = shown.filter(({ intended }) => intended.number !== undefined)
    const some = numbered.length > 0 && !chance.oneIn(3) ? numbered : shown
    return some.length === 0 ? 'p0' : `p${chance.pick(some).intended.position}`
  }

  #somewhere(): string {
    return this.#around.chance.weighted([
      [20, 'desk'],
      [4, 'phone'],
      [1, 'watch'],
    ])
  }

  #giveAgain(typed: Typed): void {
    if (typed.key === null) return
    this.#around.happenings.add('the same message again')
    this.#give(typed)
  }

  #give(typed: Typed): void {
    const { conversation, key: messageId, text, replyTo } = typed
    const { story, diary, chance } = this.#around
    if (this.#life === undefined) throw new Error('nobody lives who could hear it')
    const about = replyTo === undefined ? '' : ` (to ${replyTo})`
    story.push(`${conversation} types ${messageId}${about}: ${short(text)}`)
    diary.stops += countStops(typed)
    const reply = replyTo !== undefined && { replyTo: { messageId: replyTo, text: 'as it was' } }
    const button = isButton(text) && chance.oneIn(2) && { isButton: true as const }
    const inbound = {
      channel: CHANNEL,
      conversation,
      origin: 'terminal' as const,
      person: 'owner',
      messageId,
      text,
      ...reply,
      ...button,
    }
    const receiving = this.#hear(this.#life.receive(inbound), typed)
    const receivings = this.#receiving
    const forget = (): boolean => receivings.delete(receiving)
    receivings.add(receiving)
    receiving.then(forget, forget)
  }

  async #hear(receiving: Promise<Received>, { heard }: Typed): Promise<void> {
    try {
      heard.push(await receiving)
    } catch (error) {
      // A person who is told that the disk is full can type it again.
      if (!isFull(error)) this.#around.broken ??= error
    }
  }
}

/** Whether it is one of the choices under a message. */
function isButton(text: string): boolean {
  return ['/save', '/report', '/exit', 'yes please'].includes(text)
}

/** The numbers that a person can know. */
export function numbersOf({ open, all }: ApprovalLaws): Numbers {
  const lines = open.filter(({ asked }) => asked.wish.kind === 'memory')
  const [numbers, ofLines] = [open, lines].map((some) => some.map(({ asked }) => asked.number))
  return { open: numbers ?? [], lines: ofLines ?? [], last: all.length }
}
