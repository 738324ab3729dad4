import { admittedBefore } from '../../agent/state/inbox.ts'
import { turnTable } from '../../agent/state/tables.ts'
import { sentence } from '../../base/words.ts'
import type { ArrivingFile } from '../../channel/channel.ts'
import { getBranch } from '../../context/branch.ts'
import { messagesAdded } from '../../context/message-index.ts'
import { EventError } from '../../event/codec.ts'
import type { Happening } from '../../event/happening.ts'
import type { TurnId } from '../../event/id.ts'
import { OWNER } from '../../event/speaker.ts'
import type { Reader } from '../../event/table.ts'
import { takeFiles } from '../../file/take-files.ts'
import { LogError } from '../../log/log.ts'
import type { Life } from '../../runtime/life/life.ts'
import { programAddress, takenIn, type Taken } from '../../runtime/life/program-channel.ts'
import { startExchange, type Outcome, type Patience } from '../../runtime/terminal/exchange.ts'
import { answerIn } from './answer.ts'
import { ApiError } from './error.ts'
import { Growing } from './growing.ts'
import type { Tell } from './respond.ts'

export interface Question {
  readonly text: string
  readonly images: readonly Uint8Array[]
  readonly key: string
  readonly isSideJob: boolean
  /** Null: the client waits for as long as it takes. */
  readonly patienceMs: number | null
  /** Whether its turn is stopped when the client goes away. */
  readonly stopsOnAbort: boolean
}

interface Client {
  /** Aborted when it goes away. */
  readonly gone: AbortSignal
  readonly tell: Tell
}

/** Passes words on to main, and tells the client what comes of them. */
export async function ask(life: Life, question: Question, client: Client): Promise<void> {
  const waiting = life.programs.wait(question.key)
  const pieces = new Pieces((text) => client.tell({ kind: 'text', text }))
  const isServed = await answer({ life, question, client, pieces })
  // The response goes out before the log writes that it did.
  await new Promise(setImmediate)
  if (isServed) return waiting.served()
  waiting.leave()
  if (client.gone.aborted && question.stopsOnAbort) await stop(life, question.key)
}

interface Asking {
  readonly life: Life
  readonly question: Question
  readonly client: Client
  readonly pieces: Pieces
}

/** Resolves with whether the client has got what there is to get. */
async function answer(asking: Asking): Promise<boolean> {
  const { life, question, client, pieces } = asking
  const { agent, log, desk } = life
  const { key, patienceMs } = question
  const isRepeated = await log.read((reader) => admittedBefore(reader, programAddress, key) !== undefined)
  // Who asks for it again has missed pieces, and gets the whole answer at once.
  const unwatch = isRepeated ? undefined : agent.watch(pieces.hear)
  const outcome = await exchanged(asking).finally(() => unwatch?.())
  if (outcome === undefined && client.gone.aborted) return false
  const [now, settings] = [desk.now(), desk.settings()]
  const found =
    outcome === undefined || outcome instanceof ApiError
      ? (outcome ?? new ApiError(503, STOPPING, { code: 'stopping' }))
      : await log.read((reader) => answerIn(reader, { key, outcome, patienceMs, now, settings }))
  if (found instanceof ApiError) client.tell({ kind: 'failed', error: found })
  else {
    client.tell({ kind: 'taken', turn: found.turn })
    pieces.whole(found.text)
    client.tell({ kind: 'answered', answer: found })
  }
  return outcome !== undefined
}

/** Undefined: the client is gone, or the process ends. */
async function exchanged(asking: Asking): Promise<Outcome | ApiError | undefined> {
  const { life, question, client } = asking
  const { key, text, images, isSideJob, patienceMs } = question
  const done = new AbortController()
  const files = await takeFiles(life.desk.files, { files: images.map(imageFile) }, client.gone)
  const asked = { ...programAddress, person: OWNER, origin: 'token', messageId: key, text, files } as const
  const following = followTurn(asking, AbortSignal.any([client.gone, done.signal]))
  try {
    const exchange = await startExchange(life, isSideJob ? { ...asked, isSideJob } : asked, {
      signal: client.gone,
      patience: { ...patienceOf(patienceMs), with: 'answer', endsOnDeferral: true },
    })
    return await exchange.outcome
  } catch (error) {
    if (error instanceof EventError) return new ApiError(400, sentence(error.message))
    if (error instanceof LogError) return new ApiError(503, sentence(error.message))
    throw error
  } finally {
    done.abort()
    await following
  }
}

function imageFile(bytes: Uint8Array): ArrivingFile {
  return { kind: 'image', name: null, size: bytes.length, fetch: async () => bytes }
}

function patienceOf(ms: number | null): Pick<Patience, 'ms' | 'over'> {
  return ms === null
    ? { ms: Infinity, over: new AbortController().signal }
    : { ms, over: AbortSignal.timeout(ms) }
}

/** Names the turn as soon as it is known, and sends what it says. */
async function followTurn({ life, question, client, pieces }: Asking, signal: AbortSignal): Promise<void> {
  const taken = await takenBy(life, question.key, signal)
  if (taken === undefined) return
  client.tell({ kind: 'taken', turn: taken.turn })
  if (taken.isOwn) pieces.take(taken.turn)
}

async function takenBy({ agent, log }: Life, key: string, signal: AbortSignal) {
  if (!(await agent.until((reader) => takenIn(reader, key) !== undefined, signal))) return undefined
  return log.read((reader) => {
    const taken = takenIn(reader, key)
    return taken && { ...taken, isOwn: isOwn(reader, taken) }
  })
}

/** Stops its turn; if another one still runs before it, as soon as it begins. */
async function stop(life: Life, key: string): Promise<void> {
  const taken = await takenBy(life, key, new AbortController().signal)
  if (taken === undefined) return
  const state = await life.log.read((reader) => getBranch(reader, taken.branch).state)
  if (state.kind === 'running' && state.turn === taken.turn) await life.agent.stop(taken.branch)
}

const STOPPING =
  'Mainstem is stopping, and has not answered yet. Send the same request again after its next start.'

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
  #kept: OfTurn[] = []

  constructor(send: (text: string) => void) {
    this.#send = send
  }

  readonly hear = (happening: Happening): void => {
    if (!('turn' in happening)) return
    if (this.#turn !== undefined) this.#follow(happening)
    else if (happening.kind !== 'turn-ended') this.#kept.push(happening)
    else this.#kept = this.#kept.filter(({ turn }) => turn !== happening.turn)
  }

  take(turn: TurnId): void {
    this.#turn = turn
    for (const happening of this.#kept.splice(0)) this.#follow(happening)
  }

  whole(text: string): void {
    this.#say(this.#growing.whole(text))
  }

  #follow(happening: OfTurn): void {
    if (happening.turn !== this.#turn) return
    if (happening.kind === 'piece') this.#say(this.#growing.piece(happening.text))
    else if (happening.kind === 'pieces-void') this.#growing.stepOver()
    else if (happening.kind === 'retry-planned') this.#growing.again()
  }

  #say(text: string): void {
    if (text !== '') this.#send(text)
  }
}

type OfTurn = Extract<Happening, { readonly turn: TurnId }>
