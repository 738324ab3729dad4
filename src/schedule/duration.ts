/** In milliseconds: `2h`, `30m`, `90 min`, `1d`, `1 h 30 min`, `1.5 hours`. Undefined: it is no duration, or none at all. */
export function readDuration(text: string): number | undefined {
  const given = text.trim().toLowerCase()
  if (given.length > CHARS_MAX || !WHOLE.test(given)) return undefined
  let total = 0
  for (const [, count = '', unit = ''] of given.matchAll(PIECES)) {
    const ms = UNITS.find(([pattern]) => pattern.test(unit))?.[1]
    if (ms === undefined) return undefined
    total += Math.round(Number(count) * ms)
  }
  return total > 0 && total <= DURATION_MS_MAX ? total : undefined
}

const CHARS_MAX = 60
const WHOLE = /^(?:\d{1,9}(?:\.\d{1,3})?\s*[a-z]+(?:\s*,)?(?:\s+and(?=\s))?\s*)+$/
const PIECES = /(\d+(?:\.\d+)?)\s*([a-z]+)/g
const DURATION_MS_MAX = 3_660 * 86_400_000

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^s(?:ec(?:ond)?s?)?$/, 1_000],
  [/^m(?:in(?:ute)?s?)?$/, 60_000],
  [/^h(?:(?:ou)?rs?)?$/, 3_600_000],
  [/^d(?:ays?)?$/, 86_400_000],
  [/^w(?:(?:ee)?ks?)?$/, 7 * 86_400_000],
]
