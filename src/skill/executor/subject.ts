export interface Subject {
  readonly argv: readonly string[]
  /** Null: the workspace itself. */
  readonly cwd: string | null
  readonly stdin: string | null
}

/**
 * A call as a person sees it and patterns match it: `WORDS`, `WORDS in DIR`, `WORDS < "TEXT"` or `WORDS in DIR <
 * "TEXT"`. WORDS follow the program and come first, so that a pattern can begin with them: `tool(log *)`. DIR is the
 * absolute path of the folder where it runs, links followed; left out for the workspace itself. TEXT is the program's
 * whole input, as JSON. A word `in` and a word that begins with `<` are quoted, so that no word looks like one of the
 * other parts.
 */
export function subjectText({ argv, cwd, stdin }: Subject): string {
  const parts = [
    ...(argv.length === 0 ? [] : [wordsText(argv)]),
    ...(cwd === null ? [] : [`in ${wordsText([cwd])}`]),
    ...(stdin === null ? [] : [`< ${JSON.stringify(stdin)}`]),
  ]
  return parts.join(' ')
}

/** Words as one unambiguous line: a word that is not plain is written as a JSON string. */
export function wordsText(words: readonly string[]): string {
  return words.map((word) => (isPlain(word) ? word : JSON.stringify(word))).join(' ')
}

function isPlain(word: string): boolean {
  return word !== '' && word !== 'in' && !/^<|[\s\p{Cc}\p{Cf}"'`*?[\]{}\\]/u.test(word)
}
