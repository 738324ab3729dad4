import { join as pathOf } from 'node:path'
import { currentFolder } from '../../base/environment.ts'
import { messageOf } from '../../base/message-of.ts'
import { sentence } from '../../base/words.ts'
import type { Owner } from '../../owner/owner-file.ts'
import { ollamaFound } from '../../runtime/home/found-models.ts'
import { LiveConfig } from '../../runtime/home/live-config.ts'
import { ChatPort, type TakeSeat } from '../../runtime/terminal/chat-port.ts'
import { ChatSeat } from '../../runtime/terminal/chat-seat.ts'
import { fileChoices } from '../../runtime/terminal/status-line.ts'
import { attachedSeat } from './attached-seat.ts'
import { besideFor, HANDED_OVER_MS, join, type Joined, type OwnerCalled } from './join.ts'
import type { TalkCall } from './live.ts'
import { openOwnLife, type OwnLife } from './own-life.ts'
import { startNotices } from './start-notices.ts'

interface SeatingParts extends Pick<TalkCall, 'home' | 'environment' | 'flags'> {
  readonly fail: (error: unknown) => void
  /** Told what is waited for before there is a screen. */
  readonly onWait: (why: string) => void
}

/** The seat of a chat: with the owner of the log if there is one, else at a life of its own, whatever dies. */
export class Seating {
  readonly port: ChatPort
  readonly #parts: SeatingParts
  readonly #leaving = new AbortController()
  #config: LiveConfig | undefined
  #own: OwnLife | undefined

  constructor(parts: SeatingParts) {
    this.#parts = parts
    this.port = new ChatPort({
      files: () => fileChoices(pathOf(parts.home, 'workspace')),
      installed: () => ollamaFound(this.config.values.urls.ollama),
    })
  }

  /** What this process needs to know, also beside an owner that has read its own. */
  get config(): LiveConfig {
    const { home, environment, flags } = this.#parts
    return (this.#config ??= new LiveConfig({ home, environment, flags }, () => undefined))
  }

  /** The life of this process, if it owns the log. */
  get life(): OwnLife['life'] | undefined {
    return this.#own?.life
  }

  /** Returns when the chat is closed. */
  async keep(): Promise<void> {
    const { home, flags, onWait } = this.#parts
    const { signal } = this.#leaving
    const here = { home, origin: 'terminal', signal, open: () => this.#open() } as const
    let joined = await join({ ...here, beside: besideFor(flags), onWait })
    if (joined.kind === 'opened')
      for (const text of await startNotices(joined.opened.life, { home, way: 'chat' }))
        joined.opened.seats.notice(text)
    for (;;) {
      const before = joined.kind === 'attached' ? joined.owner : undefined
      const how = joined.kind === 'attached' ? await this.#attach(joined) : await this.#sitAt(joined.opened)
      if (signal.aborted) return
      joined = await join({
        ...here,
        beside: 'attach',
        attachFirstMs: how === 'handed-over' ? HANDED_OVER_MS : 0,
        timeoutMs: Number.POSITIVE_INFINITY,
        onWait: (why) => this.port.notice(why),
      })
      this.#sayTakeover(before, joined)
    }
  }

  /** Which process answers from now on: it has an environment of its own, and maybe another model. */
  #sayTakeover(before: Owner | undefined, now: Joined<OwnLife>): void {
    if (now.kind === 'opened') {
      if (before !== undefined) this.port.notice(`${nameOf(before)} ended. This window answers now.`)
    } else if (now.owner.pid !== before?.pid) {
      const ended = before === undefined ? '' : `${nameOf(before)} ended. `
      this.port.notice(`${ended}${nameOf(now.owner)} answers now.`)
    }
  }

  async close(): Promise<void> {
    this.#leaving.abort()
    await this.#own?.close()
  }

  async #open(): Promise<OwnLife> {
    const { home, environment, flags, fail } = this.#parts
    const command = 'mainstem chat'
    const own = await openOwnLife({ home, environment, flags, command, schedules: true, fail })
    // The chat may have been closed meanwhile.
    if (this.#leaving.signal.aborted) await own.close()
    else this.#own = own
    return own
  }

  async #attach(called: OwnerCalled): Promise<'lost' | 'handed-over'> {
    const { fail } = this.#parts
    const seat = attachedSeat(called, { fail, onWait: (why) => this.port.notice(why) })
    const sitting = this.port.sit(seat, this.#leaving.signal)
    // Ahead of time, so that others find this process at once when it takes over.
    await Promise.race([this.port.isWatched, sitting])
    await import('../../server/listen.ts')
    return sitting
  }

  /** Until another process gets the log. */
  async #sitAt(own: OwnLife): Promise<'lost' | 'handed-over'> {
    const { life, seats } = own
    const take: TakeSeat = ({ seen, tell, lose }) => {
      void own.isWanted.then(lose)
      return new ChatSeat({ life, seats, seen, tell, fail: this.#parts.fail, folder: currentFolder() })
    }
    const sitting = this.port.sit(take, this.#leaving.signal)
    void this.#listen(own)
    const how = await sitting
    if (this.#leaving.signal.aborted) return how
    this.#own = undefined
    await own.close()
    return how
  }

  /** After the screen is there, which is what the person waits for. */
  async #listen(own: OwnLife): Promise<void> {
    try {
      await this.port.isWatched
      if (this.#own === own && !this.#leaving.signal.aborted) await own.listen({ rank: 'chat' })
    } catch (error) {
      this.port.notice(`Other windows cannot join this chat: ${sentence(messageOf(error))}`)
    }
  }
}

function nameOf({ command, pid }: Owner): string {
  return `'${command}' (process ${pid})`
}
