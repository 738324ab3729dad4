const END = /[.!?…]+["'”’»)\]*_]*(?=\s|$)|[。！？；]+[”」』]*|[؟।]+|\n+/gu
const ABBREVIATION =
  /(?:^|[\s(])(?:\p{L}|\d{1,2}|dr|mr|mrs|ms|prof|st|no|nr|vs|approx|ca|etc|e\.g|i\.e|z\.b|u\.a|bzw|usw|inkl|incl|excl|str|sr|sra|dra|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|tel|max|min|hr|fr)$/iu
const LETTERS = /[\p{L}\p{N}\p{Extended_Pictographic}]/u
/** Longer ones are no sentences: somebody pasted something. */
const CHARACTERS_MAX = 600
/** Of one message; what was pasted into it would drown the rest. */
const SENTENCES_MAX = 60

/** Cuts at the ends of sentences and lines, in any script, and not behind `Dr.` or `6. Juni`. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = []
  let from = 0
  END.lastIndex = 0
  for (let end = END.exec(text); end !== null; end = END.exec(text)) {
    if (end[0] === '.' && isAbbreviation(text, from, end.index)) continue
    push(sentences, text.slice(from, end.index + end[0].length))
    from = end.index + end[0].length
    if (sentences.length >= SENTENCES_MAX) return sentences
  }
  push(sentences, text.slice(from))
  return sentences
}

function isAbbreviation(text: string, from: number, dot: number): boolean {
  return dot + 1 < text.length && ABBREVIATION.test(text.slice(Math.max(from, dot - 8), dot))
}

function push(sentences: string[], text: string): void {
  const trimmed = text.trim()
  if (trimmed === '' || !LETTERS.test(trimmed)) return
  sentences.push(trimmed.length > CHARACTERS_MAX ? cutAtWord(trimmed, CHARACTERS_MAX) : trimmed)
}

/** Never within a character, and at a space where there is one not far back. */
export function cutAtWord(text: string, charactersMax: number): string {
  const cut = text.slice(0, charactersMax).replace(/[\uD800-\uDBFF]$/, '')
  const space = cut.lastIndexOf(' ')
  return (space > charactersMax / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:–—-]+$/u, '')
}
