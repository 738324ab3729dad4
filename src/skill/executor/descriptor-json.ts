import { type ParseError, parseTree } from 'jsonc-parser'
import { isJsonObject, type JsonObject } from '../../base/json.ts'
import { lineAndColumn } from '../../config/file/json-file.ts'
import { syntaxText } from '../../base/json-syntax.ts'

/** The object in a tools.json, or where it is no JSON. */
export function readDescriptorJson(
  text: string,
): { readonly json: JsonObject } | { readonly problem: string } {
  const plain = text.replace(/^\u{FEFF}/u, '')
  let value: unknown
  try {
    value = JSON.parse(plain)
  } catch (error) {
    return { problem: `tools.json is no JSON: ${placeOfError(plain, error)}` }
  }
  if (isJsonObject(value)) return { json: value }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return { problem: `tools.json must contain an object: { … }${isObject ? ', not nested this deeply' : ''}` }
}

/** JSON.parse tells the place of some errors only. */
function placeOfError(text: string, error: unknown): string {
  const errors: ParseError[] = []
  try {
    parseTree(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false })
  } catch {
    return 'it is nested too deeply'
  }
  const [first] = errors
  if (first === undefined) return error instanceof Error ? error.message : String(error)
  const { line, column } = lineAndColumn(text, first.offset)
  return `line ${line}, column ${column}: ${syntaxText(first.error)}`
}
