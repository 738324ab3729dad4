import { say, type Said, type Saying } from '../api/act.ts'
import { ApiError } from '../api/client.ts'
import { now } from '../api/now.ts'
import { Store, useStore } from '../api/store.ts'
import { stream } from '../api/stream.ts'

/** Something typed, until the server has it. `problem`: it was refused, and is not sent again by itself. */
export interface Unsent extends Saying {
  readonly key: string
  readonly branch: string
  readonly at: number
  readonly problem?: string
  /** The server has it, and the timeline will show it. */
  readonly isSent?: true
}

const STORED = 'mainstem-unsent'
const AGAIN_MS = 3_000

/**
 * What was typed waits here with its key, also across reloads and in every tab, and is sent until the server has it.
 * The server does the same key once (PAGE3).
 */
class Outbox {
  readonly all = new Store(read())
  readonly #sending = new Set<string>()
  #isDue = false

  constructor() {
    stream.listen((item) => {
      if (item.kind === 'connected') this.#sendAll()
    })
    addEventListener('storage', ({ key }) => {
      if (key === STORED) this.all.set([...read(), ...this.all.get().filter((one) => one.isSent)])
    })
    this.#sendAll()
  }

  /** Resolves once the server has it; never, if it has to wait for another page. */
  send(saying: Saying & { readonly branch: string }): Promise<Said> {
    const unsent: Unsent = { ...saying, key: saying.key ?? crypto.randomUUID(), at: now() }
    this.#set([...this.all.get(), unsent])
    return new Promise((resolve) => void this.#send(unsent, resolve))
  }

  drop(key: string): void {
    this.#set(this.all.get().filter((one) => one.key !== key))
  }

  /** Those that the timeline shows by now. */
  dropShown(keys: ReadonlySet<string | null>): void {
    const all = this.all.get()
    const left = all.filter(({ key }) => !keys.has(key))
    if (left.length < all.length) this.#set(left)
  }

  #sendAll(): void {
    for (const unsent of this.all.get())
      if (unsent.problem === undefined && unsent.isSent === undefined) void this.#send(unsent)
  }

  async #send(unsent: Unsent, done?: (said: Said) => void): Promise<void> {
    const { key, at: _, isSent: __, problem: ___, ...saying } = unsent
    if (this.#sending.has(key)) return
    this.#sending.add(key)
    try {
      const said = await say({ key, ...saying })
      // A message is shown here until the timeline has it; a command shows its effect.
      const isMessage = said.kind === 'admitted' && said.said === undefined
      if (isMessage) this.#change(key, { isSent: true })
      else this.drop(key)
      done?.(said)
    } catch (error) {
      const status = error instanceof ApiError ? error.status : 0
      if (status === 0 || status === 503 || status === 429) this.#again()
      else this.#change(key, { problem: (error as Error).message })
    } finally {
      this.#sending.delete(key)
    }
  }

  #again(): void {
    if (this.#isDue) return
    this.#isDue = true
    setTimeout(() => {
      this.#isDue = false
      this.#sendAll()
    }, AGAIN_MS)
  }

  #change(key: string, change: Partial<Unsent>): void {
    this.#set(this.all.get().map((one) => (one.key === key ? { ...one, ...change } : one)))
  }

  #set(all: readonly Unsent[]): void {
    localStorage.setItem(STORED, JSON.stringify(all.filter((one) => !one.isSent)))
    this.all.set(all)
  }
}

function read(): readonly Unsent[] {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? '[]') as readonly Unsent[]
  } catch {
    return []
  }
}

export const outbox = new Outbox()

export function useUnsent(branch: string): readonly Unsent[] {
  return useStore(outbox.all).filter((one) => one.branch === branch)
}
