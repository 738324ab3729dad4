import { messageOf } from './message-of.ts'
import type * as Yaml from 'yaml'
import { isJson, type Json } from './json.ts'

/** A file's front matter and what follows it. */
export interface Split {
  /** The text between the two lines; null when the file has no front matter. */
  readonly matter: string | null
  /** Trimmed; without front matter the whole content as it is. */
  readonly body: string
}

const OPENING = /^\uFEFF?---\r?\n/
/** Not with the flag `m`: its lines also end at U+2028, and at a lone carriage return. */
const CLOSING = /(?<=\n)---\r?(?:\n|$)/g

export function splitFrontMatter(content: string): Split {
  const start = OPENING.exec(content)?.[0].length
  if (start === undefined) return { matter: null, body: content }
  CLOSING.lastIndex = start
  const closing = CLOSING.exec(content)
  if (closing === null) return { matter: null, body: content }
  const body = content.slice(closing.index + closing[0].length).trim()
  return { matter: content.slice(start, closing.index), body }
}

/** A line of the file, and what is wrong there. */
export interface MatterProblem {
  readonly line: number
  readonly because: string
}

/** Texts, lists and maps only: no word becomes a number or a date, so `version: 1.10` stays what was written. */
export type Value = string | readonly Value[] | { readonly [key: string]: Value }

export interface Field {
  readonly value: Value
  /** Of its key, in the file. */
  readonly line: number
}

export interface FrontMatter {
  readonly fields: ReadonlyMap<string, Field>
  readonly warnings: readonly string[]
}

/** Reading YAML takes much longer than its length: what describes a thing is short. */
const MATTER_CHARS_MAX = 16 * 1024

export async function parseFrontMatter(matter: string): Promise<FrontMatter | MatterProblem> {
  if (matter.length > MATTER_CHARS_MAX)
    return {
      line: 2,
      because: `the front matter is too long: ${matter.length} characters, of ${MATTER_CHARS_MAX} at most`,
    }
  const parsed = await parseYaml(matter)
  if ('fields' in parsed) return parsed
  const repaired = quoteDescription(matter)
  const again = repaired === matter ? parsed : await parseYaml(repaired)
  if (!('fields' in again)) return parsed
  const warning =
    'The description is not valid YAML and was taken as plain text: put it in quotes, so that other programs read it too.'
  return { fields: again.fields, warnings: [warning, ...again.warnings] }
}

const AS_MAP = { mapAsMap: true }

/** One value with its numbers, booleans and nulls, for what is JSON itself; undefined: it is none. */
export async function jsonIn(matter: string, key: string): Promise<Json | undefined> {
  const { parse } = await import('yaml')
  for (const text of new Set([matter, quoteDescription(matter)]))
    try {
      const values = withTextKeys(
        parse(text, { schema: 'core', logLevel: 'silent', uniqueKeys: false, ...AS_MAP }),
      )
      const value = isMapping(values) ? values[key] : undefined
      // Aliases may make one list out of many names, or a list that holds itself.
      return isJson(value) ? value : undefined
    } catch {
      continue
    }
  return undefined
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

async function parseYaml(matter: string): Promise<FrontMatter | MatterProblem> {
  const yaml = await import('yaml')
  try {
    return fieldsOf(matter, yaml)
  } catch (cause) {
    // Nested too deeply, an alias of nothing, or of so much that it would fill the memory.
    return { line: 2, because: messageOf(cause) }
  }
}

function fieldsOf(
  matter: string,
  { isMap, isNode, isScalar, parseDocument }: typeof Yaml,
): FrontMatter | MatterProblem {
  // Whether keys are unique it would ask by comparing each with all others.
  const how = { schema: 'failsafe', prettyErrors: false, logLevel: 'silent', uniqueKeys: false } as const
  const document = parseDocument(matter, how)
  const lines = lineNumbers(matter)
  const [error] = document.errors
  if (error !== undefined) return { line: lines(error.pos[0]), because: error.message }
  const { contents } = document
  const fields = new Map<string, Field>()
  if (contents === null || (isScalar(contents) && contents.value === '')) return { fields, warnings: [] }
  if (!isMap(contents)) return { line: 2, because: 'lines of the form `key: value` are needed' }
  const twice = new Set<string>()
  for (const { key, value } of contents.items) {
    if (!isScalar(key) || typeof key.value !== 'string') continue
    const line = lines(key.range?.[0] ?? 0)
    if (fields.has(key.value)) twice.add(key.value)
    try {
      fields.set(key.value, {
        value: isNode(value) ? (withTextKeys(value.toJS(document, AS_MAP)) as Value) : '',
        line,
      })
    } catch (cause) {
      return { line, because: messageOf(cause) }
    }
  }
  const names = [...twice].slice(0, 5).join(', ')
  return { fields, warnings: names === '' ? [] : [`Given twice, and the last one counts: ${names}.`] }
}

/** Keys that are no texts are left out. The parser would write them as texts, which takes hours where they nest. */
function withTextKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTextKeys)
  if (!(value instanceof Map)) return value
  const entries = [...value].filter(([key]) => typeof key === 'string')
  return Object.fromEntries(entries.map(([key, inner]) => [key, withTextKeys(inner)]))
}

const DESCRIPTION = 'description:'

/** Many published files have `description: Use it when: …` without quotes, which other programs take as it is meant. */
function quoteDescription(matter: string): string {
  const lines = matter.split('\n')
  const at = lines.findIndex((line) => line.startsWith(DESCRIPTION))
  const rest = lines[at]?.slice(DESCRIPTION.length) ?? ''
  const [text, next] = [rest.trim(), lines[at + 1] ?? '']
  const isPlain = /^[ \t]/.test(rest) && text !== '' && !/^["'|>[{&*!]/.test(text)
  // What is indented below belongs to it, and is no line of its own.
  if (!isPlain || /^\s/.test(next)) return matter
  return lines.with(at, `${DESCRIPTION} ${JSON.stringify(text)}`).join('\n')
}

/** The front matter begins in the second line of its file. What is missing at its end is missing in its last line. */
function lineNumbers(matter: string): (offset: number) => number {
  const text = matter.trimEnd()
  let [line, counted] = [2, 0]
  return (offset) => {
    if (offset < counted) [line, counted] = [2, 0]
    for (; counted < Math.min(offset, text.length); counted++) if (text[counted] === '\n') line++
    return line
  }
}
