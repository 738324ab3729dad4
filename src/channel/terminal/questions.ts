import type { Choice } from '../../event/work.ts'
import type { Key } from './keys.ts'
import type { Happening, Question } from './port.ts'

/** The questions that can be answered now. */
export interface Questions {
  /** Oldest first. The last one is asked, the others wait behind it. */
  readonly open: readonly Open[]
  /** When the last one came to be that. */
  readonly since: number
}

interface Open extends Question {
  /**
   * It gave way to the conversation, and digits are text again until the person turns to it. A model that has spoken
   * since may have asked for a `1` itself, and the person who types it must not approve something else with it.
   */
  readonly isAside: boolean
}

export const noQuestions: Questions = { open: [], since: 0 }

export function questionsAfter(questions: Questions, happening: Happening, now: number): Questions {
  if (happening.kind === 'question-asked') {
    const { question } = happening
    const others = questions.open.filter(({ approval }) => approval !== question.approval)
    return withOpen(questions, [...others, { ...question, isAside: false }], now)
  }
  if (happening.kind === 'question-closed') return without(questions, happening.approval, now)
  return isModelSpeaking(happening) ? putAside(questions) : questions
}

export interface Answered {
  readonly questions: Questions
  /** What the person picked. */
  readonly choice: Choice | null
}

/** What a key means to the question that is asked, while nothing is written; undefined: nothing. */
export function answeredBy(questions: Questions, key: Key, now: number): Answered | undefined {
  const asked = questions.open.at(-1)
  if (asked === undefined) return undefined
  if (key.kind === 'tab') return asked.isAside ? { questions: turnedTo(questions), choice: null } : undefined
  if (asked.isAside) return undefined
  if (key.kind === 'escape') return { questions: putAside(questions), choice: null }
  const choice =
    isReady(questions, now) && key.kind === 'text' ? numbered(asked.choices, key.text) : undefined
  return choice && { questions: without(questions, asked.approval, now), choice }
}

/** Whether a digit answers: what was pressed sooner was meant for something else. */
export function isReady({ since }: Questions, now: number): boolean {
  return now - since >= UNREAD_MS
}

/** So long nobody has read what is asked. */
export const UNREAD_MS = 400

/** The words for how it ended, where no answer of the person says it. */
export function closingText({ approval, how }: Happening & { kind: 'question-closed' }): string | undefined {
  if (how === 'answered') return undefined
  return how === 'expired'
    ? `(approval ${approval} was not answered in time)`
    : `(approval ${approval} is void: its turn ended)`
}

function isModelSpeaking(happening: Happening): boolean {
  return happening.kind === 'piece' || (happening.kind === 'entry' && happening.entry.kind === 'answer')
}

function numbered(choices: readonly Choice[], digit: string): Choice | undefined {
  return /^[1-9]$/.test(digit) ? choices[Number(digit) - 1] : undefined
}

function without(questions: Questions, approval: number, now: number): Questions {
  return withOpen(
    questions,
    questions.open.filter((question) => question.approval !== approval),
    now,
  )
}

function withOpen({ open: before, since }: Questions, open: readonly Open[], now: number): Questions {
  return { open, since: open.at(-1)?.approval === before.at(-1)?.approval ? since : now }
}

function putAside(questions: Questions): Questions {
  const { open, since } = questions
  if (open.every(({ isAside }) => isAside)) return questions
  return { open: open.map((question) => ({ ...question, isAside: true })), since }
}

function turnedTo({ open, since }: Questions): Questions {
  return { open: open.map((question, index) => ({ ...question, isAside: index < open.length - 1 })), since }
}
