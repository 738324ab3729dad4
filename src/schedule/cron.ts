import { counted } from '../base/words.ts'
import { NOT_ALLOWED, type FieldType, type Read } from './field-type.ts'

/** When a routine is due, as five fields. `occurrence.ts` computes the times. */
export const cronField: FieldType<string> = {
  allowed:
    'five fields: minute, hour, day of the month, month, day of the week, such as 30 8 * * 1-5 (Monday to Friday at 8:30)',
  read: (value) => (typeof value === 'string' ? readCron(value) : NOT_ALLOWED),
}

interface Part {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly words?: readonly string[]
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const PARTS: readonly Part[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, words: MONTHS },
  // Both 0 and 7 are Sunday.
  { name: 'day of the week', min: 0, max: 7, words: DAYS },
]

const CHARS_MAX = 200

function readCron(text: string): Read<string> {
  const words = text
    .slice(0, CHARS_MAX + 1)
    .trim()
    .split(/\s+/)
  const count = text.trim() === '' ? 0 : words.length
  if (text.length > CHARS_MAX) return { because: `it is longer than ${CHARS_MAX} characters` }
  if (count !== PARTS.length) return { because: `it has ${counted(count, 'field')} instead of 5` }
  const sets: ReadonlySet<number>[] = []
  for (const [index, part] of PARTS.entries()) {
    const values = valuesOf(words[index] ?? '', part)
    if (typeof values === 'string') return { because: `the ${part.name} ${values}` }
    sets.push(values)
  }
  if (isNever(words, sets)) return { because: 'there is no such day in any of these months' }
  return { value: words.join(' ') }
}

/** All values that a field stands for, or what is wrong with it. */
function valuesOf(field: string, part: Part): ReadonlySet<number> | string {
  const found = new Set<number>()
  for (const piece of field.split(',')) {
    const span = spanOf(piece, part)
    if (typeof span === 'string') return span
    for (let value = span.from; value <= span.to; value += span.step) found.add(value)
  }
  return found
}

/** `*`, `5` or `1-5`; the first and the last also with a step, as in `10-40/10`. */
function spanOf(piece: string, part: Part): { from: number; to: number; step: number } | string {
  const [, start = '', end, stride] = /^([^-/]+)(?:-([^-/]+))?(?:\/(\d{1,3}))?$/.exec(piece) ?? []
  if (start === '') return `'${piece}' cannot be read`
  const step = stride === undefined ? 1 : Number(stride)
  if (step < 1) return `has a step of 0`
  if (start === '*' && end === undefined) return { from: part.min, to: part.max, step }
  const from = numberOf(start, part)
  const to = end === undefined ? from : numberOf(end, part)
  if (from === undefined || to === undefined) {
    const wrong = from === undefined ? start : (end ?? '')
    const words = part.words === undefined ? '' : `, or ${part.words.slice(0, 2).join(', ')} …`
    return `'${wrong}' is not a number from ${part.min} to ${part.max}${words}`
  }
  if (from > to) return `'${piece}' goes backwards: write ${start}-${part.max},${part.min}-${end ?? ''}`
  if (stride !== undefined && end === undefined)
    return `'${piece}' has a step and no end: write ${start}-${part.max}/${stride}`
  return { from, to, step }
}

function numberOf(word: string, { min, max, words = [] }: Part): number | undefined {
  const named = words.indexOf(word.toLowerCase())
  if (named >= 0) return named + min
  if (!/^\d{1,2}$/.test(word)) return undefined
  const number = Number(word)
  return number >= min && number <= max ? number : undefined
}

const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Whether no date ever fits. With a day of the week, one always does. */
function isNever(words: readonly string[], sets: readonly ReadonlySet<number>[]): boolean {
  if (words[4] !== '*') return false
  const [days, months] = [[...(sets[2] ?? [])], [...(sets[3] ?? [])]]
  return months.every((month) => days.every((day) => day > (LONGEST[month - 1] ?? 31)))
}
