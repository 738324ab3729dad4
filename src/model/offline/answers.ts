import type { Prompt, PromptMessage } from '../../event/prompt.ts'
import { memoryAnswer } from './about.ts'
import { withoutFences } from './fence.ts'
import { isErrandResult } from './errand-steps.ts'
import type { ForkWish } from './fork-wishes.ts'
import type { Heard } from './heard.ts'
import { FORK_TOOL_WORDS, inTypedWords, isForkTool, TYPED } from './in-fork.ts'
import type { Lookup } from './lookup.ts'
import { answerFor, answerPerhaps, lookedIn } from './quoting.ts'
import { resultIn } from './result.ts'
import type { Asked, Meaning, Wish } from './understand.ts'

const QUOTED_MAX = 160
const RESULT_MAX = 1_000
const ABOUT_CHILDREN = 'It works by itself; ask me "any mail?" later.'
const WHAT_I_AM = "I am Mainstem's offline model, a set of rules and not a language model"

/** What is to be looked for, in order. */
export function lookupsIn(meanings: readonly Meaning[]): Lookup[] {
  return meanings.flatMap((meaning) => lookupOf(meaning) ?? [])
}

function lookupOf(meaning: Meaning): Lookup | undefined {
  return meaning.kind === 'look' || meaning.kind === 'unclear' ? meaning.lookup : undefined
}

/** Questions that what came back by itself answers already: nothing has to be looked for then. */
export function recalled(
  meanings: readonly Meaning[],
  { memory }: Pick<Heard, 'memory'>,
): { lines: string[]; open: Meaning[] } {
  const answers = new Map(
    meanings.flatMap((meaning) => {
      const lookup = meaning.kind === 'unclear' ? meaning.lookup : undefined
      const answer = lookup && answerPerhaps(lookup, memory)
      return answer === undefined ? [] : [[meaning, answer] as const]
    }),
  )
  return { lines: [...answers.values()], open: meanings.filter((meaning) => !answers.has(meaning)) }
}

/** What the results say, and what is left open: the answer to a question may be among what was found. */
export function told(
  meanings: readonly Meaning[],
  { results }: Pick<Heard, 'results'>,
): { lines: string[]; open: Meaning[] } {
  const asking = meanings.filter((meaning) => lookupOf(meaning) !== undefined)
  const answered = new Set<Meaning>()
  const lines = results.flatMap((result) => {
    if (isErrandResult(result)) return []
    if (result.tool !== 'recall') return [reported(result)]
    const meaning = asking.shift()
    const lookup = meaning && lookupOf(meaning)
    if (meaning === undefined || lookup === undefined) return []
    const looked = lookedIn(result.text)
    const answer = lookup.isSure
      ? answerFor(lookup, looked)
      : looked.kind === 'found'
        ? answerPerhaps(lookup, looked.quotes)
        : undefined
    if (answer !== undefined) answered.add(meaning)
    return answer ?? []
  })
  return { lines, open: meanings.filter((meaning) => !answered.has(meaning)) }
}

/** What a call really did, in the words of who did it. */
function reported({ tool, text }: Extract<PromptMessage, { role: 'tool' }>): string {
  const { words, isError } = resultIn(text)
  const proposed = tool === 'remember' ? /\(approval (\d+)\)/.exec(words)?.[1] : undefined
  if (proposed !== undefined) return proposedWords(proposed)
  if (isForkTool(tool)) return isError ? `That did not work: ${inTypedWords(words)}` : FORK_TOOL_WORDS[tool]
  const told = OWN_WORDS.test(tool) ? withoutFences(words) : `${tool} answered: ${short(words, RESULT_MAX)}`
  if (isError) return `That did not work: ${told}`
  return told.startsWith('Forked. Child: ') ? `${told.replace(/\.$/, '')}. ${ABOUT_CHILDREN}` : told
}

/** What these say is said to people as well. */
const OWN_WORDS = /^(?:slash|remember)$/

function proposedWords(number: string): string {
  return `I proposed that for your memory; it is not remembered yet. \`/approve ${number}\` remembers it, \`/deny ${number}\` does not.`
}

export function notCalled({ intent, args }: Asked): string {
  const command = ['/' + intent.command, args].filter(Boolean).join(' ')
  return `I understood this as \`${command}\`, but I may not use commands here, so nothing was done. You can type it yourself.`
}

export function notProposed({ line }: Wish): string {
  return `I understood this as \`/remember ${short(line, QUOTED_MAX)}\`, but I may not propose it here, so it is not remembered. You can type it yourself.`
}

export function notEntered({ tool, words }: ForkWish): string {
  const line = [TYPED[tool], ...(words === '' ? [] : [tool === 'enter_fork' ? '--enter --' : '', words])]
  const command = line.filter(Boolean).join(' ')
  return `I understood this as \`${short(command, QUOTED_MAX)}\`, but I may not do it here, so nothing was done. You can type it yourself.`
}

function notLooked({ query }: Lookup): string {
  return `I understood this as \`/recall ${short(query, QUOTED_MAX)}\`, but I may not search here, so nothing was looked up. You can type it yourself.`
}

/** What is said besides doing: answers, and plainly what was not understood. */
export function remarks(
  meanings: readonly Meaning[],
  {
    goal,
    said,
    results,
    system = '',
  }: Pick<Heard, 'goal' | 'said' | 'results'> & Partial<Pick<Prompt, 'system'>>,
): string[] {
  const answers = meanings.flatMap((meaning) => {
    if (meaning.kind === 'say') return meaning.text
    if (meaning.kind === 'memory') return memoryAnswer(system)
    return meaning.kind === 'look' ? notLooked(meaning.lookup) : []
  })
  const unclear = meanings.filter((meaning) => meaning.kind === 'unclear')
  const isAllUnclear = unclear.length === meanings.length
  if (goal !== undefined && (isAllUnclear || unclear.length > 0)) return [...answers, cannotReach(goal)]
  if (said === '' || (meanings.length === 0 && results.length > 0)) return []
  if (isAllUnclear) return [notUnderstood(said, unclear.find(({ near }) => near)?.near)]
  const left = unclear.map(({ text }) => text).filter((text) => !STATEMENT.test(text))
  return left.length === 0
    ? answers
    : [...answers, `I did not understand the rest: "${short(left.join(' … '), QUOTED_MAX)}".`]
}

/** Tells something rather than asks for it; to say that it was not understood would only annoy. */
const STATEMENT = /^(?:i|we|it|that|this|he|she|they|there|the|my|our)\b(?!.*\?)/i

export function cannotReach(goal: string): string {
  const what = goal === '' ? 'a task, but found none' : `this: "${short(goal, QUOTED_MAX)}"`
  return `I was given ${what}. I cannot do it: ${WHAT_I_AM}, so nothing was looked up, tried or written. Connect a model with \`/model\` and ask again.`
}

function notUnderstood(said: string, near: { example: string } | undefined): string {
  const hint = near ? `If you meant something like that, say "${near.example}". ` : ''
  return `I cannot answer that: ${WHAT_I_AM}, and none of my rules fits "${short(said, QUOTED_MAX)}". ${hint}Say "help" for what I can do; \`/model\` connects a real model.`
}

function short(text: string, max: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= max ? line : `${line.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')}…`
}
