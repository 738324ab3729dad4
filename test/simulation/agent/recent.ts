/** A changing value with all its values since the last commit: the next writer has read one of these. */
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

  /** Everything written before is durable now. */
  settle(): void {
    if (this.#values.length > 1) this.#values = [this.now]
  }
}
