import { jobKinds, type JobKind } from '../event/job.ts'
import { cronField } from './cron.ts'
import type { Definition } from './definition.ts'
import {
  author,
  catchUpField,
  environmentName,
  idText,
  modelField,
  names,
  persistence,
  positionField,
  reportingMode,
  runAtField,
  text,
  thinkingField,
  toolNames,
  whole,
  yesNo,
  zoneField,
  type FieldType,
} from './field-type.ts'
import { payloadField } from './payload-check.ts'

type Row = readonly [
  kinds: readonly JobKind[],
  /** Where a definition has the value: `allowPing`, `chain.max`. */
  path: string,
  type: FieldType<unknown>,
  /** The value where the file says nothing; a function of the fields before it. */
  otherwise: unknown,
]

const EVERY = jobKinds
const ROUTINE = ['routine'] as const
const REMINDER = ['reminder'] as const
const TIMED = ['routine', 'reminder'] as const
const WEBHOOK = ['webhook'] as const

const CHAIN_MAX = 100

/** Webhooks and persistent sessions are always in the background. */
const usualBackground = ({ kind, isPersistent }: { kind: JobKind; isPersistent?: boolean }) =>
  kind === 'webhook' || isPersistent === true

/** Every field of every kind of job, in the order in which files are written. */
const ROWS = {
  id: [EVERY, 'id', idText, undefined],
  for: [EVERY, 'person', text(64), null],
  cron: [ROUTINE, 'cron', cronField, null],
  'run-at': [REMINDER, 'runAt', runAtField, null],
  session: [ROUTINE, 'isPersistent', persistence, false],
  description: [EVERY, 'description', text(1_000), ''],
  background: [EVERY, 'background', yesNo, usualBackground],
  isolated: [EVERY, 'isolated', yesNo, false],
  model: [EVERY, 'model', modelField, null],
  thinking: [EVERY, 'thinking', thinkingField, 'adaptive'],
  'update-main-session': [EVERY, 'reporting', reportingMode, 'on_ping'],
  'allow-ping': [EVERY, 'allowPing', yesNo, true],
  'allowed-tools': [EVERY, 'tools', toolNames, []],
  skills: [EVERY, 'skills', names, []],
  'max-chain': [REMINDER, 'chain.max', whole(CHAIN_MAX), 0],
  'chain-depth': [REMINDER, 'chain.depth', whole(CHAIN_MAX), 0],
  'chain-parent': [REMINDER, 'chain.parent', idText, ({ id }: { id: string }) => id],
  'set-by': [REMINDER, 'isByModel', author, false],
  'snooze-of': [REMINDER, 'snoozeOf', positionField, null],
  timezone: [TIMED, 'timezone', zoneField, null],
  'catch-up': [ROUTINE, 'catchUp', catchUpField, { kind: 'within', ms: 3_600_000 }],
  fields: [WEBHOOK, 'fields', payloadField, null],
  'secret-env': [WEBHOOK, 'secretEnv', environmentName, null],
} as const satisfies Readonly<Record<string, Row>>

export type Key = keyof typeof ROWS

export const KEYS = Object.keys(ROWS) as Key[]

export function isKey(word: string): word is Key {
  return Object.hasOwn(ROWS, word)
}

export function kindsWith(key: Key): readonly JobKind[] {
  return ROWS[key][0]
}

/** A definition while it is put together. */
export type Draft = Record<string, unknown> & Pick<Definition, 'kind' | 'id' | 'body'>

export interface DefinitionField {
  readonly key: Key
  readonly type: FieldType<unknown>
  readonly otherwise: (before: object) => unknown
  readonly get: (definition: object) => unknown
  readonly set: (definition: Draft, value: unknown) => void
}

/** The fields of a kind of job besides its id. */
export function fieldsOf(kind: JobKind): readonly DefinitionField[] {
  return FIELDS.filter(({ key }) => key !== 'id' && kindsWith(key).includes(kind))
}

const FIELDS = KEYS.map((key): DefinitionField => {
  const [, path, type, otherwise]: Row = ROWS[key]
  const [name = '', part] = path.split('.')
  return {
    key,
    type,
    otherwise: (before) => (typeof otherwise === 'function' ? otherwise(before) : otherwise),
    get: (definition) => {
      const value = (definition as Draft)[name]
      return part === undefined ? value : (value as Readonly<Record<string, unknown>>)[part]
    },
    set: (definition, value) => {
      definition[name] = part === undefined ? value : { ...(definition[name] as object), [part]: value }
    },
  }
})

export function plainDefinition<K extends JobKind>(
  start: Draft & { readonly kind: K },
): Definition & { kind: K } {
  const draft = { ...start }
  for (const { set, otherwise } of fieldsOf(start.kind)) set(draft, otherwise(draft))
  return draft as unknown as Definition & { kind: K }
}
