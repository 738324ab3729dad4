import { stopWords } from './phrases.ts'
import type { Word } from './words.ts'

/** A question about what the person has under control: an answer, or that the memory itself is wanted. */
export type About = { readonly kind: 'say'; readonly text: string } | { readonly kind: 'memory' }

export function aboutIn(all: readonly Word[]): About | undefined {
  const words = all.filter(({ kind }) => kind !== 'pause' && kind !== 'stop')
  if (words.length > WORDS_MAX || words.some(({ kind }) => kind === 'quote')) return undefined
  const norms = words.map(({ norm }) => norm).filter((norm) => !/^(?:please|so|ok|hey|and|now)$/.test(norm))
  if (SHOWN.some((pattern) => pattern.test(norms.join(' ')))) return { kind: 'memory' }
  const isAsked = ASKING.test(norms.join(' '))
  if (!isAsked || norms.some((norm) => !stopWords.has(norm) && !FITTING.has(norm))) return undefined
  const topic = TOPICS.find(({ words: named }) => norms.some((norm) => named.test(norm)))
  return topic && { kind: 'say', text: topic.answer }
}

const WORDS_MAX = 14
const MEMORY = '(?:memory|memories|memory\\.md)'
const KEPT = '(?:remember|remembered|memorise|memorised|save|saved|store|stored|noted|keep|kept)'
const SHOW = '(?:show|list|display|print|read|open|see|tell|give)(?: me| us| out)*'
const ABOUT_ME = '(?: (?:about|of) (?:me|us|myself))'

const SHOWN: readonly RegExp[] = [
  new RegExp(
    `^what (?:all |else )?(?:do|did|have|can) you (?:already |still |ever )*${KEPT}(?: so far| for good| already)?${ABOUT_ME}?$`,
  ),
  new RegExp(`^(?:tell me )?what (?:all |else )?(?:do|can) you (?:already )?know${ABOUT_ME}$`),
  new RegExp(`^what (?:is|stands|do you have|have you got)(?: there)? in (?:your|my|the|our) ${MEMORY}$`),
  new RegExp(
    `^${SHOW} (?:(?:all|everything|the|your|my|our|whole|what|of|in|is) )*${MEMORY}(?: (?:file|lines?|contents?|entries))?$`,
  ),
  new RegExp(`^${SHOW} (?:everything|all|what)(?: that)? you (?:have )?${KEPT}${ABOUT_ME}?$`),
  new RegExp(`^${SHOW} (?:everything|all|what)(?: that)? you know${ABOUT_ME}$`),
]

const ASKING =
  /^(?:help|how|what|which|why|where|explain|describe|tell me|show|list|may i|can i|do i|do you have|is there|are there|when)\b/
const FITTING: ReadonlySet<string> = new Set(
  `help how what which why where when explain describe tell show list may work works use used using allow allowed allowing
  disallow approve approved approval approvals deny denied refuse refused forbid forbidden permit permitted permission
  permissions grant grants mode modes right rights tool tools skill skills memory memory.md mainstem add added install make
  create change edit remove delete get run runs call calls mean means meaning available loaded load enable enabled disable
  always know not no never all other own exactly command commands find see there via reminder reminders to-do to-dos todo
  todos set cancel`.split(/\s+/u),
)

interface Topic {
  readonly words: RegExp
  readonly answer: string
}

/** The first that is named: "how do I allow a skill" is about rights. */
const TOPICS: readonly Topic[] = [
  {
    words:
      /^(?:allow|allowed|allowing|disallow|approve|approved|approvals?|deny|denied|refused?|forbid|forbidden|permit|permitted|permissions?|grants?|rights)$/,
    answer: [
      'What is built in may run; tools of skills and of servers may once you allow them.',
      '`/tools` lists what may run, `/allow TOOL` allows one and `/disallow` takes it back, `/skills allow NAME` allows all of a skill.',
      '`/permissions` shows and changes how calls are decided, `/approvals` what waits for you.',
    ].join('\n'),
  },
  {
    words: /^skills?$/,
    answer: [
      '`/skills` lists the skills, and why one is not loaded; `/skills allow NAME` lets its tools run.',
      'In a shell, `mainstem skills` lists, checks and adds them.',
    ].join('\n'),
  },
  {
    words: /^memory(?:\.md)?$/,
    answer: [
      'memory.md holds short lines that stand in every prompt and hold against what was said before them.',
      '`/memory` shows them, `/remember TEXT` adds one; say "remember that …" and I propose one.',
    ].join('\n'),
  },
  {
    words: /^reminders?$/,
    answer: [
      'A reminder comes once, at its time. Say "remind me to call mum tomorrow at 9", "what are my reminders?", "cancel the mum reminder".',
      '`/reminders` shows them too; what comes again and again is a routine.',
    ].join('\n'),
  },
  {
    words: /^to-?dos?$/,
    answer:
      'todo.md is your list. Say "add milk to my list", "what is on my list?", "tick off milk", "remove milk from the list".',
  },
  {
    words: /^tools?$/,
    answer:
      '`/tools` lists what can be called and whether it may run; `/allow TOOL` allows one, `/permissions` shows how calls are decided.',
  },
]

/** The system text ends with memory.md and then the skills; only where its own heading begins it can it be told from AGENTS.md. */
const SKILLS = /^(?:You have access to the following skills\.|You have skills\.) /mu
const HEADING = /^# Memory[ \t]*$/gmu
const OTHER_HEADING = /^# (?!Memory[ \t]*$)/mu
const LINE = /^[ \t]*[-*][ \t]+(\S.*)$/gmu
const LINES_MAX = 20

export function memoryAnswer(system: string): string {
  const before = system.slice(0, SKILLS.exec(system)?.index ?? system.length)
  const headings = [...before.matchAll(HEADING)]
  const part = headings.length === 1 ? before.slice(headings[0]?.index) : ''
  const lines = OTHER_HEADING.test(part)
    ? []
    : Array.from(part.matchAll(LINE), ([, line = '']) => line.trim())
  if (lines.length === 0)
    return '`/memory` shows what is always remembered; `/recall WORDS` finds what was said.'
  const more = lines.length > LINES_MAX ? [`… and ${lines.length - LINES_MAX} more.`] : []
  const shown = lines.slice(0, LINES_MAX).map((line) => `- ${line}`)
  return ['Your memory.md says:', ...shown, ...more, '`/memory` shows since when.'].join('\n')
}
