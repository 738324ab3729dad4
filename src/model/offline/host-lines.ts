/** At the start of a message: tags, explaining lines, times, that it is late, headings of updates, what a reply is to. */
export const HOST_LINE =
  /^(?:\[(?:(?:routine|routine-bg|reminder|reminder-bg|webhook):[^\]\s]+|fork-started|fork-timeout|button|system)\]|\(.*\)[ \t]*(?:\n|$)|\[\d{4}-\d\d-\d\d[^\]\n]*\]|\[late: [^\]\n]*\]|RECENT BACKGROUND UPDATES.*(?:\n|$)|The person replies to this message:[ \t]*(?:\n|$))\s*/

const DATA = /<data source="[^"\n]*">[\s\S]*?(?:<\/data>|$)/g

/** What is left of a message without what the host wrote before it, and without data from elsewhere. */
export function bodyOf(text: string): string {
  let rest = text.replaceAll(DATA, '').trim()
  for (let line = HOST_LINE.exec(rest); line; line = HOST_LINE.exec(rest)) rest = rest.slice(line[0].length)
  return rest
}

/** What the host wrote before the first line that is not its own. */
export function headOf(text: string): string {
  let rest = text
  for (let line = HOST_LINE.exec(rest); line; line = HOST_LINE.exec(rest)) rest = rest.slice(line[0].length)
  return text.slice(0, text.length - rest.length)
}
