import type { Choice, Embed } from '../event/work.ts'

/** A card in plain words, for channels that have no cards and for the log. */
export function embedText(
  { title, description, fields = [] }: Embed,
  choices: readonly Choice[] = [],
): string {
  const lines = [
    title,
    ...(description === undefined ? [] : [description]),
    ...fields.map(({ name, value }) => `${name}: ${value}`),
  ]
  if (choices.length === 0) return lines.join('\n')
  return [...lines, `Answers: ${choices.map(({ label }) => label).join(' · ')}`].join('\n')
}
