import { GrowingMarkdown } from '../text/growing.ts'
import type { Pieces } from './live.ts'
import type { Look } from '../text/look.ts'
import type { Line } from '../text/wrap.ts'

/**
 * The answer that is being written, and the previous one until its final text arrives: that is delivered after its turn
 * has ended, when the next turn may have begun.
 */
export class Answers {
  readonly #look: () => Look
  readonly #keepUnfinished: (text: string) => void
  #growing: GrowingMarkdown | null = null
  #released: { readonly growing: GrowingMarkdown; readonly timer: NodeJS.Timeout } | null = null

  /** An answer whose final text never comes goes to `keepUnfinished`: the person has read it, so it must not vanish. */
  constructor(look: () => Look, keepUnfinished: (text: string) => void) {
    this.#look = look
    this.#keepUnfinished = keepUnfinished
  }

  change(pieces: Pieces): void {
    if (pieces === 'keep') return
    if (pieces === 'drop') {
      this.#forgetReleased()
      this.#growing = null
    } else if ('add' in pieces) {
      this.#growing ??= new GrowingMarkdown(this.#look())
      this.#growing.add(pieces.add)
    } else if (this.#isOfReleased(pieces.whole)) this.#forgetReleased()
    else this.#growing = null
  }

  /** Called when a turn ends or begins: the answer being written is now complete, or never will be. */
  release(): void {
    if (this.#growing === null) return
    this.#settleReleased()
    const timer = setTimeout(() => this.#settleReleased(), PATIENCE_MS)
    this.#released = { growing: this.#growing, timer }
    this.#growing = null
  }

  last(count: number): { readonly lines: readonly Line[]; readonly above: number } {
    return (this.#growing ?? this.#released?.growing)?.last(count) ?? { lines: [], above: 0 }
  }

  relook(): void {
    this.#growing?.relook(this.#look())
    this.#released?.growing.relook(this.#look())
  }

  end(): void {
    this.release()
    this.#settleReleased()
  }

  #isOfReleased(whole: string): boolean {
    if (this.#released === null) return false
    return this.#growing === null || whole.trim().startsWith(this.#released.growing.text().trim())
  }

  #settleReleased(): void {
    const text = this.#released?.growing.text().trim() ?? ''
    this.#forgetReleased()
    if (text !== '') this.#keepUnfinished(text)
  }

  #forgetReleased(): void {
    if (this.#released !== null) clearTimeout(this.#released.timer)
    this.#released = null
  }
}

const PATIENCE_MS = 1_000
