import { isOwners } from '../../agent/state/person.ts'
import type { Event } from '../../event/event.ts'
import type { Happening } from '../../event/happening.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Log } from '../../log/log.ts'
import type { Life } from '../../runtime/life/life.ts'
import type { Seats } from '../../runtime/terminal/seats.ts'
import { shownAs } from '../../view/log.ts'
import { StreamReader, type Bounds } from './stream-reader.ts'

const BOUNDS: Bounds = { behindBytesMax: 256 * 1024, patienceMs: 30_000 }
const KEEP_ALIVE_MS = 15_000
const KEEP_ALIVE = Buffer.from(':\n\n')

type Current = Exclude<Happening, { kind: 'changed' }>
type Started = Extract<Happening, { kind: 'turn-started' }>

interface Following {
  readonly stop: AbortController
  readonly keepAlive: NodeJS.Timeout
}

export interface BroadcastOptions extends Partial<Bounds> {
  readonly keepAliveMs?: number
  /** Whether the readers may know what is said in a branch (PEOPLE2). */
  readonly isOwn?: (reader: Reader, branch: BranchId) => boolean
}

/**
 * Tells many streams what the agent does: they share one subscription to the log, and every item is turned into bytes
 * once. Events are told in order and without a gap; a happening comes after all events that were durable before it.
 */
export class Broadcast {
  readonly #log: Log
  readonly #isOwn: NonNullable<BroadcastOptions['isOwn']>
  /** By branch; it never changes. Asking the log for each event would spread a commit over several writes. */
  readonly #owned = new Map<BranchId, boolean>()
  readonly #fail: (error: unknown) => void
  readonly #options: BroadcastOptions
  readonly #unwatch: () => void
  readonly #readers = new Set<StreamReader>()
  /** Those who have caught up. */
  readonly #live = new Set<StreamReader>()
  /** Turns that run, with what their models have said so far, for readers who join later. */
  readonly #running = new Map<BranchId, { readonly started: Started; text: string }>()
  /** Happenings that wait for the events before them. */
  #waiting: { readonly happening: Current; readonly after: number }[] = []
  /** Items for those who are live. */
  readonly #untold: { readonly bytes: Uint8Array; readonly position: number | undefined }[] = []
  /** Of all events up to here, everybody live has been told or is about to be. */
  #position = 0
  /** Only while somebody reads. */
  #following: Following | undefined

  constructor(
    { log, agent, progress }: Pick<Life, 'log' | 'agent'> & { readonly progress?: Seats['progress'] },
    fail: (error: unknown) => void,
    options: BroadcastOptions = {},
  ) {
    this.#log = log
    this.#isOwn = options.isOwn ?? isOwners
    this.#fail = fail
    this.#options = options
    // A turn that an earlier process left goes on before anybody listens.
    for (const happening of progress?.soFar() ?? []) this.#hear(happening)
    this.#unwatch = agent.watch((happening) => {
      if (happening.kind !== 'changed') this.#hear(happening)
    })
  }

  /**
   * A stream of every event after `after`, and of what happens meanwhile. `end` is the end of the log, read just now.
   * `drop` ends the connection of a reader who does not even take the end of the stream.
   */
  open({ after, end }: { after: number; end: number }, drop: () => void): StreamReader {
    const reader: StreamReader = new StreamReader({
      ...BOUNDS,
      ...this.#options,
      position: after,
      drop,
      left: () => this.#leave(reader),
    })
    this.#readers.add(reader)
    this.#following ??= this.#start(end)
    // With an id, so that a reader that reconnects before the first event resumes here.
    reader.send(sentBytes('opened', JSON.stringify({ position: after }), after))
    this.#catchUp(reader).catch(this.#fail)
    return reader
  }

  close(): void {
    this.#unwatch()
    for (const reader of this.#readers) reader.end()
  }

  /** From the log itself and at the reader's own pace. */
  async #catchUp(reader: StreamReader): Promise<void> {
    if (reader.position >= this.#position) return this.#join(reader)
    for await (const event of this.#log.follow(reader.position, reader.gone)) {
      if (!(await reader.hasRoom())) return reader.cut()
      const bytes = await this.#bytesOf(event)
      reader.send(bytes, event.position)
      // At once: an event that is told during an await would be missed.
      if (event.position >= this.#position) return this.#join(reader)
    }
    reader.end()
  }

  #join(reader: StreamReader): void {
    if (reader.gone.aborted) return
    // Before this reader joins: it has these items from the log already.
    this.#tellAll()
    for (const { started, text } of this.#running.values()) {
      const { branch, turn } = started
      reader.send(happeningBytes(started))
      if (text !== '') reader.send(happeningBytes({ kind: 'piece', branch, turn, text }))
    }
    this.#live.add(reader)
  }

  #leave(reader: StreamReader): void {
    this.#live.delete(reader)
    this.#readers.delete(reader)
    if (this.#readers.size > 0 || this.#following === undefined) return
    this.#following.stop.abort()
    clearInterval(this.#following.keepAlive)
    this.#following = undefined
    for (const { happening } of this.#waiting.splice(0)) this.#remember(happening)
  }

  #start(end: number): Following {
    const stop = new AbortController()
    this.#position = end
    this.#follow(end, stop.signal).catch(this.#fail)
    const { keepAliveMs = KEEP_ALIVE_MS } = this.#options
    return { stop, keepAlive: setInterval(() => this.#tell(KEEP_ALIVE), keepAliveMs).unref() }
  }

  async #follow(after: number, signal: AbortSignal): Promise<void> {
    for await (const event of this.#log.follow(after, signal)) {
      const bytes = await this.#bytesOf(event)
      if (signal.aborted) return
      this.#position = event.position
      this.#tell(bytes, event.position)
      this.#tellWaiting()
    }
    // The log was closed.
    if (!signal.aborted) for (const reader of this.#readers) reader.end()
  }

  /** Takes the end of the log at this moment: what is durable by now comes first. */
  #hear(happening: Current): void {
    const heard = this.#log.read((reader) => {
      return this.#isOwn(reader, happening.branch) ? reader.end : undefined
    })
    const tell = (after: number | undefined): void => {
      if (after !== undefined) this.#waiting.push({ happening, after })
      this.#tellWaiting()
    }
    // If the log is closed, so are the streams.
    void heard.then(tell, () => undefined)
  }

  async #bytesOf(event: Event): Promise<Uint8Array> {
    const { branch } = event
    const isOwn = this.#owned.get(branch) ?? (await this.#log.read((reader) => this.#isOwn(reader, branch)))
    this.#owned.set(branch, isOwn)
    return sentBytes('event', JSON.stringify(shownAs(event, { isOwn })), event.position)
  }

  #tellWaiting(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#following !== undefined && next.after > this.#position) return
      this.#waiting.shift()
      this.#remember(next.happening)
      this.#tell(happeningBytes(next.happening))
    }
  }

  #remember(happening: Current): void {
    const { kind, branch } = happening
    const turn = this.#running.get(branch)
    if (kind === 'turn-started') this.#running.set(branch, { started: happening, text: '' })
    else if (kind === 'turn-ended') this.#running.delete(branch)
    else if (turn !== undefined && kind === 'piece') turn.text += happening.text
    else if (turn !== undefined && (kind === 'pieces-void' || kind === 'retry-planned')) turn.text = ''
  }

  /** What comes in one turn of the event loop is written to every reader as one. */
  #tell(bytes: Uint8Array, position?: number): void {
    if (this.#live.size === 0) return
    if (this.#untold.length === 0) setImmediate(() => this.#tellAll())
    this.#untold.push({ bytes, position })
  }

  #tellAll(): void {
    const items = this.#untold.splice(0)
    if (items.length === 0) return
    const together = Buffer.concat(items.map(({ bytes }) => bytes))
    const positions = items.flatMap(({ position }) => position ?? [])
    const [first = Infinity] = positions
    for (const reader of this.#live) {
      if (reader.position < first) reader.send(together, positions.at(-1))
      // One who has caught up from the log may be ahead.
      else
        for (const { bytes, position } of items)
          if (position === undefined || position > reader.position) reader.send(bytes, position)
    }
  }
}

function happeningBytes(happening: Current): Uint8Array {
  return sentBytes('happening', JSON.stringify(happening))
}

/** One server-sent event. JSON has no line breaks of its own. */
function sentBytes(name: string, json: string, id?: number): Uint8Array {
  return Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${json}\n\n`)
}
