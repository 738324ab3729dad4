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
  /```[\s\S]*?(?:```|$)|`[^`\n]{1,400}`|"[^"\n]{0,400}"|“[^”\n]{0,400}”|„[^“”\n]{0,400}[“”]|«[^»\n]{0,400}»|(?<![\p{L}\p{N}])['‘][^'’\n]{1,400}['’](?![\p{L}\p{N}])|\n+|\S+/gu
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
  if (/^(?:--?|[–—])$/.test(piece)) return [{ norm: '--', kind: 'pause', start, end: start + piece.length }]
  let [from, to] = [0, piece.length]
  while (from < to && '([{<*"\'“¡¿/'.includes(piece.charAt(from))) from++
  while (to > from && '.,;:!?)]}>*"\'”…'.includes(piece.charAt(to - 1))) to--
  const [inner, tail] = [piece.slice(from, to), piece.slice(to)]
  const place = { start: start + from, end: start + to }
  const words = inner === '' ? [] : norms(inner).map((norm) => ({ norm: mended(norm, known), ...place }))
  const rest = { start: start + to, end: start + piece.length }
  const mark = /[.!?;…]/.test(tail) ? '.' : (/[:,]/.exec(tail)?.[0] ?? '')
  return [
    ...words.map((word) => ({ ...word, kind: 'word' as const })),
    ...(mark === ''
      ? []
      : [{ norm: mark, kind: mark === '.' ? ('stop' as const) : ('pause' as const), ...rest }]),
  ]
}

/** Other ways to write a word; where an apostrophe is often left out, with it. */
const spellings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ dont: "don't", cant: "can't", wont: "won't", doesnt: "doesn't", didnt: "didn't", isnt: "isn't" },
    ...{ shouldnt: "shouldn't", whats: "what's", hows: "how's", whos: "who's", im: "i'm", lets: "let's" },
    ...{ youre: "you're", thats: "that's", theres: "there's", 'sub-agent': 'subagent', thx: 'thanks' },
    ...{
      ty: 'thanks',
      pls: 'please',
      plz: 'please',
      u: 'you',
      ur: 'your',
      wanna: 'want to',
      gimme: 'give me',
    },
    ...{
      somebody: 'someone',
      anybody: 'anyone',
      msg: 'message',
      msgs: 'messages',
      'check-mail': 'check mail',
    },
    ...{ emails: 'mail', email: 'mail', mails: 'mail', 'e-mail': 'mail', okay: 'ok', cannot: 'can not' },
    ...{
      favor: 'favour',
      'check-point': 'checkpoint',
      children: 'child',
      agents: 'agent',
      'good-bye': 'goodbye',
    },
  }),
)
const endings: Readonly<Record<string, string>> = { m: 'am', re: 'are', d: 'would', ll: 'will', ve: 'have' }
const takesIs = new Set(['what', 'who', 'how', 'where', 'that', 'it', 'there', 'he', 'she', 'here'])

function norms(raw: string): string[] {
  const plain = raw.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll('’', "'")
  const word = spellings.get(plain) ?? plain
  const [, stem = '', ending = ''] = /^([^']+)'([a-z]+)$/.exec(word) ?? []
  if (ending === 't' && stem.endsWith('n')) {
    const verb = stem.slice(0, -1)
    return [verb === 'wo' ? 'will' : verb === 'ca' ? 'can' : verb, 'not']
  }
  if (ending === 's') return stem === 'let' ? ['let', 'us'] : takesIs.has(stem) ? [stem, 'is'] : [stem]
  const more = endings[ending]
  return more === undefined ? word.split(' ') : [stem, more]
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
