import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../base/json.ts'
import { oneLine, shorten } from '../base/width.ts'
import type { Definition, Reminder, Routine, Webhook } from './definition.ts'
import type { Key } from './given-fields.ts'
import type { CatchUp } from './moment-field.ts'
import { readDefinition } from './read-definition.ts'

/** No file would say what was meant. The message says what is in the way, and what to do. */
export class UnwritableDefinition extends Error {
  override readonly name = 'UnwritableDefinition'
}

/**
 * The text of a file that is read as this definition, whatever characters it holds.
 * What no file can hold is refused with an `UnwritableDefinition`, and never changed on the way.
 */
export async function definitionText(definition: Definition): Promise<string> {
  const text = `---\n${await matterOf(fieldsOf(definition))}---\n${definition.body}\n`
  if (!text.isWellFormed())
    throw new UnwritableDefinition(
      'The text has half a character in it (a lone surrogate), which no file can hold. Take it out.',
    )
  const { kind } = definition
  const read = await readDefinition({ file: `${kind}s/${kind}.md`, text }, { kind, due: 'optional' })
  if ('problem' in read)
    throw new UnwritableDefinition(`No file can say this: ${read.problem.reason.replace(/^\w/, lower)}`)
  const name = differing(definition, read.definition)
  if (name !== undefined) throw new UnwritableDefinition(changedText(name, definition, read.definition))
  return text
}

type Matter = readonly (readonly [Key, Json])[]

/** In the order in which people are told of the fields; what is the default is left out. */
function fieldsOf(definition: Definition): Matter {
  const { id, person, description, isolated, model, thinking, reporting, allowPing, tools, skills } =
    definition
  const thought: Json = thinking === 'adaptive' ? null : thinking === 'off' ? false : thinking
  const fields: readonly (readonly [Key, Json])[] = [
    ['id', id],
    ['for', person],
    ...whenOf(definition),
    ['description', description === '' ? null : description],
    ['background', backgroundOf(definition)],
    ['isolated', isolated || null],
    ['model', model],
    ['thinking', thought],
    ['update-main-session', reporting === 'on_ping' ? null : reporting],
    ['allow-ping', allowPing ? null : false],
    ['allowed-tools', tools.length === 0 ? null : tools],
    ['skills', skills.length === 0 ? null : skills],
    ...ownOf(definition),
  ]
  return fields.filter(([, value]) => value !== null)
}

function whenOf(definition: Definition): Matter {
  if (definition.kind === 'routine') return [['cron', definition.cron]]
  return definition.kind === 'reminder' ? [['run-at', definition.runAt]] : []
}

/** A persistent session is in the background without a word. */
function backgroundOf(definition: Definition): boolean | null {
  const { background } = definition
  const usual = definition.kind === 'webhook' || (definition.kind === 'routine' && definition.isPersistent)
  return background === usual ? null : background
}

function ownOf(definition: Definition): Matter {
  switch (definition.kind) {
    case 'routine':
      return ofRoutine(definition)
    case 'reminder':
      return ofReminder(definition)
    case 'webhook':
      return ofWebhook(definition)
  }
}

function ofRoutine({ isPersistent, timezone, catchUp }: Routine): Matter {
  return [
    ['session', isPersistent ? 'persistent' : null],
    ['timezone', timezone],
    ['catch-up', catchUpText(catchUp)],
  ]
}

function ofReminder({ id, chain, snoozeOf, timezone }: Reminder): Matter {
  return [
    ['max-chain', chain.max || null],
    ['chain-depth', chain.depth || null],
    ['chain-parent', chain.parent === id ? null : chain.parent],
    ['snooze-of', snoozeOf],
    ['timezone', timezone],
  ]
}

function ofWebhook({ fields, secretEnv }: Webhook): Matter {
  return [
    ['fields', fields],
    ['secret-env', secretEnv],
  ]
}

const HOUR_MS = 3_600_000

const UNITS = [
  ['d', 86_400_000],
  ['h', HOUR_MS],
  ['m', 60_000],
  ['s', 1_000],
] as const

function catchUpText(catchUp: CatchUp): string | null {
  if (catchUp.kind !== 'within') return catchUp.kind
  if (catchUp.ms === HOUR_MS) return null
  let rest = catchUp.ms
  const parts = UNITS.map(([unit, ms]) => {
    const count = Math.floor(rest / ms)
    rest -= count * ms
    return count > 0 ? `${count}${unit}` : ''
  })
  return parts.filter((part) => part !== '').join(' ')
}

/** What only looks like a line of its own, or like nothing at all, is written with escapes. */
const ODD = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

async function matterOf(fields: Matter): Promise<string> {
  const { Document, Scalar, visit } = await import('yaml')
  // An alias is hard to read for people; what stands twice is written twice.
  const document = new Document(Object.fromEntries(fields), { schema: 'core', aliasDuplicateObjects: false })
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && ODD.test(node.value)) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return document.toString({ lineWidth: 0, doubleQuotedAsJSON: true })
}

/** The first field that would be another one. */
function differing(given: Definition, read: Definition): keyof Definition | undefined {
  const names = new Set([...Object.keys(given), ...Object.keys(read)]) as Set<keyof Definition>
  return [...names].find((name) => !isDeepStrictEqual(plain(given[name]), plain(read[name])))
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null))
}

const NAMES: Readonly<Record<string, string>> = {
  person: 'for',
  reporting: 'update-main-session',
  allowPing: 'allow-ping',
  tools: 'allowed-tools',
  runAt: 'run-at',
  catchUp: 'catch-up',
  isPersistent: 'session',
  secretEnv: 'secret-env',
  snoozeOf: 'snooze-of',
}

function changedText(name: keyof Definition, given: Definition, read: Definition): string {
  if (name === 'body')
    return 'The task begins or ends with blanks or empty lines, which are not read back from a file. Take them away.'
  return `${NAMES[name] ?? name} is ${shown(given[name])} and would be read back from its file as ${shown(read[name])}. Write it as that, or in another way.`
}

function shown(value: unknown): string {
  return shorten(oneLine(JSON.stringify(value ?? null)), 60)
}

function lower(letter: string): string {
  return letter.toLowerCase()
}
