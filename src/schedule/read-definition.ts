import { basename, dirname } from 'node:path/posix'
import {
  jsonIn,
  parseFrontMatter,
  splitFrontMatter,
  type Field,
  type FrontMatter,
  type Value,
} from '../base/front-matter.ts'
import { meantText, nearest } from '../base/nearest.ts'
import { jobKinds, type JobKind } from '../event/job.ts'
import { cronField } from './cron.ts'
import type { Definition, Webhook } from './definition.ts'
import { fieldsOf, isKey, KEYS, kindsWith, type Draft, type Key } from './definition-fields.ts'
import { idText, quoted, runAtField, type FieldType } from './field-type.ts'
import { payloadField, readPayload } from './payload-check.ts'
import { webhookWarnings } from './webhook-task.ts'

export interface DefinitionFile {
  /** As people see it, with forward slashes. */
  readonly file: string
  readonly text: string
}

export interface DefinitionProblem {
  readonly file: string
  readonly line: number
  readonly reason: string
}

export interface Reading {
  /** Left out: the folder decides, or else the fields. */
  readonly kind?: JobKind
  /** Whether it must say when it is due. A job that somebody starts by hand need not. */
  readonly due: 'required' | 'optional'
}

/** Reads a definition. Returns an answer for any file and never throws. */
export async function readDefinition(
  given: DefinitionFile,
  reading: Reading,
): Promise<{ definition: Definition; warnings: readonly string[] } | { problem: DefinitionProblem }> {
  const { file } = given
  const { matter, body } = splitFrontMatter(given.text)
  if (matter === null && /^\uFEFF?---\r?(?:\n|$)/.test(given.text))
    return { problem: { file, line: 1, reason: UNCLOSED } }
  const parsed = matter === null ? NOTHING : await parseFrontMatter(matter)
  if ('because' in parsed) return { problem: { file, line: parsed.line, reason: notYaml(parsed.because) } }
  const kind = reading.kind ?? kindOf(file, parsed)
  const fields = new GivenFields(parsed, kind)
  const draft: Draft = { kind, id: idIn(fields, file), body: body.trim() }
  for (const { key, type, otherwise, set } of fieldsOf(kind))
    set(draft, fields.take(key, type, otherwise(draft)))
  if (kind === 'webhook') Object.assign(draft, await webhookOnly(fields, draft, matter ?? ''))
  const definition = draft as unknown as Definition
  checkTogether(fields, definition, reading)
  if (definition.body === '')
    fields.problems.push({ line: given.text.trimEnd().split('\n').length, reason: NO_TASK })
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

const NO_TASK = 'there is no task. Write it below the front matter.'

function notYaml(because: string): string {
  return `the front matter is not valid YAML: ${because.replace(/[.:\s]*$/, '')}. Write lines such as allow-ping: false, and put texts with special characters in quotes.`
}

function kindOf(file: string, { fields }: FrontMatter): JobKind {
  const folder = basename(dirname(file))
  const byFolder = jobKinds.find((kind) => `${kind}s` === folder)
  if (byFolder !== undefined) return byFolder
  const keys = new Set([...fields.keys()].map(plainKey))
  if (keys.has('run-at')) return 'reminder'
  return keys.has('fields') || keys.has('secret-env') ? 'webhook' : 'routine'
}

/** `allow_ping` is `allow-ping`. */
function plainKey(written: string): string {
  return written.trim().replaceAll('_', '-')
}

/** The content of a file, key by key. */
class GivenFields {
  readonly problems: Omit<DefinitionProblem, 'file'>[] = []
  readonly warnings: string[]
  readonly #fields = new Map<Key, Field>()

  constructor({ fields, warnings }: FrontMatter, kind: JobKind) {
    this.warnings = [...warnings]
    for (const [written, field] of fields) {
      const key = plainKey(written)
      const why = isKey(key)
        ? this.#whyNot(key, kind)
        : `${quoted(written)} is not a field and is ignored${meantText(nearest(key.toLowerCase(), KEYS))}`
      if (why !== undefined) this.warnings.push(`Line ${field.line}: ${why}`)
      if (isKey(key) && kindsWith(key).includes(kind)) this.#fields.set(key, field)
    }
  }

  #whyNot(key: Key, kind: JobKind): string | undefined {
    const kinds = kindsWith(key)
    if (!kinds.includes(kind))
      return `'${key}' is a field of ${kinds.map((one) => `${one}s`).join(' and ')} and is ignored here.`
    return this.#fields.has(key) ? `'${key}' is given twice; the last one counts.` : undefined
  }

  has(key: Key): boolean {
    return this.#value(key) !== ''
  }

  line(key: Key): number {
    return this.#fields.get(key)?.line ?? 1
  }

  /** The file's value, or else the default. A value that cannot be used is a problem. */
  take<T, D>(key: Key, type: FieldType<T>, otherwise: D): T | D {
    const value = this.#value(key)
    if (value === '') return otherwise
    const read = type.read(value)
    if ('value' in read) {
      this.warnings.push(...(read.warnings ?? []))
      return read.value
    }
    const why = read.because === null ? '' : `: ${read.because}`
    const what = type.isHidden === true ? 'not such a name' : quoted(value)
    this.refuse(key, `${key} is ${what}${why}${/[.?!]$/.test(why) ? '' : '.'} Write ${type.allowed}.`)
    return otherwise
  }

  refuse(key: Key, reason: string): void {
    this.problems.push({ line: this.line(key), reason })
  }

  /** A key without a value counts as left out. */
  #value(key: Key): Value {
    const value = this.#fields.get(key)?.value ?? ''
    return typeof value === 'string' && value.trim() === '' ? '' : value
  }
}

/** Files are often named in words. */
function idIn(fields: GivenFields, file: string): string {
  if (fields.has('id')) return fields.take('id', idText, '')
  const name = basename(file).replace(/\.md$/i, '').trim().replaceAll(/\s+/g, '-')
  const read = idText.read(name)
  if ('value' in read) return read.value
  fields.refuse(
    'id',
    `its name is not a valid id. Add a line id: to the front matter, with ${idText.allowed}.`,
  )
  return ''
}

async function webhookOnly(fields: GivenFields, { id, body, background }: Draft, matter: string) {
  if (background !== true)
    fields.warnings.push(
      `Line ${fields.line('background')}: a webhook always runs in the background, so background: false is ignored.`,
    )
  const payload = fields.has('fields') ? await readPayload(await jsonIn(matter, 'fields')) : { schema: null }
  if ('problem' in payload)
    fields.refuse('fields', `fields ${payload.problem}. Write ${payloadField.allowed}.`)
  const schema = 'schema' in payload ? payload.schema : null
  fields.warnings.push(...webhookWarnings({ id, body, fields: schema }))
  return { background: true, fields: schema } satisfies Partial<Webhook>
}

/** What each field allows may still not go together. */
function checkTogether(fields: GivenFields, definition: Definition, { due }: Reading): void {
  const { kind } = definition
  const key = kind === 'routine' ? 'cron' : 'run-at'
  const { allowed } = kind === 'routine' ? cronField : runAtField
  if (due === 'required' && kind !== 'webhook' && !fields.has(key))
    fields.refuse(key, `${key} is missing. Add a line ${key}: with ${allowed}.`)
  const isPersistent = kind === 'routine' && definition.isPersistent
  if (isPersistent && !definition.background)
    fields.refuse(
      'background',
      'session: persistent runs in the background. Remove background: false, or session.',
    )
  if (isPersistent && definition.isolated)
    fields.refuse(
      'isolated',
      'session: persistent continues the main session. Remove isolated: true, or session.',
    )
  if (kind === 'reminder' && definition.chain.depth > definition.chain.max)
    fields.refuse(
      'chain-depth',
      `chain-depth is ${definition.chain.depth} and max-chain ${definition.chain.max}. Write a max-chain that is at least as large.`,
    )
}
