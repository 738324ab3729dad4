import type { Json } from '../base/json.ts'
import { unreachable } from '../base/unreachable.ts'
import { environmentName, parameterOf } from './key.ts'
import type { Key } from './parameters.ts'
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
  const value = parameterOf(key).isSecret === true ? 'wrong (a secret, so not shown)' : shownRaw(found)
  return `${nameIn(found)} is ${value} in ${sourceText(source)}. ${insteadOf(key, json)}${wayOut(found)}.`
}

/** The same of a value that somebody wants to set. */
export function refusedValue(key: Key, json: Json): string {
  const raw = typeof json === 'string' ? json : JSON.stringify(json)
  const value = parameterOf(key).isSecret === true ? 'that' : shownRaw({ source: { kind: 'flag' }, raw })
  return `${key} cannot be ${value}. ${insteadOf(key, json)}.`
}

function insteadOf(key: Key, json: Json): string {
  const { type, isSecret } = parameterOf(key)
  const meant = isSecret === true ? undefined : type.meant?.(json)
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
  return `Write ${type.allowed}${hint}`
}

const RAW_SHOWN_MAX = 80

/** As it was written, on one line. */
function shownRaw({ source, raw }: Pick<Found, 'source' | 'raw'>): string {
  const line = withoutPassword(raw).replaceAll(/\s+/g, ' ').replaceAll(UNPRINTABLE, '�')
  const short = line.length > RAW_SHOWN_MAX ? `${line.slice(0, RAW_SHOWN_MAX)}…` : line
  return source.kind === 'file' ? short : `'${short}'`
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
