export interface AgainOptions {
  /** Called with every error of the work; the caller sees the error as well. */
  readonly fail?: (error: unknown) => void
  /** Called when the work is done and nobody has asked for more. */
  readonly idle?: () => void
}

/** Work that is done whenever somebody asks: never twice at once, and once more when asked while it runs. */
export class Again {
  readonly #work: () => Promise<void>
  readonly #options: AgainOptions
  #running: Promise<void> | undefined
  #next: PromiseWithResolvers<void> | undefined
  #isRunning = false
  #isClosed = false

  constructor(work: () => Promise<void>, options: AgainOptions = {}) {
    this.#work = work
    this.#options = options
  }

  get isRunning(): boolean {
    return this.#isRunning
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Begins at once if nothing runs. Resolves, or rejects, with a round that began after this call. */
  ask(): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    if (this.#next === undefined) {
      this.#next = Promise.withResolvers<void>()
      // Nobody has to wait for it: `fail` hears of the error.
      this.#next.promise.catch(() => undefined)
    }
    const { promise } = this.#next
    if (!this.#isRunning) this.#running = this.#loop()
    return promise
  }

  /** Resolves when nothing runs, whatever was asked for meanwhile. */
  async settled(): Promise<void> {
    while (this.#isRunning) await this.#running
  }

  /** Begins nothing more; resolves when what runs is done. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.settled()
  }

  async #loop(): Promise<void> {
    this.#isRunning = true
    for (let round = this.#take(); round !== undefined; round = this.#take()) await this.#round(round)
    this.#isRunning = false
    this.#options.idle?.()
  }

  #take(): PromiseWithResolvers<void> | undefined {
    const next = this.#next
    this.#next = undefined
    if (!this.#isClosed) return next
    next?.resolve()
    return undefined
  }

  async #round({ resolve, reject }: PromiseWithResolvers<void>): Promise<void> {
    try {
      await this.#work()
      resolve()
    } catch (error) {
      this.#options.fail?.(error)
      reject(error)
    }
  }
}

/** Nobody waits for something that does not stop when it is told to. Undefined: it was told to before it was done. */
export function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined)
    signal.addEventListener('abort', stop, { once: true })
    void work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop))
  })
}
