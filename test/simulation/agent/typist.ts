import type { Received } from '../../../src/command/reception.ts'
import { handleOf, type BranchId } from '../../../src/event/id.ts'
import { isFull } from '../mortal-store.ts'
import type { AgentLife } from './agent-life.ts'
import type { ApprovalLaws } from './approval-laws.ts'
import { short, type Around } from './around.ts'
import { CHANNEL, countStops, type Typed } from './diary.ts'
import { MARKS } from './sim-model.ts'
import {
  answering,
  something,
  threeSayings,
  type Numbers,
  type PersonParts,
  type Saying,
} from './sim-person.ts'

/** The person at a keyboard, and the platforms that bring what is typed, some of it more than once. */
export class Typist {
  readonly #around: Around
  #life: AgentLife | undefined
  /** What the person waits to hear of. */
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

  /** A new process is up: platforms bring again what the one before never took, or never said that it did. */
  meet(life: AgentLife): void {
    this.#life = life
    this.#receiving = new Set()
    for (const typed of this.#around.diary.typed)
      if (typed.heard.length === 0 && !this.#around.chance.oneIn(3)) this.#giveAgain(typed)
  }

  type(): void {
    this.#type(something(this.#person))
  }

  /** Says yes or no to something that was asked, sometimes both, or other things at the same moment. */
  answer(): void {
    const { chance, number } = this.#around
    if (chance.oneIn(6)) this.#run(`/remember fact ${number()}`)
    if (chance.oneIn(6)) this.#run('/stop')
    for (let times = chance.oneIn(4) ? 2 : 1; times > 0; times--) this.#run(answering(this.#person))
  }

  /** Does something to a branch that is in the midst of something. */
  disturb(branch: BranchId): void {
    const { chance } = this.#around
    if (chance.oneIn(4)) return this.answer()
    const handle = handleOf(branch)
    const line = chance.pick([
      `/kill ${handle}`,
      `/kill ${handle}`,
      '/stop',
      '/exit',
      `/fork ${chance.pick(MARKS)}`,
    ])
    this.#run(line)
  }

  /** Three messages one after the other, which together give a task to a child. */
  async delegate(): Promise<void> {
    const { chance, clock } = this.#around
    for (const saying of threeSayings(this.#person)) {
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

  /** Everything that was given is taken. */
  async heardAll(): Promise<void> {
    await Promise.all(this.#receiving)
  }

  get #person(): PersonParts {
    const { chance, number, laws } = this.#around
    const approvals = () => numbersOf(laws.approvals)
    return { chance, number, known: () => laws.tree.known, approvals }
  }

  #run(line: string): void {
    this.#type({ text: line, expected: { kind: 'run', line } })
  }

  #type({ text, expected }: Saying, conversation = this.#somewhere()): void {
    const { chance, diary, number } = this.#around
    const key = chance.oneIn(8) ? null : `k${number()}`
    const typed: Typed = { conversation, key, text, expected, heard: [] }
    diary.typed.push(typed)
    this.#give(typed)
    // At the same moment, too.
    if (chance.oneIn(12)) this.#giveAgain(typed)
  }

  #somewhere(): string {
    return this.#around.chance.oneIn(6) ? 'phone' : 'desk'
  }

  #giveAgain(typed: Typed): void {
    if (typed.key === null) return
    this.#around.happenings.add('the same message again')
    this.#give(typed)
  }

  #give(typed: Typed): void {
    const { conversation, key: messageId, text } = typed
    const { story, diary } = this.#around
    if (this.#life === undefined) throw new Error('nobody lives who could hear it')
    story.push(`${conversation} types ${messageId}: ${short(text)}`)
    diary.stops += countStops(typed)
    const inbound = { channel: CHANNEL, conversation, person: 'owner', messageId, text }
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
      // Who is told that the disk is full can type it again.
      if (!isFull(error)) this.#around.broken ??= error
    }
  }
}

/** As a person can know them. */
export function numbersOf({ open, all }: ApprovalLaws): Numbers {
  const lines = open.filter(({ asked }) => asked.wish.kind === 'memory')
  const [numbers, ofLines] = [open, lines].map((some) => some.map(({ asked }) => asked.number))
  return { open: numbers ?? [], lines: ofLines ?? [], last: all.length }
}
