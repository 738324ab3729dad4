import { createHash } from 'node:crypto'
import type { Prompt, PromptMessage } from '../src/event/prompt.ts'
import type { Model, Reply, ReplyCall } from '../src/model/contract/model.ts'
import { builtIn, ok, type Tool } from '../src/tool/tool.ts'

/** Answers at once, calls tools as often as the message says by its letters, and thinks a little. */
export function letterModel(name: string, lines: readonly string[]): Model {
  return {
    name,
    contextTokens: 200_000,
    call: async (prompt) => {
      const calls = prompt.settings.toolChoice === 'none' ? [] : callsFor(prompt)
      const letters = numberOf(withoutUpdates(prompt.messages.at(-1)?.text ?? ''))
      const text = calls.length > 0 ? '' : (lines[letters % lines.length] ?? '')
      const thought = { text: `Let me see: ${lines[(letters >>> 4) % lines.length]}`, data: { model: name } }
      const reasoning = letters % 3 === 0 ? [thought] : []
      return { text, reasoning, calls, finish: calls.length > 0 ? 'calls' : 'stop', usage: NO_USAGE }
    },
  }
}

const NO_USAGE: Reply['usage'] = { tokensIn: 0, tokensOut: 0, tokensCached: 0, tokensCacheWritten: 0 }

/** What it calls in this step of its turn; nothing when it has seen enough. */
function callsFor({ messages }: Prompt): readonly ReplyCall[] {
  const opened = messages.findLastIndex(isOpening)
  const opening = withoutUpdates(messages[opened]?.text ?? '')
  const step = messages.slice(opened).filter(({ role }) => role === 'assistant').length
  const letters = numberOf(opening)
  if (step === 0 && opening.startsWith('[system]')) return [slash('check-mail')]
  if (step === 0 && letters % 4 === 0 && messages.some(isMailNote)) return [slash('check-mail')]
  if (step === 0 && letters % 19 === 1 && !opening.startsWith('[fork-started]'))
    return [slash('fork', `-- Look further into this: ${opening.split('\n').at(-1)}`)]
  const steps = STEPS[letters % STEPS_AMONG] ?? []
  return Array.from({ length: steps[step] ?? 0 }, (_, index) => ({
    id: `c${index}`,
    tool: 'look',
    args: { at: `${letters}-${step}-${index}` },
  }))
}

/** Of twenty turns, those that call: how many calls stand in each step. The last one goes on until it may not. */
const STEPS: readonly (readonly number[])[] = [
  [1],
  [1],
  [1],
  [2],
  [2, 1],
  [1, 1, 1],
  [12],
  [1, 3, 1, 1, 1, 1],
]
const STEPS_AMONG = 20

const UPDATES = /RECENT BACKGROUND UPDATES [^\n]*\n<data source="updates">\n[^]*?\n<\/data>\n\n/g

/** All updates that a text shows. */
export function updatesIn(text: string): readonly string[] {
  return text.match(UPDATES) ?? []
}

/** Somebody else who is told of them too does the same as without: so lives with and without them can be compared. */
function withoutUpdates(text: string): string {
  return text.replaceAll(UPDATES, '')
}

/** A message with its time, which no result, summary, note or tail has. */
function isOpening({ role, text }: PromptMessage): boolean {
  return role === 'user' && /^(?:\[[a-z-]+(?::[^\]\n]+)?\]\n\([^\n]*\)\n)?\[\d{4}-/.test(text)
}

function isMailNote({ role, text }: PromptMessage): boolean {
  return role === 'user' && text.startsWith('(You have ')
}

function slash(command: string, args?: string): ReplyCall {
  return { id: 's', tool: 'slash', args: { command, ...(args !== undefined && { args }) } }
}

/** The same text gives the same number, wherever it runs. */
function numberOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32LE(0)
}

/** Finds something of one to a dozen lines. */
export function lookTool(lines: readonly string[]): Tool {
  return {
    nature: builtIn('looks'),
    spec: {
      name: 'look',
      description: 'Looks something up and gives what was found.',
      parameters: {
        type: 'object',
        properties: { at: { type: 'string', description: 'What to look at' } },
        required: ['at'],
      },
    },
    run: async ({ at }) => {
      const letters = numberOf(JSON.stringify(at))
      const from = letters % lines.length
      return ok(lines.slice(from, from + 1 + (letters % 12)).join('\n'))
    },
  }
}
