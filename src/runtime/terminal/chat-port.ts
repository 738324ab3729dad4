import { stopwatchMs, systemClock } from '../../base/clock.ts'
import { newKey } from '../../base/random.ts'
import type { Entry, ScreenHappening, Status, TerminalPort } from '../../channel/terminal/port.ts'
import { OwnerGone } from '../../client/socket.ts'
import { complete, type Choice, type Completion } from '../../command/read/complete.ts'
import type { SeatHappening, SeatLink, Seen } from './chat-seat.ts'

/** Takes a seat for a screen, at a life in this process or at that of another one. It returns before it tells anything. */
export type TakeSeat = (screen: {
  /** Undefined for a new screen. */
  readonly seen: Seen | undefined
  readonly tell: (happening: SeatHappening) => void
  /** Called when the seat is gone. */
  readonly lose: () => void
}) => SeatLink

interface PortOptions {
  /** Files that a command may name. */
  readonly files: () => readonly Choice[]
  /** The models of a local server, which are asked for beside the typing. */
  readonly installed: () => Promise<readonly { readonly model: string; readonly from: string }[]>
}

const INSTALLED_EVERY_MS = 5_000
const MODEL_LINE = /^\/model\s/

type Opening = Extract<SeatHappening, { kind: 'opened' }>
/** Waits until there is a screen. */
type ForScreen =
  | Exclude<SeatHappening, { kind: 'opened' | 'known' | 'received' | 'taken' | 'handing-over' | 'waiting' }>
  | Extract<ScreenHappening, { kind: 'queued' }>

/**
 * The port of a screen, which outlives the owner of the log. The seat below it is exchanged: what was typed and not
 * taken yet is handed in again with its key, and what was shown is known by its position, so that nothing is lost or
 * comes twice (OWNER1).
 */
export class ChatPort implements TerminalPort {
  readonly #options: PortOptions
  readonly #listeners = new Set<(happening: ScreenHappening) => void>()
  readonly #first = Promise.withResolvers<void>()
  readonly #watched = Promise.withResolvers<void>()
  /** Resolves once the first seat is taken: from then on there are a past and a status. */
  readonly isOpen = this.#first.promise
  /** Resolves once there is a screen. */
  readonly isWatched = this.#watched.promise
  #opened: Opening | undefined
  #link: SeatLink | undefined
  /** Until there is a screen. */
  #untold: ForScreen[] | undefined = []
  /** What was typed and not taken yet, by its key. */
  readonly #waiting = new Map<string, Typed>()
  /** The keys of those that are messages and are not shown as said yet. */
  readonly #unsaid = new Set<string>()
  /** The waiting messages, as the seat tells them. */
  #queued: Extract<SeatHappening, { kind: 'waiting' }>['waiting'] = []
  readonly #asked = new Set<number>()
  #isTurnRunning = false
  #commands = 0
  #installed: readonly Choice[] = []
  #installedAt = -INSTALLED_EVERY_MS

  constructor(options: PortOptions) {
    this.#options = options
  }

  get past(): readonly Entry[] {
    return this.#now.past
  }

  get typed(): readonly string[] {
    return this.#now.typed
  }

  status(): Status {
    return this.#now.status
  }

  /** Has a seat until it is gone or the signal comes. Resolves with whether another owner is about to come. */
  async sit(take: TakeSeat, signal: AbortSignal): Promise<'lost' | 'handed-over'> {
    let how: 'lost' | 'handed-over' = 'lost'
    const gone = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => gone.resolve(), { once: true })
    const tell = (happening: SeatHappening): void => {
      if (happening.kind === 'handing-over') how = 'handed-over'
      this.#hear(happening)
    }
    const link = take({ seen: this.#seen, tell, lose: gone.resolve })
    this.#link = link
    for (const typed of this.#waiting.values()) this.#handIn(typed)
    await gone.promise
    this.#link = undefined
    link.close()
    if (this.#isTurnRunning) this.#show({ kind: 'turn-ended' })
    this.#show({ kind: 'pieces-void' })
    return how
  }

  notice(text: string): void {
    this.#show({ kind: 'entry', entry: { kind: 'notice', text } })
  }

  async submit(text: string): Promise<void> {
    // `//` begins a message.
    const id = /^\/[^/\s]/.test(text) ? ++this.#commands : null
    const typed = this.#type(text, id === null ? 'message' : 'command')
    if (id !== null) {
      this.#tell({ kind: 'command-started', id, text: text.split('\n', 1)[0] ?? '', at: systemClock() })
      void typed.taken.promise.then(() => this.#tell({ kind: 'command-ended', id }))
    }
    await typed.received.promise
  }

  /** As if it were typed, so that the log says who stopped the turn, and the person is told. */
  async stop(): Promise<boolean> {
    if (!this.#isTurnRunning) return false
    await this.#type('/stop', 'command').received.promise
    return true
  }

  complete(line: string): readonly Completion[] {
    if (MODEL_LINE.test(line.trimStart())) this.#lookForModels()
    const { files } = this.#options
    const { known } = this.#now
    const others = this.#installed.filter(({ word }) => !known.MODEL.some((one) => one.word === word))
    const MODEL = [...known.MODEL, ...others]
    return complete(line, {
      ...known,
      MODEL,
      get FILE() {
        return files()
      },
    })
  }

  watch(listener: (happening: ScreenHappening) => void): () => void {
    this.#listeners.add(listener)
    const untold = this.#untold ?? []
    this.#untold = undefined
    this.#watched.resolve()
    for (const happening of untold) this.#show(happening)
    return () => this.#listeners.delete(listener)
  }

  get #now(): Opening {
    if (this.#opened === undefined) throw new TypeError('there is no seat yet')
    return this.#opened
  }

  get #seen(): Seen | undefined {
    if (this.#opened === undefined) return undefined
    const { said, shown } = this.#opened
    return { said, shown, asked: [...this.#asked] }
  }

  #type(text: string, kind: 'message' | 'command'): Typed {
    const typed = {
      key: newKey(),
      text,
      received: Promise.withResolvers<void>(),
      taken: Promise.withResolvers<void>(),
    }
    this.#waiting.set(typed.key, typed)
    // Most commands are done at once; one that waits is told as waiting.
    if (kind === 'message') this.#unsaid.add(typed.key)
    this.#tellQueued()
    this.#handIn(typed)
    return typed
  }

  #handIn({ key, text, received, taken }: Typed): void {
    this.#link?.typed(key, text).catch((error: unknown) => {
      // The next seat gets it.
      if (error instanceof OwnerGone) return
      this.#forget(key)
      received.reject(error)
      taken.resolve()
    })
  }

  #hear(happening: SeatHappening): void {
    switch (happening.kind) {
      case 'opened':
        return this.#open(happening)
      case 'known':
        return this.#know({ known: happening.known })
      case 'received':
        return this.#waiting.get(happening.key)?.received.resolve()
      case 'taken':
        this.#waiting.get(happening.key)?.taken.resolve()
        return this.#forget(happening.key)
      case 'waiting':
        this.#queued = happening.waiting
        return this.#tellQueued()
      case 'handing-over':
        return undefined
      default:
        return this.#show(happening)
    }
  }

  #open(opening: Opening): void {
    this.#first.resolve()
    this.#lookForModels()
    if (this.#opened === undefined) return void (this.#opened = opening)
    const { status, known, said, shown, past } = opening
    this.#opened = { ...this.#opened, known, said, shown }
    this.#show({ kind: 'status', status })
    for (const entry of past) this.#showSaid(entry)
  }

  #show(happening: ForScreen): void {
    if (happening.kind === 'status') this.#know({ status: happening.status })
    else if (this.#untold !== undefined) return void this.#untold.push(happening)
    switch (happening.kind) {
      case 'said':
        this.#know({ said: happening.position })
        return this.#showSaid(happening.entry)
      case 'delivered':
        return this.#showDelivery(happening)
      case 'turn-started':
      case 'turn-ended':
        this.#isTurnRunning = happening.kind === 'turn-started'
        return this.#tell(happening)
      case 'question-asked':
        this.#asked.add(happening.question.approval)
        return this.#tell(happening)
      case 'question-closed':
        this.#asked.delete(happening.approval)
        return this.#tell(happening)
      default:
        return this.#tell(happening)
    }
  }

  /** The owner may have died before it could write that this was shown. */
  #showDelivery({ id, entries }: Extract<ForScreen, { kind: 'delivered' }>): void {
    if (id > this.#now.shown) for (const entry of entries) this.#tell({ kind: 'entry', entry })
    this.#know({ shown: Math.max(id, this.#now.shown) })
    this.#link?.shown(id)
  }

  #know(news: Partial<Pick<Opening, 'known' | 'status' | 'said' | 'shown'>>): void {
    this.#opened = { ...this.#now, ...news }
  }

  /** An entry of the log; what was typed here is queued no more once it is one. */
  #showSaid(entry: Entry): void {
    this.#show({ kind: 'entry', entry })
    const key = entry.kind === 'said' ? entry.key : undefined
    if (key === undefined) return
    this.#unsaid.delete(key)
    this.#queued = this.#queued.filter((waiting) => waiting.key !== key)
    this.#tellQueued()
  }

  #forget(key: string): void {
    this.#waiting.delete(key)
    if (this.#unsaid.delete(key)) this.#tellQueued()
  }

  /** What the owner of the log knows to wait, then what was typed here and has not arrived there yet. */
  #tellQueued(): void {
    const known = new Set(this.#queued.map(({ key }) => key))
    const own = [...this.#unsaid].filter((key) => !known.has(key))
    const texts = [...this.#queued, ...own.flatMap((key) => this.#waiting.get(key) ?? [])]
    this.#show({ kind: 'queued', texts: texts.map(({ text }) => text) })
  }

  #tell(happening: ScreenHappening): void {
    for (const listener of this.#listeners) listener(happening)
  }

  /** What is found is offered from the next key on. A server that does not answer offers nothing. */
  #lookForModels(): void {
    if (stopwatchMs() - this.#installedAt < INSTALLED_EVERY_MS) return
    this.#installedAt = stopwatchMs()
    const look = async (): Promise<void> => {
      const found = await this.#options.installed()
      this.#installed = found.map(({ model, from }) => ({ word: model, help: from }))
    }
    void look()
  }
}

/** Something that was typed, until a turn has taken it or it was done. */
interface Typed {
  readonly key: string
  readonly text: string
  readonly received: PromiseWithResolvers<void>
  readonly taken: PromiseWithResolvers<void>
}
