import type { Value } from '../base/front-matter.ts'
import { readIso } from '../base/iso-time.ts'
import type { Json } from '../base/json.ts'
import { readDuration } from '../base/span.ts'
import { oneLine, shorten } from '../base/width.ts'
import { HOOK_PREFIX } from '../config/table/key.ts'
import { MODEL_WITHOUT_PATH, modelName, namesPath, thinking, timeZone } from '../config/type/domain-type.ts'
import type { ValueType } from '../config/type/value-type.ts'
import { reportings } from '../event/run.ts'
import { readAllowedTools } from '../tool/allowed-tools.ts'
import type { CatchUp } from './definition.ts'

/** What a key of a definition may be set to. */
export interface FieldType<T> {
  /** Ends the sentence "Write …". */
  readonly allowed: string
  /** A refused value is not repeated: it may be a secret. */
  readonly isHidden?: true
  /** Never throws. */
  read(value: Value): Read<T>
  /** The value as a file says it. Left out: as it is. */
  write?(value: T): Json
}

/** A refusal has a reason where more can be said than what is allowed. */
export type Read<T> =
  | { readonly value: T; readonly warnings?: readonly string[] }
  | { readonly because: string | null }

export const NOT_ALLOWED = { because: null } as const

/** A text that `read` understands, without the blanks around it. */
function worded<T>(allowed: string, read: (text: string) => T | undefined): FieldType<T> {
  return {
    allowed,
    read: (value) => {
      const found = typeof value === 'string' ? read(value.trim()) : undefined
      return found === undefined ? NOT_ALLOWED : { value: found }
    },
  }
}

/** One of these words, in any case. */
function oneOf<T>(allowed: string, meanings: Readonly<Record<string, T>>): FieldType<T> {
  const byWord = new Map(Object.entries(meanings))
  return worded(allowed, (text) => byWord.get(text.toLowerCase()))
}

export const yesNo = oneOf('true or false', { true: true, false: false })

export function text(charsMax: number): FieldType<string> {
  return worded(`a text of up to ${charsMax} characters`, (given) =>
    given.length <= charsMax ? given.toWellFormed() : undefined,
  )
}

export function whole(max: number): FieldType<number> {
  return worded(`a whole number from 0 to ${max}`, (given) =>
    /^\d{1,9}$/.test(given) && Number(given) <= max ? Number(given) : undefined,
  )
}

export const positionField = worded('a whole number from 1 on: the position of a ping in the log', (given) =>
  /^[1-9]\d{0,14}$/.test(given) ? Number(given) : undefined,
)

/** An id is part of tags, addresses and file names. */
const ID = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,63}$/u

export const idText = worded(
  '1 to 64 letters, digits or . _ - that begin with a letter or a digit, such as morning-brief',
  (given) => {
    // Some file systems spell é as two characters, which nobody types.
    const id = given.normalize('NFC')
    return ID.test(id) ? id : undefined
  },
)

const SECRET_NAME = new RegExp(`^${HOOK_PREFIX}\\w{1,100}$`)

export const secretName: FieldType<string> = {
  ...worded(
    `the name of a variable that begins with ${HOOK_PREFIX}, such as ${HOOK_PREFIX}GITHUB, never the secret itself`,
    (given) => (SECRET_NAME.test(given) ? given : undefined),
  ),
  isHidden: true,
}

export const reportingMode = worded(
  `${reportings.slice(0, -1).join(', ')} or ${reportings.at(-1) ?? ''}`,
  (given) => reportings.find((mode) => mode === given.toLowerCase().replaceAll('-', '_')),
)

const thinkingWord = oneOf('', { true: 'adaptive', adaptive: 'adaptive', false: 'off', off: 'off' } as const)

export const thinkingField: FieldType<'off' | 'adaptive' | number> = {
  allowed: 'true (as much as the model finds right), false, or a number of tokens up to 1000000',
  read: (value) => {
    const tokens = typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : undefined
    if (tokens === undefined) return thinkingWord.read(value)
    return thinking.schema.safeParse(tokens).success ? { value: tokens } : NOT_ALLOWED
  },
  write: (value) => (typeof value === 'number' ? value : value === 'adaptive'),
}

/**
 * Null: as the main session has it. No script: that is a path of this machine, which only a terminal names, and the page
 * and models write job files too (RIGHT1).
 */
export const modelField: FieldType<string | null> = {
  allowed: `inherit, or ${MODEL_WITHOUT_PATH}`,
  read: (value) => {
    if (typeof value === 'string' && value.trim().toLowerCase() === 'inherit') return { value: null }
    const read = fromConfig(modelName, value)
    return 'value' in read && namesPath(read.value) ? NOT_ALLOWED : read
  },
}

export const zoneField: FieldType<string> = {
  allowed: timeZone.allowed,
  read: (value) => fromConfig(timeZone, value),
}

export const persistence: FieldType<boolean> = {
  ...oneOf('persistent, or off', { persistent: true, off: false, false: false }),
  write: () => 'persistent',
}

export const author: FieldType<boolean> = {
  ...oneOf('model, or person', { model: true, person: false }),
  write: () => 'model',
}

const NAMES_MAX = 50

/** Names may hold blanks, so only commas separate them in a text. */
export const names: FieldType<readonly string[]> = {
  allowed: `a list of up to ${NAMES_MAX} names, or a text with names separated by commas`,
  read: (value) => {
    const given = typeof value === 'string' ? value.split(',') : value
    if (!isTexts(given)) return NOT_ALLOWED
    const found = given.map((name) => name.trim().toWellFormed()).filter((name) => name !== '')
    return found.length <= NAMES_MAX ? { value: [...new Set(found)] } : NOT_ALLOWED
  },
}

export const toolNames: FieldType<readonly string[]> = {
  allowed: 'a list of names of tools, or a text with names separated by commas',
  read: (value) => {
    if (typeof value !== 'string' && !isTexts(value)) return NOT_ALLOWED
    const { tools, warnings } = readAllowedTools(value)
    return { value: tools, warnings }
  },
}

/** When a reminder is due, as ISO text. Without an offset it is a time in the job's zone. */
export const runAtField: FieldType<string> = {
  allowed: 'a date and a time, such as 2026-08-01T09:00 or 2026-08-01T09:00+02:00',
  read: (value) => {
    const iso = typeof value === 'string' ? readIso(value) : undefined
    if (iso === undefined || 'because' in iso) return iso ?? NOT_ALLOWED
    if (iso.unit === 'minute' || iso.unit === 'second') return { value: iso.text }
    return iso.unit === 'day' ? { because: 'the time of day is missing' } : NOT_ALLOWED
  },
}

const CATCH_UP_MS_MAX = 3_660 * 86_400_000

export const catchUpField: FieldType<CatchUp> = {
  ...worded('skip, once, or a duration such as 1h or 90min', (given): CatchUp | undefined => {
    const word = given.toLowerCase()
    if (word === 'skip' || word === 'once') return { kind: word }
    const ms = readDuration(word)
    return ms === undefined || ms > CATCH_UP_MS_MAX ? undefined : { kind: 'within', ms }
  }),
  write: (value) => (value.kind === 'within' ? durationText(value.ms) : value.kind),
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** `1h 30m` */
function durationText(ms: number): string {
  let rest = ms
  const parts = UNITS.flatMap(([unit, unitMs]) => {
    const count = Math.floor(rest / unitMs)
    rest -= count * unitMs
    return count > 0 ? `${count}${unit}` : []
  })
  return parts.join(' ')
}

/** A value as a person is shown it again. */
export function quoted(value: Value): string {
  if (typeof value === 'string') return `'${shorten(oneLine(value), 60)}'`
  return Array.isArray(value) ? 'a list' : 'a map of keys and values'
}

function isTexts(value: Value): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

function fromConfig(type: ValueType<string>, value: Value): Read<string> {
  if (typeof value !== 'string') return NOT_ALLOWED
  const json = type.fromText(value)
  const read = type.schema.safeParse(json)
  if (read.success) return { value: read.data }
  const near = type.meant?.(json)
  return near === undefined ? NOT_ALLOWED : { because: `did you mean ${near}?` }
}
