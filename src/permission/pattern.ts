import { globFits } from '../tool/star-fits.ts'

/** A person's permission: `tool`, or `tool(GLOB)` for the calls whose subject matches the glob. */
export interface Pattern {
  readonly tool: string
  /** Null: every call of the tool. */
  readonly glob: string | null
}

const TOOL_NAME = /^[\w.-]{1,128}$/
const GLOB_CHARS_MAX = 1_000

/** A tool's name is never a glob: nothing allows a whole family of tools at once. */
export function parsePattern(text: string): Pattern | { readonly problem: string } {
  const words = text.trim()
  const [, tool = words, glob] = /^([^(]*)\((.*)\)$/s.exec(words) ?? []
  if (!TOOL_NAME.test(tool)) return { problem: `'${words.slice(0, 80)}' is not a pattern. ${PATTERN_USAGE}` }
  if (glob === undefined) return { tool, glob: null }
  if (glob === '' || glob.length > GLOB_CHARS_MAX)
    return { problem: `The text in brackets must have 1 to ${GLOB_CHARS_MAX} characters. ${PATTERN_USAGE}` }
  return { tool, glob }
}

export const PATTERN_USAGE =
  'A pattern is the name of a tool, or TOOL(GLOB): write(notes/*), web_fetch(https://example.com/*).'

export function patternText({ tool, glob }: Pattern): string {
  return glob === null ? tool : `${tool}(${glob})`
}

export function fits(pattern: Pattern, call: { readonly tool: string; readonly subject: string }): boolean {
  if (pattern.tool !== call.tool) return false
  if (pattern.glob === null) return true
  return call.subject.length <= SUBJECT_CHARS_MAX && globFits(pattern.glob, call.subject)
}

/** Nobody means a longer one with a glob, and each star scans all of it. */
const SUBJECT_CHARS_MAX = 20_000
