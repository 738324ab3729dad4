import { unreachable } from '../../base/unreachable.ts'
import { shorten } from '../../base/width.ts'
import { type Look, markdownLines } from './markdown.ts'
import { neutralLine } from './neutral.ts'
import type { Entry } from './port.ts'
import { type Line, cut, lineFrom, prefixed, unpainted, wrap } from './wrap.ts'

export interface TranscriptLook extends Look {
  /** `Europe/Berlin`; undefined: that of the machine. */
  readonly timeZone?: string | undefined
}

/** An entry as it stays on the screen, with what separates it from the one before. */
export function entryLines(entry: Entry, before: Before, look: TranscriptLook): string[] {
  const lines = linesOf(entry, before, look).map(({ text }) => text)
  const rule = timeRule(entry, before, look)
  const gap = rule.length > 0 || isApart(entry, before.entry) ? [''] : []
  return [...gap, ...rule, ...lines]
}

/** What stood there before. */
export interface Before {
  readonly entry: Entry | null
  /** When something was last said or answered. */
  readonly at: number | null
  /** The branch shown here. */
  readonly branch: string
}

export function following({ at, branch }: Before, entry: Entry): Before {
  return { entry, at: 'at' in entry ? entry.at : at, branch }
}

/** One line for a call: a sign that says how it stands, what was called, and with what. */
export function callLine(call: { name: string; summary: string }, sign: string, columns: number): Line {
  const text = `${neutralLine(call.name)} ${neutralLine(call.summary)}`.trim()
  return lineFrom(shorten(`${sign} ${text}`, columns))
}

const SAID_ROWS_MAX = 40
const QUIET_MS = 3_600_000
const INDENT = { text: '  ', width: 2 }

function linesOf(entry: Entry, { branch }: Before, look: TranscriptLook): Line[] {
  switch (entry.kind) {
    case 'said':
      return saidLines(entry.text, look)
    case 'answer':
      return [...fromLines(entry.branch, branch, look), ...markdownLines(entry.text.trim(), look)]
    case 'output':
      return outputLines(entry.text, entry.isError, look)
    case 'notice':
      return noticeLines(entry.text, look)
    case 'tool':
      return [toolLine(entry, look)]
    default:
      return unreachable(entry)
  }
}

function saidLines(text: string, { style, columns }: TranscriptLook): Line[] {
  const lines = wrap([{ text, paint: style.bold }], Math.max(1, columns - 2))
  const shown = lines.length > SAID_ROWS_MAX ? lines.slice(0, SAID_ROWS_MAX - 1) : lines
  const rest = lines.length - shown.length
  const more = rest > 0 ? [lineFrom(shorten(`… ${rest} more lines`, columns - 2), style.dim)] : []
  return prefixed([...shown, ...more], { text: style.cyan('› '), width: 2 }, INDENT)
}

/** An answer of a branch that is not the one shown says whose it is. */
function fromLines(of: string, shown: string, { style, columns }: TranscriptLook): Line[] {
  return of === shown ? [] : [lineFrom(shorten(`From ${neutralLine(of)}:`, columns), style.dim)]
}

function outputLines(text: string, isError: boolean, { style, columns }: TranscriptLook): Line[] {
  const trimmed = text.replace(/\s+$/, '')
  if (!isError) return cut(trimmed, unpainted, columns)
  return prefixed(cut(trimmed, unpainted, columns - 2), { text: style.red('✗ '), width: 2 }, INDENT)
}

function noticeLines(text: string, { style, columns }: TranscriptLook): Line[] {
  const lines = wrap([{ text: text.trim(), paint: style.dim }], Math.max(1, columns - 2))
  return prefixed(lines, { text: style.dim('– '), width: 2 }, INDENT)
}

function toolLine(entry: Entry & { kind: 'tool' }, { style, columns }: TranscriptLook): Line {
  const line = callLine(entry, entry.isError ? '✗' : '✓', columns)
  return { text: (entry.isError ? style.red : style.dim)(line.text), width: line.width }
}

/** Calls and notices stand together; everything else has air above it. */
function isApart(entry: Entry, before: Entry | null): boolean {
  if (before === null) return false
  return !(entry.kind === before.kind && (entry.kind === 'tool' || entry.kind === 'notice'))
}

/** After an hour of silence the time is told. */
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
  return [look.style.dim(shorten(`── ${format.format(entry.at)} ──`, look.columns)), '']
}
