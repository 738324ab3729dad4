import type { Actor } from '../../src/agent/contract/act.ts'
import { actRun, type RunAsked } from '../../src/agent/run/run-act.ts'
import { runIn, type Run } from '../../src/agent/state/run.ts'
import { updateTable } from '../../src/agent/state/tables.ts'
import type { BranchId } from '../../src/event/id.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import { allRows, type Writing } from '../../src/event/table.ts'
import type { Stage } from './stage.ts'
import { oldestMain } from '../../src/agent/state/person.ts'

/** Starts a run off main, as whoever plans jobs does; does not wait for what follows from it. */
export async function startRun(at: Stage, asked: Partial<RunAsked> = {}): Promise<BranchId> {
  const actor = await plannerOn(at)
  const run = await at.log.write((writing) => begun(writing, actor, job(asked)))
  at.agent.wake([run])
  return run
}

/** Who plans jobs, and starts them in main. */
export async function plannerOn(at: Stage): Promise<Actor> {
  const branch = (await at.read(oldestMain)) ?? (await at.branch())
  const author = { by: 'policy', name: 'schedule' } as const
  return { branch, author, at: at.clock.now(), seed: at.desk.random(), settings: at.settings }
}

export function begun(writing: Writing, actor: Actor, asked: RunAsked): BranchId {
  const { run, text } = actRun(writing, actor, asked)
  if (run === undefined) throw new Error(`the run was refused: ${text}`)
  return run
}

/** Starts a run and lets everything happen that needs no time. */
export async function ran(at: Stage, asked: Partial<RunAsked> = {}): Promise<BranchId> {
  const run = await startRun(at, asked)
  await at.settle()
  return run
}

export async function endsOf(at: Stage, branch: BranchId): Promise<string[]> {
  const ended = await at.events('branch-ended')
  return ended.filter((event) => event.branch === branch).map(({ reason }) => reason)
}

export async function runNow(at: Stage, branch: BranchId): Promise<Run> {
  const run = await at.read((reader) => runIn(reader, branch))
  if (run === undefined) throw new Error(`${branch} is no run`)
  return run
}

/** What main was or will be told, with who wrote it. */
export async function reports(at: Stage): Promise<string[]> {
  const told = await at.events('update-reported')
  return told.map(({ author, text }) => `${author.by === 'model' ? 'run' : 'host'}: ${text}`)
}

export async function pendingNow(at: Stage): Promise<number> {
  return at.read((reader) => {
    const main = oldestMain(reader)
    return main === undefined
      ? 0
      : [...allRows(reader, updateTable, { prefix: [main] })].filter(({ settled }) => settled === null).length
  })
}

/** What a run was told, in the user's role, without main's part. */
export function openingOf({ messages }: Prompt): string {
  const opening = messages.findLast(({ role, text }) => role === 'user' && /^\[[a-z]+(?:-bg)?:/.test(text))
  return opening?.text ?? ''
}

export function notices(at: Stage): string[] {
  return at.sent.filter(({ form }) => form === 'notice').map(({ text }) => text)
}

export function job(more: Partial<RunAsked> = {}): RunAsked {
  return {
    job: 'brief',
    tag: 'routine-bg',
    file: 'routines/brief.md',
    isolated: false,
    model: null,
    thinking: 'off',
    reporting: 'freely',
    allowPing: true,
    tools: [],
    skills: [],
    timeoutMs: 1_800_000,
    setup: null,
    title: '',
    body: 'Look at the build.',
    ...more,
  }
}

/** The prompt is of a run, and neither of main nor of what was forked off the run. */
export function isRuns({ messages }: Prompt): boolean {
  const last = messages.findLast(({ role, text }) => role === 'user' && text.startsWith('['))
  return /^\[(?:routine-bg|reminder-bg|webhook|system)/.test(last?.text ?? '')
}

/** What stands last in a prompt. */
export function lastMessage(prompt: Prompt | undefined): string {
  return prompt?.messages.at(-1)?.text ?? ''
}
