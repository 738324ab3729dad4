/** Something that changes, with all that it was since the last commit: whoever writes next looked at one of these. */
export class Recent<T> {
  #values: T[]

  constructor(first: T) {
    this.#values = [first]
  }

  get now(): T {
    return this.#values.at(-1) as T
  }

  get all(): readonly T[] {
    return this.#values
  }

  change(value: T): void {
    this.#values.push(value)
  }

  /** What was written before is there now. */
  settle(): void {
    if (this.#values.length > 1) this.#values = [this.now]
  }
}
