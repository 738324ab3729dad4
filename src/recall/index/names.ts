/** Names and their numbers, in the order in which they came. */
export class Names {
  readonly list: string[] = []
  readonly #numbers = new Map<string, number>()

  numberOf(name: string): number {
    return this.#numbers.get(name) ?? this.add(name)
  }

  /** Two stored names may be the same where one could not be stored as it was. */
  add(name: string): number {
    const number = this.list.push(name) - 1
    if (!this.#numbers.has(name)) this.#numbers.set(name, number)
    return number
  }
}
