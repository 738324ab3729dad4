import type { PromptMessage } from '../../event/prompt.ts'

/**
 * The messages behind which a provider is asked to keep a prompt: at most three, for it takes four markers and one
 * stands behind tools and system text. It writes nowhere else, and finds what it wrote only near a marker of a later
 * prompt, so each stands where a later prompt still is the same, or where an earlier one was: the end, for the next
 * step; the message before the tail, for the next turn, which has another tail or none; and where the step before this
 * one ended or, in a turn's first step, where the turn before it was opened.
 */
export function markedMessages(messages: readonly PromptMessage[], tailAt?: number): number[] {
  const end = messages.length - 1
  const said = messages.findLastIndex(({ role }) => role === 'assistant')
  const places =
    tailAt === undefined
      ? [end, said - 1, openingBefore(messages, said)]
      : [end, tailAt - 1, said > tailAt ? said - 1 : openingBefore(messages, said)]
  return [...new Set(places)].filter((place) => place >= 0)
}

/** The last message of those that opened the turn in which this one was said. Behind a result, people only joined in. */
function openingBefore(messages: readonly PromptMessage[], said: number): number {
  const roleAt = (place: number): PromptMessage['role'] | undefined => messages[place]?.role
  for (let last = said - 1; last >= 0; last--) {
    if (roleAt(last) !== 'user') continue
    let first = last
    while (roleAt(first - 1) === 'user') first--
    if (roleAt(first - 1) !== 'tool') return last
    last = first
  }
  return -1
}
