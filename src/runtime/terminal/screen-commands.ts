import { isWaiting } from '../../agent/state/inbox.ts'
import type { Received } from '../../command/door/reception.ts'
import type { Life } from '../life/life.ts'
import type { ScreenHappening } from '../../channel/terminal/port.ts'

/** The person's commands that are still running. The screen shows them, so that it does not look idle. */
export class TerminalCommands {
  readonly #tell: (happening: ScreenHappening) => void
  readonly #run: (work: Promise<void>) => Promise<void>
  readonly #ending = new AbortController()
  #last = 0

  constructor(owner: {
    tell: (happening: ScreenHappening) => void
    run: (work: Promise<void>) => Promise<void>
  }) {
    this.#tell = owner.tell
    this.#run = owner.run
  }

  /** Resolves when `received` does. `taken` resolves when nothing of it waits in the inbox, so a command is done then. */
  async follow(life: Life, text: string, received: Promise<Received>): Promise<{ taken: Promise<void> }> {
    // `//` begins a message.
    const id = /^\/[^/\s]/.test(text) ? ++this.#last : null
    if (id !== null)
      this.#tell({ kind: 'command-started', id, text: text.split('\n', 1)[0] ?? '', at: life.desk.now() })
    let taken = Promise.resolve()
    try {
      const what = await received
      if (what.kind === 'admitted') taken = this.#run(this.#untilTaken(life, what))
      return { taken }
    } finally {
      if (id !== null) void taken.then(() => this.#tell({ kind: 'command-ended', id }))
    }
  }

  end(): void {
    this.#ending.abort()
  }

  async #untilTaken(
    { agent }: Life,
    { branch, entries }: Extract<Received, { kind: 'admitted' }>,
  ): Promise<void> {
    await agent.until(
      (reader) => !entries.some((position) => isWaiting(reader, branch, position)),
      this.#ending.signal,
    )
  }
}
