import { asked } from './asking.ts'
import { DECIDED, NEEDS, OWN, PROMISED } from './cues.ts'
import { OPEN } from './doubt-cues.ts'
import type { Entry, Section, Spoken, Who } from './entry.ts'
import { glance, nearness, raise, type Focus } from './focus.ts'
import { hearingOf, type Heard } from './hearing.ts'
import { LINE_TOKENS_MAX, shorten, shortLine } from './shorten.ts'
import { told } from './telling.ts'
import { aboutOf, sectionOf, worthOf } from './worth.ts'

/** So many messages are read closely. Of more, those that look as if they had most to tell. */
const MESSAGES_MAX = 400
/** So many lines are compared with each other. */
const ENTRIES_MAX = 300

/** What is said in these messages that may be worth a line. Names met on the way are added to `known`. */
export function candidatesIn(messages: readonly Spoken[], known: Set<string>, focus: Focus): Entry[] {
  const hearing = hearingOf(messages)
  const entries: Entry[] = []
  for (const index of promising(messages, focus)) {
    const message = hearing(index)
    if (message === undefined || message.sentences.length === 0) continue
    const { who, day } = message
    const found = [...asked(hearing, index), ...told(hearing, index, (sentence) => lineNear(sentence, focus))]
    for (const [place, { text, section }] of found.entries()) {
      const order = index + place / 1_000
      const entry = makeEntry({ text, section, who, day, order }, known)
      for (const name of entry.about.names) known.add(name)
      entries.push(weigh(message, entry))
    }
  }
  return worthiest(raise(entries, focus))
}

/** What is asked for may stand in a part of a sentence that others can do without. */
function lineNear(sentence: string, focus: Focus): string {
  const line = shortLine(sentence)
  const isCut = nearness(focus, line).size < nearness(focus, sentence).size
  return isCut ? shorten(sentence, FOCUSED_TOKENS_MAX) : line
}
const FOCUSED_TOKENS_MAX = 4 * LINE_TOKENS_MAX

/** A model that speaks at length explains the world, and the world can be explained again. */
const LECTURE_CHARACTERS_MIN = 350
const LECTURE_SHARE = 0.35

function weigh({ who, folded }: Heard, entry: Entry): Entry {
  const isLecture = who === 'assistant' && folded.length >= LECTURE_CHARACTERS_MIN
  return isLecture && !isPersonal(entry) ? { ...entry, worth: entry.worth * LECTURE_SHARE } : entry
}

/** What it says of itself or of the person, and what it found out for them. */
function isPersonal({ section, about: { folded } }: Entry): boolean {
  return (
    section !== 'facts' &&
    /\b(?:i|i'll|i've|we|you|your|our|root cause|found it|ich|wir|yo|nosotros)\b|[我你]/.test(folded)
  )
}

export interface Line {
  readonly text: string
  /** Read from the words where nobody knows it. */
  readonly section: Section | undefined
  readonly who: Who | undefined
  readonly day: number | undefined
  readonly order: number
}

export function makeEntry({ text, section, who, day, order }: Line, known: ReadonlySet<string>): Entry {
  const about = aboutOf(text, known)
  const chosen = section ?? sectionOf(about, who)
  return { section: chosen, who, day, text, order, about, worth: worthOf(about, chosen, who), near: NOTHING }
}

const NOTHING: ReadonlySet<string> = new Set()

/** In their order. */
function promising(messages: readonly Spoken[], focus: Focus): number[] {
  const all = [...messages.keys()]
  if (messages.length <= MESSAGES_MAX) return all
  const looks = messages.map((message) => promise(message) + sought(message, focus))
  return all
    .toSorted((a, b) => (looks[b] ?? 0) - (looks[a] ?? 0) || b - a)
    .slice(0, MESSAGES_MAX)
    .toSorted((a, b) => a - b)
}

const GLANCE_CHARACTERS = 800

/** At a glance: good enough to choose among thousands, where most that was said is lost anyway. */
function promise({ who, text }: Spoken): number {
  if (who === 'tool') return -1
  const glance = text.slice(0, GLANCE_CHARACTERS).toLowerCase()
  const cues = [DECIDED, PROMISED, NEEDS, OPEN, OWN].filter((cue) => cue.test(glance)).length
  const found = cues + (/\d/.test(glance) ? 1 : 0)
  return who === 'assistant' ? found / 3 : found
}

const SEARCHED_CHARACTERS = 8_000
/** More than all cues of a glance together. */
const SOUGHT_WORTH = 10

function sought({ who, text }: Spoken, focus: Focus): number {
  if (who === 'tool' || focus.length === 0) return 0
  return SOUGHT_WORTH * glance(focus, text.slice(0, SEARCHED_CHARACTERS))
}

function worthiest(entries: readonly Entry[]): Entry[] {
  if (entries.length <= ENTRIES_MAX) return [...entries]
  return entries
    .toSorted((a, b) => b.worth - a.worth || b.order - a.order)
    .slice(0, ENTRIES_MAX)
    .toSorted((a, b) => a.order - b.order)
}
