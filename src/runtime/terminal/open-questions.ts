import { approvalNumbered, isOpenApproval, openApprovals } from '../../agent/state/approvals.ts'
import { turnTable } from '../../agent/state/tables.ts'
import { proposalIn } from '../../agent/right/proposing.ts'
import type { Closing, Question, ScreenHappening } from '../../channel/terminal/port.ts'
import type { EventOf } from '../../event/event.ts'
import type { TurnId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Choice } from '../../event/work.ts'
import type { Life } from '../life/life.ts'

type Closed = Extract<ScreenHappening, { kind: 'question-closed' }>
type Asking = Closed | Extract<ScreenHappening, { kind: 'question-asked' }>

/** What says whether somebody still waits for an answer. */
export interface Waiting {
  readonly now: number
  /** Whether a turn runs in this process. Nobody waits for answers to calls of another process. */
  readonly isRunning: (turn: TurnId) => boolean
}

/** The question in a delivery; undefined if there is none, or it can no longer be answered. */
export function questionOf(
  reader: Reader,
  { choices = [], text }: EventOf<'delivery-intended'>,
  waiting: Waiting,
): Question | undefined {
  const approval = approvalNumbered(reader, approvalIn(choices) ?? 0)
  if (approval === undefined || !awaited(reader, waiting).includes(approval.request.number)) return undefined
  const { number, until, wish } = approval.request
  if (wish.kind !== 'call')
    return { approval: number, ...headOf(text, number), unshown: null, choices, until }
  const head = headOf(withoutLastLine(text), number)
  return { approval: number, isCall: true, ...head, unshown: null, choices, until }
}

/** The approvals whose answer still has an effect. */
export function awaited(reader: Reader, { now, isRunning }: Waiting): readonly number[] {
  return openApprovals(reader, now)
    .filter(({ request: { wish } }) => wish.kind !== 'call' || isRunning(wish.turn))
    .map(({ request }) => request.number)
}

/** Proposals that are open. `shown` are those in the transcript. */
export function leftOpen(
  reader: Reader,
  { now, shown }: { now: number; shown: ReadonlySet<number> },
): readonly Question[] {
  return openApprovals(reader, now).flatMap(({ request }): Question[] => {
    const { number, until } = request
    if (request.wish.kind === 'call') return []
    const text = proposalIn(reader, request.wish, request)
    const choices = [
      { label: 'Approve', command: `/approve ${number}` },
      { label: 'Deny', command: `/deny ${number}` },
    ]
    const unshown = shown.has(number) ? null : text
    return [{ approval: number, ...headOf(text, number), unshown, choices, until }]
  })
}

/** Without the line that says how to answer a question about a call. */
export function withoutLastLine(text: string): string {
  return text.slice(0, text.lastIndexOf('\n') + 1).trimEnd() || text
}

/** The line that asks, and the first line of details; of a diff, the first added line. */
function headOf(text: string, approval: number): Pick<Question, 'title' | 'about'> {
  const [title = '', ...rest] = text.split('\n').map((line) => line.trim())
  const lines = rest.filter((line) => line !== '' && !line.startsWith(`/approve ${approval} `))
  return { title, about: lines.find((line) => !/^(?:- |…)/.test(line)) ?? lines[0] ?? null }
}

/** How a past question ended. Undefined if it is open, or not about a call. */
export function closingOf(
  reader: Reader,
  approval: number,
  { now, isRunning }: Waiting,
): Closing | undefined {
  const { request, decided } = approvalNumbered(reader, approval) ?? {}
  if (request?.wish.kind !== 'call') return undefined
  if (decided !== null) return decided?.verdict === 'expired' ? 'expired' : 'answered'
  if (isRunning(request.wish.turn)) return now >= (request.until ?? now) ? 'expired' : undefined
  const outcome = reader.row(turnTable, [request.wish.turn])?.outcome ?? 'interrupted'
  return outcome === 'interrupted' ? 'restarted' : 'void'
}

/** The approval number in a question's commands, `/approve 3`: a channel knows nothing else about it. */
export function approvalIn(choices: readonly Choice[]): number | undefined {
  const numbers = choices.map(({ command }) => /^\/(?:approve|deny) (\d+)(?: |$)/.exec(command)?.[1])
  return numbers[0] !== undefined && new Set(numbers).size === 1 ? Number(numbers[0]) : undefined
}

interface QuestionsPlace {
  readonly log: Pick<Life['log'], 'read'>
  readonly now: () => number
  readonly tell: (happening: Asking) => void
  readonly run: (work: Promise<void>) => void
}

/** The questions that the screen asks. It is told when one of them cannot be answered any more. */
export class TerminalQuestions {
  readonly #at: QuestionsPlace
  #open: readonly Pick<Question, 'approval' | 'until'>[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(at: QuestionsPlace) {
    this.#at = at
  }

  ask(question: Question, where: 'in-front' | 'aside' = 'in-front'): void {
    this.#open = [...this.#open.filter(({ approval }) => approval !== question.approval), question]
    this.#at.tell({ kind: 'question-asked', question, where })
    // It may have been answered since somebody looked.
    this.lookAgain()
  }

  /** Questions that the screen asks already. */
  follow(reader: Reader, approvals: readonly number[]): void {
    const asked = approvals.flatMap((approval) => {
      const until = approvalNumbered(reader, approval)?.request.until
      return until === undefined ? [] : { approval, until }
    })
    this.#open = [...this.#open, ...asked]
    this.lookAgain()
  }

  /** After anything was written that may be an answer, or end what waits for one. */
  lookAgain(): void {
    if (this.#open.length > 0) this.#at.run(this.look())
  }

  /** Resolves once all that is closed by now was told. */
  async look(): Promise<void> {
    if (this.#open.length === 0) return
    const now = this.#at.now()
    const closed = await this.#at.log.read((reader) =>
      this.#open.flatMap(({ approval }) => closedIn(reader, approval, now) ?? []),
    )
    for (const happening of closed) this.#close(happening)
    this.#wait(now)
  }

  end(): void {
    this.#open = []
    clearTimeout(this.#timer)
  }

  #close(closed: Closed): void {
    const left = this.#open.filter(({ approval }) => approval !== closed.approval)
    // Another look may have seen it first.
    if (left.length === this.#open.length) return
    this.#open = left
    this.#at.tell(closed)
  }

  /** No event says that a deadline has passed. */
  #wait(now: number): void {
    clearTimeout(this.#timer)
    const next = Math.min(...this.#open.map(({ until }) => until ?? Number.POSITIVE_INFINITY))
    if (next === Number.POSITIVE_INFINITY) return
    this.#timer = setTimeout(() => this.lookAgain(), Math.max(1, next - now)).unref()
  }
}

function closedIn(reader: Reader, approval: number, now: number): Closed | undefined {
  if (isOpenApproval(reader, approval, now)) return undefined
  const { request, decided } = approvalNumbered(reader, approval) ?? {}
  const isOver = request !== undefined && request.until !== null && now >= request.until
  const isExpired = decided === null ? isOver : decided?.verdict === 'expired'
  const how = isExpired ? 'expired' : decided === null ? 'void' : 'answered'
  return { kind: 'question-closed', approval, how }
}
