import { z } from 'zod'
import type { JsonObject } from '../../base/json.ts'
import { insideFence, withoutFences } from '../../event/fence.ts'
import type { PromptMessage } from '../../event/prompt.ts'
import { wordsOf } from '../extract/worth.ts'
import { short } from './talk.ts'

/** A question about something said earlier. */
export interface Lookup {
  readonly query: string
  readonly speaker?: 'user' | 'assistant'
  /** It asks when it was said, or for the first or the last time. */
  readonly when?: 'when' | 'first' | 'last'
  /** True: it asks for something said; false: a question that somebody may have answered earlier. */
  readonly isSure: boolean
}

const SAY =
  '(?:say|said|tell|told|mention(?:ed)?|talk(?:ed)?|speak|spoke|write|wrote|decide|decided|agree on|agreed|discuss(?:ed)?|ask(?:ed)?|suggest(?:ed)?|recommend(?:ed)?)'
const ABOUT = '(?: (?:to )?(?:you|me|us))?(?: (?:anything|something))?(?: (?:about|on|of|that|regarding))?'
const WHO = "(?<who>i|we|you|(?:(?:the|my|our) )?[\\p{L}'-]+)"
const OFTEN = '(?:(?:ever|already|last|first) )?'

const ASKED = new RegExp(
  `^(?:(?:what|when|where|how often) )?(?:did|have|had) ${WHO} ${OFTEN}${SAY}${ABOUT} (?<topic>\\S.*)$`,
  'iu',
)
const SAID_BY = new RegExp(
  `^(?:what|everything|all(?: that)?) (?<who>i|we|you) ${OFTEN}${SAY}${ABOUT} (?<topic>\\S.*)$`,
  'iu',
)
const SAID_IT = new RegExp(`^who ${SAY}${ABOUT} (?<topic>\\S.*)$`, 'iu')
const LEAD =
  /^(?:(?:please|hey|hi|ok|so|and|but)[\s,]+)*(?:(?<lead>(?:do|don't|can) you (?:still )?(?:remember|recall)|remind me (?=who|what|where|when|which|how)|search (?:my messages|the log) for)|(?<find>find|show me|tell me))?\s*(?<rest>\S.*?)[\s.!?]*$/isu

/** "What did I say about the boat?", "do you remember the boat?" */
export function lookupIn(sentence: string): Lookup | undefined {
  const { lead, find, rest = '' } = LEAD.exec(sentence.replaceAll('’', "'"))?.groups ?? {}
  const indirect = (lead ?? find) === undefined ? null : SAID_BY.exec(rest)
  const found = ASKED.exec(rest) ?? SAID_IT.exec(rest) ?? indirect
  if (found === null && (lead === undefined || /^that\b/i.test(rest))) return undefined
  const { who = '', topic = rest } = found?.groups ?? {}
  if (wordsOf(topic).size === 0) return undefined
  const speaker = { i: 'user', you: 'assistant' } as const
  const by = speaker[who.toLowerCase() as keyof typeof speaker]
  const isOther = !/^(?:i|we|you|anyone|someone)?$/i.test(who)
  const head = rest.slice(0, -topic.length).toLowerCase()
  const [when] = /\b(?:first|last)\b/.exec(head) ?? /^when\b/.exec(head) ?? []
  return {
    query: isOther ? `${who} ${topic}` : topic,
    ...(by !== undefined && { speaker: by }),
    ...(when !== undefined && { when: when as 'when' | 'first' | 'last' }),
    isSure: true,
  }
}

/** A question that no rule understands: somebody may have said the answer. */
export function perhapsIn(sentence: string): Lookup | undefined {
  const query = sentence.replace(/[\s?!.]+$/, '')
  if (/^(?:should|shall|can|could|may|would|will|are you|do you)\b/i.test(query)) return undefined
  return sentence.trim().endsWith('?') && wordsOf(query).size > 0 ? { query, isSure: false } : undefined
}

/** Worth a search of its own; other questions are only answered from recalled messages. */
export function isPersonal({ query }: Lookup): boolean {
  return /\b(?:my|mine|our|i|we|me|us)\b/i.test(query)
}

/** Among just a few best matches, the oldest is hardly ever the first of all. */
const ORDERED_LIMIT = 20

export function recallArgs({ query, speaker, when }: Lookup): JsonObject {
  return {
    query,
    ...(speaker !== undefined && { speaker }),
    ...(when !== undefined && when !== 'when' && { limit: ORDERED_LIMIT }),
  }
}

/** An earlier message, as the tool or the tail of a prompt quotes it. */
const quoteSchema = z.object({
  /** `2026-03-01 Sun 09:30` */
  at: z.string(),
  position: z.number(),
  who: z.string(),
  name: z.string().optional(),
  /** Its fate: `rewound`, `cleared`. */
  label: z.string().optional(),
  text: z.string().transform((text) => withoutFences(text).trim()),
})

type Quote = z.infer<typeof quoteSchema>

const ENTRY =
  /^\[log (\d+), ([^\n\]]+), (\d{4}-\d\d-\d\d \w{3} \d\d:\d\d)\]\n<data source="[^"\n]*">\n([\s\S]*?)\n<\/data>/gm
/** A short answer is preceded by its question, as a quotation. */
const ANSWERED = /^(?:> [^\n]*\n)+/

/** Messages recalled with the prompt, the best first. */
export function memoryIn(messages: readonly PromptMessage[]): Quote[] {
  const tail = messages.findLast(
    ({ role, text }) => role === 'user' && /^## Relevant Memory\b/.test(text.trim()),
  )
  return Array.from((tail?.text ?? '').matchAll(ENTRY), ([, position, who = '', at = '', text = '']) => ({
    ...speakerIn(who),
    at,
    position: Number(position),
    text: insideFence(text.replace(ANSWERED, '')).trim(),
  }))
}

const SPEAKERS: ReadonlyMap<string, string> = new Map([
  ['the person', 'user'],
  ['the assistant', 'assistant'],
  ['a note', 'note'],
  ['a summary', 'summary'],
  ['a look into the log', 'echo'],
])

function speakerIn(words: string): Pick<Quote, 'who' | 'name'> {
  const [, tool] = /^result of (.+)$/.exec(words) ?? []
  if (tool !== undefined) return { who: 'tool', name: tool }
  const who = SPEAKERS.get(words)
  return who === undefined ? { who: 'user', name: words } : { who, name: undefined }
}

const foundSchema = z.object({
  hits: z.array(quoteSchema),
  /** Words that were never used, and those searched instead. */
  instead: z.record(z.string(), z.string()).default({}),
})

type Found = z.infer<typeof foundSchema>

/** The result of the recall tool; undefined if it did not search. */
export function foundIn(value: unknown): Found | undefined {
  return foundSchema.safeParse(value).data
}

const QUOTES_MAX = 3
const QUOTED_MAX = 240
const GOOD = 0.5
const GOOD_ELSE = 0.6

/** The matching messages word for word, with author and time; says plainly if there are none. */
export function answerFor(lookup: Lookup, found: Found): string {
  const instead = Object.entries(found.instead)
  const about = instead.reduce(
    (words, [typed, taken]) => words.toLowerCase().replace(typed.toLowerCase(), taken),
    lookup.query,
  )
  const mended = instead.map(([typed, taken]) => `I looked for "${taken}" instead of "${typed}".`)
  const good = telling(found.hits).filter((quote) => shareOf(about, quote) >= GOOD)
  const chosen = inOrder(good, lookup).slice(0, QUOTES_MAX)
  if (chosen.length > 0) return [...mended, ...chosen.map((quote) => sentence(quote, lookup))].join('\n')
  const by = lookup.speaker === 'user' ? ' you said' : lookup.speaker === 'assistant' ? ' I said' : ''
  return [...mended, `I found nothing${by} about "${short(lookup.query, QUOTED_MAX)}".`].join(' ')
}

/**
 * The best quote, if it is about the question. Rewound, cleared or discarded messages were taken back: they are only
 * for people who ask what was said.
 */
export function answerPerhaps(lookup: Lookup, quotes: readonly Quote[]): string | undefined {
  const { query } = lookup
  const needs = isPersonal(lookup) ? GOOD : GOOD_ELSE
  const good = telling(quotes).filter((quote) => quote.label === undefined && shareOf(query, quote) >= needs)
  const rank = (quote: Quote): number => shareOf(query, quote) + (quote.who === 'user' ? 0.01 : 0)
  const [best] = good.toSorted((a, b) => rank(b) - rank(a))
  return best && sentence(best, lookup)
}

const OWN =
  /offline stand-in|not a language model|^(?:you|i|[^\n]{1,40}) said on \d{4}-\d\d-\d\d|^I (?:found nothing|looked for) /i

/** Drops questions, which tell nothing, and this model's answers and repeats: those would be found for ever. */
function telling(quotes: readonly Quote[]): Quote[] {
  return quotes.filter(({ who, text }) => {
    if (who === 'user') return !/\?\s*$/.test(text) && lookupIn(text) === undefined
    return who !== 'echo' && !(who === 'assistant' && OWN.test(text))
  })
}

/** The share of a question's words that a quote contains. */
function shareOf(query: string, { text }: Pick<Quote, 'text'>): number {
  const about = [...wordsOf(query)]
  const words = wordsOf(text)
  return about.filter((stem) => words.has(stem)).length / Math.max(1, about.length)
}

function inOrder(quotes: readonly Quote[], { when }: Lookup): readonly Quote[] {
  if (when === undefined || when === 'when') return quotes
  const byTime = quotes.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.position - b.position))
  return when === 'first' ? byTime.slice(0, 1) : byTime.slice(-1)
}

/** `You said on 2026-03-01: "…"` */
function sentence({ at, who, name, label, text }: Quote, { when }: Lookup): string {
  const speakers = new Map([
    ['user', name ?? 'You'],
    ['assistant', 'I'],
    ['summary', 'A summary'],
    ['note', 'A note'],
    ['update', `An update from ${short(name ?? 'the background', 40)}`],
  ])
  const speaker = speakers.get(who) ?? `The result of ${short(name ?? who, 40)}`
  const mark = label === undefined ? '' : ` (${label})`
  const [date = '', day, time] = at.split(' ')
  const said = when === undefined ? date : `${date} (${day}) at ${time}`
  return `${speaker} said on ${said}${mark}: "${short(text, QUOTED_MAX).replaceAll('"', "'")}"`
}
