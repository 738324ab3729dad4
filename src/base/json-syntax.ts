import {
  createScanner,
  type ParseError,
  type ParseErrorCode,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'

/** The mistake, without quoting the text, which may be a secret. */
export function syntaxText(code: ParseErrorCode): string {
  return SYNTAX[printParseErrorCode(code)] ?? 'this is not JSON'
}

/** Where and why a text is not JSON; undefined if it is. */
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
  PropertyNameExpected: 'expected a name in double quotes',
  ValueExpected: 'expected a value',
  ColonExpected: 'expected a colon',
  CommaExpected: 'expected a comma',
  CloseBraceExpected: 'expected a closing }',
  CloseBracketExpected: 'expected a closing ]',
  EndOfFileExpected: 'there is text after the closing }',
  InvalidNumberFormat: 'this is not a number',
  InvalidSymbol: 'unknown word; put texts in double quotes',
  InvalidCommentToken: 'a comment is not allowed here',
  UnexpectedEndOfComment: 'this comment is not closed',
  UnexpectedEndOfString: 'this text has no closing quote',
  UnexpectedEndOfNumber: 'this number is incomplete',
  InvalidUnicode: 'this \\u escape is incomplete',
  InvalidEscapeCharacter: 'this \\ escape is unknown',
  InvalidCharacter: 'this text contains a character that must be escaped',
}
