import type { PromptCall, PromptMessage } from '../../event/prompt.ts'
import { extractSummary } from '../extract/extract.ts'
import type { Spoken } from '../extract/entry.ts'
import { plainSentences } from '../extract/summary-text.ts'
import { forkParts, type ForkWish } from './fork-wishes.ts'
import { bodyOf } from './host-lines.ts'
import type { Place } from './place.ts'
import { openOnes } from './told-updates.ts'

const TIMEOUT = '[fork-timeout]'
const EXTRACT_TOKENS = 120
/** Of ours: nothing that is worth to be told. */
const EMPTY_WORDS =
  /^(?:I cannot answer that|Hello!|You are welcome|Goodbye|All right|I take you into|Nothing new|We are in a fork: |Go on\. In plain words)/

export function forkCall({ tool, words }: ForkWish, place: Place): Omit<PromptCall, 'id'> {
  if (tool === 'enter_fork') return { tool, args: words === '' ? {} : { topic: words } }
  if (tool !== 'report_updates') return { tool, args: {} }
  return { tool, args: { message: words === '' ? extractIn(place) : words } }
}

/** Whether the host asks for an end, because nobody speaks. */
export function isTimedOut(messages: readonly PromptMessage[]): boolean {
  // What the host adds for a turn stands behind it, and a person who speaks after all has taken it back.
  const [first, ...others] = openOnes(messages)
  return first?.text.startsWith(TIMEOUT) === true && !others.some(({ text }) => /^\[\d{4}-/.test(text))
}

/** What is worth something is reported; where nothing was said, nothing is left behind. */
export function wrapUp(place: Place): Omit<PromptCall, 'id'> {
  const message = extractIn(place)
  return message === NOTHING ? { tool: 'exit_fork', args: {} } : { tool: 'report_updates', args: { message } }
}

const NOTHING = 'Nothing was said in it.'

function extractIn(place: Place): string {
  const messages = place.kind === 'fork' ? place.said.flatMap(spokenIn) : []
  if (!messages.some(({ who }) => who === 'user')) return NOTHING
  const told = plainSentences(extractSummary({ previous: null, messages, tokensMax: EXTRACT_TOKENS }))
  return told === '' ? messages.map(({ text }) => text).join(' ') : told
}

function spokenIn({ role, text }: PromptMessage): Spoken[] {
  if (role === 'tool' || text.startsWith(TIMEOUT) || /^(?:## |\[(?:system|note)\b)/.test(text.trim()))
    return []
  const words = bodyOf(text).trim()
  const isEmpty = role === 'assistant' ? EMPTY_WORDS.test(words) : isOnlyWish(words)
  if (words === '' || isEmpty) return []
  return [{ who: role, text: words }]
}

/** "Report back" is no news for main, nor is "how do I save this?". */
function isOnlyWish(words: string): boolean {
  return forkParts(words, 'fork')?.every(({ kind }) => kind !== 'other') ?? false
}

export const FORK_TOOL_WORDS: Readonly<Record<ForkWish['tool'], string>> = {
  enter_fork: 'I take you into a fork.',
  save_context: 'I save this fork.',
  report_updates: 'I report this to main.',
  exit_fork: 'I leave this fork.',
}

export const TYPED: Readonly<Record<ForkWish['tool'], string>> = {
  enter_fork: '/fork',
  save_context: '/save',
  report_updates: '/report',
  exit_fork: '/exit',
}

export function isForkTool(tool: string): tool is ForkWish['tool'] {
  return Object.hasOwn(TYPED, tool)
}

/** For people: what models call, they type. */
export function inTypedWords(text: string): string {
  return text.replaceAll(/\b(?:enter_fork|save_context|report_updates|exit_fork)\b/g, (tool) =>
    isForkTool(tool) ? TYPED[tool] : tool,
  )
}
