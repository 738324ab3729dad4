import type { Field, FrontMatter, Value } from '../base/front-matter.ts'
import { nearest } from '../base/nearest.ts'
import { quoted, type FieldType } from './field-type.ts'

export const definitionKinds = ['routine', 'reminder', 'webhook'] as const
export type DefinitionKind = (typeof definitionKinds)[number]

const EVERY = definitionKinds

/** Every key, and whose it is. */
const KEYS = {
  id: EVERY,
  for: EVERY,
  cron: ['routine'],
  'run-at': ['reminder'],
  description: EVERY,
  background: EVERY,
  isolated: EVERY,
  model: EVERY,
  thinking: EVERY,
  'update-main-session': EVERY,
  'allow-ping': EVERY,
  'allowed-tools': EVERY,
  skills: EVERY,
  'max-chain': ['reminder'],
  'chain-depth': ['reminder'],
  'chain-parent': ['reminder'],
  'snooze-of': ['reminder'],
  session: ['routine'],
  timezone: ['routine', 'reminder'],
  'catch-up': ['routine'],
  fields: ['webhook'],
  'secret-env': ['webhook'],
} as const satisfies Readonly<Record<string, readonly DefinitionKind[]>>

export type Key = keyof typeof KEYS

/** A line of the file, and what is wrong there. */
export interface LineProblem {
  readonly line: number
  readonly reason: string
}

/** What a file says, key by key. */
export class GivenFields {
  readonly problems: LineProblem[] = []
  readonly warnings: string[]
  readonly #fields: ReadonlyMap<Key, Field>

  constructor({ fields, warnings }: FrontMatter, kind: DefinitionKind) {
    const sorted = sortKeys(fields, kind)
    this.#fields = sorted.known
    this.warnings = [...warnings, ...sorted.warnings]
  }

  has(key: Key): boolean {
    return this.#value(key) !== ''
  }

  line(key: Key): number {
    return this.#fields.get(key)?.line ?? 1
  }

  /** What the file says, or else the default; what cannot be used is a problem. */
  take<T, D>(key: Key, type: FieldType<T>, otherwise: D): T | D {
    const value = this.#value(key)
    if (value === '') return otherwise
    const read = type.read(value)
    if ('value' in read) return read.value
    const why = read.because === null ? '' : `: ${read.because}`
    this.refuse(key, `${key} is ${quoted(value)}${ending(why)} Write ${type.allowed}.`)
    return otherwise
  }

  refuse(key: Key, reason: string): void {
    this.problems.push({ line: this.line(key), reason })
  }

  /** Nothing behind the colon is as good as no line at all. */
  #value(key: Key): Value {
    const value = this.#fields.get(key)?.value ?? ''
    return typeof value === 'string' && value.trim() === '' ? '' : value
  }
}

function ending(why: string): string {
  return /[.?!]$/.test(why) ? why : `${why}.`
}

interface Sorted {
  readonly known: ReadonlyMap<Key, Field>
  readonly warnings: readonly string[]
}

function sortKeys(fields: FrontMatter['fields'], kind: DefinitionKind): Sorted {
  const known = new Map<Key, Field>()
  const warnings: string[] = []
  for (const [written, field] of fields) {
    const key = plainKey(written)
    const at = `Line ${field.line}:`
    if (!isKey(key)) warnings.push(`${at} ${quoted(written)} is no field, and is left out${meant(key)}`)
    else if (!isFor(key, kind))
      warnings.push(`${at} '${key}' is a field of a ${KEYS[key].join(' or a ')}, and is left out here.`)
    else {
      if (known.has(key)) warnings.push(`${at} '${key}' is given twice, and the last one counts.`)
      known.set(key, field)
    }
  }
  return { known, warnings }
}

/** `allow_ping` is `allow-ping`. */
export function plainKey(written: string): string {
  return written.trim().replaceAll('_', '-')
}

function isKey(key: string): key is Key {
  return Object.hasOwn(KEYS, key)
}

function isFor(key: Key, kind: DefinitionKind): boolean {
  return (KEYS[key] as readonly DefinitionKind[]).includes(kind)
}

/** Longer words are nobody's slip, and comparing them takes long. */
const WORD_MAX = 64

function meant(key: string): string {
  const near = key.length > WORD_MAX ? undefined : nearest(key.toLowerCase(), Object.keys(KEYS))
  return near === undefined ? '.' : `; did you mean '${near}'?`
}
