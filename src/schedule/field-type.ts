import { oneLine, shorten } from '../base/width.ts'
import type { Value } from '../base/front-matter.ts'
import { modelName, thinking, timeZone } from '../config/type/domain-type.ts'
import type { ValueType } from '../config/type/value-type.ts'
import { reportings, type Reporting } from '../event/run.ts'

/** What may stand behind a key of a definition. */
export interface FieldType<T> {
  /** Ends the sentence "Write …". */
  readonly allowed: string
  /** Never throws. */
  read(value: Value): Read<T>
}

/** A reason, where more can be said than that it is not what is allowed. */
export type Read<T> = { readonly value: T } | { readonly because: string | null }

export const NOT_ALLOWED = { because: null } as const

export const yesNo: FieldType<boolean> = {
  allowed: 'true or false',
  read: (value) =>
    isWord(value, 'true') ? { value: true } : isWord(value, 'false') ? { value: false } : NOT_ALLOWED,
}

export function text(charsMax: number): FieldType<string> {
  return {
    allowed: `a text of up to ${charsMax} characters`,
    read: (value) =>
      typeof value === 'string' && value.length <= charsMax
        ? { value: value.trim().toWellFormed() }
        : NOT_ALLOWED,
  }
}

export function whole(max: number): FieldType<number> {
  return {
    allowed: `a whole number from 0 to ${max}`,
    read: (value) =>
      typeof value === 'string' && /^\d{1,9}$/.test(value) && Number(value) <= max
        ? { value: Number(value) }
        : NOT_ALLOWED,
  }
}

/** Of an event in the log. */
export const positionField: FieldType<number> = {
  allowed: 'a whole number from 1 on: the position of a ping in the log',
  read: (value) =>
    typeof value === 'string' && /^\s*[1-9]\d{0,14}\s*$/.test(value) ? { value: Number(value) } : NOT_ALLOWED,
}

/** Stands in tags, in addresses and in names of files. */
const ID = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,63}$/u

export const idText: FieldType<string> = {
  allowed: '1 to 64 letters, digits or . _ - that begin with a letter or a digit, such as morning-brief',
  read: (value) => {
    // Some file systems spell é as two characters, and nobody types it so.
    const id = typeof value === 'string' ? value.trim().normalize('NFC') : ''
    return ID.test(id) ? { value: id } : NOT_ALLOWED
  },
}

export const environmentName: FieldType<string> = {
  allowed: 'the name of a variable of the environment, such as GITHUB_HOOK_SECRET, never the secret itself',
  read: (value) =>
    typeof value === 'string' && /^[A-Za-z_]\w{0,127}$/.test(value.trim())
      ? { value: value.trim() }
      : NOT_ALLOWED,
}

export const reportingMode: FieldType<Reporting> = {
  allowed: `${reportings.slice(0, -1).join(', ')} or ${reportings.at(-1) ?? ''}`,
  read: (value) => {
    const word = typeof value === 'string' ? value.trim().toLowerCase().replaceAll('-', '_') : ''
    const found = reportings.find((mode) => mode === word)
    return found === undefined ? NOT_ALLOWED : { value: found }
  },
}

/** `true` lets the model think as much as it wants to. */
export const thinkingField: FieldType<'off' | 'adaptive' | number> = {
  allowed: 'true (as much as the model finds right), false, or a number of tokens up to 1000000',
  read: (value) => {
    if (isWord(value, 'true') || isWord(value, 'adaptive')) return { value: 'adaptive' }
    if (isWord(value, 'false') || isWord(value, 'off')) return { value: 'off' }
    const read = typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : undefined
    return thinking.schema.safeParse(read).success && read !== undefined ? { value: read } : NOT_ALLOWED
  },
}

/** Null: as the main session has it. */
export const modelField: FieldType<string | null> = {
  allowed: `inherit, or ${modelName.allowed}`,
  read: (value) => (isWord(value, 'inherit') ? { value: null } : fromConfig(modelName, value)),
}

export const zoneField: FieldType<string> = {
  allowed: timeZone.allowed,
  read: (value) => fromConfig(timeZone, value),
}

export const persistence: FieldType<boolean> = {
  allowed: 'persistent, or off',
  read: (value) =>
    isWord(value, 'persistent')
      ? { value: true }
      : isWord(value, 'off') || isWord(value, 'false')
        ? { value: false }
        : NOT_ALLOWED,
}

const NAMES_MAX = 50

/** Names may hold blanks, so in a text only commas part them. */
export const names: FieldType<readonly string[]> = {
  allowed: `a list of up to ${NAMES_MAX} names, or a text with names separated by commas`,
  read: (value) => {
    const given = typeof value === 'string' ? value.split(',') : value
    if (!isTexts(given)) return NOT_ALLOWED
    const found = given.map((name) => name.trim().toWellFormed()).filter((name) => name !== '')
    return found.length <= NAMES_MAX ? { value: [...new Set(found)] } : NOT_ALLOWED
  },
}

/** As it is written; which tools it names is for who knows tools. */
export const toolNames: FieldType<Value> = {
  allowed: 'a list of names of tools, or a text with names separated by commas',
  read: (value) => (typeof value === 'string' || isTexts(value) ? { value } : NOT_ALLOWED),
}

/** A value as a person is shown it again. */
export function quoted(value: Value): string {
  if (typeof value === 'string') return `'${shorten(oneLine(value), 60)}'`
  return Array.isArray(value) ? 'a list' : 'a map of keys and values'
}

function isTexts(value: Value): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

function isWord(value: Value, word: string): boolean {
  return typeof value === 'string' && value.trim().toLowerCase() === word
}

function fromConfig(type: ValueType<string>, value: Value): Read<string> {
  if (typeof value !== 'string') return NOT_ALLOWED
  const json = type.fromText(value)
  const read = type.schema.safeParse(json)
  if (read.success) return { value: read.data }
  const near = type.meant?.(json)
  return near === undefined ? NOT_ALLOWED : { because: `did you mean ${near}?` }
}
