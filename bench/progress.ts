const BAR_WIDTH = 30

/** Tells on the error output how far something is: a bar on a terminal, otherwise a line at every tenth. */
export class Progress {
  readonly #title: string
  readonly #out = process.stderr
  #tenths = 0

  constructor(title: string) {
    this.#title = title
  }

  update(share: number, note = ''): void {
    const percent = `${Math.floor(share * 100)}%`
    if (this.#out.isTTY) {
      const done = Math.round(share * BAR_WIDTH)
      const bar = '█'.repeat(done) + '░'.repeat(BAR_WIDTH - done)
      this.#out.write(`\r\x1b[K${this.#title} ${bar} ${percent.padStart(4)} ${note}`)
      if (share >= 1) this.#out.write('\r\x1b[K')
      return
    }
    const tenths = Math.floor(share * 10)
    if (tenths <= this.#tenths) return
    this.#tenths = tenths
    this.#out.write(`${this.#title}: ${percent} ${note}\n`)
  }
}
