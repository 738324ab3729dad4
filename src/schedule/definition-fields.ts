import { jobKinds, type JobKind } from '../event/job.ts'
import { cronField } from './cron.ts'
import type { Definition } from './definition.ts'
import * as field from './field-type.ts'
import type { FieldType } from './field-type.ts'
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
  id: [EVERY, 'id', field.idText, undefined],
  for: [EVERY, 'person', field.text(64), null],
  cron: [ROUTINE, 'cron', cronField, null],
  'run-at': [REMINDER, 'runAt', field.runAtField, null],
  session: [ROUTINE, 'isPersistent', field.persistence, false],
  description: [EVERY, 'description', field.text(1_000), ''],
  background: [EVERY, 'background', field.yesNo, usualBackground],
  isolated: [EVERY, 'isolated', field.yesNo, false],
  model: [EVERY, 'model', field.modelField, null],
  thinking: [EVERY, 'thinking', field.thinkingField, 'adaptive'],
  'update-main-session': [EVERY, 'reporting', field.reportingMode, 'on_ping'],
  'allow-ping': [EVERY, 'allowPing', field.yesNo, true],
  'allowed-tools': [EVERY, 'tools', field.toolNames, []],
  skills: [EVERY, 'skills', field.names, []],
  'max-chain': [REMINDER, 'chain.max', field.whole(CHAIN_MAX), 0],
  'chain-depth': [REMINDER, 'chain.depth', field.whole(CHAIN_MAX), 0],
  'chain-parent': [REMINDER, 'chain.parent', field.idText, ({ id }: { id: string }) => id],
  'set-by': [REMINDER, 'isByModel', field.author, false],
  'snooze-of': [REMINDER, 'snoozeOf', field.positionField, null],
  timezone: [TIMED, 'timezone', field.zoneField, null],
  'catch-up': [ROUTINE, 'catchUp', field.catchUpField, { kind: 'within', ms: 3_600_000 }],
  fields: [WEBHOOK, 'fields', payloadField, null],
  'secret-env': [WEBHOOK, 'secretEnv', field.secretName, null],
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

/** The fields of a kind of job besides its id. */
export function fieldsOf(kind: JobKind) {
  return FIELDS.filter(({ key }) => key !== 'id' && kindsWith(key).includes(kind))
}

const FIELDS = KEYS.map((key) => {
  const [, path, type, otherwise]: Row = ROWS[key]
  const [name = '', part] = path.split('.')
  return {
    key,
    type,
    otherwise: (before: object): unknown => (typeof otherwise === 'function' ? otherwise(before) : otherwise),
    get: (definition: object) => {
      const value = (definition as Draft)[name]
      return part === undefined ? value : (value as Readonly<Record<string, unknown>>)[part]
    },
    set: (definition: Draft, value: unknown) => {
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
