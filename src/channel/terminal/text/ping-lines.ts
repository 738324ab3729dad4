import { beside, roomBeside } from './beside.ts'
import { cardLines, choiceLines } from './card.ts'
import { markdownLines } from './markdown.ts'
import { neutralLine } from './neutral.ts'
import { isForEveryPing, pingAnswers } from './ping-answers.ts'
import type { Entry } from '../port.ts'
import type { Before, TranscriptLook } from './transcript-look.ts'
import { type Line, lineFrom, prefixed, wrap } from './wrap.ts'

type Ping = Extract<Entry, { kind: 'ping' }>
type Notice = Extract<Entry, { kind: 'notice' }>

/** What a model wrote at once: whose it is, what it says, and how it is answered. */
export function pingLines(entry: Ping, before: Before, look: TranscriptLook): Line[] {
  const { style, signs } = look
  const inner = { ...look, columns: roomBeside(signs.ping, look) }
  const { text, embed, number } = entry
  const choices = entry.choices.filter((choice) => !isForEveryPing(choice, number))
  const answers = pingAnswers(number, entry.choices)
  const how = (words: string): string => (number === undefined ? words : `/reply ${number} ${words}`)
  const lines = [
    ...headLines(entry, before, inner),
    ...(embed === undefined ? markdownLines(text.trim(), inner) : cardLines(embed, inner)),
    ...choiceLines(choices, how, inner),
    ...(answers === undefined
      ? hintLines(choices.length > 0 ? undefined : number, before, inner)
      : wrap([{ text: answers, paint: style.dim }], inner.columns)),
  ]
  return beside(lines, signs.ping, style.yellow)
}

/** One that can be replied to has its number before it. */
export function noticeLines({ text, number }: Notice, before: Before, look: TranscriptLook): Line[] {
  const { style, signs } = look
  const inner = { ...look, columns: roomBeside(signs.notice, look) }
  const numbered = number === undefined ? [] : [{ text: `#${number} `, paint: style.bold }]
  const rows = text.trim().split('\n')
  // A list has its number above it.
  const head = text.trim().startsWith(POINT) ? '' : (rows.shift() ?? '')
  const lines = [
    ...(head === '' && number === undefined
      ? []
      : wrap([...numbered, { text: head, paint: style.dim }], inner.columns)),
    ...rows.flatMap((row) => pointLines(row, inner)),
  ]
  return beside([...lines, ...hintLines(number, before, inner)], signs.notice, style.dim)
}

const POINT = '- '

/** A point of a list goes on under its own text. */
function pointLines(row: string, { style, columns }: TranscriptLook): Line[] {
  if (!row.startsWith(POINT)) return wrap([{ text: row, paint: style.dim }], columns)
  const text = wrap([{ text: row.slice(POINT.length), paint: style.dim }], columns - POINT.length)
  return prefixed(text, lineFrom(POINT), lineFrom('  '))
}

/** `#3 from routine brief`; what was asked for in the branch shown here needs none. */
function headLines(
  { number, from, branch, shown, isCritical }: Ping,
  before: Before,
  { style, columns }: TranscriptLook,
): Line[] {
  const who = neutralLine(from)
  if (number !== undefined)
    return wrap(
      [
        { text: `#${number}`, paint: style.bold },
        { text: ` from ${who}`, paint: style.dim },
        ...(isCritical === true ? [{ text: ', critical', paint: style.red }] : []),
      ],
      columns,
    )
  return branch === (shown ?? before.branch)
    ? []
    : wrap([{ text: `From ${who}:`, paint: style.dim }], columns)
}

/** Once is enough. */
function hintLines(number: number | undefined, before: Before, { style, columns }: TranscriptLook): Line[] {
  if (number === undefined || before.isHinted === true) return []
  return wrap([{ text: `/reply ${number} TEXT answers it.`, paint: style.dim }], columns)
}

/** Whether it says how such a message is answered. */
export function isHint(entry: Entry): boolean {
  return (entry.kind === 'ping' || entry.kind === 'notice') && entry.number !== undefined
}
