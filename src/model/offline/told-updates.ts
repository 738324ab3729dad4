import type { PromptMessage } from '../../event/prompt.ts'
import { asTyped } from './fence.ts'

/** The heading asks for it; a fork only looks at what main will be told. */
const UPDATES =
  /^RECENT BACKGROUND UPDATES \(mention key findings[^\n]*\n<data source="updates">\n([\s\S]*?)\n<\/data>/m
const LINES_MAX = 3

/** What people and the host said since the last answer. */
export function openOnes(messages: readonly PromptMessage[]): PromptMessage[] {
  const answered = messages.findLastIndex(
    (message) => message.role === 'assistant' && message.calls.length === 0,
  )
  return messages.slice(answered + 1).filter(({ role }) => role === 'user')
}

/** What was said since then tells of the background, word for word: there is nothing to understand in it. */
export function updatesIn(messages: readonly PromptMessage[]): string[] {
  const told = openOnes(messages).flatMap(({ text }) => UPDATES.exec(text)?.[1] ?? [])
  const lines = told.flatMap((block) => block.split('\n')).filter((line) => line !== '')
  // The host's own line is no update, and stands for those that it counts.
  const omitted = lines.map((line) => Number(OMITTED.exec(line)?.[1] ?? 0))
  const updates = lines.filter((line) => !OMITTED.test(line))
  if (updates.length === 0) return []
  const shown = updates.slice(-LINES_MAX)
  const others = omitted.reduce((sum, count) => sum + count, updates.length - shown.length)
  const more = others === 0 ? [] : ['', `… and ${others} more: \`/updates all\``]
  return ['From the background:', ...shown.map(asTyped), ...more, '']
}

/** An update itself begins with a dash. */
const OMITTED = /^\((\d+) earlier update\(s\) omitted/
