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

  /** Resolves with what `received` does; the command may take longer than that. */
  async follow(life: Life, text: string, received: Promise<Received>): Promise<void> {
    if (!isMaybeCommand(text)) return void (await received)
    const id = ++this.#last
    this.#tell({ kind: 'command-started', id, text: text.split('\n', 1)[0] ?? '', at: life.desk.now() })
    let isWaitedFor = false
    try {
      const what = await received
      isWaitedFor = what.kind === 'admitted'
      if (what.kind === 'admitted') void this.#run(this.#untilTaken(life, what, id))
    } finally {
      if (!isWaitedFor) this.#tell({ kind: 'command-ended', id })
    }
  }

  end(): void {
    this.#ending.abort()
  }

  /** A command leaves the inbox when it is done. */
  async #untilTaken(
    { agent }: Life,
    { branch, entries }: Extract<Received, { kind: 'admitted' }>,
    id: number,
  ): Promise<void> {
    await agent.until(
      (reader) => !entries.some((position) => isWaiting(reader, branch, position)),
      this.#ending.signal,
    )
    this.#tell({ kind: 'command-ended', id })
  }
}

/** `//` begins a message. */
function isMaybeCommand(text: string): boolean {
  return /^\/[^/\s]/.test(text)
}
