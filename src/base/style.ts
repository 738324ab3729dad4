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
export type Style = Readonly<Record<keyof typeof CODES, Paint>>

export type Paint = (text: string) => string

export function styleFor(colour: 'colour' | 'plain'): Style {
  const paints = Object.entries(CODES).map(([name, [code, end]]) => {
    const paint: Paint = (text) => `\u001B[${code}m${text}\u001B[${end}m`
    return [name, (text: string) => (colour === 'plain' || text === '' ? text : paint(text))]
  })
  return Object.fromEntries(paints) as Style
}
