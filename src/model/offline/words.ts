/** One word of what was said, as the rules read it. Where it stands is kept, so that names and goals come out as typed. */
export interface Word {
  /** Small letters, no accents, contractions taken apart, typing errors in known words mended. */
  readonly norm: string
  /** `quote` is never a command, but may be a name or a message; `pause` is , : or --; `stop` ends a sentence. */
  readonly kind: 'word' | 'quote' | 'pause' | 'stop'
  readonly start: number
  readonly end: number
}

const PIECE =
  /```[\s\S]*?(?:```|$)|`[^`\n]{1,400}`|"[^"\n]{0,400}"|“[^”\n]{0,400}”|„[^“”\n]{0,400}[“”]|«[^»\n]{0,400}»|(?<![\p{L}\p{N}])['‘][^'’\n]{1,400}['’](?![\p{L}\p{N}])|\n+|\p{Extended_Pictographic}[\p{M}\p{Emoji_Modifier}\u200d]*|[^\s\p{Extended_Pictographic}]+/gu
const QUOTE = /^(?:```|[`"“„«]|['‘].*['’]$)/su

export function wordsOf(said: string, known: ReadonlySet<string>): Word[] {
  const text = said.replaceAll(/^[ \t]*>.*$/gm, (line) => ' '.repeat(line.length))
  return Array.from(text.matchAll(PIECE)).flatMap(({ 0: piece, index: start }) => {
    const end = start + piece.length
    if (piece.startsWith('\n')) return [{ norm: '\n', kind: 'stop' as const, start, end }]
    if (QUOTE.test(piece)) return [{ norm: '"', kind: 'quote' as const, start, end }]
    return pieceWords({ piece, start }, known)
  })
}

/** The text of these words as it was typed; a single quotation without its marks. */
export function typed(said: string, words: readonly Word[]): string {
  const [first, last] = [words[0], words.at(-1)]
  if (!first || !last) return ''
  const text = said.slice(first.start, last.end).trim()
  return words.length === 1 && first.kind === 'quote'
    ? text.replaceAll(/^[`"“„«'‘]+|[`"”“»'’]+$/gu, '').trim()
    : text
}

function pieceWords({ piece, start }: { piece: string; start: number }, known: ReadonlySet<string>): Word[] {
  if (/^(?:--?|[–—=])$/.test(piece)) return [{ norm: '--', kind: 'pause', start, end: start + piece.length }]
  let [from, to] = [0, piece.length]
  while (from < to && '([{<*"\'“¡¿/'.includes(piece.charAt(from))) from++
  while (to > from && '.,;:!?)]}>*"\'”…'.includes(piece.charAt(to - 1))) to--
  const [inner, tail] = [piece.slice(from, to), piece.slice(to)]
  const place = { start: start + from, end: start + to }
  const words = norms(inner)
    .filter((norm) => norm !== '' && !NOISE.test(norm))
    .map((norm) => ({ norm: mended(norm, known), kind: 'word' as const, ...place }))
  const rest = { start: start + to, end: start + piece.length }
  const mark = /[.!?;…]/.test(tail) ? '.' : (/[:,]/.exec(tail)?.[0] ?? '')
  if (mark === '') return words
  return [...words, { norm: mark, kind: mark === '.' ? ('stop' as const) : ('pause' as const), ...rest }]
}

/** Changes nothing wherever it stands. */
const NOISE =
  /^(?:just|really|exactly|actually|simply|kindly|possibly|maybe|perhaps|quite|very|basically|quickly)$/

/** Other ways to write a word or two, slang and contractions among them. */
const spellings: ReadonlyMap<string, string> = new Map(
  `do not: don't dont; can not: can't cant cannot; will not: won't wont; does not: doesn't doesnt; did not: didn't
  didnt; is not: isn't isnt; should not: shouldn't shouldnt; what is: what's whats; what did: what'd; how is: how's hows; who is: who's
  whos; that is: that's thats; it is: it's; there is: there's theres; where is: where's; i am: i'm im; i would: i'd;
  i will: i'll; i have: i've; we are: we're; we have: we've; let us: let's lets; you are: you're youre; you: u;
  your: ur; want to: wanna; have to: gotta; give me: gimme; please: pls plz; thanks: thx ty; ok: okay; someone: somebody;
  anyone: anybody; message: msg; messages: msgs; mail: email emails mails e-mail; check mail: check-mail; checkpoint: check-point;
  agent: agents; child: children kids; helper: helpers; worker: workers; subagent: sub-agent subagents sub-agents;
  favour: favor; goodbye: good-bye`
    .split(';')
    .flatMap((line) => {
      const [plain = '', others = ''] = line.trim().split(/:\s+/)
      return others.split(/\s+/).map((other): [string, string] => [other, plain])
    }),
)

function norms(raw: string): string[] {
  const plain = raw
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Emoji_Modifier}\u200d]/gu, '')
    .replaceAll('’', "'")
  return (spellings.get(plain) ?? plain.replace(/'s$/, '')).split(' ')
}

function mended(norm: string, known: ReadonlySet<string>): string {
  if (norm.length < 4 || !/^\p{L}+$/u.test(norm) || known.has(norm)) return norm
  for (const word of known) if (word.length >= 4 && isSlip(norm, word)) return word
  return norm
}

/** One letter too many, missing, swapped with the next, or, in longer words, wrong; the first is hardly ever wrong. */
function isSlip(typo: string, word: string): boolean {
  if (typo[0] !== word[0] || Math.abs(typo.length - word.length) > 1) return false
  let at = 0
  while (typo[at] === word[at]) at++
  const [left, right] = [typo.slice(at), word.slice(at)]
  if (left.length !== right.length) {
    // A plural is another word, not a slip: 'marks' are talked about, 'mark' is asked for.
    return left.length < right.length ? left === right.slice(1) : left !== 's' && left.slice(1) === right
  }
  const isSwapped = left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2)
  return isSwapped || (word.length >= 5 && left.slice(1) === right.slice(1))
}
