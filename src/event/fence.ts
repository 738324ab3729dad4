/** Brackets that can be taken for `<`: its other forms, then those that only look like it. */
const OPENERS =
  '<\u{FF1C}\u{FE64}\u{226E}\u{2C2}\u{1438}\u{2039}\u{227A}\u{2329}\u{276C}\u{276E}\u{2770}\u{27E8}\u{2991}\u{29FC}\u{3008}'
const OPENER = new RegExp(`[${OPENERS}]`, 'gu')
const ESCAPED_OPENER = /&(?:lt|#x([0-9A-F]{3,4}));/g
/** A bracket as HTML spells it, also where the spelling is spelled out. */
const REFERENCE = /&(?:amp;)*(?:lt|#0*60|#x0*3c|#x[0-9a-f]{3,4});?/gi
/** Characters that a reader overlooks between the letters of a tag. */
const GAP = /[\s\p{C}\p{M}\p{Default_Ignorable_Code_Point}]/gu
/** How every fence begins. */
export const FENCE_OPENING = '<data source="'
const FENCED = /<data source="[^"\n]*">\n([\s\S]*?)\n<\/data>/g
const FENCED_OR_CUT = /<data source="[^"\n]*">\n[\s\S]*?(?:\n<\/data>|$)/g

/**
 * Marks text from elsewhere as data, so that a model does not take it for instructions; no line of it reads as the host's
 * (SAFE2).
 */
export function fence(source: string, text: string): string {
  return enclose(source, dataLines(text))
}

/** Text from elsewhere as it is stored: no line of it is the host's, and no tag of it is escaped as our own are. */
export function dataLines(text: string): string {
  const escapedOnce = text.replaceAll(REFERENCE, (reference, at: number) =>
    isTagAt(text, at + reference.length) ? `&amp;${reference.slice(1)}` : reference,
  )
  return withoutHostLines(escapedOnce)
}

/** Marks text as data that lost its host lines when it was admitted: stored messages are rendered the same for ever. */
export function enclose(source: string, text: string): string {
  const inside = text.replaceAll(OPENER, (opener, at: number) =>
    isTagAt(text, at + opener.length) ? escaped(opener) : opener,
  )
  return `<data source="${source.replaceAll(MARKS, '-')}">\n${inside}\n</data>`
}

/** The host's openings of a line: its tags, the times of its messages, its remarks in brackets, and its headings. */
const HOST_OPENING =
  /^[\s\\]*(?:\[\s*(?:(?:routine|routine-bg|reminder|reminder-bg|webhook|late)\s*:|(?:fork-started|fork-timeout|button|system)\s*\]|note\s+from\b|log\s+\d+\s*,|\d{4,}-\d\d-\d\d\s)|\(\s*(?:written\s+by|you\s+are\s+a\s+child|you\s+have\s+\d+\s+unread|(?:scheduled\s+)?background\s+run|a\s+reminder\s+that\s+you\s+set|the\s+person\s+(?:pressed|stopped))\b)/i
const HEADING =
  /^[\s\\]*(?:RECENT BACKGROUND UPDATES\b|#+ (?:Relevant Memory|Conversation History)\b|REPORTING: call )/i

/** Whether a reader who overlooks what cannot be seen takes it for the host's words. */
export function opensAsHost(line: string): boolean {
  return HOST_OPENING.test(line.replaceAll(UNSEEN, ''))
}

/** Invisible characters, among them the blank of braille: `[system]` with one inside looks like the host's tag. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]|(?!\s)\p{Cc}/gu

/** Lines that read as the host's get a backslash, and one more if they have one: different texts stay different. */
export function withoutHostLines(text: string): string {
  return text.replaceAll(LINE, (line) => (isHostLine(line) ? `\\${line}` : line))
}

/** The text before its lines were escaped. */
export function withHostLines(text: string): string {
  return text.replaceAll(LINE, (line) =>
    line.startsWith('\\') && isHostLine(line.slice(1)) ? line.slice(1) : line,
  )
}

const LINE = /[^\n\r\v\f\u0085\u2028\u2029]+/g
/** Most lines begin with a letter and need no closer look. Not any letter: some are invisible. */
const HARMLESS = /^[ \t]*[A-Za-z\d#*>|-]/

function isHostLine(line: string): boolean {
  if (HARMLESS.test(line)) return HEADING.test(line.slice(0, OPENING_MAX).replaceAll(UNSEEN, ''))
  // Before the cut: as many blanks or marks as one likes are nothing to see.
  const all = line.replaceAll(UNSEEN, '').replaceAll(/\p{M}/gu, '').replaceAll(/\s+/g, ' ')
  const seen = all.replace(/^[ \\]+/, '').slice(0, OPENING_MAX)
  const letters = seen.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const told = letters.replaceAll(NOT_ASCII, lookOf)
  return HOST_OPENING.test(told) || HEADING.test(told)
}

const NOT_ASCII = /[^\0-\x7F]/gu

/** The sign of ours that another looks like; itself where there is none. */
function lookOf(sign: string): string {
  return LOOK_ALIKES[sign] ?? SMALL_CAPITALS[sign] ?? (/\p{Pd}/u.test(sign) ? '-' : sign)
}

/** Apart from `LOOK_ALIKES`, since three of them are letters of `/data`. */
const SMALL_CAPITALS: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from('ᴀʙᴅᴇꜰɢʜɪᴋᴍɴᴏʀꜱᴛᴜᴡʏ', (capital, at) => [capital, 'abdefghikmnorstuwy'.charAt(at)]),
)

const OPENING_MAX = 200
const NAME_MAX = 64

/**
 * A name that somebody gave themselves, their group, their file: one line of at most 64 visible characters that closes no
 * bracket around it and opens none as the host does.
 */
export function plainName(name: string): string {
  const line = name
    .slice(0, NAME_MAX * 64)
    .toWellFormed()
    .replaceAll(/[\s\p{C}\p{Default_Ignorable_Code_Point}\uFFFD]+/gu, ' ')
    .replaceAll(/(\p{M}{2})\p{M}+/gu, '$1')
    .replaceAll(/[[\]<>"\uFF02\uFF1C\uFF1E\uFF3B\uFF3D\u3010\u3011\u3014\u3015]+/g, '-')
    .replaceAll(/[\p{Ps}﴾][^\p{Ps}﴾]*/gu, (part) => (isHostLine(part) ? `-${part.slice(1)}` : part))
    .trim()
  const signs = Array.from(graphemes.segment(line), ({ segment }) => segment)
  return signs.length <= NAME_MAX
    ? line
    : `${signs
        .slice(0, NAME_MAX - 1)
        .join('')
        .trimEnd()}…`
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Characters that could end the attribute or the tag, in all their forms. */
const MARKS = /["<>\s\p{C}\p{Default_Ignorable_Code_Point}\u{FE64}\u{FE65}\u{FF02}\u{FF1C}\u{FF1E}]+/gu

/** Removes fences: they are for models, and people read the text as it was. */
export function withoutFences(text: string): string {
  return text.replaceAll(FENCED, (_, inside: string) => insideFence(inside))
}

/** What stands around fences: the words of who passes data on. A fence that was cut ends with the text. */
export function outsideFences(text: string): string {
  return text.replaceAll(FENCED_OR_CUT, '')
}

/** The same of a text that only speaks of fences: one that never ends stays. */
export function withoutData(text: string): string {
  return text.replaceAll(FENCED, '')
}

/** The inside of a fence as it was typed. */
export function insideFence(inside: string): string {
  const text = inside.replaceAll(ESCAPED_OPENER, (reference, code: string | undefined, at: number) => {
    const opener = String.fromCodePoint(Number.parseInt(code ?? '3C', 16))
    return OPENERS.includes(opener) && isTagAt(inside, at + reference.length) ? opener : reference
  })
  const told = text.replaceAll(REFERENCE, (reference, at: number) =>
    reference.startsWith('&amp;') && isTagAt(text, at + reference.length)
      ? `&${reference.slice(5)}`
      : reference,
  )
  return withHostLines(told)
}

function escaped(opener: string): string {
  return opener === '<' ? '&lt;' : `&#x${opener.codePointAt(0)?.toString(16).toUpperCase()};`
}

/** Whether the name of the fence's tag follows, in any letters that look like it: `/data`, but not `/database`. */
function isTagAt(text: string, start: number): boolean {
  let name = ''
  for (let at = start; at < text.length;) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
    const letters = plain(character)
    if (isName(name)) return !/^(?!\u{1433})[\p{L}\p{N}_]/u.test(letters)
    name += letters
    if (!'/data'.startsWith(name) && !'data'.startsWith(name)) return false
    at += character.length
  }
  return isName(name)
}

function isName(name: string): boolean {
  return name === 'data' || name === '/data'
}

function plain(character: string): string {
  const letters = character.normalize('NFKD').toLowerCase().replaceAll(GAP, '')
  return LOOK_ALIKES[letters] ?? letters
}

/**
 * What normalization leaves as it is: Cyrillic, Greek, IPA, other brackets, slashes, dashes and colons. Those of `/data`
 * stay as they are, since stored messages are rendered with them.
 */
const LOOK_ALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    a: 'аɑα',
    b: 'ьƅ',
    d: 'ԁ',
    e: 'еεҽ',
    g: 'ɡց',
    h: 'һհ',
    i: 'іιɩı',
    k: 'кκ',
    m: 'м',
    n: 'ո',
    o: 'оοօ',
    r: 'гꭇ',
    s: 'ѕꜱ',
    t: 'тτ',
    u: 'υսʋ',
    w: 'ԝѡω',
    y: 'уүγ',
    '/': '⁄∕╱⧸',
    '-': '−⁃˗',
    ':': '∶꞉',
    '[': '【〔〖〘〚⟦⁅❲⦋⦍⦏',
    ']': '】〕〗〙〛⟧⁆❳⦌⦎⦐',
    '(': '❨❪⦅⸨⟮﴾',
  }).flatMap(([sign, others]) => Array.from(others, (other) => [other, sign])),
)
