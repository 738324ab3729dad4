import { mock } from 'node:test'
import { setTimeout as realPause } from 'node:timers/promises'
import { styleFor } from '../../src/base/style.ts'
import { Chat } from '../../src/channel/terminal/screen/chat.ts'
import type { TerminalPort } from '../../src/channel/terminal/port.ts'
import { startNotices } from '../../src/cli/talk/start-notices.ts'
import { openLife, type Life } from '../../src/runtime/life/life.ts'
import { terminalAddress } from '../../src/runtime/terminal/place.ts'
import { ChatPort, type TakeSeat } from '../../src/runtime/terminal/chat-port.ts'
import { ChatSeat } from '../../src/runtime/terminal/chat-seat.ts'
import { Seats } from '../../src/runtime/terminal/seats.ts'
import type { Step } from './steps.ts'

interface Open {
  readonly life: Life
  /** Gives up the seat of the chat. */
  readonly leave: () => Promise<unknown>
  readonly chat: Chat
  /** Items of the screen that a block has shown, or that came before it. */
  shown: number
  /** Open ones keep their turn waiting for the person. */
  questions: number
  /** What was typed and is not yet in the log. */
  typed: number
}

/** The chat as a terminal of 80 columns shows it, without the terminal. Time passes only as this lets it. */
export class ChatPlayer {
  readonly #home: string
  readonly #environment: Readonly<Record<string, string>>
  readonly #named: (text: string) => string
  readonly #typed: (text: string, soFar: string) => string
  #open: Open | undefined

  constructor(setting: {
    readonly home: string
    readonly environment: Readonly<Record<string, string>>
    /** Names the folders of this machine as a guide does. */
    readonly named: (text: string) => string
    /** What is typed for a line of the guide, after all that the block has shown so far. */
    readonly typed: (text: string, soFar: string) => string
  }) {
    this.#home = setting.home
    this.#environment = setting.environment
    this.#named = setting.named
    this.#typed = setting.typed
  }

  /** All that the screen keeps of these acts, and what stood there before if the block does not begin with one. */
  async play({ acts, begins }: Extract<Step, { kind: 'chat' }>): Promise<string> {
    const open = await this.#opened()
    if (begins === 'with-act') open.shown = open.chat.view().items.length
    const parts: string[] = []
    for (const act of acts) {
      if (act.kind === 'wait') {
        parts.push('', act.line, '')
        await pass(open, act.ms)
      } else {
        mock.timers.tick(TYPING_MS)
        const text = this.#typed(act.text, parts.join('\n'))
        open.chat.press([{ kind: 'paste', text }, { kind: 'enter' }])
        await settled(open)
      }
      parts.push(this.#news(open))
    }
    const text = parts
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim()
    // The date above the first thing that is said belongs to what came before.
    return begins === 'with-act' ? text.replace(/^── .* ──\n\n/, '') : text
  }

  /** The input box with these keys in it, which are taken away again. */
  async frameWith(keys: string): Promise<string> {
    const { chat } = await this.#opened()
    if (keys !== '') chat.press([{ kind: 'text', text: keys }])
    // A question can be answered once it was there for a moment.
    for (let tick = 0; tick < READING_MS; tick += TICK_MS) mock.timers.tick(TICK_MS)
    const { lines } = chat.view().frame
    if (keys !== '') chat.press([{ kind: 'delete-to-start' }])
    return lines.join('\n').replace(/^\n/, '')
  }

  async close(): Promise<void> {
    const open = this.#open
    if (open === undefined) return
    this.#open = undefined
    open.chat.leave()
    await open.leave()
    await open.life.close()
  }

  #news(open: Open): string {
    const { items } = open.chat.view()
    const news = items.slice(open.shown).map(({ text }) => text)
    open.shown = items.length
    return news.join('\n')
  }

  async #opened(): Promise<Open> {
    if (this.#open !== undefined) return this.#open
    const seats = new Seats(fail)
    const life = await openLife({
      home: this.#home,
      command: 'mainstem chat',
      environment: this.#environment,
      conversation: terminalAddress,
      schedules: true,
      fail,
      ...seats.company,
    })
    seats.open(life)
    for (const text of await startNotices(life, { home: this.#home, way: 'chat' })) seats.notice(text)
    const port = new ChatPort({ files: () => [], installed: async () => [] })
    const leaving = new AbortController()
    const take: TakeSeat = ({ seen, tell }) => new ChatSeat({ life, seats, seen, tell, fail })
    const sitting = port.sit(take, leaving.signal)
    const leave = (): Promise<unknown> => {
      leaving.abort()
      return sitting
    }
    await port.isOpen
    const chat = new Chat(this.#inGuide(port), {
      clock: Date.now,
      style: styleFor('plain'),
      colour: 'plain',
      timeZone: 'UTC',
      isSpoken: false,
      size: () => ({ columns: 80, rows: 24 }),
      redraw: () => undefined,
      alert: () => undefined,
      back: () => undefined,
    })
    this.#open = { life, leave, chat, shown: 0, questions: 0, typed: 0 }
    await settled(this.#open)
    return this.#open
  }

  /** Before lines are broken, so that the length of this machine's paths does not show. */
  #inGuide(port: TerminalPort): TerminalPort {
    const said = <T>(value: T): T => JSON.parse(this.#named(JSON.stringify(value))) as T
    return {
      past: said(port.past),
      typed: port.typed,
      status: () => port.status(),
      stop: () => port.stop(),
      complete: (line) => port.complete(line),
      submit: async (text) => {
        this.#count('typed', 1)
        return await port.submit(text).finally(() => this.#count('typed', -1))
      },
      watch: (listener) =>
        port.watch((happening) => {
          if (happening.kind === 'question-asked') this.#count('questions', 1)
          if (happening.kind === 'question-closed') this.#count('questions', -1)
          listener(said(happening))
        }),
    }
  }

  #count(what: 'questions' | 'typed', by: number): void {
    if (this.#open !== undefined) this.#open[what] += by
  }
}

/** A bug or a broken disk: nobody catches it here, so the recording ends. */
function fail(error: unknown): void {
  setImmediate(() => {
    throw error
  })
}

const TYPING_MS = 4_000
const READING_MS = 2_000
const TICK_MS = 100
/** Who comes a minute after its time is late, and says so. */
const STEP_MS = 10_000

/** In small steps: whatever wakes up finds the clock at its time, and not at the end of the wait. */
async function pass(open: Open, ms: number): Promise<void> {
  const endOf = (): Promise<number> => open.life.log.read((reader) => reader.end)
  for (let passed = 0, before = await endOf(); passed < ms; passed += STEP_MS) {
    mock.timers.tick(STEP_MS)
    do await realPause(1)
    while (isReadingFiles())
    if ((await endOf()) === before) continue
    await settled(open)
    before = await endOf()
  }
  await settled(open)
}

/** Whoever wakes up to start a job reads its file first. */
function isReadingFiles(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'))
}

/** Until nothing was written for a while, and nothing works but what waits for an answer of the person. */
async function settled(open: Open): Promise<void> {
  const { agent, log } = open.life
  for (let [quiet, before] = [0, -1]; quiet < 3; quiet++) {
    mock.timers.tick(TICK_MS)
    await realPause(3)
    await Promise.race([agent.settled(), realPause(30)])
    const end = await log.read((reader) => reader.end)
    const isWorking = open.typed > 0 || (agent.busy.length > 0 && open.questions === 0)
    if (end !== before || isWorking) [quiet, before] = [0, end]
  }
}
