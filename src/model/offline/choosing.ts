/** One of a list that somebody may mean. */
export interface Candidate {
  /** By which a tool knows it. */
  readonly key: string
  /** All that it can be named by. */
  readonly words: string
  /** As it was listed. */
  readonly line: string
}

export type Chosen =
  | { readonly kind: 'one'; readonly is: Candidate }
  | { readonly kind: 'several'; readonly are: readonly Candidate[] }
  | { readonly kind: 'none' }

const REMINDER =
  /^(?<key>\S.*?): (?<when>(?:today|tomorrow|yesterday|\w+day)\b.*?\d\d:\d\d, .*?): (?<words>.*)$/u
const NUMBERED = /^\s*(?<key>\d+)\. \[[ x]\] (?<words>.*)$/u

/** What a tool listed, in its order. */
export function candidatesIn(listed: string): Candidate[] {
  return listed.split('\n').flatMap((line) => {
    const { key, when = '', words = '' } = (REMINDER.exec(line) ?? NUMBERED.exec(line))?.groups ?? {}
    if (key === undefined) return []
    return [{ key, words: `${key.replaceAll(/[-_]/gu, ' ')} ${when} ${words}`, line: line.trim() }]
  })
}

const EMPTY =
  /^(?:the|my|our|a|an|to|about|of|for|at|on|in|with|and|that|this|is|was|one|ones|reminder|reminders|alarm|please|me|i|it|set|you|do|have|has|due|mean|meant|number|no|o'clock|clock)$/u
const ORDINALS: readonly RegExp[] = [
  /^(?:the )?(?:first|1st)\b/iu,
  /^(?:the )?(?:second|2nd)\b/iu,
  /^(?:the )?(?:third|3rd)\b/iu,
]
const LAST = /^(?:the )?(?:last|latest|newest|other)\b/iu

/** Whom the words fit best, by how many of them each has. */
export function choose(words: string, candidates: readonly Candidate[]): Chosen {
  if (candidates.length === 0) return { kind: 'none' }
  const exact = candidates.filter(({ key }) => key.toLowerCase() === words.trim().toLowerCase())
  if (exact.length === 1) return oneOf(exact)
  const sought = termsOf(words)
  if (sought.length === 0 || isOrdinal(words)) return byPlace(words, candidates)
  const scored = candidates.map((is) => ({ is, score: scoreOf(sought, termsOf(is.words)) }))
  const best = Math.max(...scored.map(({ score }) => score))
  if (best * 2 < sought.length) return { kind: 'none' }
  return oneOf(scored.filter(({ score }) => score === best).map(({ is }) => is))
}

function oneOf(fitting: readonly Candidate[]): Chosen {
  const [is, ...others] = fitting
  if (is === undefined) return { kind: 'none' }
  return others.length === 0 ? { kind: 'one', is } : { kind: 'several', are: fitting }
}

function isOrdinal(words: string): boolean {
  return /^(?:the )?(?:first|1st|second|2nd|third|3rd|last|latest|newest|other)(?: one)?$/iu.test(
    words.trim(),
  )
}

function byPlace(words: string, candidates: readonly Candidate[]): Chosen {
  const at = ORDINALS.findIndex((ordinal) => ordinal.test(words.trim()))
  const placed = at >= 0 ? candidates[at] : LAST.test(words.trim()) ? candidates.at(-1) : undefined
  return placed === undefined ? oneOf(candidates) : { kind: 'one', is: placed }
}

function termsOf(words: string): string[] {
  const terms = words
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('’', "'")
    .replaceAll(/'s\b/gu, '')
    .match(/\d{1,2}(?::\d\d)? ?[ap]m\b|\d{1,2}:\d\d|[\p{L}\p{N}]+/gu)
  return [...new Set((terms ?? []).filter((term) => !EMPTY.test(term)).map(termOf))]
}

/** `9`, `9am` and `09:00` are the same; so are a word and its plural. */
function termOf(term: string): string {
  const [, hour, minutes = '00', half] = /^(\d{1,2})(?::(\d\d))? ?([ap]m)?$/u.exec(term) ?? []
  if (hour !== undefined && Number(hour) < 24) {
    const added = half === 'pm' && Number(hour) < 12 ? 12 : 0
    return `${String(Number(hour) + added).padStart(2, '0')}:${minutes}`
  }
  return term.length > 3 ? term.replace(/(?:ies|es|s)$/u, '') : term
}

const PREFIX_MIN = 4

function scoreOf(sought: readonly string[], terms: readonly string[]): number {
  return sought.filter((word) => terms.some((term) => isSame(word, term))).length
}

function isSame(word: string, term: string): boolean {
  if (word === term) return true
  if (Math.min(word.length, term.length) < PREFIX_MIN) return false
  return word.startsWith(term) || term.startsWith(word)
}
