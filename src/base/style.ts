/** Colour is a help for the eye and never the only signal; without a terminal there is none. */
export interface Style {
  readonly dim: Paint
  readonly bold: Paint
  readonly italic: Paint
  readonly underline: Paint
  readonly strike: Paint
  readonly green: Paint
  readonly yellow: Paint
  readonly red: Paint
  readonly cyan: Paint
}

export type Paint = (text: string) => string

export function styleFor(colour: 'colour' | 'plain'): Style {
  const wrap = (code: number, end: number) => (text: string) =>
    colour === 'plain' || text === '' ? text : `\u001B[${code}m${text}\u001B[${end}m`
  return {
    dim: wrap(2, 22),
    bold: wrap(1, 22),
    italic: wrap(3, 23),
    underline: wrap(4, 24),
    strike: wrap(9, 29),
    green: wrap(32, 39),
    yellow: wrap(33, 39),
    red: wrap(31, 39),
    cyan: wrap(36, 39),
  }
}
