import type { Entry, Spoken, Who } from './entry.ts'
import { fold } from './folding.ts'
import { sentencesBeyond } from './inability.ts'
import { nameOf } from './signals.ts'
import { spokenText } from './spoken.ts'

const TOPICS_MAX = 8
const MESSAGES_MIN = 2
const NAME = /(?<=[^.!?\n] ["'“„«(]*)\p{Lu}[\p{L}\p{N}'’-]{2,}(?: \p{Lu}[\p{L}\p{N}'’-]+)?/gu

/** What the conversation kept coming back to, the newest first, without what the lines name anyway. */
export function topicsOf(
  former: readonly string[],
  messages: readonly Spoken[],
  chosen: readonly Entry[],
): string[] {
  const told = fold(chosen.map(({ text }) => text).join('\n'))
  const counts = new Map<string, { readonly name: string; count: number }>()
  for (const { who, text } of messages.slice(-MESSAGES_READ)) {
    if (who === 'tool') continue
    for (const name of new Set(wordsOf(who, text.slice(0, CHARACTERS_READ)).match(NAME))) {
      if (nameOf(name) === '') continue
      const known = counts.get(fold(name)) ?? { name, count: 0 }
      counts.set(fold(name), { name: known.name, count: known.count + 1 })
    }
  }
  const recurring = [...counts.values()].filter(({ count }) => count >= MESSAGES_MIN)
  const fresh = recurring.toSorted((a, b) => b.count - a.count).map(({ name }) => name)
  const all = new Map([...fresh, ...former].map((name) => [fold(name), name]))
  return [...all]
    .filter(([folded]) => !told.includes(folded))
    .map(([, name]) => name)
    .slice(0, TOPICS_MAX)
}
const MESSAGES_READ = 400
const CHARACTERS_READ = 2_000

function wordsOf(who: Who, text: string): string {
  const words = spokenText(text)
  return who === 'assistant' ? sentencesBeyond(words).join('\n') : words
}
