import { canonicalJson } from '../../base/canonical.ts'
import type { Json } from '../../base/json.ts'
import { lineDifference } from '../../base/line-difference.ts'
import type { Prompt, PromptMessage, ToolSpec } from '../../event/prompt.ts'
import { Tally } from './piece-difference.ts'
import { messageLine } from './prompt-text.ts'
import { counted } from '../../base/words.ts'

const SYSTEM_LINES_MAX = 200

export function promptDifference(before: Prompt, after: Prompt) {
  const isSameSystem = before.system === after.system
  return {
    /** `- old`, `+ new`. */
    system: isSameSystem ? [] : lineDifference(before.system, after.system, SYSTEM_LINES_MAX),
    tools: toolDifference(before.tools, after.tools),
    settings: settingDifference(before, after),
    messages: messageDifference(before.messages, after.messages),
  }
}

type PromptDifference = ReturnType<typeof promptDifference>

export function differenceLines({ system, tools, settings, messages }: PromptDifference): string[] {
  const { same, removed, added } = messages
  const toolLines = [
    ...tools.removed.map((name) => `- ${name}`),
    ...tools.changed.map((name) => `~ ${name}`),
    ...tools.added.map((name) => `+ ${name}`),
  ]
  const settingLines = settings.map(
    ({ name, before, after }) => `${name}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`,
  )
  return [
    ...part('system', system),
    ...part('tools', toolLines),
    ...part('settings', settingLines),
    `messages  the first ${same} are the same; ${removed.length} removed, ${counted(added.length, 'added', 'added')}`,
    ...removed.map((message) => `    - ${messageLine(message)}`),
    ...added.map((message) => `    + ${messageLine(message)}`),
  ]
}

function part(name: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [`${name}  the same`] : [name, ...lines.map((line) => `    ${line}`)]
}

function canonical(value: unknown): string {
  return canonicalJson(value as Json)
}

/** The names of tools. Stored specs have their keys in another order than the program. */
export function toolDifference(before: readonly ToolSpec[], after: readonly ToolSpec[]) {
  const [old, now] = [before, after].map(
    (tools) => new Map(tools.map((tool) => [tool.name, canonical(tool)])),
  ) as [Map<string, string>, Map<string, string>]
  return {
    removed: [...old.keys()].filter((name) => !now.has(name)),
    added: [...now.keys()].filter((name) => !old.has(name)),
    changed: [...now.keys()].filter((name) => old.has(name) && old.get(name) !== now.get(name)),
  }
}

export function settingDifference(before: Prompt, after: Prompt) {
  const old = before.settings as unknown as Readonly<Record<string, Json>>
  const now = after.settings as unknown as Readonly<Record<string, Json>>
  return Object.keys({ ...old, ...now }).flatMap((name) => {
    const change = { name, before: old[name] ?? null, after: now[name] ?? null }
    return canonical(change.before) === canonical(change.after) ? [] : [change]
  })
}

/** A message that only moved was neither removed nor added. */
function messageDifference(before: readonly PromptMessage[], after: readonly PromptMessage[]) {
  const [old, now] = [before.map(canonical), after.map(canonical)]
  const firstOther = old.findIndex((text, index) => text !== now[index])
  return {
    /** How many messages at the beginning are the same, and so in the provider's cache. */
    same: firstOther < 0 ? old.length : firstOther,
    removed: without(before, old, now),
    added: without(after, now, old),
  }
}

/** The messages that occur more often than in `others`. */
function without(
  messages: readonly PromptMessage[],
  texts: readonly string[],
  others: readonly string[],
): PromptMessage[] {
  const left = new Tally(others)
  return messages.filter((_, index) => !left.take(texts[index] ?? ''))
}
