/** Our own summary as a few sentences in a row: where it is short, its headings would take more room than what they order. */
export function plainSentences(summary: string): string {
  return summary
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^#|^Until [^:]+:$/.test(line))
    .map((line) => line.replace(/^- (?:(?:user|assistant|note)(?: [^:\n]{0,20})?: )?/, '').trim())
    .join(' ')
}
