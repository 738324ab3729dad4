import { messageOf } from '../../../base/message-of.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Style } from '../../../base/style.ts'
import { oneLine, textWidth } from '../../../base/width.ts'
import { sentence } from '../../../base/words.ts'
import { type Carried, carriedAfter, carriedText } from './carried.ts'
import { placeOf, rowsOf } from '../input/editor-rows.ts'
import {
  type Frame,
  type FrameState,
  SLOW_MS,
  footColumns,
  frameOf,
  scrolled,
  spokenFrameOf,
  textColumns,
  textRowsMax,
} from './frame.ts'
import { Answers } from './answers.ts'
import type { Key } from '../input/keys.ts'
import { type Live, liveAfter } from './live.ts'
import { typedText } from '../text/neutral.ts'
import { paintingBy } from './painting.ts'
import { pickerOf } from './picker.ts'
import type { Entry, ScreenHappening, TerminalPort } from '../port.ts'
import {
  type Ask,
  type Prompt,
  WARNED_MS,
  WARNING,
  emptyPrompt,
  interruptNow,
  pressed,
  promptWith,
} from '../input/prompt.ts'
import {
  type Questions,
  UNREAD_MS,
  answeredBy,
  closingText,
  noQuestions,
  questionsAfter,
  settledAnswer,
} from '../input/questions.ts'
import { entryLines, following } from '../text/transcript.ts'
import { type Before, type TranscriptLook, drawnSigns, spokenSigns } from '../text/look.ts'

/** The picture of the screen: items that stay, each drawn once, and the frame below them. */
export interface View {
  readonly items: readonly Item[]
  readonly frame: Frame
  readonly hasLeft: boolean
}

export interface Item {
  readonly id: number
  readonly text: string
}

export interface ScreenOptions {
  readonly colour: 'colour' | 'plain'
  readonly clock: Clock
  /** `Europe/Berlin`; without it that of the machine. */
  readonly timeZone?: string | undefined
  /** For a screen reader: sentences instead of a frame, and nothing that moves. */
  readonly isSpoken?: boolean | undefined
  /** What a ping or reminder does besides being shown; left out: nothing. */
  readonly notify?: (() => 'off' | 'bell' | 'all') | undefined
}

export interface ChatSetting extends ScreenOptions {
  readonly style: Style
  size(): { readonly columns: number; readonly rows: number }
  /** Draws the whole screen again, if the person sees garbage. */
  redraw(): void
  /** Calls a person who may be looking elsewhere. The next key says that they are back. */
  alert(text: string): void
  back(): void
}

/** The state of the screen, and how keys and happenings change it. Subscribers draw it. */
export class Chat {
  readonly #port: TerminalPort
  readonly #setting: ChatSetting
  readonly #painting: ReturnType<typeof paintingBy>
  readonly #answers: Answers
  readonly #listeners = new Set<() => void>()
  readonly #sent: string[]
  /** Calls of this screen, newest last, and how far back the open one is; null if none is open. */
  #tools: readonly ToolEntry[] = []
  #opened: number | null = null
  /** Messages that no turn has taken yet. */
  #queue: readonly string[] = []
  #items: readonly Item[] = []
  #before: Before
  #live: Live
  #prompt: Prompt = emptyPrompt
  #carried: Carried | null = null
  #questions: Questions = noQuestions
  #scroll = 0
  #warnedAt: number | null = null
  #isStopping = false
  #hasLeft = false
  #ticking: { readonly everyMs: number; readonly timer: NodeJS.Timeout } | null = null
  #view: View
  #unwatch: () => void = () => undefined

  constructor(port: TerminalPort, setting: ChatSetting) {
    this.#port = port
    this.#setting = setting
    this.#painting = paintingBy(() => this.#paint(), setting.clock)
    this.#answers = new Answers(
      () => this.#look(),
      (text, how) => this.#keepAnswer(text, how),
    )
    this.#sent = port.typed.map(typedText)
    this.#live = { status: port.status(), turn: null, calls: [], commands: [] }
    this.#before = { entry: null, at: null, branch: this.#live.status.branch }
    for (const entry of port.past) this.#keep(entry)
    this.#view = this.#draw()
    this.#unwatch = port.watch((happening) => this.#happened(happening))
    // The first happening may already be that it is time to leave.
    if (this.#hasLeft) this.#unwatch()
  }

  readonly view = (): View => this.#view

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  press(keys: readonly Key[]): void {
    this.#setting.back()
    for (const key of keys) if (!this.#hasLeft) this.#press(key)
    this.#painting.now()
  }

  resized(): void {
    this.#answers.relook()
    this.#painting.now()
  }

  /** The last view is without a frame, so that nothing but the transcript stays on the screen. */
  leave(): void {
    if (this.#hasLeft) return
    this.#answers.end()
    for (const text of this.#queue) this.#keep({ kind: 'said', text, at: this.#setting.clock() })
    this.#queue = []
    this.#hasLeft = true
    this.#unwatch()
    clearInterval(this.#ticking?.timer)
    this.#painting.now()
    this.#painting.end()
  }

  #happened(happening: ScreenHappening): void {
    const written = this.#prompt.editor.text
    this.#carried = carriedAfter(this.#carried, happening, { written, before: this.#live.status })
    this.#live = liveAfter(this.#live, happening)
    if (happening.kind === 'turn-started' || happening.kind === 'turn-ended') {
      this.#isStopping = false
      this.#answers.release(happening.kind === 'turn-ended' ? happening.answer : undefined)
    }
    if (happening.kind === 'queued') this.#queue = happening.texts
    this.#answers.hear(happening, this.#live.status.branch)
    if (happening.kind === 'entry') this.#tell(happening.entry)
    const alert = happening.kind === 'entry' ? alertText(happening.entry) : undefined
    if (alert !== undefined) this.#setting.alert(alert)
    this.#hearQuestions(happening)
    if (happening.kind === 'command-started') this.#paintIn(SLOW_MS)
    if (happening.kind === 'leave') this.leave()
    else if (happening.kind === 'entry') this.#painting.now()
    else this.#painting.soon()
  }

  #press(key: Key): void {
    if (key.kind !== 'interrupt') this.#warnedAt = null
    if (this.#isForTools(key) || this.#isAnswer(key)) return
    const written = this.#prompt
    const ask = this.#edit(key)
    if (ask?.kind === 'send' && this.#carried?.isTold === false) {
      this.#prompt = written
      this.#carried = { ...this.#carried, isTold: true }
      return
    }
    if (ask !== null) this.#answerTo(ask)
    if (this.#prompt.editor.text === '') this.#carried = null
  }

  #edit(key: Key): Ask | null {
    const desk = {
      columns: textColumns(this.#look().columns),
      sent: this.#sent,
      complete: (line: string) => this.#port.complete(line),
    }
    const { prompt, ask } = pressed(this.#prompt, key, desk)
    this.#prompt = prompt
    return ask
  }

  /** While the input is empty, some keys answer the current question. */
  #isAnswer(key: Key): boolean {
    if (this.#prompt.editor.text !== '' || this.#prompt.search) return false
    const answered = answeredBy(this.#questions, key, this.#setting.clock())
    if (answered === undefined) return false
    this.#setQuestions(answered.questions)
    if (answered.kind === 'chosen') this.#send(answered.choice.command, answered.approval)
    if (answered.kind === 'turned' && answered.unshown !== null)
      this.#keep({ kind: 'question', text: answered.unshown })
    if (answered.kind !== 'typed') return true
    if (answered.digit !== '') this.#edit({ kind: 'text', text: answered.digit })
    return false
  }

  #answerTo(ask: Ask): void {
    if (ask.kind === 'send') this.#send(ask.text)
    else if (ask.kind === 'interrupt') this.#interrupt()
    else if (ask.kind === 'stop') void (this.#canStop() && this.#stop())
    else if (ask.kind === 'leave') this.leave()
    else this.#setting.redraw()
  }

  #send(text: string, approval?: number): void {
    if (this.#sent.at(-1) !== text) this.#sent.push(text)
    void this.#submit(text, approval)
  }

  async #submit(text: string, approval: number | undefined): Promise<void> {
    try {
      await this.#port.submit(text)
    } catch (error) {
      this.#giveBack(text, error)
    }
    if (approval === undefined || this.#hasLeft) return
    this.#setQuestions(settledAnswer(this.#questions, approval, this.#setting.clock()))
    this.#painting.soon()
  }

  /** Ctrl-O opens the newest call and closes it again. While it is open, Up and Down go to other calls. */
  #isForTools({ kind }: Key): boolean {
    const opened = this.#opened
    if (kind === 'open') this.#opened = opened === null && this.#tools.length > 0 ? 0 : null
    else if (opened === null || this.#prompt.editor.text !== '') return false
    else if (kind === 'escape') this.#opened = null
    else if (kind === 'up') this.#opened = Math.min(opened + 1, this.#tools.length - 1)
    else if (kind === 'down') this.#opened = Math.max(opened - 1, 0)
    else return false
    return true
  }

  #openTool(): FrameState['opened'] {
    const entry = this.#opened === null ? undefined : this.#tools.at(-1 - this.#opened)
    return entry === undefined
      ? null
      : { entry, number: this.#tools.indexOf(entry) + 1, total: this.#tools.length }
  }

  /** Puts a text back that could not be sent. */
  #giveBack(text: string, error: unknown): void {
    const isFree = this.#prompt.editor.text === ''
    if (isFree) this.#prompt = promptWith(text)
    const where = isFree ? 'It is back in the input box.' : 'Press Up to get it back.'
    this.#complain(`Not sent: ${reason(error)} ${where}`)
  }

  #interrupt(): void {
    const now = this.#setting.clock()
    const isTextEmpty = this.#prompt.editor.text === ''
    const isTurnRunning = this.#canStop()
    const interrupt = interruptNow({ isTurnRunning, isTextEmpty, warnedAt: this.#warnedAt, now })
    if (interrupt === 'stop') void this.#stop()
    if (interrupt === 'clear') this.#prompt = emptyPrompt
    if (interrupt === 'leave') this.leave()
    this.#warnedAt = interrupt === 'warn' ? now : null
    if (interrupt === 'warn') this.#paintIn(WARNED_MS)
  }

  /** Only once: after that Ctrl-C exits, since a turn that does not end must not keep the person here. */
  #canStop(): boolean {
    return this.#live.turn !== null && !this.#isStopping
  }

  async #stop(): Promise<void> {
    this.#isStopping = true
    try {
      this.#isStopping = (await this.#port.stop()) && this.#isStopping
    } catch (error) {
      this.#isStopping = false
      this.#complain(`Could not stop the turn: ${reason(error)}`)
    }
    this.#painting.soon()
  }

  #complain(text: string): void {
    if (this.#hasLeft) return
    this.#keep({ kind: 'output', text, isError: true })
    this.#painting.now()
  }

  #tell(entry: Entry): void {
    // What was read of an answer stands above the next question, whether or not the rest of it comes.
    if (entry.kind === 'said') this.#answers.settle()
    if (entry.kind === 'tool') this.#tools = [...this.#tools, entry].slice(-TOOLS_MAX)
    this.#keep(entry)
  }

  #keep(entry: Entry): void {
    const before = { ...this.#before, branch: this.#live.status.branch }
    const text = entryLines(entry, before, this.#look()).join('\n')
    this.#items = [...this.#items, { id: this.#items.length, text }]
    this.#before = following(before, entry)
  }

  #keepAnswer(text: string, how: 'whole' | 'unfinished'): void {
    this.#keep({ kind: 'answer', text, at: this.#setting.clock(), branch: this.#live.status.branch })
    if (how === 'unfinished') this.#keep({ kind: 'notice', text: 'This answer is incomplete.' })
    this.#painting.soon()
  }

  #hearQuestions(happening: ScreenHappening): void {
    const questions = questionsAfter(this.#questions, happening, this.#setting.clock())
    const isOneLess = questions.open.length < this.#questions.open.length
    this.#setQuestions(questions)
    if (happening.kind !== 'question-closed' || !isOneLess) return
    const text = closingText(happening.approval, happening.how)
    if (text !== undefined) this.#keep({ kind: 'notice', text })
  }

  #setQuestions(questions: Questions): void {
    const isAnother = questions.since !== this.#questions.since
    this.#questions = questions
    if (isAnother) this.#paintIn(UNREAD_MS)
    this.#tick()
  }

  /** Repaints regularly while a spinner turns or a question counts down. */
  #tick(): void {
    const everyMs = this.#setting.isSpoken ? null : this.#tickMs()
    if (everyMs === (this.#ticking?.everyMs ?? null)) return
    clearInterval(this.#ticking?.timer)
    this.#ticking =
      everyMs === null ? null : { everyMs, timer: setInterval(() => this.#painting.soon(), everyMs) }
  }

  #tickMs(): number | null {
    if (this.#live.turn !== null || this.#live.commands.length > 0) return TURN_TICK_MS
    return this.#questions.open.some(({ until }) => until !== null) ? QUESTION_TICK_MS : null
  }

  /** Repaints after a time that changes the frame by itself. */
  #paintIn(ms: number): void {
    setTimeout(() => this.#painting.soon(), ms + 1).unref()
  }

  #paint(): void {
    this.#view = this.#draw()
    for (const listener of this.#listeners) listener()
  }

  #draw(): View {
    const { rows } = this.#setting.size()
    const look = this.#look()
    const now = this.#setting.clock()
    const { text, cursor } = this.#prompt.editor
    const all = rowsOf(text, textColumns(look.columns))
    const { row } = placeOf(text, all, cursor)
    this.#scroll = scrolled(this.#scroll, row, { total: all.length, shown: textRowsMax(rows) })
    const draw = this.#setting.isSpoken ? spokenFrameOf : frameOf
    const frame = draw({
      look,
      rows,
      live: this.#live,
      prompt: this.#prompt,
      picker: pickerOf(this.#questions, { isInputEmpty: text === '', now }),
      scroll: this.#scroll,
      hint: this.#hint(now),
      queued: this.#queue,
      opened: this.#openTool(),
      isStopping: this.#isStopping,
      now,
      answer: (count) => this.#answers.last(count),
    })
    return { items: this.#items, frame: this.#hasLeft ? NO_FRAME : frame, hasLeft: this.#hasLeft }
  }

  #hint(now: number): string | null {
    if (this.#warnedAt !== null && now - this.#warnedAt <= WARNED_MS) return WARNING
    if (this.#carried?.isTold !== true) return null
    return carriedText(this.#carried, this.#live.status, footColumns(this.#look().columns))
  }

  #look(): TranscriptLook {
    const { style, colour, timeZone, isSpoken } = this.#setting
    const signs = isSpoken ? spokenSigns : drawnSigns
    const { columns: all } = this.#setting.size()
    const columns = textWidth(all)
    return { style, colour, timeZone, signs, columns, spare: all - columns }
  }
}

type ToolEntry = Extract<Entry, { kind: 'tool' }>

const TOOLS_MAX = 50
const TURN_TICK_MS = 120
const QUESTION_TICK_MS = 1_000
const NO_FRAME: Frame = { lines: [], cursor: undefined }

/** What calls the person: a ping, or the answer to a reminder or another job that nobody asked for just now. */
function alertText(entry: Entry): string | undefined {
  if (entry.kind === 'answer') return entry.job === undefined ? undefined : `${entry.job}: ${entry.text}`
  if (entry.kind !== 'ping' || entry.number === undefined) return undefined
  return `#${entry.number} from ${entry.from}: ${entry.embed?.title ?? entry.text}`
}

function reason(error: unknown): string {
  return sentence(oneLine(messageOf(error)))
}
