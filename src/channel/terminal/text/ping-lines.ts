import { oneLine, padTo, widthOf } from '../../../base/width.ts'
import type { Choice, Embed } from '../../../event/work.ts'
import type { Entry } from '../port.ts'
import type { Before, Look, TranscriptLook } from './look.ts'
import { markdownLines } from './markdown.ts'
import { type Line, beside, lineFrom, prefixed, roomBeside, unpainted, wrap } from './wrap.ts'

type Ping = Extract<Entry, { kind: 'ping' }>
type Notice = Extract<Entry, { kind: 'notice' }>

/** A ping: who sent it, what it says, and how to answer it. */
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

/** Answers that every numbered ping has, besides those that its author offers. */
const EVERY_PING = /^\/(?:done|snooze|less) (\d+)(?: |$)/

/** Whether it is one of those: they share one line. */
function isForEveryPing({ command }: Choice, number: number | undefined): boolean {
  return number !== undefined && EVERY_PING.exec(command)?.[1] === String(number)
}

/** `/done 3 · /snooze 3 1h · /less 3 · /reply 3 …`; undefined if it has no such answers. */
export function pingAnswers(number: number | undefined, choices: readonly Choice[]): string | undefined {
  const offered = choices.filter((choice) => isForEveryPing(choice, number)).map(({ command }) => command)
  if (offered.length === 0) return undefined
  // One snooze time is enough as an example.
  const short = ['/done', '/snooze', '/less'].flatMap((name) => {
    const those = offered.filter((command) => command.startsWith(`${name} `))
    return (those.find((command) => command.endsWith(' 1h')) ?? those[0]) || []
  })
  return [...short, `/reply ${number} …`].join(' · ')
}

/** A notice, with its number if it can be replied to. */
export function noticeLines({ text, number }: Notice, before: Before, look: TranscriptLook): Line[] {
  const { style, signs } = look
  const inner = { ...look, columns: roomBeside(signs.notice, look) }
  const numbered = number === undefined ? [] : [{ text: `#${number} `, paint: style.bold }]
  const rows = text.trim().split('\n')
  // If the notice is a list, the number goes above it.
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

/** A list item continues under its own text. */
function pointLines(row: string, { style, columns }: TranscriptLook): Line[] {
  if (!row.startsWith(POINT)) return wrap([{ text: row, paint: style.dim }], columns)
  const text = wrap([{ text: row.slice(POINT.length), paint: style.dim }], columns - POINT.length)
  return prefixed(text, lineFrom(POINT), lineFrom('  '))
}

/** `#3 from routine brief`; a message of the shown branch that was asked for has no head. */
function headLines(
  { number, from, branch, shown, isCritical }: Ping,
  before: Before,
  { style, columns }: TranscriptLook,
): Line[] {
  const who = oneLine(from)
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

/** How to reply, said once. */
function hintLines(number: number | undefined, before: Before, { style, columns }: TranscriptLook): Line[] {
  if (number === undefined || before.isHinted === true) return []
  return wrap([{ text: `/reply ${number} TEXT answers it.`, paint: style.dim }], columns)
}

/** Whether the entry says how to reply to such a message. */
export function isHint(entry: Entry): boolean {
  return (entry.kind === 'ping' || entry.kind === 'notice') && entry.number !== undefined
}

/**
 * A card: title, description and fields, beside a bar of its colour. Markdown marks are never shown in it, not even
 * without colours.
 */
function cardLines({ title, description, fields = [], color }: Embed, look: TranscriptLook): Line[] {
  const bar = barOf(color, look)
  const inner = { ...look, columns: Math.max(1, look.columns - bar.width) }
  const lines = [
    ...wrap([{ text: oneLine(title), paint: look.style.bold }], inner.columns),
    ...(description === undefined ? [] : markdownLines(description, { ...inner, colour: 'colour' })),
    ...pairLines(
      fields.map(({ name, value }) => [name, value]),
      inner,
    ),
  ]
  return prefixed(lines, bar, bar)
}

/** The possible answers, each with what to type for it. */
function choiceLines(choices: readonly Choice[], how: (command: string) => string, look: Look): Line[] {
  if (choices.length === 0) return []
  const pairs = choices.map(({ label, command }) => [label, how(command)] as const)
  return [...wrap([{ text: 'Answers:', paint: look.style.dim }], look.columns), ...pairLines(pairs, look)]
}

const GAP = 2
/** A share of the columns. */
const NAMES_MAX = 0.4

/** Names in one column with their texts beside them, or below them where there is little room. */
function pairLines(pairs: readonly (readonly [string, string])[], look: Look): Line[] {
  const named = pairs.map(([name, text]) => [oneLine(name), text] as const)
  const width = Math.max(0, ...named.map(([name]) => widthOf(name)))
  const isTable = width + GAP <= look.columns * NAMES_MAX
  const indent = isTable ? width + GAP : GAP
  const room = Math.max(1, look.columns - indent)
  return named.flatMap(([name, text]) => {
    const lines = wrap([{ text, paint: unpainted }], room)
    const head = lineFrom(isTable ? padTo(name, indent) : ' '.repeat(indent), look.style.dim)
    const beside = prefixed(lines, head, lineFrom(' '.repeat(indent)))
    return isTable ? beside : [...wrap([{ text: name, paint: look.style.dim }], look.columns), ...beside]
  })
}

/** A bar in the nearest of the 256 colours. */
function barOf(color: string | undefined, { style, signs }: TranscriptLook): Line {
  const [, red, green, blue] = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(color ?? '') ?? []
  if (red === undefined || green === undefined || blue === undefined) return lineFrom(signs.bar, style.dim)
  return lineFrom(signs.bar, style.tint(16 + 36 * fifths(red) + 6 * fifths(green) + fifths(blue)))
}

function fifths(hex: string): number {
  return Math.round((Number.parseInt(hex, 16) / 255) * 5)
}
