import type { Paint } from '../../../base/style.ts'
import { padTo, widthOf } from '../../../base/width.ts'
import type { Choice, Embed } from '../../../event/work.ts'
import type { Look } from './look.ts'
import { markdownLines } from './markdown.ts'
import { neutralLine } from './neutral.ts'
import type { TranscriptLook } from './transcript-look.ts'
import { type Line, lineFrom, prefixed, unpainted, wrap } from './wrap.ts'

/**
 * A card: its title, what it says, its fields below each other, beside a bar of its colour. Marks of Markdown are not
 * drawn, also where no colours take their place: a card is made to be looked at.
 */
export function cardLines({ title, description, fields = [], color }: Embed, look: TranscriptLook): Line[] {
  const bar = barOf(color, look)
  const inner = { ...look, columns: Math.max(1, look.columns - bar.width) }
  const lines = [
    ...wrap([{ text: neutralLine(title), paint: look.style.bold }], inner.columns),
    ...(description === undefined ? [] : markdownLines(description, { ...inner, colour: 'colour' })),
    ...pairLines(
      fields.map(({ name, value }) => [name, value]),
      inner,
    ),
  ]
  return prefixed(lines, bar, bar)
}

/** Of what can be answered, each with the words that do it. */
export function choiceLines(
  choices: readonly Choice[],
  how: (command: string) => string,
  look: Look,
): Line[] {
  if (choices.length === 0) return []
  const pairs = choices.map(({ label, command }) => [label, how(command)] as const)
  return [...wrap([{ text: 'Answers:', paint: look.style.dim }], look.columns), ...pairLines(pairs, look)]
}

const GAP = 2
/** Of the columns. */
const NAMES_MAX = 0.4

/** Names in a column and what belongs to them beside it; where that leaves little room, below them. */
function pairLines(pairs: readonly (readonly [string, string])[], look: Look): Line[] {
  const named = pairs.map(([name, text]) => [neutralLine(name), text] as const)
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

function barOf(color: string | undefined, { colour, style, signs }: TranscriptLook): Line {
  return lineFrom(signs.bar, (colour === 'plain' ? undefined : paintOf(color ?? '')) ?? style.dim)
}

/** The nearest of the colours that nearly every terminal has. */
function paintOf(color: string): Paint | undefined {
  const [, red, green, blue] = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(color) ?? []
  if (red === undefined || green === undefined || blue === undefined) return undefined
  const code = 16 + 36 * fifths(red) + 6 * fifths(green) + fifths(blue)
  return (text) => `\u001B[38;5;${code}m${text}\u001B[39m`
}

function fifths(hex: string): number {
  return Math.round((Number.parseInt(hex, 16) / 255) * 5)
}
