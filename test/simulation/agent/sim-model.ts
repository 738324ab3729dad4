import type { JsonObject } from '../../../src/base/json.ts'
import type { Prompt } from '../../../src/event/prompt.ts'
import {
  ModelError,
  type Model,
  type ModelErrorReason,
  type Reply,
  type ReplyCall,
} from '../../../src/model/model.ts'
import type { Sleep } from '../../../src/model/sleep.ts'
import type { Chance } from './chance.ts'
import type { Diary } from './diary.ts'
import { numberOf, PLACES } from './sim-tools.ts'
import type { Known } from './tree.ts'

export interface ModelParts {
  readonly name: string
  readonly chance: Chance
  readonly sleep: Sleep
  readonly known: () => Known
  readonly diary: Pick<Diary, 'forbid'>
  readonly slowMs: number
  /** The most that it waits for its children. */
  readonly waitSeconds: number
  /** A number that nobody else gets. */
  readonly number: () => number
  /** Set when everything is to come to an end: it answers, and that is all. */
  readonly isCalm: () => boolean
  /** The provider is out of reach for a while. */
  readonly isDown: () => boolean
  /** Something happens that a process may die at. */
  readonly risk: () => Promise<void>
}

type Mood = 'answers' | 'calls' | 'is slow' | 'fails for now' | 'fails for good' | 'is cut' | 'says nothing'

const MOODS: readonly (readonly [number, Mood])[] = [
  [36, 'answers'],
  [46, 'calls'],
  [6, 'is slow'],
  [8, 'fails for now'],
  [2, 'fails for good'],
  [3, 'is cut'],
  [2, 'says nothing'],
]
const CHILDREN_FEW = 6
const FOR_NOW: readonly ModelErrorReason[] = ['rate-limited', 'overloaded', 'network', 'timeout', 'garbled']
const FOR_GOOD: readonly ModelErrorReason[] = ['rejected', 'unauthorised', 'overflow']
export const MARKS = ['A', 'B', 'C']

/** A model that does anything a model may do, by chance. */
export function simModel(parts: ModelParts): Model {
  const { name, chance, risk, sleep } = parts
  return {
    name,
    contextTokens: 60_000,
    call: async (prompt, { signal, onText }) => {
      if (signal.aborted) throw new ModelError('aborted', `${name}: stopped`)
      if (parts.isCalm()) return reply(prompt, { text: `answer ${parts.number()}` })
      await chance.lag()
      await risk()
      const mood = parts.isDown() ? 'fails for now' : chance.weighted(MOODS)
      onText?.('…')
      if (mood === 'is slow' || chance.oneIn(4)) await sleep(chance.below(parts.slowMs), signal)
      if (signal.aborted) throw new ModelError('aborted', `${name}: stopped`)
      return moved(parts, prompt, mood)
    },
  }
}

function moved(parts: ModelParts, prompt: Prompt, mood: Mood): Reply {
  const { chance, name } = parts
  switch (mood) {
    case 'answers':
    case 'is slow':
      return reply(prompt, { text: `answer ${parts.number()}` })
    case 'says nothing':
      return reply(prompt, { text: '', finish: chance.oneIn(2) ? 'refused' : 'stop' })
    case 'is cut':
      return cut(parts, prompt)
    case 'calls': {
      const calls = someCalls(parts)
      // Who was asked for an answer and calls all the same is not obeyed.
      if (prompt.settings.toolChoice === 'none') for (const call of calls) forbid(parts, call)
      return reply(prompt, { text: chance.oneIn(2) ? `thought ${parts.number()}` : '', calls })
    }
    case 'fails for now': {
      const retryAfterMs = chance.oneIn(3) ? chance.below(parts.slowMs * 4) : undefined
      throw new ModelError(chance.pick(FOR_NOW), `${name}: fault ${parts.number()}`, { retryAfterMs })
    }
    case 'fails for good':
      throw new ModelError(chance.pick(FOR_GOOD), `${name}: fault ${parts.number()}`)
  }
}

function cut(parts: ModelParts, prompt: Prompt): Reply {
  const calls = parts.chance.oneIn(2) ? someCalls(parts) : []
  for (const call of calls) forbid(parts, call)
  return reply(prompt, { text: `half an answer ${parts.number()}`, calls, finish: 'length' })
}

function forbid({ diary }: ModelParts, call: ReplyCall): void {
  const number = 'args' in call ? numberOf(call.args) : undefined
  if (number !== undefined) diary.forbid(number)
}

function reply(prompt: Prompt, said: Partial<Reply>): Reply {
  const usage = { tokensIn: 100, tokensOut: 10, tokensCached: 0, tokensCacheWritten: 0 }
  const reasoning = prompt.settings.thinking === 'off' ? [] : [{ text: 'hm', data: { signature: 's' } }]
  const calls = said.calls ?? []
  return { text: '', reasoning, calls, finish: calls.length > 0 ? 'calls' : 'stop', usage, ...said }
}

function someCalls(parts: ModelParts): ReplyCall[] {
  const count = 1 + parts.chance.below(4)
  return Array.from({ length: count }, (_, index) => oneCall(parts, `call-${index}`))
}

function oneCall(parts: ModelParts, id: string): ReplyCall {
  const { chance } = parts
  const number = parts.number()
  const tool = chance.weighted([
    [10, 'count'],
    [4, 'slow'],
    [2, 'broken'],
    [2, 'wait'],
    [2, 'no-such-tool'],
    [1, 'compact_session'],
    [2, 'recall'],
    [1, 'read_log'],
    [24, 'slash'],
    [16, 'ship'],
    [4, 'far'],
    [4, 'jot'],
    [4, 'remember'],
    [4, 'write'],
  ] as const)
  if (chance.oneIn(25)) return { id, tool, badArgs: `{"number": ${number}` }
  if (tool === 'slash') return { id, tool, args: slashArgs(parts) }
  if (tool === 'wait') return { id, tool, args: { timeout_seconds: 1 + chance.below(parts.waitSeconds) } }
  if (tool === 'compact_session') return { id, tool, args: {} }
  if (tool === 'recall') return { id, tool, args: { query: `${1 + chance.below(number)}` } }
  if (tool === 'read_log') return { id, tool, args: { around: 1 + chance.below(number) } }
  if (tool === 'ship') return { id, tool, args: { number, place: chance.below(PLACES) } }
  if (tool === 'remember') return { id, tool, args: rememberArgs(chance, number) }
  if (tool === 'write') return { id, tool, args: writeArgs(chance, number) }
  return { id, tool, args: { number } }
}

/** Sometimes it is to take the place of what was remembered, or never was. */
function rememberArgs(chance: Chance, number: number): JsonObject {
  const line = `fact ${number}`
  return chance.oneIn(3) ? { line, replaces: `fact ${1 + chance.below(number)}` } : { line }
}

function writeArgs(chance: Chance, number: number): JsonObject {
  const path = chance.pick(['AGENTS.md', 'AGENTS.md', 'memory.md', 'skills/port/SKILL.md', 'notes/a.md'])
  return { path, content: path === 'memory.md' ? `- fact ${number}\n` : `Rule ${number}.\n` }
}

function slashArgs(parts: ModelParts): JsonObject {
  const { chance } = parts
  const known = parts.known()
  const mark = chance.pick(MARKS)
  const other = someBranch(chance, known)
  const goal = `-- goal ${parts.number()}`
  const mayFork = known.living.length < CHILDREN_FEW
  const command = chance.weighted<JsonObject>([
    [3, { command: 'mark', args: mark }],
    [2, { command: 'clear' }],
    [2, { command: 'clear', args: mark }],
    [4, { command: 'send', args: `${other} letter ${parts.number()}` }],
    [4, { command: 'check-mail' }],
    [2, { command: 'kill', args: other }],
    [1, { command: 'nonsense' }],
    [1, { command: 7 }],
    [mayFork ? 2 : 0, { command: 'fork' }],
    [mayFork ? 3 : 0, { command: 'fork', args: goal }],
    [mayFork ? 1 : 0, { command: 'fork', args: mark }],
    [mayFork ? 1 : 0, { command: 'fork', args: `${mark} ${goal}` }],
  ])
  return command
}

/** Any branch that ever was, by its handle, or one that never was. */
export function someBranch(chance: Chance, { all, living, running }: Known): string {
  if (chance.oneIn(4)) return 'main'
  if (chance.oneIn(12)) return 'zzzzzz'
  const from = chance.pick([all, living, living, running, running])
  return from.length === 0 ? 'main' : chance.pick(from)
}
