import { insideFence } from '../../event/fence.ts'
import type { PromptMessage } from '../../event/prompt.ts'
import { bodyOf, isGoal, type Job, jobIn } from './place.ts'

export type Result = Extract<PromptMessage, { role: 'tool' }>

/** The request of a prompt. */
export interface Heard {
  /** The last message, without the host's additions. */
  readonly said: string
  /** The task of a child that was just started. */
  readonly goal: string | undefined
  /** The results of the calls that answer it, oldest first. */
  readonly results: readonly Result[]
  /** Something was said since the last step of the turn. */
  readonly isNew: boolean
  /** The last answer, and everything before it. */
  readonly answer: string
  readonly before: readonly PromptMessage[]
  /** Jobs that are due in this conversation. */
  readonly due: readonly Job[]
}

export function hear(messages: readonly PromptMessage[]): Heard {
  const step = messages.findLastIndex(({ role }) => role !== 'user')
  const answered = answeredAt(messages)
  // A rewind keeps the messages before the mark, but not their answers: only the last one is asked now.
  const last = messages.findLastIndex((message, at) => at > answered && isSpoken(message))
  const before = messages.slice(0, last + 1).findLastIndex(({ role }) => role !== 'user')
  const texts = messages
    .slice(before + 1, last + 1)
    .filter(isSpoken)
    .map(({ text }) => text.trim())
  const started = texts.findLastIndex(isGoal)
  const own = texts.slice(Math.max(0, started)).filter((text) => jobIn(text) === undefined)
  const all = own.map(wordsOf).join('\n').trim()
  const said = started < 0 ? all : goalIn(all)
  return {
    said,
    goal: started < 0 ? undefined : said || taskAbove(messages),
    results: messages.slice(Math.max(answered, last) + 1).filter((message) => message.role === 'tool'),
    isNew: last > step || step < 0,
    answer: messages[answered]?.text ?? '',
    before: messages.slice(0, Math.max(0, answered)),
    due: texts.flatMap((text) => jobIn(text) ?? []),
  }
}

function answeredAt(messages: readonly PromptMessage[]): number {
  return messages.findLastIndex((message) => message.role === 'assistant' && message.calls.length === 0)
}

/** Messages of people and the host since the last answer. */
export function openOnes(messages: readonly PromptMessage[]): PromptMessage[] {
  return messages.slice(answeredAt(messages) + 1).filter(({ role }) => role === 'user')
}

/** Blocks and notes that the host puts into the user's role. */
const HOST_BLOCK = /^(?:## |[[(]?note\b)/i

function isSpoken({ role, text }: PromptMessage): boolean {
  const trimmed = text.trim()
  return role === 'user' && !HOST_BLOCK.test(trimmed) && (wordsOf(trimmed) !== '' || isGoal(trimmed))
}

/** The host woke a child and says why: that is a request. */
const MAIL_CAME = /^You have \d+ unread messages?, from .* check-mail\.$/

function wordsOf(text: string): string {
  const rest = bodyOf(text).trim()
  return text.startsWith('[system]') && MAIL_CAME.test(rest) ? 'check mail' : rest
}

function goalIn(said: string): string {
  const goal = said.replace(/^(?:your |the )?(?:goal|task)(?: is)?\s*[:-]*\s+/i, '')
  return /^you are (?:the|a) child\b.{0,40}\btask above\b.{0,20}$/is.test(goal) ? '' : goal
}

const PERSONS_NOTE = '[note from the person]'

/** Mentioned in the answer, but never acted on: it is often the very request to fork. */
function taskAbove(messages: readonly PromptMessage[]): string {
  const tasks: string[] = []
  for (const message of messages.toReversed()) {
    if (message.role !== 'user' && tasks.length > 0) break
    const isNote = message.role === 'user' && message.text.startsWith(PERSONS_NOTE)
    const own = isSpoken(message) ? wordsOf(message.text.trim()) : ''
    const task = goalIn(isNote ? wordsOf(message.text.slice(PERSONS_NOTE.length)) : own)
    if (task !== '') tasks.unshift(task)
  }
  return tasks.join('\n')
}

/** The heading asks to pass them on; a fork only sees them in advance. */
const UPDATES =
  /^RECENT BACKGROUND UPDATES \(mention key findings[^\n]*\n<data source="updates">\n([\s\S]*?)\n<\/data>/m
const OMITTED = /^\((\d+) earlier update\(s\) omitted/
const UPDATES_MAX = 3

/** Updates that main was told of since the last answer, word for word. */
export function updatesIn(messages: readonly PromptMessage[]): string[] {
  const blocks = openOnes(messages).flatMap(({ text }) => UPDATES.exec(text)?.[1] ?? [])
  const lines = blocks.flatMap((block) => block.split('\n')).filter((line) => line !== '')
  const updates = lines.filter((line) => !OMITTED.test(line))
  if (updates.length === 0) return []
  const omitted = lines.reduce((sum, line) => sum + Number(OMITTED.exec(line)?.[1] ?? 0), 0)
  const shown = updates.slice(-UPDATES_MAX)
  const more = omitted + updates.length - shown.length
  const rest = more === 0 ? [] : ['', `… and ${more} more: \`/updates all\``]
  return ['From the background:', ...shown.map(insideFence), ...rest, '']
}
