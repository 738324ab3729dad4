/** Words as one line that no other words give: what is not plain is written as a JSON string. */
export function wordsText(words: readonly string[]): string {
  return words.map((word) => (isPlain(word) ? word : JSON.stringify(word))).join(' ')
}

function isPlain(word: string): boolean {
  return word !== '' && !/[\s\p{Cc}\p{Cf}"'`*?[\]{}\\]/u.test(word)
}
