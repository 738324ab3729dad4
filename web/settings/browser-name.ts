const BROWSERS: readonly (readonly [string, RegExp])[] = [
  ['Edge', /Edg\//],
  ['Opera', /OPR\//],
  ['Firefox', /Firefox\/|FxiOS/],
  ['Chromium', /Headless|Chromium/],
  ['Chrome', /Chrome\/|CriOS/],
  ['Safari', /Safari\//],
]
const SYSTEMS: readonly (readonly [string, RegExp])[] = [
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['macOS', /Mac OS X|Macintosh/],
  ['Windows', /Windows/],
  ['Linux', /Linux/],
]

/** `Firefox on Linux`: what a browser calls itself, in short. */
export function browserName(agent: string): string {
  const named = (list: typeof BROWSERS): string | undefined => list.find(([, sign]) => sign.test(agent))?.[0]
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)]
  if (browser === undefined) return agent.slice(0, 40) || 'a browser without a name'
  return system === undefined ? browser : `${browser} on ${system}`
}
