import { join as pathOf } from 'node:path'
import { createInterface } from 'node:readline'
import { systemClock } from '../../base/clock.ts'
import { preferProduction, wantsColour } from '../../base/environment.ts'
import { messageOf } from '../../base/message-of.ts'
import { sentence } from '../../base/words.ts'
import { agentSettings, LiveConfig } from '../../runtime/home/live-config.ts'
import { ChatPort, type TakeSeat } from '../../runtime/terminal/chat-port.ts'
import { ChatSeat } from '../../runtime/terminal/chat-seat.ts'
import { fileChoices } from '../../runtime/terminal/status-line.ts'
import { ollamaFound } from '../../runtime/home/found-models.ts'
import { attachedSeat } from './attached-seat.ts'
import { sayLeft } from './batch.ts'
import { sayRemindersLeft } from './jobs-left.ts'
import { join } from './join.ts'
import { untilEnded, type Ending, type TalkCall } from './live.ts'
import { offerModel, type Question } from './model-offer.ts'
import { openOwnLife, type OwnLife } from './own-life.ts'
import { startNotices } from './start-notices.ts'

/** The chat on a terminal. */
export async function chat(call: TalkCall): Promise<number> {
  const offer = await offerModel(call, (text) => question(call, text))
  if (offer === 'interrupted') return 130
  // What is typed while everything loads is for the input box, not for the terminal to echo.
  process.stdin.setRawMode(true)
  return untilEnded(call.input, async (ending) => {
    const seating = new Seating(call, ending)
    ending.onEnd(() => seating.close())
    const seated = seating.keep()
    await Promise.race([seating.port.isOpen, seated])
    await Promise.race([showScreen(call, seating, ending.signal), seated])
    const life = seating.life
    if (life === undefined) return 0
    await sayLeft(call.err, life.agent.busy.length)
    if (!ending.signal.aborted) await sayRemindersLeft(life, { err: call.err, known: new Set() })
    return 0
  })
}

async function showScreen(call: TalkCall, { port, config }: Seating, signal: AbortSignal): Promise<void> {
  preferProduction()
  const { openScreen } = await import('../../channel/terminal/screen/screen.ts')
  const screen = openScreen(port, process, {
    colour: wantsColour(process.stdout, call.environment) ? 'colour' : 'plain',
    clock: systemClock,
    timeZone: agentSettings(config.values).zone,
    // The name that Ink and its other programs use.
    isSpoken: call.environment['INK_SCREEN_READER'] === 'true',
    notify: () => config.values.terminal.notify,
  })
  signal.addEventListener('abort', () => screen.close(), { once: true })
  await screen.finished
}

/** After a hand-over the process that asked for it is waited for. */
const HANDED_OVER_MS = 5_000

/** The seat of this chat: with the owner of the log if there is one, else at a life of its own, whatever dies. */
class Seating {
  readonly port: ChatPort
  readonly #call: TalkCall
  readonly #fail: (error: unknown) => void
  readonly #leaving = new AbortController()
  #config: LiveConfig | undefined
  #own: OwnLife | undefined

  constructor(call: TalkCall, { fail }: Ending) {
    this.#call = call
    this.#fail = fail
    this.port = new ChatPort({
      files: () => fileChoices(pathOf(call.home, 'workspace')),
      installed: () => ollamaFound(this.config.values.urls.ollama),
    })
  }

  /** What this process needs to know, also beside an owner that has read its own. */
  get config(): LiveConfig {
    const { home, environment, flags } = this.#call
    return (this.#config ??= new LiveConfig({ home, environment, flags }, () => undefined))
  }

  /** The life of this process, if it owns the log. */
  get life(): OwnLife['life'] | undefined {
    return this.#own?.life
  }

  /** Returns when the chat is closed. */
  async keep(): Promise<void> {
    const { home, err } = this.#call
    const { signal } = this.#leaving
    let joined = await join({
      home,
      open: () => this.#open(),
      beside: this.#aloneFor ?? 'attach',
      signal,
      onWait: (why) => void err.now(`mainstem: ${why}`),
    })
    if (joined.kind === 'opened')
      for (const text of startNotices(joined.opened.life, { home, way: 'chat' }))
        joined.opened.seats.notice(text)
    for (;;) {
      const how =
        joined.kind === 'attached'
          ? await this.port.sit(attachedSeat(joined.client, this.#fail), signal)
          : await this.#sitAt(joined.opened)
      if (signal.aborted) return
      joined = await join({
        home,
        open: () => this.#open(),
        beside: 'attach',
        attachFirstMs: how === 'handed-over' ? HANDED_OVER_MS : 0,
        timeoutMs: Number.POSITIVE_INFINITY,
        signal,
        onWait: (why) => this.port.notice(why),
      })
    }
  }

  async close(): Promise<void> {
    this.#leaving.abort()
    await this.#own?.close()
  }

  /** The option that only a life of this process can have. */
  get #aloneFor(): '--model' | '--set' | undefined {
    const { model, flags } = this.#call
    if (model !== undefined) return '--model'
    return Object.keys(flags).length > 0 ? '--set' : undefined
  }

  async #open(): Promise<OwnLife> {
    const { home, environment, flags } = this.#call
    const command = 'mainstem chat'
    this.#own = await openOwnLife({ home, environment, flags, command, schedules: true, fail: this.#fail })
    return this.#own
  }

  /** Until another process gets the log. */
  async #sitAt(own: OwnLife): Promise<'lost' | 'handed-over'> {
    const { life, seats } = own
    const take: TakeSeat = ({ seen, tell, lose }) => {
      void own.isWanted.then(lose)
      return new ChatSeat({ life, seats, seen, tell, fail: this.#fail })
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
      await own.listen({ rank: 'chat' })
    } catch (error) {
      this.port.notice(`Other windows cannot join this chat: ${sentence(messageOf(error))}`)
    }
  }
}

function question({ input, out }: TalkCall, text: string): ReturnType<Question> {
  return new Promise((resolve) => {
    const reader = createInterface({ input, output: out.stream })
    const answer = (given: Awaited<ReturnType<Question>>): void => {
      resolve(given)
      reader.close()
    }
    reader.on('SIGINT', () => answer('interrupted'))
    reader.on('close', () => resolve({ line: undefined }))
    reader.question(out.shown(text), (line) => answer({ line }))
  })
}
