import type { Prompt, PromptMessage } from '../../event/prompt.ts'
import { type DueJob, dueJob } from './due-job.ts'
import { bodyOf, HOST_LINE } from './host-lines.ts'
import { memoryIn } from './memory.ts'
import type { Quote } from './quoting.ts'
import type { Known } from './slot.ts'

type Result = Extract<PromptMessage, { role: 'tool' }>

/** What a prompt asks now. */
export interface Heard {
  /** What was said last, without what the host wrote around it. */
  readonly said: string
  /** Told to a child that was just started; where that names no goal, the goal is what was said before. */
  readonly goal: string | undefined
  /** Answered already: the calls that it asked for have these results, oldest first. Older ones were told before. */
  readonly results: readonly Result[]
  /** Whether something was said after the last step of the turn. */
  readonly isNew: boolean
  readonly known: Known
  /** `2026-03-01`, as the host wrote it at the head of what was said last. */
  readonly today: string | undefined
  /** What was said earlier and came back by itself. */
  readonly memory: readonly Quote[]
  /** What was answered last, where what was said may be an answer to it. */
  readonly asked: string
  /** Jobs that are due now. */
  readonly due: readonly DueJob[]
}

export function hear({ messages }: Prompt): Heard {
  const step = messages.findLastIndex(({ role }) => role !== 'user')
  const answered = messages.findLastIndex(
    (message) => message.role === 'assistant' && message.calls.length === 0,
  )
  // A rewind keeps what led to the mark, but not its answer: only what was said last is asked now.
  const last = messages.findLastIndex((message, at) => at > answered && spoken([message]).length > 0)
  const before = messages.slice(0, last + 1).findLastIndex(({ role }) => role !== 'user')
  const texts = spoken(messages.slice(before + 1, last + 1))
  const isNew = last > step || step < 0
  const started = texts.findLastIndex((text) => text.startsWith(FORK_STARTED) && !ENTERED.test(text))
  const isGoal = started >= 0
  const own = texts.slice(Math.max(0, started)).filter((text) => dueJob(text) === undefined)
  const all = own.map(words).join('\n').trim()
  const said = isGoal ? goalIn(all) : all
  return {
    said,
    goal: isGoal ? said || taskAbove(messages) : undefined,
    results: messages.slice(Math.max(answered, last) + 1).filter((message) => message.role === 'tool'),
    isNew,
    known: { marks: named(messages, MARK), children: named(messages, CHILD) },
    memory: memoryIn(messages),
    today: last < 0 ? undefined : dayOf(messages[last]?.text ?? ''),
    asked: messages[answered]?.text ?? '',
    due: texts.flatMap((text) => dueJob(text) ?? []),
  }
}

const FORK_STARTED = '[fork-started]'
/** The person talks in a fork: what they say there is no task that was given. */
const ENTERED = /^\[fork-started\]\n\([^\n]*the person entered/
/** Blocks and notes that the host puts into the user's role. */
const HOST_BLOCK = /^(?:## |[[(]?note\b)/i

function spoken(messages: readonly PromptMessage[]): string[] {
  return messages
    .filter((message) => message.role === 'user')
    .map(({ text }) => text.trim())
    .filter((text) => !HOST_BLOCK.test(text) && (words(text) !== '' || text.startsWith(FORK_STARTED)))
}

function words(text: string): string {
  const rest = bodyOf(text)
  return text.startsWith('[system]') && MAIL_CAME.test(rest) ? 'check-mail' : withoutPrompts(rest.trim())
}

function dayOf(text: string): string | undefined {
  let rest = text
  for (let line = HOST_LINE.exec(rest); line; line = HOST_LINE.exec(rest)) {
    const [, day] = /^\[(\d{4}-\d\d-\d\d)[ \]]/.exec(line[0]) ?? []
    if (day !== undefined) return day
    rest = rest.slice(line[0].length)
  }
  return undefined
}

const PROMPT = /^[ \t]*>[ \t]+/gm

/** Where each line stands behind a `> `, it was copied with the prompt of a terminal; beside other lines it is quoted. */
function withoutPrompts(text: string): string {
  const isCopied = text.split('\n').every((line) => /^\s*(?:>\s|$)/.test(line))
  return isCopied ? text.replaceAll(PROMPT, '') : text
}

/** The host woke a child and says why: that is a request, and nothing else in it is one. */
const MAIL_CAME = /^You have \d+ unread messages?, from .* check-mail\.$/

function goalIn(said: string): string {
  const goal = said.replace(/^(?:your |the )?(?:goal|task)(?: is)?\s*[:-]*\s+/i, '')
  return /^you are (?:the|a) child\b.{0,40}\btask above\b.{0,20}$/is.test(goal) ? '' : goal
}

/** Told in the answer, but never acted on: it is often the very request to fork. */
function taskAbove(messages: readonly PromptMessage[]): string {
  const tasks: string[] = []
  for (const message of messages.toReversed()) {
    if (message.role !== 'user' && tasks.length > 0) break
    const task = goalIn(noteOf(message) ?? spoken([message]).map(words).join('\n'))
    if (task !== '') tasks.unshift(task)
  }
  return tasks.join('\n')
}

const PERSONS_NOTE = '[note from the person]'

/** What a person noted asks for no answer, but it may be what a child is to do. */
function noteOf({ role, text }: PromptMessage): string | undefined {
  return role === 'user' && text.startsWith(PERSONS_NOTE) ? words(text.slice(PERSONS_NOTE.length)) : undefined
}

const MARK = /Checkpoint '(\S+)' (?:created|moved)/g
const CHILD = /Forked\. Child: (\w+)/g

/** In JSON, where quotes have a backslash before them. */
const QUOTED_DATA = /<data source=[\s\S]*?<\/data>/g

/** Names that commands told of, the newest last. What stands in mail or was found in the log names nothing. */
function named(messages: readonly PromptMessage[], pattern: RegExp): string[] {
  const names = messages
    .filter((message) => message.role === 'tool' && message.tool === 'slash')
    .flatMap(({ text }) =>
      Array.from(text.replaceAll(QUOTED_DATA, '').matchAll(pattern), ([, name = '']) => name),
    )
  return [...new Set(names.toReversed())].toReversed()
}
