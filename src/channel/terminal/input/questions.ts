import type { Choice } from '../../../event/work.ts'
import type { Key } from './keys.ts'
import type { Closing, Question, ScreenHappening } from '../port.ts'

/** The questions that can be answered now. */
export interface Questions {
  /** Oldest first. The last one is asked, the others wait behind it. */
  readonly open: readonly Open[]
  /** When the last one came to be that. */
  readonly since: number
  /** The choice that Enter would take; null: none yet. */
  readonly picked: Picked | null
  /** Answered here, and nobody has said yet what came of it. */
  readonly sent: readonly Open[]
}

interface Open extends Question {
  /**
   * It gave way to the conversation, and digits are text again until the person turns to it. A model that has spoken
   * since may have asked for a `1` itself, and the person who types it must not approve something else with it.
   */
  readonly isAside: boolean
}

interface Picked {
  readonly index: number
  /** What was typed for it, which is the beginning of a text if more follows; empty: an arrow. */
  readonly digit: string
}

export const noQuestions: Questions = { open: [], since: 0, picked: null, sent: [] }

export function questionsAfter(questions: Questions, happening: ScreenHappening, now: number): Questions {
  if (happening.kind === 'question-asked') {
    const { question, where } = happening
    const others = questions.open.filter(({ approval }) => approval !== question.approval)
    return withOpen(questions, [...others, { ...question, isAside: where === 'aside' }], now)
  }
  if (happening.kind === 'question-closed') {
    const { approval } = happening
    const sent = questions.sent.filter((question) => question.approval !== approval)
    return without({ ...questions, sent }, approval, now)
  }
  return isModelSpeaking(happening) ? putAside(questions) : questions
}

/** What a key did to the question that is asked. */
export type Answered =
  | { readonly kind: 'looked'; readonly questions: Questions }
  /** The person looks at it now; `unshown` is to be shown first. */
  | { readonly kind: 'turned'; readonly questions: Questions; readonly unshown: string | null }
  | {
      readonly kind: 'chosen'
      readonly questions: Questions
      readonly approval: number
      readonly choice: Choice
    }
  /** It was no answer: the key goes on to the text, behind this digit. */
  | { readonly kind: 'typed'; readonly questions: Questions; readonly digit: string }

/**
 * What a key means to the question that is asked, while nothing is written; undefined: nothing. One key alone never
 * answers: it may be the first of a sentence.
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

/** What came of an answer is known by now: where the question is still open, it is asked again. */
export function settledAnswer(questions: Questions, approval: number, now: number): Questions {
  const back = questions.sent.find((question) => question.approval === approval)
  if (back === undefined) return questions
  const sent = questions.sent.filter((question) => question !== back)
  return withOpen({ ...questions, sent }, [...questions.open, back], now)
}

/** Whether a key answers: what was pressed sooner was meant for something else. */
export function isReady({ since }: Questions, now: number): boolean {
  return now - since >= UNREAD_MS
}

/** So long nobody has read what is asked. */
export const UNREAD_MS = 400

/** The words for how it ended, where no answer of the person says it. */
export function closingText(approval: number, how: Closing): string | undefined {
  return how === 'answered' ? undefined : `Approval ${approval} ${CLOSED[how]}.`
}

const CLOSED: Readonly<Record<Exclude<Closing, 'answered'>, string>> = {
  expired: 'was not answered in time',
  void: 'is void: its turn ended',
  restarted: 'is void: the program was restarted',
}

function isModelSpeaking(happening: ScreenHappening): boolean {
  return happening.kind === 'piece' || (happening.kind === 'entry' && happening.entry.kind === 'answer')
}

function turnedTo(questions: Questions, { unshown }: Open): Answered {
  const last = questions.open.length - 1
  const open = questions.open.map((question, index) =>
    index === last ? { ...question, isAside: false, unshown: null } : { ...question, isAside: true },
  )
  return { kind: 'turned', questions: { ...questions, open, picked: null }, unshown }
}

/** Up and Down are left alone until a choice is lit: they bring back what was typed before. */
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

/** An arrow says that no text is meant, so the digit is none. */
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

function withOpen(questions: Questions, open: readonly Open[], now: number): Questions {
  const [last, before] = [open.at(-1), questions.open.at(-1)]
  const isSame = last?.approval === before?.approval && last?.isAside === before?.isAside
  return isSame ? { ...questions, open } : { ...questions, open, since: now, picked: null }
}

function putAside(questions: Questions): Questions {
  const { open } = questions
  if (open.every(({ isAside }) => isAside)) return questions
  return { ...questions, open: open.map((question) => ({ ...question, isAside: true })), picked: null }
}
