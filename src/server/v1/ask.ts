import { admittedBefore } from '../../agent/state/inbox.ts'
import { turnTable } from '../../agent/state/tables.ts'
import { sentence } from '../../base/words.ts'
import { getBranch } from '../../context/branch.ts'
import { messagesAdded } from '../../context/message-index.ts'
import { EventError } from '../../event/codec.ts'
import type { Happening } from '../../event/happening.ts'
import type { TurnId } from '../../event/id.ts'
import { OWNER } from '../../event/speaker.ts'
import type { Reader } from '../../event/table.ts'
import { LogError } from '../../log/log.ts'
import type { Life } from '../../runtime/life/life.ts'
import { programAddress } from '../../runtime/life/program-channel.ts'
import { startExchange, type Outcome, type Patience } from '../../runtime/terminal/exchange.ts'
import { answerIn, takenIn, type Answer, type Taken } from './answer.ts'
import { ApiError } from './error.ts'
import { Growing } from './growing.ts'

export interface Question {
  readonly text: string
  readonly key: string
  readonly isSideJob: boolean
  readonly patience: Pick<Patience, 'ms' | 'with'>
  /** Whether its turn is stopped when the client goes away. */
  readonly stopsOnAbort: boolean
}

/** What a client is told, in this order. The last is an answer or an error; nothing, if the client went away. */
export type Heard =
  | { readonly kind: 'taken'; readonly turn: TurnId }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly error: ApiError }

/** Passes words on to main, and tells what comes of them. `signal`: the client is gone. */
export function ask(life: Life, question: Question, signal: AbortSignal): ReadableStream<Heard> {
  return new ReadableStream<Heard>({
    start: (controller) => {
      new Asking(life, question, { signal, tell: (heard) => controller.enqueue(heard) }).run().then(
        () => controller.close(),
        (error: unknown) => controller.error(error),
      )
    },
  })
}

class Asking {
  readonly #life: Life
  readonly #question: Question
  readonly #gone: AbortSignal
  readonly #tell: (heard: Heard) => void
  readonly #pieces = new Pieces((text) => this.#tell({ kind: 'text', text }))

  constructor(
    life: Life,
    question: Question,
    { signal, tell }: { signal: AbortSignal; tell: (heard: Heard) => void },
  ) {
    this.#life = life
    this.#question = question
    this.#gone = signal
    this.#tell = tell
  }

  async run(): Promise<void> {
    const client = this.#life.programs.wait(this.#question.key)
    const isServed = await this.#answer()
    // The response goes out before the log writes that it did.
    await new Promise(setImmediate)
    if (isServed) return client.served()
    client.leave()
    if (this.#gone.aborted && this.#question.stopsOnAbort) await this.#stop()
  }

  /** Resolves with whether the client has got what there is to get. */
  async #answer(): Promise<boolean> {
    const { agent, log, desk } = this.#life
    const { key } = this.#question
    const isRepeated = await log.read((reader) => admittedBefore(reader, programAddress, key) !== undefined)
    // Who asks for it again has missed pieces, and gets the whole answer at once.
    const unwatch = isRepeated ? undefined : agent.watch(this.#pieces.hear)
    const outcome = await this.#exchange().finally(() => unwatch?.())
    if (outcome === undefined && this.#gone.aborted) return false
    const [now, settings] = [desk.now(), desk.settings()]
    const answer =
      outcome === undefined || outcome instanceof ApiError
        ? (outcome ?? new ApiError(503, STOPPING, { code: 'stopping' }))
        : await log.read((reader) => answerIn(reader, { key, outcome, now, settings }))
    if (answer instanceof ApiError) this.#tell({ kind: 'failed', error: answer })
    else {
      this.#tell({ kind: 'taken', turn: answer.turn })
      this.#pieces.whole(answer.text)
      this.#tell({ kind: 'answered', answer })
    }
    return outcome !== undefined
  }

  /** Undefined: the client is gone, or the process ends. */
  async #exchange(): Promise<Outcome | ApiError | undefined> {
    const { key, text, isSideJob, patience } = this.#question
    const [over, done] = [new AbortController(), new AbortController()]
    const timer = setTimeout(() => over.abort(), patience.ms)
    const asked = { ...programAddress, person: OWNER, messageId: key, text, isText: true } as const
    const taking = this.#taken(AbortSignal.any([this.#gone, done.signal]))
    try {
      const exchange = await startExchange(this.#life, isSideJob ? { ...asked, isSideJob } : asked, {
        signal: this.#gone,
        patience: { ...patience, over: over.signal, endsOnDeferral: true },
      })
      return await exchange.outcome
    } catch (error) {
      if (error instanceof EventError) return new ApiError(400, sentence(error.message))
      if (error instanceof LogError) return new ApiError(503, sentence(error.message))
      throw error
    } finally {
      clearTimeout(timer)
      done.abort()
      await taking
    }
  }

  async #taken(signal: AbortSignal): Promise<void> {
    const { agent, log } = this.#life
    const { key } = this.#question
    if (!(await agent.until((reader) => takenIn(reader, key) !== undefined, signal))) return
    const found = await log.read((reader) => {
      const taken = takenIn(reader, key)
      return taken && { turn: taken.turn, isOwn: isOwn(reader, taken) }
    })
    if (found === undefined) return
    this.#tell({ kind: 'taken', turn: found.turn })
    if (found.isOwn) this.#pieces.take(found.turn)
  }

  /** Stops its turn; if another one still runs before it, as soon as it begins. */
  async #stop(): Promise<void> {
    const { agent, log } = this.#life
    const { key } = this.#question
    const isTaken = (reader: Reader): boolean => takenIn(reader, key) !== undefined
    if (!(await agent.until(isTaken, new AbortController().signal))) return
    const running = await log.read((reader) => {
      const taken = takenIn(reader, key)
      const state = taken && getBranch(reader, taken.branch).state
      return state?.kind === 'running' && state.turn === taken?.turn ? taken.branch : undefined
    })
    if (running !== undefined) await agent.stop(running)
  }
}

const STOPPING =
  'Mainstem is stopping, and has not answered yet. Your message is kept and answered after the next start.'

/** Whether the turn began with it. A job's turn may take it on its way, and has said other things before. */
function isOwn(reader: Reader, { branch, turn, position }: Taken): boolean {
  const began = reader.row(turnTable, [turn])?.position ?? position
  const before = messagesAdded(reader, { src: branch, from: began, to: position })
  return before.every(({ message }) => message.role !== 'assistant')
}

/** The text of a turn as it comes. Until it is known which turn that is, what all of them say is kept. */
class Pieces {
  readonly #send: (text: string) => void
  readonly #growing = new Growing()
  #turn: TurnId | undefined
  #kept: Growth[] = []

  constructor(send: (text: string) => void) {
    this.#send = send
  }

  readonly hear = (happening: Happening): void => {
    if (isGrowth(happening)) {
      if (this.#turn === undefined) this.#kept.push(happening)
      else this.#follow(happening)
    } else if (happening.kind === 'turn-ended')
      this.#kept = this.#kept.filter(({ turn }) => turn !== happening.turn)
  }

  take(turn: TurnId): void {
    this.#turn = turn
    for (const happening of this.#kept.splice(0)) this.#follow(happening)
  }

  whole(text: string): void {
    this.#say(this.#growing.whole(text))
  }

  #follow(happening: Growth): void {
    if (happening.turn !== this.#turn) return
    if (happening.kind === 'piece') this.#say(this.#growing.piece(happening.text))
    else if (happening.kind === 'pieces-void') this.#growing.stepOver()
    else this.#growing.again()
  }

  #say(text: string): void {
    if (text !== '') this.#send(text)
  }
}

type Growth = Extract<Happening, { kind: 'piece' | 'pieces-void' | 'retry-planned' }>

function isGrowth(happening: Happening): happening is Growth {
  return ['piece', 'pieces-void', 'retry-planned'].includes(happening.kind)
}
