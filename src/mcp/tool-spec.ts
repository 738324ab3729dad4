import { createHash } from 'node:crypto'
import { canonicalJson, wellFormed } from '../base/canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { oneLine } from '../base/width.ts'
import { singleSpaced } from '../base/words.ts'
import type { ServerEntry } from '../config/type/tool-type.ts'
import { fence } from '../event/fence.ts'
import type { ToolSpec } from '../event/prompt.ts'

/** A tool as its server describes it. */
export interface Offered {
  readonly name: string
  readonly description: string
  readonly schema: unknown
}

/** The same as a model is told of it, under the name that the server has for it. */
export type Listed = ReturnType<typeof listedOf>[number]

/** No provider takes longer names, or other characters. */
const NAME_MAX = 64
const DESCRIPTION_MAX = 1_000
/** Of each descriptive text inside a schema, of each other text, and of each name. */
const WORDS_MAX = 300
const VALUE_MAX = 200
const KEY_MAX = 64
const SCHEMA_BYTES_MAX = 16 * 1_024
/** Of all tools of a server: every prompt holds them. */
const SPECS_BYTES_MAX = 64 * 1_024
const TOOLS_MAX = 128
const NAME_HASH_LENGTH = 8
const MARK_LENGTH = 12

/** The tools of a server, under names that are unique among all servers. */
export function listedOf(server: string, offered: readonly Offered[]) {
  const different = firstOfEach(offered, ({ name }) => name)
  const plainNames = Map.groupBy(different, ({ name }) => plainName(server, name))
  const listed = different.map((tool) => {
    const plain = plainName(server, tool.name)
    const isShared = (plainNames.get(plain)?.length ?? 0) > 1 && plain !== wholeName(server, tool.name)
    const spec = specOf(server, tool, isShared ? withHash(plain, tool.name) : plain)
    return { name: tool.name, spec }
  })
  // A tool whose own name looks like a hashed one is left out.
  return firstOfEach(listed, ({ spec }) => spec.name)
}

/** The first tools of a server, as many as fit in a prompt. */
export function fitting(specs: readonly ToolSpec[]): readonly ToolSpec[] {
  let bytes = 0
  const end = specs.findIndex((spec) => {
    bytes += Buffer.byteLength(canonicalJson({ ...spec }))
    return bytes > SPECS_BYTES_MAX
  })
  return specs.slice(0, Math.min(end < 0 ? specs.length : end, TOOLS_MAX))
}

function firstOfEach<T>(all: readonly T[], keyOf: (one: T) => string): readonly T[] {
  const seen = new Set<string>()
  return all.filter((one) => {
    const isFirst = !seen.has(keyOf(one))
    seen.add(keyOf(one))
    return isFirst
  })
}

/** Whether this is a tool of that server. The name alone does not tell: a skill may name its tools freely. */
export function isToolOf(server: string, { name, description }: ToolSpec): boolean {
  return name.startsWith(`${server}__`) && description.startsWith(prefixOf(server))
}

/**
 * What a model is told of a tool until a person allows it: nothing that its server says. The fingerprint is that of the
 * tool. No server can write this, since its descriptions have one line.
 */
export function withheld(server: string, { name }: ToolSpec, fingerprint: string): ToolSpec {
  const description = `${prefixOf(server)}${WITHHELD}\n#${fingerprint}`
  return { name, description, parameters: { type: 'object' } }
}

const WITHHELD = 'New or changed on its server; its description is withheld until the person allows it.'

export function isWithheld({ description }: ToolSpec): boolean {
  return withheldPrint(description) !== undefined
}

function withheldPrint(description: string): string | undefined {
  return /\n#([0-9a-f]{64})$/.exec(description)?.[1]
}

/**
 * Of what a call would do, as far as anybody can know: which server, and what it says of the tool. Values of headers
 * and of the environment are left out: a new key is no other server.
 */
export function fingerprintOf(entry: ServerEntry, { name, description, parameters }: ToolSpec): string {
  return (
    withheldPrint(description) ??
    hash(canonicalJson({ server: bareEntry(entry), name, description, parameters }))
  )
}

function bareEntry(entry: ServerEntry): JsonObject {
  if ('url' in entry) return { url: entry.url, headers: Object.keys(entry.headers ?? {}).toSorted() }
  const { command, args = [], cwd = null, env = {} } = entry
  return { command, args, cwd, env: Object.keys(env).toSorted() }
}

function wholeName(server: string, name: string): string {
  return `${server}__${name}`
}

/** The name of a server has no `_`, so nothing of another server can have this name. */
function plainName(server: string, name: string): string {
  const plain = wholeName(server, name.replaceAll(/[^A-Za-z0-9_-]/gu, '_'))
  return plain.length <= NAME_MAX ? plain : withHash(plain, name)
}

function withHash(plain: string, name: string): string {
  return `${plain.slice(0, NAME_MAX - NAME_HASH_LENGTH - 1)}_${hash(name).slice(0, NAME_HASH_LENGTH)}`
}

function prefixOf(server: string): string {
  return `(server ${server}) `
}

function specOf(server: string, { name, description, schema }: Offered, shownName: string): ToolSpec {
  const prefix = prefixOf(server)
  const room = DESCRIPTION_MAX - prefix.length - MARK_LENGTH - 2
  const text = visibleLine(description, room)
  const parameters = parametersOf(schema)
  const isWhole =
    shownName === wholeName(server, name) &&
    text === singleSpaced(description) &&
    parameters?.isWhole === true
  // Otherwise a server could change the part that was cut off, and the permission would still count.
  const mark = isWhole
    ? ''
    : ` #${hash(JSON.stringify([name, description, schema ?? null])).slice(0, MARK_LENGTH)}`
  return {
    name: shownName,
    description: `${prefix}${text}${mark}`,
    parameters: parameters?.shown ?? { type: 'object' },
  }
}

/** Undefined: not the schema of an object, or too long for a prompt. `isWhole`: nothing that the server says is left out. */
function parametersOf(schema: unknown) {
  if (!isJsonObject(schema) || schema['type'] !== 'object') return undefined
  const shown = wellFormed(texts(schema, shownText) ?? {}) as JsonObject
  const text = JSON.stringify(shown satisfies Json)
  if (Buffer.byteLength(text) > SCHEMA_BYTES_MAX) return undefined
  const whole = texts(schema, (given, role) => (role === 'words' ? singleSpaced(given) : given)) ?? {}
  return { shown, isWhole: text === JSON.stringify(wellFormed(whole)) }
}

function hash(text: string): string {
  return createHash('sha256').update(text.toWellFormed(), 'utf8').digest('hex')
}

const WORDS = new Set(['description', 'title', '$comment'])
/** Below these are values and not schemas: a call may have to repeat them exactly. */
const VALUES = new Set(['const', 'default', 'enum', 'examples'])

type Role = 'words' | 'value' | 'key'

/** A schema with `change` applied to each text in it; what becomes undefined is left out. */
function texts(
  schema: Json,
  change: (text: string, role: Role) => string | undefined,
  isValue = false,
): Json | undefined {
  if (typeof schema === 'string') return change(schema, 'value')
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) {
    const kept = (schema as readonly Json[]).flatMap((one) => texts(one, change, isValue) ?? [])
    // Providers refuse a list of no choices.
    return kept.length === 0 && schema.length > 0 ? undefined : kept
  }
  const entries = Object.entries(schema).flatMap(([key, inner]) => {
    const name = change(key, 'key')
    const isWords = !isValue && WORDS.has(key) && typeof inner === 'string'
    const told = isWords ? change(inner, 'words') : texts(inner, change, isValue || VALUES.has(key))
    return name === undefined || told === undefined ? [] : [[name, told] as const]
  })
  return Object.fromEntries(entries)
}

/** Words are made visible. A call may have to repeat any other text exactly, so it is shown as it is or not at all. */
function shownText(text: string, role: Role): string | undefined {
  if (role === 'words') return visibleLine(text, WORDS_MAX)
  const isPlain = !UNSEEN.test(text) && withoutFenceTags(text) === text
  return isPlain && text.length <= (role === 'key' ? KEY_MAX : VALUE_MAX) ? text : undefined
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

/** Text of a server for a model: one visible line of limited length, without fence tags. */
function visibleLine(text: string, lengthMax: number): string {
  const line = oneLine(text.replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, ''))
  const visible = withoutFenceTags(line)
  return visible.length <= lengthMax ? visible : `${visible.slice(0, lengthMax - 1).toWellFormed()}…`
}

const [FENCE_BEGIN = '', FENCE_END = ''] = fence('', '|').split('|')

/** Uses the fence itself, so that both know the same tags. */
function withoutFenceTags(text: string): string {
  return fence('', text).slice(FENCE_BEGIN.length, -FENCE_END.length)
}
