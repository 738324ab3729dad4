import { shorten, widthOf } from '../../base/width.ts'
import type { Look } from './look.ts'
import { neutralLine } from './neutral.ts'
import { type Questions, isReady } from './questions.ts'

/** The question that is asked, as the frame shows it above the box. */
export interface Picker {
  readonly title: string
  readonly labels: readonly string[]
  /** Null: it waits as long as it takes. */
  readonly leftMs: number | null
  /** Others that wait behind it. */
  readonly more: number
  /** It gave way to the conversation, and the person has to turn to it first. */
  readonly isAside: boolean
  /** `early`: nobody can have read it yet. `hindered`: a key goes to the text that is being written. */
  readonly keys: 'ready' | 'early' | 'hindered'
}

export function pickerOf(
  questions: Questions,
  { isInputEmpty, now }: { readonly isInputEmpty: boolean; readonly now: number },
): Picker | null {
  const asked = questions.open.at(-1)
  if (asked === undefined) return null
  const ready = isReady(questions, now) ? 'ready' : 'early'
  return {
    title: neutralLine(asked.title),
    labels: asked.choices.map(({ label }) => neutralLine(label)),
    leftMs: asked.until === null ? null : Math.max(0, asked.until - now),
    more: questions.open.length - 1,
    isAside: asked.isAside,
    keys: isInputEmpty ? ready : 'hindered',
  }
}

/** What is asked, the choices in one row or one below the other, and which keys do it. */
export function pickerLines(picker: Picker, look: Look): string[] {
  if (picker.isAside) return [titleLine(picker, hintTexts(picker), look)]
  return [titleLine(picker, [], look), ...choiceLines(picker, look), ...hintLines(picker, look)]
}

/** The same for those who listen: nothing that changes by itself. */
export function pickerSentences(picker: Picker): string[] {
  const choices = picker.labels.map((label, index) => `${index + 1}: ${label}`)
  const hints = hintTexts(picker).filter((text) => text !== JUST_ASKED)
  return [`Question: ${picker.title}`, ...(picker.isAside ? [] : choices), ...hints]
}

const SIGN = '? '
const INDENT = '  '
const BETWEEN = '   '
const JUST_ASKED = '…'

function titleLine({ title, leftMs }: Picker, more: readonly string[], { style, columns }: Look): string {
  const left = leftMs === null ? [] : [`${Math.ceil(leftMs / 1_000)} s left`]
  const rest = shorten([...left, ...more].map((text) => ` · ${text}`).join(''), columns - SIGN.length)
  const shown = shorten(title, columns - SIGN.length - widthOf(rest))
  return style.yellow(SIGN) + shown + style.dim(rest)
}

function choiceLines({ labels }: Picker, { style, columns }: Look): string[] {
  const rowWidth = labels.reduce((sum, label) => sum + widthOf(label) + KEY_COLUMNS + BETWEEN.length, 0)
  const isOneRow = INDENT.length + rowWidth - BETWEEN.length <= columns
  const choices = labels.map((label, index) => {
    const text = isOneRow ? label : shorten(label, columns - INDENT.length - KEY_COLUMNS)
    return `${style.cyan(String(index + 1))} ${text}`
  })
  return isOneRow ? [INDENT + choices.join(BETWEEN)] : choices.map((choice) => INDENT + choice)
}

/** The digit and the space behind it. */
const KEY_COLUMNS = 2

function hintLines(picker: Picker, { style, columns }: Look): string[] {
  const texts = hintTexts(picker)
  const row = texts.join(' · ')
  const rows = INDENT.length + widthOf(row) <= columns ? [row] : texts
  return rows.map((text) => INDENT + style.dim(shorten(text, columns - INDENT.length)))
}

function hintTexts(picker: Picker): string[] {
  const { more } = picker
  const rest = more === 0 ? [] : [`${more} more ${more === 1 ? 'waits' : 'wait'}: /approvals`]
  return [...(picker.isAside ? turnTexts(picker) : keyTexts(picker)), ...rest]
}

function turnTexts({ keys }: Picker): string[] {
  return keys === 'hindered' ? [] : ['Tab answers it']
}

function keyTexts({ labels, leftMs, keys }: Picker): string[] {
  const digits = labels.map((_, index) => index + 1).join(' ')
  if (keys === 'early') return [JUST_ASKED]
  if (keys === 'hindered') return [`${digits} answer when nothing is written`]
  return [leftMs === null ? `${digits} answer, Esc later, or type` : `${digits} answer, or type`]
}
