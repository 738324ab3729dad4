export interface Subject {
  readonly argv: readonly string[]
  /** Null: the workspace itself. */
  readonly cwd: string | null
  readonly stdin: string | null
}

/**
 * What a person is shown of a call, and what patterns are matched with: `WORDS`, `WORDS in DIR`, `WORDS < "TEXT"` or
 * `WORDS in DIR < "TEXT"`.
 *
 * WORDS are those behind the program, first, so that a pattern can begin with them: `tool(log *)`. DIR is where it
 * runs, with its whole path, links followed; it is left out in the workspace itself. TEXT is all that the program
 * reads, as JSON. A word `in` and a word that begins with `<` are written in quotes, so that no word looks like one of
 * the other parts.
 */
export function subjectText({ argv, cwd, stdin }: Subject): string {
  const parts = [
    ...(argv.length === 0 ? [] : [wordsText(argv)]),
    ...(cwd === null ? [] : [`in ${wordsText([cwd])}`]),
    ...(stdin === null ? [] : [`< ${JSON.stringify(stdin)}`]),
  ]
  return parts.join(' ')
}

/** Words as one line that no other words give: what is not plain is written as a JSON string. */
export function wordsText(words: readonly string[]): string {
  return words.map((word) => (isPlain(word) ? word : JSON.stringify(word))).join(' ')
}

function isPlain(word: string): boolean {
  return word !== '' && word !== 'in' && !/^<|[\s\p{Cc}\p{Cf}"'`*?[\]{}\\]/u.test(word)
}
