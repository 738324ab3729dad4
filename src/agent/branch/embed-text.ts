import type { Choice, Embed } from '../../event/work.ts'

/** A card as plain text, for channels without cards and for the log. */
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
  return [...lines, `Answers: ${choices.map(choiceText).join(' · ')}`].join('\n')
}

/** Adds the command where the label does not say it. */
function choiceText({ label, command }: Choice): string {
  return label === command ? label : `${label} (${command})`
}

const COLORS: Readonly<Record<string, string>> = {
  red: '#ef4444',
  orange: '#f97316',
  amber: '#f59e0b',
  yellow: '#eab308',
  green: '#22c55e',
  teal: '#14b8a6',
  cyan: '#06b6d4',
  blue: '#3b82f6',
  purple: '#a855f7',
  pink: '#ec4899',
  brown: '#92400e',
  gray: '#6b7280',
  grey: '#6b7280',
  black: '#000000',
  white: '#ffffff',
}

export const colorNames: readonly string[] = Object.keys(COLORS)

/** The hex code (`#3b82f6`) of a colour word; undefined if the word is unknown. */
export function embedColor(word: string): string | undefined {
  const name = word.trim().toLowerCase()
  if (Object.hasOwn(COLORS, name)) return COLORS[name]
  const [, hex] = /^#?([\da-f]{6})$/.exec(name) ?? []
  return hex && `#${hex}`
}
