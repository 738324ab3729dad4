import { currentFolder } from '../../base/environment.ts'
import { newKey } from '../../base/random.ts'
import { OwnerGone, OwnerRefusal, type OwnerClient } from '../../client/socket.ts'
import type { Owner } from '../../owner/owner-file.ts'
import type { BegunRun } from '../../runtime/terminal/asked-run.ts'
import type { Said, Told } from '../../runtime/terminal/conversation.ts'
import { CommandError } from '../frame/command.ts'
import { awaitOwner, besideFor, join } from './join.ts'
import type { Here, LinesOptions, Place, Wish } from './lines-place.ts'
import type { Ending } from './live.ts'

/** How long a process that lost its owner waits for another one before it opens the log. */
const NEXT_OWNER_MS = 1_000

/**
 * Says lines at the terminal, wherever its log is opened. When the owner goes away, the same key goes on at the next one,
 * so that everything is done and printed once (OWNER1).
 */
export class Lines {
  readonly #here: Here
  readonly #printed = new Set<number>()
  #place: Promise<Place> | undefined
  #attachFirstMs = 0

  constructor(call: Here['call'], options: LinesOptions, ending: Ending) {
    const print = (said: Said): Promise<void> => this.#print(said)
    const remark = (text: string): void => void call.err.now(`mainstem: ${text}`)
    const lost = (ms: number): void => this.#lose(this.#place, ms)
    this.#here = { call, options, ending, thread: newKey(), print, remark, lost }
  }

  /** Resolves once lines can be said, and what an earlier process left is finished. */
  open(): Promise<void> {
    return this.at(async () => undefined)
  }

  /** Resolves once everything it caused is done and printed; with undefined if there was nothing to do. */
  async say(text: string, more: Pick<Wish, 'patience' | 'files'> = {}): Promise<Told | undefined> {
    const wish = { key: newKey(), text, folder: currentFolder(), ...more }
    const told = await this.at((place) => place.say(wish))
    // Somebody else may have been shown it, as the screen of a chat that came back first.
    for (const said of told?.deliveries ?? []) await this.#print(said)
    return told
  }

  /** Works where the log is open, and again at the next place if that one is gone meanwhile. */
  async at<T>(work: (place: Place) => Promise<T>): Promise<T> {
    for (;;) {
      this.#place ??= this.#join()
      const place = this.#place
      try {
        return await work(await place)
      } catch (error) {
        if (!(error instanceof OwnerGone)) throw error
        this.#lose(place, NEXT_OWNER_MS)
      }
    }
  }

  #lose(place: Promise<Place> | undefined, nextOwnerMs: number): void {
    if (this.#place !== place) return
    this.#place = undefined
    this.#attachFirstMs = nextOwnerMs
    if (this.#here.options.sits === true && !this.#here.ending.signal.aborted)
      this.at(async () => undefined).catch(this.#here.ending.fail)
  }

  async #join(): Promise<Place> {
    const { call, options, ending, remark } = this.#here
    const isAgain = this.#attachFirstMs > 0
    const joined = await join({
      home: call.home,
      origin: options.origin,
      beside: besideFor(call.flags),
      attachFirstMs: this.#attachFirstMs,
      ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
      signal: ending.signal,
      onWait: remark,
      open: async () => (await import('./own-lines.ts')).openOwnLines(this.#here, { isAgain }),
    })
    return joined.kind === 'opened' ? joined.opened : attachedTo(joined, this.#here)
  }

  /** What the owner before has told already is not printed again. */
  async #print(said: Said): Promise<void> {
    if (this.#printed.has(said.id)) return
    this.#printed.add(said.id)
    await this.#here.options.printer.said(said)
  }
}

function attachedTo({ client, owner }: { client: OwnerClient; owner: Owner }, here: Here): Place {
  const { thread, options, ending, print, remark } = here
  const { signal } = ending
  let isOver = false
  ending.onEnd(async () => {
    isOver = true
    client.close()
  })
  const hear = async (path: string, body?: object): Promise<Told | null | undefined> => {
    let told: Told | null | undefined
    for await (const { event, data } of client.stream(path, signal, body)) {
      if (event === 'said') await print(data as Said)
      if (event === 'remark') remark(data as string)
      if (event === 'exit') options.exit?.()
      if (event === 'refused') throw new CommandError(data as string)
      if (event === 'outcome') told = data as Told | null
    }
    return told
  }
  if (options.sits === true)
    void hear(`/api/lines/${thread}`)
      .catch(() => undefined)
      .then(() => isOver || here.lost(NEXT_OWNER_MS))
  return {
    say: async (say) => {
      const asked = () => hear('/api/lines', { thread, say })
      const told = await awaitOwner({ client, owner }, { signal, onWait: remark }, asked)
      if (told === undefined && !signal.aborted) throw new OwnerGone('the owner ended')
      return told ?? undefined
    },
    begin: (wish) => client.call<BegunRun>('POST', '/api/runs', { body: wish, signal }).catch(refused),
    // Also after the signal that ends this process.
    kill: async (run) =>
      (await client.call<{ wasRunning: boolean }>('DELETE', `/api/runs/${run}`)).wasRunning,
    // Its steps come from the log, and everything else to the screens that look.
    flush: async () => undefined,
    // The owner goes on with what is left.
    rest: async (waitMs) => {
      if (waitMs > 0) await hear('/api/lines', { thread, waitMs })
    },
    owner,
  }
}

function refused(error: unknown): never {
  if (error instanceof OwnerRefusal) throw new CommandError(error.message, { cause: error })
  throw error
}
