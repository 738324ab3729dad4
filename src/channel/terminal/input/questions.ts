import type { Choice } from '../../../event/work.ts'
import type { Key } from './keys.ts'
import type { Closing, Question, ScreenHappening } from '../port.ts'

/** The questions that can be answered now. */
export interface Questions {
  /** The last one is being asked; the others wait. A call comes before proposals, and the oldest call first. */
  readonly open: readonly Open[]
  /** When the last one became the last. */
  readonly since: number
  /** The choice that Enter would take; null if none is picked yet. */
  readonly picked: Picked | null
  /** Answered here, but the result is not known yet. */
  readonly sent: readonly Open[]
}

interface Open extends Question {
  /**
   * Put aside because the conversation went on: digits are text again until the person presses Tab. The model may have
   * asked for a `1` since, and typing it must not approve something else.
   */
  readonly isAside: boolean
  /** Something else was said since: a typed `y` answers it no more. */
  readonly isPassed?: boolean
}

interface Picked {
  readonly index: number
  /** The digit that was typed, which becomes the start of a text if more follows; empty after an arrow key. */
  readonly digit: string
}

export const noQuestions: Questions = { open: [], since: 0, picked: null, sent: [] }

export function questionsAfter(questions: Questions, happening: ScreenHappening, now: number): Questions {
  if (happening.kind === 'question-asked') {
    const { question, where } = happening
    const others = questions.open
      .filter(({ approval }) => approval !== question.approval)
      // A `y` goes to the oldest call. Below a newer one that is asked, it would allow what nobody sees.
      .map((one) => (question.isCall === true && isTyped(one) ? { ...one, isAside: false } : one))
    return withOpen(questions, [...others, { ...question, isAside: where === 'aside' }], now)
  }
  if (happening.kind === 'question-closed') {
    const { approval } = happening
    const sent = questions.sent.filter((question) => question.approval !== approval)
    return without({ ...questions, sent }, approval, now)
  }
  // As for a typed `y`, which answers nothing once something else was said.
  const isPassing = happening.kind === 'entry' && happening.entry.drawsAnswer === true
  return isPassing || happening.kind === 'piece' ? passed(questions) : questions
}

/** The effect of a key on the current question. */
export type Answered =
  | { readonly kind: 'looked'; readonly questions: Questions }
  /** The person turned to it; `unshown` has to be shown first. */
  | { readonly kind: 'turned'; readonly questions: Questions; readonly unshown: string | null }
  | {
      readonly kind: 'chosen'
      readonly questions: Questions
      readonly approval: number
      readonly choice: Choice
    }
  /** It was not an answer: the key goes to the text, after this digit. */
  | { readonly kind: 'typed'; readonly questions: Questions; readonly digit: string }

/**
 * What a key means to the current question while the input is empty; undefined if nothing. A single key never answers:
 * it may be the first of a sentence.
 */
export function answeredBy(questions: Questions, key: Key, now: number): Answered | undefined {
  const asked = questions.open.at(-1)
  if (asked === undefined) return undefined
  if (asked.isAside) return key.kind === 'tab' ? turnedTo(questions, asked) : undefined
  const { picked } = questions
  if (picked === null) return pickedFirst(questions, asked, { key, now })
  switch (key.kind) {
    case 'enter':
      return chosen(questions, asked, { picked, now })
    case 'escape':
      return { kind: 'looked', questions: { ...questions, picked: null } }
    case 'left':
    case 'up':
      return moved(questions, asked, -1)
    case 'right':
    case 'down':
      return moved(questions, asked, 1)
    case 'redraw':
      return undefined
    case 'interrupt':
      return { kind: 'typed', questions: { ...questions, picked: null }, digit: '' }
    default:
      return { kind: 'typed', questions: { ...questions, picked: null }, digit: picked.digit }
  }
}

/** Called once the result of an answer is known: a question that is still open is asked again. */
export function settledAnswer(questions: Questions, approval: number, now: number): Questions {
  const back = questions.sent.find((question) => question.approval === approval)
  if (back === undefined) return questions
  const sent = questions.sent.filter((question) => question !== back)
  return withOpen({ ...questions, sent }, [...questions.open, back], now)
}

/** Whether keys count as an answer yet: a key pressed sooner was meant for something else. */
export function isReady({ since }: Questions, now: number): boolean {
  return now - since >= UNREAD_MS
}

/** The time it takes at least to read a question. */
export const UNREAD_MS = 400

/** How it ended, unless the person's own answer says it. */
export function closingText(approval: number, how: Closing): string | undefined {
  return how === 'answered' ? undefined : `Approval ${approval} ${CLOSED[how]}.`
}

const CLOSED: Readonly<Record<Exclude<Closing, 'answered'>, string>> = {
  expired: 'expired without an answer',
  void: 'was cancelled because its turn ended',
  restarted: 'was cancelled by a restart',
}

function turnedTo(questions: Questions, { unshown }: Open): Answered {
  const last = questions.open.length - 1
  const open = questions.open.map((question, index) =>
    index === last ? { ...question, isAside: false, unshown: null } : { ...question, isAside: true },
  )
  return { kind: 'turned', questions: { ...questions, open, picked: null }, unshown }
}

/** Up and Down do nothing here until a choice is picked: they bring back sent texts. */
function pickedFirst(
  questions: Questions,
  { choices }: Open,
  { key, now }: { key: Key; now: number },
): Answered | undefined {
  if (key.kind === 'escape') return { kind: 'looked', questions: putAside(questions) }
  if (!isReady(questions, now)) return undefined
  const picked = firstPick(key, choices.length)
  return picked && { kind: 'looked', questions: { ...questions, picked } }
}

function firstPick(key: Key, count: number): Picked | undefined {
  if (key.kind === 'right') return { index: 0, digit: '' }
  if (key.kind === 'left') return { index: count - 1, digit: '' }
  if (key.kind !== 'text' || !/^[1-9]$/.test(key.text) || Number(key.text) > count) return undefined
  return { index: Number(key.text) - 1, digit: key.text }
}

/** An arrow key shows that no text is meant, so the digit is dropped. */
function moved(questions: Questions, { choices: { length } }: Open, step: 1 | -1): Answered {
  const index = ((questions.picked?.index ?? 0) + step + length) % length
  return { kind: 'looked', questions: { ...questions, picked: { index, digit: '' } } }
}

function chosen(
  questions: Questions,
  asked: Open,
  { picked, now }: { picked: Picked; now: number },
): Answered | undefined {
  const choice = asked.choices[picked.index]
  const sent = [...questions.sent, asked]
  const left = without({ ...questions, sent }, asked.approval, now)
  return choice && { kind: 'chosen', questions: left, approval: asked.approval, choice }
}

function without(questions: Questions, approval: number, now: number): Questions {
  return withOpen(
    questions,
    questions.open.filter((question) => question.approval !== approval),
    now,
  )
}

function withOpen(questions: Questions, all: readonly Open[], now: number): Questions {
  const open = inTurn(all)
  const [last, before] = [open.at(-1), questions.open.at(-1)]
  const isSame = last?.approval === before?.approval && last?.isAside === before?.isAside
  return isSame ? { ...questions, open } : { ...questions, open, since: now, picked: null }
}

/** What a typed `y` answers is asked first. */
function inTurn(open: readonly Open[]): readonly Open[] {
  const rank = (one: Open): number => (one.isAside ? 0 : isTyped(one) ? 2 : 1)
  return open.toSorted((one, other) => {
    const isBoth = rank(one) === 2 && rank(other) === 2
    return isBoth ? other.approval - one.approval : rank(one) - rank(other)
  })
}

/** Whether a typed `y`, `a` or `n` can answer it. */
export function isTyped({ isCall, isPassed }: Open): boolean {
  return isCall === true && isPassed !== true
}

function passed(questions: Questions): Questions {
  const { open } = questions
  const isNew = open.some(({ isPassed }) => isPassed !== true)
  return putAside(isNew ? { ...questions, open: open.map((one) => ({ ...one, isPassed: true })) } : questions)
}

function putAside(questions: Questions): Questions {
  const { open } = questions
  if (open.every(({ isAside }) => isAside)) return questions
  return { ...questions, open: open.map((question) => ({ ...question, isAside: true })), picked: null }
}
