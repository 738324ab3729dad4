/** Colour is a help for the eye and never the only signal; without a terminal there is none. */
export interface Style {
  readonly dim: (text: string) => string
  readonly bold: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly red: (text: string) => string
  readonly cyan: (text: string) => string
}

export function styleFor(colour: 'colour' | 'plain'): Style {
  const wrap = (code: number, end: number) => (text: string) =>
    colour === 'plain' || text === '' ? text : `\u001B[${code}m${text}\u001B[${end}m`
  return {
    dim: wrap(2, 22),
    bold: wrap(1, 22),
    green: wrap(32, 39),
    yellow: wrap(33, 39),
    red: wrap(31, 39),
    cyan: wrap(36, 39),
  }
}
