import type { Json } from '../base/json.ts'
import { unreachable } from '../base/unreachable.ts'
import { environmentName, parameterOf } from './key.ts'
import type { Key } from './settings.ts'
import { type Found, sourceText } from './source.ts'

/** A value as people read it; of a secret no more than tells two of them apart. */
export function shownValue(key: Key, value: unknown): string {
  const { isSecret, type } = parameterOf(key)
  if (isSecret !== true || value === null) return type.toText(value)
  if (typeof value !== 'string') return secretNames(value)
  return value.length < SECRET_LENGTH_MIN ? 'set' : `set (…${value.slice(-4)})`
}

/** Of secrets that have names, only those. */
function secretNames(value: unknown): string {
  const names = Object.keys(value as object)
  return names.length === 0 ? 'none' : `${names.join(', ')} (set)`
}

/** Of a shorter secret, four characters would be too much. */
const SECRET_LENGTH_MIN = 16

/** What is wrong with a value that a source gives, what may stand there instead, and what to do. */
export function wrongValue(found: Found): string {
  const { key, source, json } = found
  const where = `in ${sourceText(source)}`
  const problem = parameterOf(key).type.problem?.(json)
  if (problem !== undefined)
    return `${nameIn(found)} is wrong ${where}: ${problem}. Mend that${wayOut(found)}.`
  const value = parameterOf(key).isSecret === true ? 'wrong (a secret, so not shown)' : shownIn(found)
  return `${nameIn(found)} is ${value} ${where}. ${insteadOf(key, json)}${wayOut(found)}.`
}

/** The same of a value that somebody wants to set. */
export function refusedValue(key: Key, json: Json): string {
  const problem = parameterOf(key).type.problem?.(json)
  if (problem !== undefined) return `${key} cannot be that: ${problem}.`
  const raw = typeof json === 'string' ? json : JSON.stringify(json)
  const value = parameterOf(key).isSecret === true ? 'that' : `'${shownRaw(raw)}'`
  return `${key} cannot be ${value}. ${insteadOf(key, json)}.`
}

function insteadOf(key: Key, json: Json): string {
  const { type, isSecret } = parameterOf(key)
  const meant = isSecret === true ? undefined : type.meant?.(json)
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
  return `Write ${type.allowed}${hint}`
}

const RAW_SHOWN_MAX = 80

function shownIn({ source, raw }: Found): string {
  return source.kind === 'file' ? shownRaw(raw) : `'${shownRaw(raw)}'`
}

/** As it was written, on one line. */
function shownRaw(raw: string): string {
  const line = withoutPassword(raw).replaceAll(/\s+/g, ' ').replaceAll(UNPRINTABLE, '�')
  return line.length > RAW_SHOWN_MAX ? `${line.slice(0, RAW_SHOWN_MAX)}…` : line
}

const UNPRINTABLE = /[\p{Cc}\u{202A}-\u{202E}\u{2066}-\u{2069}\p{Cs}]/gu

function withoutPassword(text: string): string {
  return text.replaceAll(/\/\/[^/@\s]*@/g, '//…@')
}

function nameIn({ key, source }: Found): string {
  return source.kind === 'env-file' || source.kind === 'environment' ? source.name : key
}

function wayOut({ key, source }: Found): string {
  const standard = parameterOf(key).default
  switch (source.kind) {
    case 'file':
      return `; or take it out: the default is ${JSON.stringify(standard)}`
    case 'env-file':
    case 'environment':
    case 'flag':
      return `; or leave it out: the default is ${shownValue(key, standard)}`
    case 'default':
      return ` (a bug: the default of ${environmentName(key)} is wrong)`
    default:
      return unreachable(source)
  }
}
