/** A changing value with its recent past: a writer may have read it before the change. */
export class Lately<T> {
  readonly #past: { readonly value: T; readonly goneIn: number }[] = []
  readonly #commits: () => number
  #now: T

  constructor(first: T, commits: () => number) {
    this.#now = first
    this.#commits = commits
  }

  get now(): T {
    return this.#now
  }

  get all(): readonly T[] {
    const since = this.#commits() - COMMITS
    return [this.#now, ...this.#past.filter(({ goneIn }) => goneIn >= since).map(({ value }) => value)]
  }

  /** All values it ever had. */
  get ever(): readonly T[] {
    return [this.#now, ...this.#past.map(({ value }) => value)]
  }

  change(value: T): void {
    if (value === this.#now) return
    this.#past.push({ value: this.#now, goneIn: this.#commits() })
    this.#now = value
  }
}

/** A reader of many things lets others write in between. */
const COMMITS = 60
