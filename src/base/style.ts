const CODES = {
  dim: [2, 22],
  bold: [1, 22],
  italic: [3, 23],
  underline: [4, 24],
  strike: [9, 29],
  green: [32, 39],
  yellow: [33, 39],
  red: [31, 39],
  cyan: [36, 39],
} as const

/** Colour is a help for the eye and never the only signal; without a terminal there is none. */
export interface Style extends Readonly<Record<keyof typeof CODES, Paint>> {
  /** One of the 256 colours that nearly every terminal has. */
  tint(colour: number): Paint
}

export type Paint = (text: string) => string

/** A `key` begins each sequence, and tells it from one that stands in somebody's text. */
export function styleFor(colour: 'colour' | 'plain', key = ''): Style {
  const painter =
    (code: number | string, end: number): Paint =>
    (text) =>
      colour === 'plain' || text === '' ? text : `\u001B[${key}${code}m${text}\u001B[${key}${end}m`
  const paints = Object.entries(CODES).map(([name, [code, end]]) => [name, painter(code, end)])
  return { ...Object.fromEntries(paints), tint: (number: number) => painter(`38;5;${number}`, 39) } as Style
}
