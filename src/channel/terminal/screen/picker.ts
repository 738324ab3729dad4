import { oneLine, shorten, widthOf } from '../../../base/width.ts'
import type { Look } from '../text/look.ts'
import { type Questions, isReady, isTyped } from '../input/questions.ts'

/** The question that is asked, as the frame shows it above the box. */
export interface Picker {
  readonly title: string
  /** The first line of what it is about. */
  readonly about: string | null
  readonly labels: readonly string[]
  /** Which of them Enter would take. */
  readonly picked: number | null
  /** `y`, `n` and `a` answer it too. */
  readonly isCall?: boolean
  /** Null: it waits as long as it takes. */
  readonly leftMs: number | null
  /** Others that wait behind it. */
  readonly more: number
  /** It was put aside; the person has to press Tab before they can answer. */
  readonly isAside: boolean
  /** `early`: nobody can have read it yet. `hindered`: keys go to the text in the input box. */
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
    title: oneLine(asked.title),
    about: asked.about === null ? null : oneLine(asked.about),
    labels: asked.choices.map(({ label }) => oneLine(label)),
    picked: questions.picked?.index ?? null,
    isCall: isTyped(asked),
    leftMs: asked.until === null ? null : Math.max(0, asked.until - now),
    more: questions.open.length - 1,
    isAside: asked.isAside,
    keys: isInputEmpty ? ready : 'hindered',
  }
}

/**
 * The question and its details, the choices in one row or below each other, and the keys. If there are too few rows,
 * the keys are left out first.
 */
export function pickerLines(picker: Picker, look: Look, rows: number): string[] {
  if (picker.isAside) return [titleLine(picker, hintTexts(picker), look)].slice(0, Math.max(0, rows))
  const title = titleLine(picker, [], look)
  const choices = choiceLines(picker, look)
  const about = picker.about === null ? [] : [INDENT + shorten(picker.about, look.columns - INDENT.length)]
  const forms = [
    [title, ...about, ...choices, ...hintLines(picker, look)],
    [title, ...about, ...choices],
  ]
  return forms.find(({ length }) => length <= rows) ?? [title, ...choices].slice(0, Math.max(0, rows))
}

/** The same for a screen reader: nothing in it changes by itself. */
export function pickerSentences(picker: Picker): string[] {
  const choices = picker.labels.map(
    (label, index) => `${index + 1}: ${label}${index === picker.picked ? ' (chosen)' : ''}`,
  )
  const about = picker.about === null ? [] : [`About: ${picker.about}`]
  const hints = hintTexts(picker).filter((text) => text !== JUST_ASKED)
  return [`Question: ${picker.title}`, ...(picker.isAside ? [] : [...about, ...choices]), ...hints]
}

const SIGN = '? '
const INDENT = '  '
const JUST_ASKED = '…'

function titleLine({ title, leftMs }: Picker, more: readonly string[], { style, columns }: Look): string {
  const left = leftMs === null ? [] : [`${leftText(leftMs)} left`]
  const rest = shorten([...left, ...more].map((text) => ` · ${text}`).join(''), columns - SIGN.length)
  const shown = shorten(title, columns - SIGN.length - widthOf(rest))
  return style.yellow(SIGN) + shown + style.dim(rest)
}

/** In minutes while there are several: a clock that ticks for ten minutes is noise. */
function leftText(leftMs: number): string {
  const seconds = Math.ceil(leftMs / 1_000)
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}

/** Brackets mark the picked one. They take the columns that are blank beside the others, so nothing moves. */
function choiceLines({ labels, picked }: Picker, { style, columns }: Look): string[] {
  const rowWidth = labels.reduce((sum, label) => sum + widthOf(label) + BESIDE_COLUMNS + 1, 0)
  const isOneRow = rowWidth <= columns
  const choices = labels.map((label, index) => {
    const text = isOneRow ? label : shorten(label, columns - BESIDE_COLUMNS - 1)
    const number = String(index + 1)
    return index === picked ? style.bold(`[${number} ${text}]`) : ` ${style.cyan(number)} ${text} `
  })
  const rows = isOneRow ? [choices.join(' ')] : choices
  return rows.map((row) => ` ${row}`.trimEnd())
}

/** A bracket, the digit, a space and a bracket. */
const BESIDE_COLUMNS = 4

function hintLines(picker: Picker, { style, columns }: Look): string[] {
  const texts = hintTexts(picker)
  const row = texts.join(' · ')
  const rows = INDENT.length + widthOf(row) <= columns ? [row] : texts
  return rows.map((text) => INDENT + style.dim(shorten(text, columns - INDENT.length)))
}

function hintTexts(picker: Picker): string[] {
  const { more } = picker
  const rest = more === 0 ? [] : [`${more} more waiting: /approvals`]
  if (!picker.isAside) return [...keyTexts(picker), ...rest]
  return picker.keys === 'hindered' ? rest : ['Tab to answer', ...rest]
}

function keyTexts({ labels, picked, isCall = false, keys }: Picker): string[] {
  const digits = labels.map((_, index) => index + 1).join(' ')
  if (picked !== null) return ['Enter to confirm', 'Esc to go back']
  if (keys === 'early') return [JUST_ASKED]
  if (keys === 'hindered') return [`${digits} answer once the input is empty`]
  return [`${digits}${isCall ? ' or y a n' : ''} then Enter to answer`, isCall ? 'or type' : 'Esc for later']
}
