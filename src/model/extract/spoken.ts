/** At the start of a message: tags, explaining lines and times that the host wrote, headings of its blocks. */
const HOST_LINE =
  /^(?:\[(?:(?:routine|routine-bg|reminder|reminder-bg|webhook):[^\]\n]+|fork-started|fork-timeout|button|system|note from [^\]\n]+)\]|\((?:written by the host|you are a child)[^\n]*\)|\[\d{4,}-\d\d-\d\d [^\]\n]*\]|RECENT BACKGROUND UPDATES[^\n]*|## Conversation History[^\n]*)\s*/u
/** Data is what somebody else wrote, and may say anything. */
const DATA = /<data\b[^>\n]*>[\s\S]*?(?:<\/data>|$)/g
const CODE_BLOCK = /(^|\n)[ \t]*(```|~~~)[\s\S]*?(?:\n[ \t]*\2[^\n]*|$)/g
const UNSEEN = /[\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]|(?![\n\t])\p{Cc}/gu
const TABLE_LINE = /^[ \t]*\|.*$/gm
/** Lists, headings and quotations of Markdown. */
const LINE_MARK = /^[ \t]*(?:[-*+•]\s+|#{1,6}\s+|>+\s*|\d{1,2}[.)]\s+(?=\D))+/gm
const EMPHASIS = /(\*\*|__)(?=\S)([^\n]{0,200}?\S)\1/g
const LINK = /\[([^\]\n]{1,200})\]\((?:https?:)[^)\s]{1,400}\)/g

/** Of one message: its beginning and its end. The middle of what is longer was pasted. */
const CHARACTERS_MAX = 24_000

/** What somebody said, without what the host wrote around it, code, tables and Markdown's marks. */
export function spokenText(text: string): string {
  let rest = text
  if (rest.length > CHARACTERS_MAX)
    rest = `${rest.slice(0, CHARACTERS_MAX / 2)}\n${rest.slice(-CHARACTERS_MAX / 2)}`
  if (rest.includes('<data')) rest = rest.replaceAll(DATA, '\n')
  rest = rest.replaceAll(UNSEEN, '').trimStart()
  for (let line = HOST_LINE.exec(rest); line; line = HOST_LINE.exec(rest)) rest = rest.slice(line[0].length)
  if (rest.startsWith('\\[')) rest = rest.slice(1)
  if (rest.includes('```') || rest.includes('~~~')) rest = rest.replaceAll(CODE_BLOCK, '\n')
  if (rest.includes('|')) rest = rest.replaceAll(TABLE_LINE, '')
  if (rest.includes('](')) rest = rest.replaceAll(LINK, '$1')
  return rest.replaceAll(LINE_MARK, '').replaceAll(EMPHASIS, '$2').trim()
}

const SIGN = /[{}()[\]<>=;|\\/_$%&*+^~`"]/g
const LOG_LINE = /^(?:\d{4}-\d\d-\d\dT|at \S+ \(|(?:npm )?(?:ERR|WARN|INFO|DEBUG|ERROR)\b|[+-]{3}\s|@@ )/

/** Whether it reads like code, a log or a table rather than like something said. */
export function isMachineText(sentence: string): boolean {
  if (LOG_LINE.test(sentence)) return true
  const signs = sentence.match(SIGN)?.length ?? 0
  return signs > 3 && signs * 8 > sentence.length
}
