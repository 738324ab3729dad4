import { firstWord, type Reading } from './arguments.ts'

export interface ApproveArguments {
  /** Null: the newest that waits. */
  readonly number: number | null
  readonly always: boolean
  /** In place of the line that is to be remembered. */
  readonly words: string | null
}

/** `3`, `always`, `3 always`, `3 -- other words`, `3 other words`. */
export function approveArguments(text: string): Reading<ApproveArguments> {
  const [first, rest] = firstWord(text)
  const number = numberOf(first)
  const behind = (number === null ? text : rest).trim()
  if (/^always$/i.test(behind)) return { fits: { number, always: true, words: null } }
  const words = behind.replace(/^(?:--|[–—])\s+/, '')
  if (words === '') return { fits: { number, always: false, words: null } }
  if (number === null) return { misfit: "takes the number of what waits, and then 'always' or your words." }
  return { fits: { number, always: false, words } }
}

export function optionalNumber(text: string): Reading<{ readonly number: number | null }> {
  if (text === '') return { fits: { number: null } }
  const number = numberOf(text)
  return number === null
    ? { misfit: 'takes the number of one that waits, or nothing.' }
    : { fits: { number } }
}

export interface DenyArguments {
  readonly number: number | null
  /** Why, for the model to read. */
  readonly why: string | null
}

export function denyArguments(text: string): Reading<DenyArguments> {
  const [first, rest] = firstWord(text)
  const number = numberOf(first)
  const why = (number === null ? text : rest).replace(/^(?:--|[–—])\s+/, '').trim()
  return { fits: { number, why: why === '' ? null : why } }
}

function numberOf(word: string): number | null {
  return /^#?[1-9]\d{0,8}$/.test(word) ? Number(word.replace('#', '')) : null
}

export function skillsArguments(text: string): Reading<{ readonly allow: string | null }> {
  if (text === '') return { fits: { allow: null } }
  const [, name] = /^allow\s+(\S.*)$/i.exec(text) ?? []
  return name === undefined ? { misfit: "takes 'allow NAME' or nothing." } : { fits: { allow: name } }
}
