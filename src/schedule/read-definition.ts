import { basename, dirname } from 'node:path/posix'
import { jsonIn, parseFrontMatter, splitFrontMatter, type FrontMatter } from '../base/front-matter.ts'
import { readAllowedTools } from '../tool/allowed-tools.ts'
import { cronField } from './cron.ts'
import {
  environmentName,
  idText,
  modelField,
  names,
  persistence,
  positionField,
  reportingMode,
  text,
  thinkingField,
  toolNames,
  whole,
  yesNo,
  zoneField,
} from './field-type.ts'
import {
  definitionKinds,
  GivenFields,
  plainKey,
  type DefinitionKind,
  type LineProblem,
} from './given-fields.ts'
import type { Common, Definition, Reminder, Routine, Webhook } from './definition.ts'
import { catchUpField, runAtField } from './moment-field.ts'
import { schemaProblem } from './payload-check.ts'
import { PAYLOAD_ALLOWED, payloadSchema, type PayloadSchema } from './payload-schema.ts'
import { webhookWarnings } from './webhook-task.ts'

export interface DefinitionFile {
  /** As people see it, with forward slashes. */
  readonly file: string
  readonly text: string
}

export interface DefinitionProblem extends LineProblem {
  readonly file: string
}

export type DefinitionRead =
  | { readonly definition: Definition; readonly warnings: readonly string[] }
  | { readonly problem: DefinitionProblem }

export interface Reading {
  /** Not given: what its folder says, or else what is in it. */
  readonly kind?: DefinitionKind
  /** Whether it must say when it is due; not if somebody starts it by hand. */
  readonly due: 'required' | 'optional'
}

/** Reads a definition. Whatever stands in the file, it gives an answer and never throws. */
export async function readDefinition(given: DefinitionFile, reading: Reading): Promise<DefinitionRead> {
  const { file } = given
  const { matter, body } = splitFrontMatter(given.text)
  if (matter === null && /^\uFEFF?---\r?(?:\n|$)/.test(given.text))
    return { problem: { file, line: 1, reason: UNCLOSED } }
  const parsed = matter === null ? NOTHING : await parseFrontMatter(matter)
  if ('because' in parsed) return { problem: { file, line: parsed.line, reason: notYaml(parsed.because) } }
  const kind = reading.kind ?? kindOf(file, parsed)
  const fields = new GivenFields(parsed, kind)
  const common = readCommon(fields, { file, body: body.trim() })
  const definition = await ofKind(kind, { fields, common, matter: matter ?? '' })
  checkTogether(fields, definition, reading)
  if (definition.body === '') fields.problems.push({ line: lastLine(given.text), reason: NO_TASK })
  const [problem] = fields.problems.toSorted((a, b) => a.line - b.line)
  return problem === undefined ? { definition, warnings: fields.warnings } : { problem: { file, ...problem } }
}

/** `routines/brief.md, line 3: …` */
export function problemText({ file, line, reason }: DefinitionProblem): string {
  return `${file}, line ${line}: ${reason}`
}

const NOTHING: FrontMatter = { fields: new Map(), warnings: [] }

const UNCLOSED =
  'the front matter begins here and has no end. Put a line that is only --- between it and the task.'

const NO_TASK = 'there is no task. Write what is to be done below the front matter.'

function lastLine(text: string): number {
  return text.trimEnd().split('\n').length
}

function notYaml(because: string): string {
  return `the front matter is no correct YAML: ${because.replace(/[.:\s]*$/, '')}. Write lines such as allow-ping: false, and put texts with special characters in quotes.`
}

function kindOf(file: string, { fields }: FrontMatter): DefinitionKind {
  const folder = basename(dirname(file))
  const byFolder = definitionKinds.find((kind) => `${kind}s` === folder)
  if (byFolder !== undefined) return byFolder
  const keys = new Set([...fields.keys()].map(plainKey))
  if (keys.has('run-at')) return 'reminder'
  return keys.has('fields') || keys.has('secret-env') ? 'webhook' : 'routine'
}

const DESCRIPTION_CHARS_MAX = 1_000
const PERSON_CHARS_MAX = 64

function readCommon(fields: GivenFields, { file, body }: { file: string; body: string }): Common {
  const allowed = readAllowedTools(fields.take('allowed-tools', toolNames, ''))
  fields.warnings.push(...allowed.warnings)
  return {
    id: idIn(fields, file),
    person: fields.take('for', text(PERSON_CHARS_MAX), null),
    description: fields.take('description', text(DESCRIPTION_CHARS_MAX), ''),
    isolated: fields.take('isolated', yesNo, false),
    model: fields.take('model', modelField, null),
    thinking: fields.take('thinking', thinkingField, 'adaptive'),
    reporting: fields.take('update-main-session', reportingMode, 'on_ping'),
    allowPing: fields.take('allow-ping', yesNo, true),
    tools: allowed.tools,
    skills: fields.take('skills', names, []),
    body,
  }
}

/** A file is often named in words. */
function idIn(fields: GivenFields, file: string): string {
  if (fields.has('id')) return fields.take('id', idText, '')
  const name = basename(file).replace(/\.md$/i, '').trim().replaceAll(/\s+/g, '-')
  const read = idText.read(name)
  if ('value' in read) return read.value
  fields.refuse('id', `its name is no id. Add a line id: to the front matter, with ${idText.allowed}.`)
  return ''
}

interface Parts {
  readonly fields: GivenFields
  readonly common: Common
  readonly matter: string
}

async function ofKind(kind: DefinitionKind, parts: Parts): Promise<Definition> {
  switch (kind) {
    case 'routine':
      return routine(parts)
    case 'reminder':
      return reminder(parts)
    case 'webhook':
      return webhook(parts)
  }
}

const HOUR_MS = 3_600_000

function routine({ fields, common }: Parts): Routine {
  const isPersistent = fields.take('session', persistence, false)
  return {
    kind: 'routine',
    ...common,
    cron: fields.take('cron', cronField, null),
    background: fields.take('background', yesNo, isPersistent),
    isPersistent,
    timezone: fields.take('timezone', zoneField, null),
    catchUp: fields.take('catch-up', catchUpField, { kind: 'within', ms: HOUR_MS }),
  }
}

const CHAIN_MAX = 100

function reminder({ fields, common }: Parts): Reminder {
  return {
    kind: 'reminder',
    ...common,
    runAt: fields.take('run-at', runAtField, null),
    background: fields.take('background', yesNo, false),
    chain: {
      max: fields.take('max-chain', whole(CHAIN_MAX), 0),
      depth: fields.take('chain-depth', whole(CHAIN_MAX), 0),
      parent: fields.take('chain-parent', idText, common.id),
    },
    timezone: fields.take('timezone', zoneField, null),
    snoozeOf: fields.take('snooze-of', positionField, null),
  }
}

async function webhook({ fields, common, matter }: Parts): Promise<Webhook> {
  if (!fields.take('background', yesNo, true))
    fields.warnings.push(
      `Line ${fields.line('background')}: a webhook always runs in the background, so background: false is left out.`,
    )
  const payload = fields.has('fields') ? await readPayload(fields, await jsonIn(matter, 'fields')) : null
  fields.warnings.push(...webhookWarnings({ ...common, fields: payload }))
  return {
    kind: 'webhook',
    ...common,
    background: true,
    fields: payload,
    secretEnv: fields.take('secret-env', environmentName, null),
  }
}

async function readPayload(
  fields: GivenFields,
  json: Parameters<typeof payloadSchema>[0],
): Promise<PayloadSchema | null> {
  const read = payloadSchema(json)
  // Compiled now, and not for whoever sends something first.
  const problem = 'problem' in read ? read.problem : await schemaProblem(read.schema)
  if ('schema' in read && problem === undefined) return read.schema
  fields.refuse('fields', `fields ${problem ?? ''}. Write ${PAYLOAD_ALLOWED}.`)
  return null
}

/** What each field allows may still not go together. */
function checkTogether(fields: GivenFields, definition: Definition, { due }: Reading): void {
  const isRequired = due === 'required'
  const { kind } = definition
  if (isRequired && kind === 'routine' && !fields.has('cron'))
    fields.refuse('cron', `cron is missing. Add a line cron: with ${cronField.allowed}.`)
  if (isRequired && kind === 'reminder' && !fields.has('run-at'))
    fields.refuse('run-at', `run-at is missing. Add a line run-at: with ${runAtField.allowed}.`)
  if (kind === 'routine' && definition.isPersistent) checkPersistent(fields, definition)
  if (kind === 'reminder' && definition.chain.depth > definition.chain.max)
    fields.refuse(
      'chain-depth',
      `chain-depth is ${definition.chain.depth} and max-chain ${definition.chain.max}. Write a max-chain that is at least as large.`,
    )
}

function checkPersistent(fields: GivenFields, { background, isolated }: Routine): void {
  if (!background)
    fields.refuse(
      'background',
      'session: persistent runs in the background. Take out background: false, or session.',
    )
  if (isolated)
    fields.refuse(
      'isolated',
      'session: persistent goes on from the main session. Take out isolated: true, or session.',
    )
}
