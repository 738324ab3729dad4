import { z } from 'zod'
import type { JsonObject } from '../../base/json.ts'
import { cutText, singleSpaced } from '../../base/words.ts'
import { withoutFences } from '../../event/fence.ts'
import { wordsOf } from '../extract/worth.ts'

/** A question about something said earlier. */
export interface Lookup {
  readonly query: string
  readonly speaker?: 'user' | 'assistant'
  /** It asks for what was said; otherwise, somebody may have said the answer. */
  readonly isSure: boolean
}

const SAY =
  '(?:(?:ever|already|last|first) )?(?:say|said|tell|told|mention(?:ed)?|talk(?:ed)?|write|wrote|decided?|agreed?|discuss(?:ed)?|ask(?:ed)?|suggest(?:ed)?)(?: (?:you|me|us))?(?: (?:anything|something))?(?: (?:about|on|of|that))?'
const REMEMBER = String.raw`(?:(?:do|don't|can) you (?:still )?(?:remember|recall)|remind me(?= wh)|find|show me|tell me)`
const ASKED = [
  String.raw`(?:(?:what|when|where) )?(?:did|have|had) (?<who>[\p{L}'-]+) ${SAY} (?<topic>\S.*)`,
  String.raw`${REMEMBER} (?:what|when|where|everything|all) (?<who>i|we|you) ${SAY} (?<topic>\S.*)`,
  String.raw`(?:${REMEMBER} )?who ${SAY} (?<topic>\S.*)`,
  String.raw`(?:do|don't|can) you (?:still )?(?:remember|recall) (?!that\b)(?<topic>\S.*)`,
].map((form) => new RegExp(String.raw`^(?:(?:please|hey|hi|ok|so|and|but)[\s,]+)*${form}$`, 'isu'))

/** Questions for what somebody may have told: "where is the key?", not "what time is it?" */
const PERHAPS =
  /^(?!(?:should|shall|can|could|may|would|will|are you|do you)\b).*\b(?:my|mine|our|i|we|me|us|the)\b.*\?$/is

/** "What did I say about the boat?", "do you remember the boat?", "where is the boat?" */
export function lookupIn(sentence: string): Lookup | undefined {
  const text = sentence.replaceAll('’', "'").trim()
  const query = text.replace(/[\s.!?]+$/, '')
  const { who = '', topic = '' } = ASKED.map((form) => form.exec(query)?.groups).find(Boolean) ?? {}
  if (topic === '') return PERHAPS.test(text) ? { query, isSure: false } : undefined
  const by = { i: 'user', you: 'assistant' }[who.toLowerCase()] as Lookup['speaker']
  const isOther = !/^(?:i|we|you|anyone|someone)?$/i.test(who)
  return { query: isOther ? `${who} ${topic}` : topic, ...(by && { speaker: by }), isSure: true }
}

export function recallArgs({ query, speaker }: Lookup): JsonObject {
  return { query, ...(speaker && { speaker }) }
}

const foundSchema = z.object({
  hits: z.array(
    z.object({
      /** `2026-03-01 Sun 09:30` */
      at: z.string(),
      who: z.string(),
      name: z.string().optional(),
      /** Its fate: `rewound`, `cleared`. */
      label: z.string().optional(),
      text: z.string().transform((text) => withoutFences(text).trim()),
    }),
  ),
  /** Words that were never used, and those searched instead. */
  instead: z.record(z.string(), z.string()).default({}),
})

type Quote = z.infer<typeof foundSchema>['hits'][number]

const QUOTES_MAX = 3
const CHARACTERS_MAX = 240
/** The share of the question's words that an answer has. */
const SHARE_MIN = 0.5

/** What the recall tool found, word for word, with author and time; undefined if it did not search. */
export function answerFor({ query, speaker, isSure }: Lookup, result: unknown): string[] | undefined {
  const found = foundSchema.safeParse(result).data
  if (found === undefined) return undefined
  const about = Object.entries(found.instead).reduce(
    (words, [typed, taken]) => words.replace(new RegExp(RegExp.escape(typed), 'i'), () => taken),
    query,
  )
  // What was rewound, cleared or discarded was taken back: it is only for people who ask what was said.
  const good = found.hits.filter(
    (hit) => (isSure || hit.label === undefined) && isTelling(hit) && shareOf(about, hit) >= SHARE_MIN,
  )
  if (good.length > 0 || !isSure) return good.slice(0, isSure ? QUOTES_MAX : 1).map(quoted)
  const by = speaker === 'user' ? ' you said' : speaker === 'assistant' ? ' I said' : ''
  return [`I found nothing${by} about "${shown(query)}".`]
}

const OWN = /offline stand-in|^(?:you|i|[^\n]{1,40}) said on \d{4}-\d\d-\d\d|^I found nothing /i

/** A question tells nothing, and this model's own answers would be found for ever. */
function isTelling({ who, text }: Quote): boolean {
  if (who === 'user') return !/\?\s*$/.test(text) && lookupIn(text) === undefined
  return who !== 'echo' && !(who === 'assistant' && OWN.test(text))
}

function shareOf(query: string, { text }: Quote): number {
  const about = wordsOf(query)
  return about.intersection(wordsOf(text)).size / Math.max(1, about.size)
}

/** `You said on 2026-03-01 Sun 09:30: "…"` */
function quoted({ at, who, name, label, text }: Quote): string {
  const by = { user: name ?? 'You', assistant: 'I' }[who] ?? `${who} ${name ?? ''}`.trim()
  const fate = label === undefined ? '' : ` (${label})`
  return `${by} said on ${at}${fate}: "${shown(text).replaceAll('"', "'")}"`
}

function shown(text: string): string {
  return cutText(singleSpaced(text), CHARACTERS_MAX)
}
