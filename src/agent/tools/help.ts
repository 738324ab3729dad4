import { z } from 'zod'
import type { BranchId } from '../../event/id.ts'
import { isStopWord } from '../../recall/words/stop-words.ts'
import { termsOf, wordsIn } from '../../recall/words/words.ts'
import { defineTool } from '../../tool/define-tool.ts'
import { builtIn, failed, ok, type Tool } from '../../tool/tool.ts'

const QUERY_MAX = 500
const TEXT_MAX = 4_000
const OTHERS_MAX = 4

const USAGE = 'Usage: help {"query"?: a few words, such as "quiet hours"}.'

export interface HelpParts {
  /** The texts of the guides, read at the first question. */
  readonly guides: () => readonly string[]
  /** Whether this branch may be told about reporting. */
  readonly reports: (branch: BranchId) => Promise<boolean>
}

/** Answers from the guides that people read: the section that fits best, and the names of the next. */
export function makeHelpTool({ guides, reports }: HelpParts): Tool {
  let read: readonly Section[] | undefined
  return defineTool({
    name: 'help',
    description:
      'How Mainstem works: commands, forks, routines, pings, settings. Use it when the person asks what you can do or how to do something here. Search by words.',
    schema: z.strictObject({
      query: z
        .string()
        .max(QUERY_MAX)
        .describe('A few words, such as "quiet hours"; the list of contents unless given')
        .exactOptional(),
    }),
    usage: USAGE,
    nature: builtIn('looks', { says: 'host' }),
    run: async ({ query = '' }, { branch }) => {
      read ??= guides().flatMap(sectionsOf)
      const isHeard = await reports(branch)
      if (query.trim() === '') return ok(contentsOf(read))
      const [best, ...others] = found(read, query)
      if (best === undefined) return failed(`No guide has these words. ${contentsOf(read)}`)
      const more = others.slice(0, OTHERS_MAX).map(({ guide, title }) => `${guide}: ${title}`)
      const seeAlso = more.length === 0 ? '' : `\n\nSee also: ${more.join('; ')}.`
      return ok(`${shown(best, isHeard)}${seeAlso}`)
    },
  })
}

interface Section {
  readonly guide: string
  readonly title: string
  readonly text: string
  /** How often each term occurs. */
  readonly counts: ReadonlyMap<string, number>
  readonly length: number
}

const HEADING = /^#{1,3} (.+)$/
const CODE_FENCE = /^(?:```|~~~)/

/** Headings in code blocks are code. Comments in guides are for those who record them. */
function sectionsOf(guide: string): Section[] {
  const parts: { title: string; lines: string[] }[] = []
  let isCode = false
  for (const line of guide.replaceAll(/<!--[^]*?-->\n*/g, '').split('\n')) {
    if (CODE_FENCE.test(line)) isCode = !isCode
    const title = isCode ? undefined : HEADING.exec(line)?.[1]
    if (title === undefined) parts.at(-1)?.lines.push(line)
    else parts.push({ title, lines: [] })
  }
  const name = parts[0]?.title ?? ''
  return parts.map(({ title, lines }) => {
    const text = lines.join('\n').trim()
    // Transcripts repeat words without explaining them.
    const terms = termsOf(text.replaceAll(/^```[^]*?^```$/gm, ''))
    const counts = new Map<string, number>()
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
    return { guide: name, title, text, counts, length: terms.length }
  })
}

const IN_TITLE = 3
/** For the query as it was written, such as `ping_user`. */
const AS_WRITTEN = 3

/** The sections with words of the query, the best first: rare words count more, and words in a title most. */
function found(sections: readonly Section[], query: string): Section[] {
  const asked = wordsIn(query).filter(({ typed }) => !isStopWord(typed))
  const terms = [...new Set((asked.length === 0 ? wordsIn(query) : asked).map(({ term }) => term))]
  const mean = sections.reduce((sum, { length }) => sum + length, 0) / sections.length
  const weights = terms.map((term) => {
    const having = sections.filter(({ counts, title }) => counts.has(term) || termsOf(title).includes(term))
    return Math.log(1 + sections.length / Math.max(1, having.length))
  })
  const written = query.trim().toLowerCase()
  const score = ({ counts, title, text, length }: Section): number => {
    const titled = new Set(termsOf(title))
    const points = terms.reduce((sum, term, index) => {
      const count = counts.get(term) ?? 0
      const part =
        count / (count + 0.5 + length / mean) +
        (titled.has(term) ? IN_TITLE / Math.max(titled.size, terms.length) : 0)
      return sum + part * (weights[index] ?? 0)
    }, 0)
    return `${title}\n${text}`.toLowerCase().includes(written) ? points * AS_WRITTEN : points
  }
  return sections
    .map((section) => ({ section, points: score(section) }))
    .filter(({ points }) => points > 0)
    .toSorted((one, other) => other.points - one.points)
    .map(({ section }) => section)
}

/** A run that may not report is not told about reporting (RUN2). */
function shown({ guide, title, text }: Section, isHeard: boolean): string {
  const lines = text.split('\n').filter((line) => isHeard || !/report_updates|on_ping/.test(line))
  const whole = `${guide === title ? '' : `${guide}: `}${title}\n\n${lines.join('\n')}`
  return whole.length <= TEXT_MAX ? whole : `${whole.slice(0, TEXT_MAX).toWellFormed()}\n(cut)`
}

/** `Commands: status, context, config, …` for each guide. */
function contentsOf(sections: readonly Section[]): string {
  const guides = Map.groupBy(sections, ({ guide }) => guide)
  const lines = [...guides].map(([guide, all]) => {
    const titles = all.map(({ title }) => title).filter((title) => title !== guide)
    return titles.length === 0 ? guide : `${guide}: ${titles.join(', ')}`
  })
  return `The guides, each with its sections:\n${lines.join('\n')}`
}
