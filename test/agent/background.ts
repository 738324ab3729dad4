import type { RunAsked } from '../../src/agent/run/run-act.ts'
import { pingUserTool, sendEmbedTool } from '../../src/agent/tools/ping.ts'
import { reportUpdatesTool } from '../../src/agent/tools/report-updates.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { receive, type Received } from '../../src/command/door/reception.ts'
import type { Inbound } from '../../src/channel/channel.ts'
import type { BranchId } from '../../src/event/id.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import type { Said } from './doubles.ts'
import { results, ruled, type Ruled } from './rig.ts'
import { isRuns, job, lastMessage } from './run-rig.ts'
import { terminal, type Stage, type StageOptions } from './stage.ts'

export const backgroundTools = [pingUserTool, sendEmbedTool, reportUpdatesTool]

/** One step of a run: the calls that it makes. */
export type Step = readonly (readonly [tool: string, args: JsonObject])[]

export interface Background extends Ruled {
  /** What the calls of runs gave, a step each. */
  readonly given: { text?: string; error?: string }[][]
  /** Starts a run, and lets all run until nothing is left to do. */
  run(): Promise<BranchId>
}

export interface BackgroundOptions extends StageOptions {
  readonly asked?: Partial<RunAsked>
  /** What the model of any branch but a run says; by default it repeats what it was told. */
  readonly talk?: (prompt: Prompt, signal: AbortSignal) => Said | Promise<Said>
}

/** A stage with a job whose runs make these calls, a step each, and then end. */
export async function background(
  steps: readonly Step[],
  { asked, talk = echo, ...options }: BackgroundOptions = {},
): Promise<Background> {
  const given: Background['given'] = []
  const at = await ruled(
    (prompt, signal) => {
      if (!isRuns(prompt)) return talk(prompt, signal)
      if (prompt.messages.at(-1)?.role === 'tool') given.push(results(prompt))
      const step = steps[stepsDone(prompt)]
      if (step === undefined) return { text: 'The run is over.' }
      return { calls: step.map(([tool, args], index) => ({ id: `c${index}`, tool, args })) }
    },
    { tools: backgroundTools, jobIn: () => ({ job: job(asked), warnings: [] }), ...options },
  )
  const run = async (): Promise<BranchId> => {
    await at.say('/run routines/brief.md')
    return runOf(at)
  }
  return Object.assign(at, { given, run })
}

export async function runOf(at: Stage): Promise<BranchId> {
  const started = (await at.events('run-started')).at(-1)
  if (started === undefined) throw new Error('there is no run')
  return started.branch
}

function stepsDone({ messages }: Prompt): number {
  const start = messages.findLastIndex(({ role, text }) => role === 'user' && text.startsWith('[routine-bg'))
  return messages.slice(start).filter((message) => message.role === 'assistant' && message.calls.length > 0)
    .length
}

/** A run that was just told this waits for `reply` before its model goes on. */
export function holding(
  at: Background,
  { until, reply }: { until: string; reply: (signal: AbortSignal) => Promise<unknown> },
): void {
  const call = at.model.call.bind(at.model)
  const held: typeof call = async (prompt, options) => {
    if (isRuns(prompt) && lastMessage(prompt).includes(until)) await reply(options.signal)
    return call(prompt, options)
  }
  Object.assign(at.model, { call: held })
}

function echo(prompt: Prompt): Said {
  return { text: `heard: ${lastMessage(prompt).split('\n\n').at(-1) ?? ''}` }
}

/** What a platform hands over. */
export function inbound(at: Stage, text: string, more: Partial<Inbound> = {}): Promise<Received> {
  return receive(at.desk, {
    ...terminal,
    origin: 'terminal',
    person: 'owner',
    messageId: null,
    text,
    ...more,
  })
}

export function ping(message: string, critical?: true): Step[number] {
  return ['ping_user', { message, ...(critical && { critical }) }]
}

/** What a run says in tests of replies, and how that is quoted. */
export const RED = 'The build has been red for an hour.'
export const QUOTED = `The person replies to this message:\n<data source="message">\n${RED}\n</data>`

/** What a model was shown last. */
export function shown({ model }: Pick<Ruled, 'model'>): string[] {
  return model.prompts.at(-1)?.messages.map(({ text }) => text) ?? []
}
