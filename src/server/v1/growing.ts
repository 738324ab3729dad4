/** Said where an answer that a client already has in part begins again with other words. */
const AGAIN = '\n\n(The answer broke off and begins again.)\n\n'

/** The texts of an answer's steps, as one. */
export function joined(steps: readonly string[]): string {
  return steps.filter((text) => text.trim() !== '').join('\n\n')
}

/**
 * An answer that grows while a client reads it. Nothing that was sent can be taken back: the text of a step that ends in
 * tool calls stays, and a step that is tried again continues what was sent, if it says the same.
 */
export class Growing {
  /** The steps that are over. */
  #before = ''
  /** The step that is being said. */
  #said = ''
  /** What the client has, unless that is all of the above. */
  #sent: string | undefined = ''

  /** Returns what is to be sent; so does `whole`. */
  piece(text: string): string {
    this.#said += text
    if (this.#sent === undefined) return text
    const [sent, now] = [this.#sent, this.#now]
    if (sent.startsWith(now)) return ''
    this.#sent = undefined
    return now.startsWith(sent) ? now.slice(sent.length) : AGAIN + this.#said
  }

  /** Its step ends in tool calls. */
  stepOver(): void {
    this.#sent ??= this.#now
    this.#before = this.#now
    this.#said = ''
  }

  /** Its step begins again. */
  again(): void {
    this.#sent ??= this.#now
    this.#said = ''
  }

  whole(text: string): string {
    const sent = this.#sent ?? this.#now
    if (text.startsWith(sent)) return text.slice(sent.length)
    return text.trimEnd() === sent.trimEnd() ? '' : AGAIN + text
  }

  get #now(): string {
    return joined([this.#before, this.#said])
  }
}
