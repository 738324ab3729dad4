import { approvalNumbered, isOpenApproval } from '../agent/approvals.ts'
import type { Happening, Question } from '../channel/terminal/port.ts'
import type { EventOf } from '../event/event.ts'
import type { Reader } from '../event/table.ts'
import type { Choice } from '../event/work.ts'
import type { Life } from './life.ts'

/** Where it is written what became of a question, and what time it is there. */
interface Where {
  readonly log: Pick<Life['log'], 'read'>
  readonly desk: Pick<Life['desk'], 'now'>
}

type Closed = Extract<Happening, { kind: 'question-closed' }>

/** What a delivery asks; undefined: nothing, or it cannot be answered any more. */
export function questionOf(
  reader: Reader,
  { choices = [], text }: EventOf<'delivery-intended'>,
  now: number,
): Question | undefined {
  const approval = approvalIn(choices)
  if (approval === undefined || !isOpenApproval(reader, approval, now)) return undefined
  const until = approvalNumbered(reader, approval)?.asked.until ?? null
  return { approval, title: text.split('\n', 1)[0] ?? '', choices, until }
}

/** The number that the commands of a question name, `/approve 3`: all that a channel is told of what it asks about. */
function approvalIn(choices: readonly Choice[]): number | undefined {
  const numbers = choices.map(({ command }) => /^\/(?:approve|deny) (\d+)(?: |$)/.exec(command)?.[1])
  return numbers[0] !== undefined && new Set(numbers).size === 1 ? Number(numbers[0]) : undefined
}

/** The questions that the screen asks. It is told when one of them cannot be answered any more. */
export class TerminalQuestions {
  readonly #tell: (happening: Happening) => void
  readonly #run: (work: Promise<void>) => void
  #open: readonly Question[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(owner: { tell: (happening: Happening) => void; run: (work: Promise<void>) => void }) {
    this.#tell = owner.tell
    this.#run = owner.run
  }

  ask(where: Where, question: Question): void {
    this.#open = [...this.#open, question]
    this.#tell({ kind: 'question-asked', question })
    // It may have been answered since somebody looked.
    this.lookAgain(where)
  }

  /** After anything was written that may be an answer, or end what waits for one. */
  lookAgain(where: Where): void {
    if (this.#open.length > 0) this.#run(this.#look(where))
  }

  end(): void {
    this.#open = []
    clearTimeout(this.#timer)
  }

  async #look(where: Where): Promise<void> {
    const now = where.desk.now()
    const closed = await where.log.read((reader) =>
      this.#open.flatMap(({ approval }) => closedIn(reader, approval, now) ?? []),
    )
    for (const happening of closed) this.#close(happening)
    this.#wait(where, now)
  }

  #close(closed: Closed): void {
    const left = this.#open.filter(({ approval }) => approval !== closed.approval)
    // Another look may have seen it first.
    if (left.length === this.#open.length) return
    this.#open = left
    this.#tell(closed)
  }

  /** That a time is over is written nowhere. */
  #wait(where: Where, now: number): void {
    clearTimeout(this.#timer)
    const next = Math.min(...this.#open.map(({ until }) => until ?? Number.POSITIVE_INFINITY))
    if (next === Number.POSITIVE_INFINITY) return
    this.#timer = setTimeout(() => this.lookAgain(where), Math.max(1, next - now)).unref()
  }
}

function closedIn(reader: Reader, approval: number, now: number): Closed | undefined {
  if (isOpenApproval(reader, approval, now)) return undefined
  const { asked, decided } = approvalNumbered(reader, approval) ?? {}
  const isOver = asked !== undefined && asked.until !== null && now >= asked.until
  const isExpired = decided === null ? isOver : decided?.verdict === 'expired'
  const how = isExpired ? 'expired' : decided === null ? 'void' : 'answered'
  return { kind: 'question-closed', approval, how }
}
