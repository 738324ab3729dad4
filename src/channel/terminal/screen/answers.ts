import { GrowingMarkdown } from '../text/growing.ts'
import type { Pieces } from './live.ts'
import type { Look } from '../text/look.ts'
import type { Line } from '../text/wrap.ts'

/**
 * The answer that is being written, and the one before it for as long as its whole may still come: it is delivered
 * after its turn has ended, and the next turn may have begun by then.
 */
export class Answers {
  readonly #look: () => Look
  readonly #keepUnfinished: (text: string) => void
  #growing: GrowingMarkdown | null = null
  #released: { readonly growing: GrowingMarkdown; readonly timer: NodeJS.Timeout } | null = null

  /** What nobody finished is handed to `keepUnfinished`: the person has read it, so it must not vanish. */
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

  /** A turn has ended, or another begun: what was being written is complete, or never will be. */
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
