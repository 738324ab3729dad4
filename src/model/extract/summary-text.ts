import { sections, type Entry, type Section, type Who } from './entry.ts'

const HEADINGS: Readonly<Record<Section, string>> = {
  facts: 'People and facts',
  decisions: 'Decisions',
  promises: 'Promises and to-dos',
  questions: 'Open questions',
}
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const
const DAY_MS = 86_400_000
/** The range of days that a `Date` can hold. */
const DAYS_MAX = 8e15 / DAY_MS

export function dayOf(at: number | undefined): number | undefined {
  const day = Math.floor((at ?? Number.NaN) / DAY_MS)
  return Math.abs(day) < DAYS_MAX ? day : undefined
}

/** As Markdown. The head names the newest day, so that lines of the same year need not name it. */
export function writeSummary(entries: readonly Entry[], newest: number | undefined): string {
  const blocks = sections.flatMap((section) => {
    const lines = entries
      .filter((entry) => entry.section === section)
      .toSorted((a, b) => a.order - b.order)
      .map((entry) => lineOf(entry, newest))
    return lines.length === 0 ? [] : [heading(section), ...lines]
  })
  return blocks.length === 0 ? '' : [...headOf(newest), ...blocks].join('\n')
}

export function headOf(newest: number | undefined): string[] {
  return newest === undefined ? [] : [`Until ${dayText(newest)} ${yearOf(newest)}:`]
}

export function heading(section: Section): string {
  return `### ${HEADINGS[section]}`
}

export function lineOf({ who, day, text }: Entry, newest: number | undefined): string {
  const isThisYear = day !== undefined && newest !== undefined && yearOf(day) === yearOf(newest)
  const when = day === undefined ? [] : [isThisYear ? dayText(day) : `${dayText(day)} ${yearOf(day)}`]
  const head = [...(who === undefined ? [] : [who]), ...when].join(' ')
  return head === '' ? `- ${text}` : `- ${head}: ${text}`
}

function dayText(day: number): string {
  const date = new Date(day * DAY_MS)
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`
}

function yearOf(day: number): number {
  return new Date(day * DAY_MS).getUTCFullYear()
}

/** A line of a former summary, ours or another. */
export interface Told {
  readonly section: Section | undefined
  readonly who: Who | undefined
  readonly day: number | undefined
  readonly text: string
}

const HEAD = /^Until (\d{1,2}) (\w{3}) (-?\d{1,6}):$/
const HEADING = /^#{1,6}\s+(.+?)\s*#*$|^\*\*([^*]+?):?\*\*:?$/
const BULLET = /^\s*(?:[-*+•]|\d{1,2}[.)])\s+/
const LINE =
  /^- (?:(user|assistant|tool|note)(?: (?=[\d]))?)?(?:(\d{1,2}) ([A-Z][a-z]{2})(?: (-?\d{1,6}))?)?: (.*)$/

/** Our older versions ended in a list of names. */
const TOPICS = /^### Topics\n- .*$/m

/** Reads back the output of `writeSummary`; from any other text every line, with its section if a heading says it. */
export function readSummary(text: string): { told: readonly Told[]; newest: number | undefined } {
  const told: Told[] = []
  let section: Section | undefined
  let newest: number | undefined
  for (const line of text.replace(TOPICS, '').split(/\r?\n/)) {
    const head = HEAD.exec(line)
    const title = HEADING.exec(line.trim())
    if (head !== null) newest = dayFrom(head[1], head[2], Number(head[3]))
    else if (title !== null)
      section = NAMED.find(([pattern]) => pattern.test(title[1] ?? title[2] ?? ''))?.[1]
    else if (line.trim() !== '') told.push(toldBy(line, section, newest))
  }
  return { told, newest }
}

function toldBy(line: string, section: Section | undefined, newest: number | undefined): Told {
  const [, who, date, month, ownYear, text = ''] = LINE.exec(line) ?? []
  if ((who ?? date) === undefined)
    return { section, who: undefined, day: undefined, text: line.replace(BULLET, '').trim() }
  const year = ownYear !== undefined ? Number(ownYear) : newest === undefined ? undefined : yearOf(newest)
  return { section, who: who as Who | undefined, day: dayFrom(date, month, year), text }
}

function dayFrom(
  date: string | undefined,
  month: string | undefined,
  year: number | undefined,
): number | undefined {
  const index = MONTHS.findIndex((name) => name === month)
  if (date === undefined || index < 0 || year === undefined) return undefined
  return dayOf(new Date(0).setUTCFullYear(year, index, Number(date)))
}

const NAMED: readonly (readonly [RegExp, Section])[] = [
  [/question|open|unresolved|pending|offen|frage|abiert|pregunta|问题/i, 'questions'],
  [/decision|decided|agree|entscheid|decisi|acuerd|决定/i, 'decisions'],
  [/promise|to-?dos?|task|action|next step|commit|remind|follow|aufgabe|tarea|待办/i, 'promises'],
  [/people|fact|name|prefer|detail|context|background|user|person|about/i, 'facts'],
]

/** Our own summary as plain sentences: if it is short, headings would take more room than the lines. */
export function plainSentences(summary: string): string {
  return summary
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^#|^Until [^:]+:$/.test(line))
    .map((line) => line.replace(/^- (?:(?:user|assistant|note)(?: [^:\n]{0,20})?: )?/, '').trim())
    .join(' ')
}
