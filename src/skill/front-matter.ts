/** A file's front matter and what follows it. */
export interface Split {
  /** What stands between the two lines; null when the file has no front matter. */
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

export async function parseFrontMatter(matter: string): Promise<FrontMatter | MatterProblem> {
  const parsed = await parseYaml(matter)
  if ('fields' in parsed) return { fields: parsed.fields, warnings: [] }
  const repaired = quoteDescription(matter)
  const again = repaired === matter ? parsed : await parseYaml(repaired)
  if (!('fields' in again)) return parsed
  const warning =
    'The description is no correct YAML and was taken as plain text: put it in quotes, so that other programs read it too.'
  return { fields: again.fields, warnings: [warning] }
}

async function parseYaml(matter: string): Promise<{ fields: Map<string, Field> } | MatterProblem> {
  const { isMap, isNode, isScalar, parseDocument } = await import('yaml')
  const document = parseDocument(matter, { schema: 'failsafe', prettyErrors: false, logLevel: 'silent' })
  const [error] = document.errors
  if (error !== undefined) return { line: lineAt(matter, error.pos[0]), because: error.message }
  const { contents } = document
  const fields = new Map<string, Field>()
  if (contents === null || (isScalar(contents) && contents.value === '')) return { fields }
  if (!isMap(contents)) return { line: 2, because: 'lines of the form `key: value` are needed' }
  for (const { key, value } of contents.items) {
    if (!isScalar(key) || typeof key.value !== 'string') continue
    const line = lineAt(matter, key.range?.[0] ?? 0)
    try {
      fields.set(key.value, { value: isNode(value) ? (value.toJS(document) as Value) : '', line })
    } catch (cause) {
      // An alias of nothing, or of so much that it would fill the memory.
      return { line, because: cause instanceof Error ? cause.message : String(cause) }
    }
  }
  return { fields }
}

/** Many published skills have `description: Use it when: …` without quotes, which other programs take as it is meant. */
function quoteDescription(matter: string): string {
  return matter.replace(
    /(?<=^|\n)description:[ \t]+(?!["'|>[{&*!])([^\n]*)(?=\n\S|\n?$)/,
    (_, text: string) => `description: ${JSON.stringify(text.trim())}`,
  )
}

/** The front matter begins in the second line of its file. What is missing at its end is missing in its last line. */
function lineAt(matter: string, offset: number): number {
  return 2 + (matter.trimEnd().slice(0, offset).match(/\n/g)?.length ?? 0)
}
