import { addressKey, unsettled } from '../../agent/state/outbox.ts'
import { assert } from '../../base/assert.ts'
import { stopwatchMs } from '../../base/clock.ts'
import { newKey } from '../../base/random.ts'
import { ChannelError, type Outgoing } from '../../channel/channel.ts'
import type { Entry, Question, ScreenHappening, Status, TerminalPort } from '../../channel/terminal/port.ts'
import { boundBranch } from '../../agent/branch/binding.ts'
import { contextTokensOf } from '../../command/commands/settings-commands.ts'
import type { Received } from '../../command/door/reception.ts'
import { complete, type Choice, type Known } from '../../command/read/complete.ts'
import { getBranch } from '../../context/branch.ts'
import { EventError } from '../../event/codec.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { LogError } from '../../log/log.ts'
import type { Life } from '../life/life.ts'
import { callDetails, callSummary, resultSummary } from './call-lines.ts'
import { TerminalCommands } from './screen-commands.ts'
import type { Seats, Taken } from './seats.ts'
import { moverOf } from './moves.ts'
import { closingEntries, entryOf, pastOf, type Past } from './past.ts'
import { terminalAddress, typedInbound } from './place.ts'
import { leftOpen, questionOf, TerminalQuestions, type Waiting } from './open-questions.ts'
import { knownIn, statusOf, type StatusLook } from './status-line.ts'
import type { Happening } from '../../event/happening.ts'

const STATUS_EVERY_MS = 100
const SECOND_MS = 1_000
const INSTALLED_EVERY_MS = 5_000
const MODEL_LINE = /^\s*\/model\s/

/** A screen's seat at the conversation of a life. */
export class Terminal {
  readonly #seats: Seats
  readonly #fail: (error: unknown) => void
  readonly #listeners = new Set<(happening: ScreenHappening) => void>()
  readonly #questions = new TerminalQuestions({
    tell: (happening) => this.#tell(happening),
    run: (work) => void this.#run(work),
  })
  readonly #commands = new TerminalCommands({
    tell: (happening) => this.#tell(happening),
    run: (work) => this.#run(work),
  })
  /** From the time on at which somebody looks. */
  #seat: Taken | undefined
  #unwatch: () => void = () => undefined
  #askInstalled: Installed = async () => []
  #installed: readonly Choice[] = []
  #installedAt = -INSTALLED_EVERY_MS
  #at: Place | undefined
  #hasClosed = false
  #statusTimer: NodeJS.Timeout | undefined
  #statusAt = 0

  constructor(seats: Seats, fail: (error: unknown) => void) {
    this.#seats = seats
    this.#fail = fail
  }

  /**
   * Opens the port of a life. `notices` come after the recent conversation. `installed`: the models of a local server,
   * which are asked for beside the typing.
   */
  async open(
    life: Life,
    notices: readonly string[],
    installed: Installed = async () => [],
  ): Promise<TerminalPort> {
    this.#askInstalled = installed
    this.#lookForModels()
    this.#unwatch = life.agent.watch((happening) => this.#watch(happening))
    const { past, left, ...place } = await life.log.read((reader) => {
      const waiting = this.#waiting(life)
      const past = pastOf(reader, terminalAddress, waiting)
      const left = leftOpen(reader, { now: waiting.now, shown: past.asked })
      return { ...placeIn(reader, life, { branch: startBranch(reader), waiting }), past, left }
    })
    this.#at = { ...place, life, pieces: '', retry: undefined }
    const all = [...this.#seats.takeNotices(), ...notices].map((text): Entry => ({ kind: 'notice', text }))
    return this.#port(this.#at, { ...past, entries: [...past.entries, ...all] }, left)
  }

  #watch(happening: Happening): void {
    if (this.#at === undefined || this.#hasClosed) return
    if (happening.kind !== 'piece') this.#refreshSoon()
    if (happening.kind === 'changed') {
      void this.#run(this.#follow(this.#at))
      this.#questions.lookAgain(this.#at.life)
    } else if (happening.branch === this.#at.branch) this.#tell(this.#screenHappening(this.#at, happening))
  }

  /** Before the life is closed: what is not shown by now stays in the outbox. */
  close(): void {
    this.#hasClosed = true
    this.#unwatch()
    this.#seat?.leave()
    clearTimeout(this.#statusTimer)
    this.#questions.end()
    this.#commands.end()
  }

  #port(at: Place, past: Past, left: readonly Question[]): TerminalPort {
    return {
      past: past.entries,
      typed: past.typed,
      status: () => at.status,
      submit: async (text) => {
        this.#tell({ kind: 'entry', entry: { kind: 'said', text, at: at.life.desk.now() } })
        const submitted = await this.#commands.follow(at.life, text, this.#receive(at, text))
        // So that the screen knows whether the answer closed its question.
        await this.#run(this.#questions.look(at.life))
        return submitted
      },
      // As if it were typed, so that the log says who stopped the turn, and the person is told.
      stop: async () => {
        if (!at.life.agent.isBusy(at.branch)) return false
        await this.#receive(at, '/stop')
        return true
      },
      complete: (line) => {
        if (MODEL_LINE.test(line)) this.#lookForModels()
        const { MODEL } = at.known
        const others = this.#installed.filter(({ word }) => !MODEL.some((one) => one.word === word))
        return complete(line, { ...at.known, MODEL: [...MODEL, ...others] })
      },
      watch: (listener) => {
        if (at.turnSince !== undefined) listener({ kind: 'turn-started', at: at.turnSince })
        if (at.pieces !== '') listener({ kind: 'piece', text: at.pieces })
        this.#listeners.add(listener)
        for (const question of left) this.#questions.ask(at.life, question, 'aside')
        this.#seat ??= this.#take(at)
        return () => this.#listeners.delete(listener)
      },
    }
  }

  #take({ life }: Place): Taken {
    return this.#seats.take({
      kind: 'chat',
      show: (message) => this.#show(life, message),
      notice: (text) => this.#tell({ kind: 'entry', entry: { kind: 'notice', text } }),
      exit: () => void this.#run(this.#exit(life)),
    })
  }

  /** Once everything on its way is shown. */
  async #exit({ log }: Life): Promise<void> {
    const last = await log.read((reader) => unsettled(reader, addressKey(terminalAddress)).at(-1))
    if (last !== undefined) await this.#seat?.shownTo(last)
    this.#tell({ kind: 'leave' })
  }

  /** What is found is offered from the next key on. */
  #lookForModels(): void {
    if (stopwatchMs() - this.#installedAt < INSTALLED_EVERY_MS) return
    this.#installedAt = stopwatchMs()
    const look = async (): Promise<void> => {
      const found = await this.#askInstalled()
      this.#installed = found.map(({ model, from }) => ({ word: model, help: from }))
    }
    void this.#run(look())
  }

  /** The caller tells the person what the log or the disk refused; anything else is a bug. */
  async #receive({ life }: Place, text: string): Promise<Received> {
    try {
      const key = newKey()
      this.#seat?.typed(key)
      return await life.receive(typedInbound(text, { key }))
    } catch (error) {
      if (!(error instanceof EventError || error instanceof LogError)) this.#fail(error)
      throw error
    }
  }

  async #show(life: Life, { id }: Outgoing): Promise<void> {
    const shown = await life.log.read((reader) => {
      const intent = reader.event(id) as EventOf<'delivery-intended'>
      const waiting = this.#waiting(life)
      const entries = [entryOf(reader, intent), ...closingEntries(reader, intent, waiting)]
      return { entries, question: questionOf(reader, intent, waiting) }
    })
    // Without a screen the message stays in the outbox, and the next screen shows it.
    if (this.#listeners.size === 0) throw gone()
    for (const entry of shown.entries) this.#tell({ kind: 'entry', entry })
    if (shown.question !== undefined) this.#questions.ask(life, shown.question)
  }

  #screenHappening(at: Place, happening: Exclude<Happening, { kind: 'changed' }>): ScreenHappening {
    switch (happening.kind) {
      case 'call-started': {
        const { tool, args } = happening
        return { kind: 'call-started', name: tool, summary: callSummary(tool, args) }
      }
      case 'call-ended': {
        const { tool, isError } = happening
        const [summary, details] = [resultSummary(happening), callDetails(happening)]
        const entry = { kind: 'tool', name: tool, summary, isError, details } as const
        return { kind: 'entry', entry }
      }
      case 'piece':
        at.pieces += happening.text
        return happening
      case 'turn-started':
      case 'turn-ended':
        at.turnSince = happening.kind === 'turn-started' ? happening.at : undefined
        at.retry = undefined
        at.pieces = ''
        return happening
      case 'retry-planned':
        at.retry = { tries: happening.tries, at: at.life.desk.now() + happening.waitMs }
        at.pieces = ''
        return { kind: 'pieces-void' }
      case 'pieces-void':
        at.pieces = ''
        return happening
    }
  }

  /** Follows the conversation to a fork or back to main. */
  async #follow(at: Place): Promise<void> {
    const { life } = at
    const next = await life.log.read((reader) => {
      const branch = boundBranch(reader, terminalAddress)
      if (branch === undefined || branch === at.branch) return undefined
      const place = placeIn(reader, life, { branch, waiting: this.#waiting(life) })
      return { place, movedBy: moverOf(reader, terminalAddress, at.branch) }
    })
    // Another call may have moved there first.
    if (next === undefined || next.place.branch === at.branch) return
    if (at.turnSince !== undefined) this.#tell({ kind: 'turn-ended' })
    if (at.pieces !== '') this.#tell({ kind: 'pieces-void' })
    Object.assign(at, next.place, { pieces: '', retry: undefined })
    this.#tell({ kind: 'status', status: at.status, movedBy: next.movedBy })
    if (at.turnSince !== undefined) this.#tell({ kind: 'turn-started', at: at.turnSince })
  }

  #refreshSoon(everyMs = STATUS_EVERY_MS): void {
    if (this.#statusTimer !== undefined) return
    const waitMs = Math.max(0, this.#statusAt + everyMs - stopwatchMs())
    this.#statusTimer = setTimeout(() => {
      this.#statusTimer = undefined
      this.#statusAt = stopwatchMs()
      if (this.#at !== undefined) void this.#run(this.#refresh(this.#at))
    }, waitMs)
  }

  async #refresh(at: Place): Promise<void> {
    const before = JSON.stringify(at.status)
    const { status, known } = await at.life.log.read((reader) =>
      placeIn(reader, at.life, { ...at, waiting: this.#waiting(at.life) }),
    )
    at.status = status
    at.known = known
    if (JSON.stringify(status) !== before) this.#tell({ kind: 'status', status })
    // The seconds until the next try are counted down.
    if (status.retry !== undefined && !this.#hasClosed) this.#refreshSoon(SECOND_MS)
  }

  #tell(happening: ScreenHappening): void {
    for (const listener of this.#listeners) listener(happening)
  }

  #waiting({ desk }: Life): Waiting {
    return { now: desk.now(), isRunning: this.#seats.isRunning }
  }

  /** Work whose failure ends the process, unless it fails because the log was closed. */
  #run(work: Promise<void>): Promise<void> {
    return work.catch((error: unknown) => {
      if (!this.#hasClosed) this.#fail(error)
    })
  }
}

type Installed = () => Promise<readonly { readonly model: string; readonly from: string }[]>

/** Where the conversation is, and what is known there. */
interface Place {
  readonly life: Life
  branch: BranchId
  status: Status
  known: Known
  /** When the turn that runs there began. */
  turnSince: number | undefined
  /** What the model has said of its answer so far. */
  pieces: string
  retry: StatusLook['retry']
}

type Looked = Pick<Place, 'branch' | 'status' | 'known' | 'turnSince'>

function startBranch(reader: Reader): BranchId {
  const branch = boundBranch(reader, terminalAddress)
  assert(branch !== undefined, 'a life binds the conversation of its terminal when it begins')
  return branch
}

function placeIn(
  reader: Reader,
  { desk, agent }: Life,
  { branch, waiting, retry }: { branch: BranchId; waiting: Waiting; retry?: StatusLook['retry'] },
): Looked {
  const settings = desk.settings()
  const look = { ...waiting, branch, settings, tokensMax: contextTokensOf(desk), busy: agent.busy, retry }
  const { state } = getBranch(reader, branch)
  const isRunning = state.kind === 'running' && agent.isBusy(branch)
  return {
    branch,
    status: statusOf(reader, look),
    known: knownIn(reader, branch, desk),
    turnSince: isRunning ? reader.event(state.startedAt).at : undefined,
  }
}

function gone(): ChannelError {
  return new ChannelError('the screen is closed', { isFinal: false })
}
