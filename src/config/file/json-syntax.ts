import {
  createScanner,
  type ParseError,
  type ParseErrorCode,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'

/** What is wrong here, in words; it quotes nothing of the text, which may be a secret. */
export function syntaxText(code: ParseErrorCode): string {
  return SYNTAX[printParseErrorCode(code)] ?? 'something here is no JSON'
}

/** Where a text stops being JSON, and why; undefined if it does not. */
export function jsonProblem(text: string): string | undefined {
  if (isTooDeep(text)) return 'it is nested too deeply'
  const errors: ParseError[] = []
  parseTree(text, errors, { disallowComments: true })
  const [error] = errors
  return error && `at character ${error.offset + 1}, ${syntaxText(error.error)}`
}

const DEPTH_MAX = 50
// jsonc-parser's names for these are gone at run time.
const OPENING: ReadonlySet<number> = new Set([1, 3])
const CLOSING: ReadonlySet<number> = new Set([2, 4])
const END = 17

/** The parser calls itself for each level, so a file of brackets would overflow the stack. */
export function isTooDeep(text: string): boolean {
  const scanner = createScanner(text, true)
  let depth = 0
  for (let token: number = scanner.scan(); token !== END; token = scanner.scan()) {
    if (OPENING.has(token)) depth++
    if (CLOSING.has(token)) depth--
    if (depth > DEPTH_MAX) return true
  }
  return false
}

const SYNTAX: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'a name in double quotes is expected',
  ValueExpected: 'a value is expected',
  ColonExpected: 'a colon is expected',
  CommaExpected: 'a comma is expected',
  CloseBraceExpected: 'a closing } is expected',
  CloseBracketExpected: 'a closing ] is expected',
  EndOfFileExpected: 'there is text behind the closing }',
  InvalidNumberFormat: 'this is no number',
  InvalidSymbol: 'this word is unknown; texts stand in double quotes',
  InvalidCommentToken: 'a comment cannot stand here',
  UnexpectedEndOfComment: 'this comment is not closed',
  UnexpectedEndOfString: 'this text has no closing quote',
  UnexpectedEndOfNumber: 'this number is not complete',
  InvalidUnicode: 'this \\u escape is not complete',
  InvalidEscapeCharacter: 'this \\ escape is unknown',
  InvalidCharacter: 'this text holds a character that has to be escaped',
}
