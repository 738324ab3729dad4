import type { JsonObject } from '../../../src/base/json.ts'
import type { Prompt } from '../../../src/event/prompt.ts'
import {
  ModelError,
  type Model,
  type ModelErrorReason,
  type Reply,
  type ReplyCall,
} from '../../../src/model/contract/model.ts'
import type { Sleep } from '../../../src/model/contract/sleep.ts'
import type { Chance } from './chance.ts'
import type { Diary } from './diary.ts'
import { numberOf, PAGE, PAGES, PLACES } from './sim-tools.ts'
import type { Known } from './tree.ts'

export interface ModelParts {
  readonly name: string
  readonly chance: Chance
  readonly sleep: Sleep
  readonly known: () => Known
  readonly diary: Pick<Diary, 'forbid'>
  readonly slowMs: number
  /** The longest it waits for its children. */
  readonly waitSeconds: number
  /** A number that nobody else gets. */
  readonly number: () => number
  /** Set when everything should come to an end: it only answers. */
  readonly isCalm: () => boolean
  /** The provider cannot be reached for a while. */
  readonly isDown: () => boolean
  /** A moment at which the process may die. */
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
const RUN_MOODS: typeof MOODS = [
  [24, 'answers'],
  [64, 'calls'],
  [4, 'is slow'],
  [5, 'fails for now'],
  [4, 'fails for good'],
  [2, 'is cut'],
  [1, 'says nothing'],
]
const CHILDREN_FEW = 6
const FOR_NOW: readonly ModelErrorReason[] = ['rate-limited', 'overloaded', 'network', 'timeout', 'garbled']
const FOR_GOOD: readonly ModelErrorReason[] = ['rejected', 'unauthorised', 'overflow']
export const MARKS = ['A', 'B', 'C']

/** A model that does anything a model may do, at random. */
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
      const mood = parts.isDown() ? 'fails for now' : chance.weighted(isRun(prompt) ? RUN_MOODS : MOODS)
      for (let pieces = chance.below(4); pieces > 0; pieces--)
        onText?.(chance.oneIn(6) ? ' ' : `piece ${parts.number()} `)
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
      const calls = someCalls(parts, prompt)
      // Calls are forbidden when an answer was required.
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
  const calls = parts.chance.oneIn(2) ? someCalls(parts, prompt) : []
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

function someCalls(parts: ModelParts, prompt: Prompt): ReplyCall[] {
  const count = 1 + parts.chance.below(4)
  const runs = parts.chance.oneIn(3) ? PINGING : RUN_TOOLS
  const usual = isRun(prompt) ? runs : isFork(prompt) ? [...TOOLS, ...LEAVING] : TOOLS
  const tools = isChain(prompt) ? [...usual, [30, 'follow_up_chain'] as const] : usual
  return Array.from({ length: count }, (_, index) => oneCall(parts, `call-${index}`, tools))
}

/** A model in a run recognises that from its prompt, and does what jobs do more often. */
function isRun({ messages }: Prompt): boolean {
  return messages.some(
    ({ role, text }) => role === 'user' && /^\[(?:routine-bg|reminder-bg|webhook):/.test(text),
  )
}

/** A run that can set the next check is told so. */
function isChain({ messages }: Prompt): boolean {
  return messages.some(({ role, text }) => role === 'user' && text.includes('follow_up_chain('))
}

function isFork({ messages }: Prompt): boolean {
  return messages.some(({ text }) => text.startsWith('[fork-started]\n(written by the host: the person'))
}

const LEAVING = [
  [12, 'save_context'],
  [2, 'exit_fork'],
  [6, 'report_updates'],
] as const

const FORK_TOOLS = [
  [6, 'enter_fork'],
  [4, 'save_context'],
  [1, 'exit_fork'],
  [3, 'report_updates'],
  [3, 'ping_user'],
  [1, 'send_embed'],
] as const

const REMINDING = [
  [3, 'add_reminder'],
  [1, 'list_reminders'],
  [1, 'cancel_reminder'],
] as const

const TOOLS = [
  ...REMINDING,
  [2, 'follow_up_chain'],
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
  [8, 'web_fetch'],
  [4, 'jot'],
  [4, 'remember'],
  [4, 'write'],
  ...FORK_TOOLS,
] as const

const RUN_TOOLS = [
  ...REMINDING,
  [4, 'follow_up_chain'],
  [4, 'count'],
  [2, 'slow'],
  [1, 'broken'],
  [1, 'wait'],
  [1, 'no-such-tool'],
  [1, 'recall'],
  [4, 'slash'],
  [3, 'ship'],
  [1, 'web_fetch'],
  [1, 'jot'],
  [1, 'write'],
  [2, 'help'],
  [12, 'ping_user'],
  [6, 'send_embed'],
  [8, 'report_updates'],
  ...FORK_TOOLS,
] as const

/** Some jobs do nothing else. */
const PINGING = [
  [6, 'ping_user'],
  [2, 'send_embed'],
  [1, 'report_updates'],
] as const

type ToolName = (typeof TOOLS | typeof RUN_TOOLS)[number][1]

function oneCall(parts: ModelParts, id: string, tools: readonly (readonly [number, ToolName])[]): ReplyCall {
  const { chance } = parts
  const number = parts.number()
  const tool = chance.weighted(tools)
  if (chance.oneIn(25)) return { id, tool, badArgs: `{"number": ${number}` }
  return { id, tool, args: argsOf(parts, tool, number) }
}

function argsOf(parts: ModelParts, tool: ToolName, number: number): JsonObject {
  const { chance } = parts
  switch (tool) {
    case 'slash':
      return slashArgs(parts)
    case 'wait':
      return { timeout_seconds: 1 + chance.below(parts.waitSeconds) }
    case 'recall':
      return { query: `${1 + chance.below(number)}` }
    case 'read_log':
      return { around: 1 + chance.below(number) }
    case 'ship':
      return { number, place: chance.below(PLACES) }
    case 'web_fetch':
      return { number, url: `${PAGE}${chance.below(PAGES)}` }
    case 'remember':
      return rememberArgs(chance, number)
    case 'write':
      return writeArgs(chance, number)
    case 'enter_fork':
      return enterArgs(chance, number)
    case 'report_updates':
      return { message: `finding ${number}` }
    case 'add_reminder':
      return addArgs(chance, number)
    case 'cancel_reminder':
      return { id: chance.pick(['once-0', 'once-1', 'remind', 'snooze-1']) }
    case 'list_reminders':
      return {}
    case 'follow_up_chain':
      return { minutes_from_now: chance.pick([0, 1, 1, 2, 10, 600]) }
    case 'ping_user':
      return { message: `ping ${number}`, ...urgency(chance) }
    case 'send_embed':
      return { title: `card ${number}`, ...urgency(chance), ...(chance.oneIn(3) && BUTTONS) }
    case 'compact_session':
    case 'save_context':
    case 'exit_fork':
    case 'help':
      return {}
    default:
      return { number }
  }
}

const BUTTONS = { buttons: [{ label: 'Yes', text: 'yes please' }, { label: 'No' }] }

function urgency(chance: Chance): JsonObject {
  if (chance.oneIn(4)) return { critical: true }
  return chance.oneIn(3) ? { when_free: true } : {}
}

function addArgs(chance: Chance, number: number): JsonObject {
  const when = chance.pick([
    'in 20 seconds',
    'in 1 minute',
    'in 5 minutes',
    'in 2 hours',
    'tomorrow 9:00',
    'soon',
  ])
  return {
    text: `remind of ${number}`,
    when,
    ...(chance.oneIn(2) && { background: true }),
    ...(chance.oneIn(5) && { allow_ping: false }),
    ...(chance.oneIn(3) && { max_chain: chance.below(3) }),
  }
}

function enterArgs(chance: Chance, number: number): JsonObject {
  const topic = chance.oneIn(2) ? { topic: `tangent ${number}` } : {}
  return { ...topic, ...(chance.oneIn(4) && { idle_timeout: 1 + chance.below(30) }) }
}

/** Sometimes it replaces a remembered line, or one that never was. */
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

/** Any branch that ever existed, by handle, or one that never did. */
export function someBranch(chance: Chance, { all, living, running }: Known): string {
  if (chance.oneIn(4)) return 'main'
  if (chance.oneIn(12)) return 'zzzzzz'
  const from = chance.pick([all, living, living, running, running])
  return from.length === 0 ? 'main' : chance.pick(from)
}
