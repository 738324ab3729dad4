import type { Json } from '../../base/json.ts'
import { specOf } from './key.ts'
import type { Key } from './settings.ts'
import { type Found, sourceText } from './source.ts'

/** Ends the explanation of a setting. */
export const TAKES_EFFECT = {
  live: '',
  reload: ' Takes effect after /reload.',
  restart: ' Takes effect after a restart.',
} as const

/** A value as people read it; of a secret, only enough to tell two of them apart; of a table of secrets, the names. */
export function shownValue(key: Key, value: unknown): string {
  const { isSecret, type } = specOf(key)
  if (isSecret !== true || value === null) return type.toText(value)
  if (typeof value !== 'string') {
    const names = Object.keys(value as object)
    return names.length === 0 ? 'none' : `${names.join(', ')} (set)`
  }
  return value.length < SECRET_LENGTH_MIN ? 'set' : `set (…${value.slice(-4)})`
}

/** Four characters of a shorter secret would reveal too much. */
const SECRET_LENGTH_MIN = 16

/** The fault of a value of a source, and what to do about it. */
export function wrongValue(found: Found): string {
  const { key, source, json, raw } = found
  const where = `in ${sourceText(source)}`
  const problem = specOf(key).type.problem?.(json)
  if (problem !== undefined)
    return `${nameIn(found)} is invalid ${where}: ${problem}. Fix that${wayOut(found)}.`
  const writtenAs = source.kind === 'file' ? shownRaw(raw) : `'${shownRaw(raw)}'`
  const value = specOf(key).isSecret === true ? 'invalid (not shown, as it is a secret)' : writtenAs
  return `${nameIn(found)} is ${value} ${where}. ${insteadOf(key, json)}${wayOut(found)}.`
}

/** The fault of a value that somebody wants to set. */
export function refusedValue(key: Key, json: Json): string {
  const problem = specOf(key).type.problem?.(json)
  if (problem !== undefined) return `${key} cannot be that: ${problem}.`
  const raw = typeof json === 'string' ? json : JSON.stringify(json)
  const value = specOf(key).isSecret === true ? 'that' : `'${shownRaw(raw)}'`
  return `${key} cannot be ${value}. ${insteadOf(key, json)}.`
}

function insteadOf(key: Key, json: Json): string {
  const { type, isSecret } = specOf(key)
  const raw = typeof json === 'string' ? json : JSON.stringify(json)
  // What is meant would show what is left out of the value, such as a password.
  const isShown = isSecret !== true && shownRaw(raw) === raw
  const meant = isShown ? type.meant?.(json) : undefined
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
  return `Write ${type.allowed}${hint}`
}

const RAW_SHOWN_MAX = 80

/** As it was written, on one line and without a password. */
function shownRaw(raw: string): string {
  const open = raw.replaceAll(/\/\/[^/@\s]*@/g, '//…@')
  const line = open.replaceAll(/\s+/g, ' ').replaceAll(UNPRINTABLE, '�')
  return line.length > RAW_SHOWN_MAX ? `${line.slice(0, RAW_SHOWN_MAX)}…` : line
}

const UNPRINTABLE = /[\p{Cc}\u{202A}-\u{202E}\u{2066}-\u{2069}\p{Cs}]/gu

function nameIn({ key, source }: Found): string {
  return source.kind === 'env-file' || source.kind === 'environment' ? source.name : key
}

function wayOut({ key, source: { kind } }: Found): string {
  const standard = specOf(key).default
  return `, or remove it (the default is ${kind === 'file' ? JSON.stringify(standard) : shownValue(key, standard)})`
}
