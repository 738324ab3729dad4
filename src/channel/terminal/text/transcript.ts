import { unreachable } from '../../../base/assert.ts'
import { oneLine, shorten } from '../../../base/width.ts'
import { markdownLines } from './markdown.ts'
import { isHint, noticeLines, pingLines } from './ping-lines.ts'
import type { Entry } from '../port.ts'
import type { Before, TranscriptLook } from './look.ts'
import { type Line, beside, hangingLines, lineFrom, prefixed, roomBeside, unpainted, wrap } from './wrap.ts'

/** An entry as it stays on the screen, with what separates it from the one before. */
export function entryLines(entry: Entry, before: Before, look: TranscriptLook): string[] {
  const lines = linesOf(entry, before, look).map(({ text }) => text)
  const rule = timeRule(entry, before, look)
  const gap = rule.length > 0 || isApart(entry, before.entry) ? [''] : []
  return [...gap, ...rule, ...lines]
}

export function following({ at, branch, isHinted = false }: Before, entry: Entry): Before {
  return { entry, at: 'at' in entry ? entry.at : at, branch, isHinted: isHinted || isHint(entry) }
}

/** One line for a call: a sign for its state, the tool and its arguments. */
export function callLine(call: { name: string; summary: string }, sign: string, columns: number): Line {
  const text = `${oneLine(call.name)} ${oneLine(call.summary)}`.trim()
  return lineFrom(shorten(sign + text, columns))
}

const SAID_ROWS_MAX = 40
const QUIET_MS = 3_600_000

function linesOf(entry: Entry, before: Before, look: TranscriptLook): Line[] {
  switch (entry.kind) {
    case 'said':
      return saidLines(entry, look)
    case 'answer':
      return [...fromLines(entry, before, look), ...markdownLines(entry.text.trim(), look)]
    case 'ping':
      return pingLines(entry, before, look)
    case 'output':
      return outputLines(entry.text, entry.isError, look)
    case 'notice':
      return noticeLines(entry, before, look)
    case 'question':
      return questionLines(entry.text, look)
    case 'tool':
      return [toolLine(entry, look)]
    default:
      return unreachable(entry)
  }
}

function saidLines({ text, place }: Extract<Entry, { kind: 'said' }>, look: TranscriptLook): Line[] {
  const { style, signs } = look
  const from = place === undefined ? [] : [{ text: `(${oneLine(place)}) `, paint: style.dim }]
  const lines = wrap([...from, { text, paint: style.bold }], roomBeside(signs.said, look))
  const shown = lines.length > SAID_ROWS_MAX ? lines.slice(0, SAID_ROWS_MAX - 1) : lines
  const rest = lines.length - shown.length
  const more =
    rest > 0 ? [lineFrom(shorten(`… ${rest} more lines`, roomBeside(signs.said, look)), style.dim)] : []
  return beside([...shown, ...more], signs.said, style.cyan)
}

/** Says which branch an answer is from if another one was shown, and which job caused it if nobody asked. */
function fromLines(
  { branch, from = branch, shown, job }: Extract<Entry, { kind: 'answer' }>,
  before: Before,
  { style, columns, signs }: TranscriptLook,
): Line[] {
  const line = (text: string): Line => lineFrom(shorten(text, columns), style.dim)
  return [
    ...(branch === (shown ?? before.branch) ? [] : [line(`From ${oneLine(from)}:`)]),
    ...(job === undefined ? [] : [line(`${signs.notice}${oneLine(job)}`)]),
  ]
}

function outputLines(text: string, isError: boolean, look: TranscriptLook): Line[] {
  const sign = isError ? look.signs.failed : ''
  const lines = hangingLines(text.trimEnd(), roomBeside(sign, look))
  return isError ? beside(lines, sign, look.style.red) : lines
}

/** The question, its details, and how to answer if that is not said elsewhere. Diff signs stay, also with colours. */
function questionLines(text: string, look: TranscriptLook): Line[] {
  const { style, signs } = look
  const columns = roomBeside(signs.question, look)
  const [title = '', ...rest] = text.trim().split('\n')
  const lines = [
    ...wrap([{ text: title, paint: style.bold }], columns),
    ...rest.flatMap((line) => aboutLines(line, columns, look)),
  ]
  return beside(lines, signs.question, style.yellow)
}

/** `+ added`, `- removed`, or anything else. A wrapped line continues under its own text. */
function aboutLines(text: string, columns: number, { style, signs }: TranscriptLook): Line[] {
  const [, blanks = '', mark, rest = ''] = /^( {0,4})([+-] )?(.*)$/s.exec(text) ?? []
  const [sign, paint] =
    mark === undefined
      ? ['', /^(?:…|\/approve )/.test(rest) ? style.dim : unpainted]
      : mark === '+ '
        ? [signs.came, style.green]
        : [signs.went, style.red]
  const indent = blanks.length + sign.length
  const lines = wrap([{ text: rest, paint }], Math.max(1, columns - indent))
  return prefixed(lines, lineFrom(blanks + sign, paint), lineFrom(' '.repeat(indent)))
}

function toolLine(entry: Entry & { kind: 'tool' }, { style, signs, columns }: TranscriptLook): Line {
  const line = callLine(entry, entry.isError ? signs.failed : signs.done, columns)
  return { text: (entry.isError ? style.red : style.dim)(line.text), width: line.width }
}

/** Consecutive calls and consecutive notices stay together; anything else has an empty line above it. */
function isApart(entry: Entry, before: Entry | null): boolean {
  if (before === null) return false
  return !(entry.kind === before.kind && (entry.kind === 'tool' || entry.kind === 'notice'))
}

/** The time, after an hour of silence. */
function timeRule(entry: Entry, { at }: Before, look: TranscriptLook): string[] {
  if (!('at' in entry) || (at !== null && entry.at - at < QUIET_MS)) return []
  const format = new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: look.timeZone,
  })
  const { rule } = look.signs
  return [look.style.dim(shorten(`${rule} ${format.format(entry.at)} ${rule}`.trim(), look.columns)), '']
}
