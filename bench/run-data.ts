import { actRun, type RunAsked } from '../src/agent/acts/run-act.ts'
import type { Actor } from '../src/agent/act.ts'
import type { BranchId } from '../src/event/id.ts'
import type { Log, Writing } from '../src/log/log.ts'
import { stage, type Stage, type StageOptions } from '../test/agent/stage.ts'
import { instant } from './turns.ts'

const JOBS = 20

/** Somebody at the terminal of an agent that can have so many runs at once. */
export async function runStage(
  log: Log,
  runsMax: number,
  options: Pick<StageOptions, 'send' | 'recall'> = {},
): Promise<Stage> {
  return stage({ ...options, log, models: { instant }, settings: { model: 'instant', runsMax } })
}

/** Starts so many runs at the same moment; resolves when they are in the log and on their way. */
export async function submit(at: Stage, count: number): Promise<void> {
  const actor = await actorOn(at)
  const works = Array.from({ length: count }, (_, n) =>
    at.log.write((writing) => startRun(writing, actor, n)),
  )
  at.agent.wake(await Promise.all(works))
}

export async function actorOn(at: Stage): Promise<Actor> {
  const branch = await at.branch()
  const author = { by: 'policy', name: 'schedule' } as const
  const { random } = at.desk
  return { branch, author, at: at.clock.now(), random, settings: at.desk.settings() }
}

/** Every other one is isolated, and all are some job's. */
export function startRun(writing: Writing, actor: Actor, number: number): BranchId {
  const { run, text } = actRun(writing, actor, jobOf(number))
  if (run === undefined) throw new Error(`the benchmark was refused: ${text}`)
  return run
}

function jobOf(number: number): RunAsked {
  const name = `inbox-${number % JOBS}`
  return {
    title: '',
    body: `Look through part ${number} of the inbox, and say what needs an answer today.`,
    setup: null,
    job: name,
    tag: 'routine-bg',
    file: `routines/${name}.md`,
    isolated: number % 2 === 0,
    model: null,
    thinking: 'off',
    reporting: 'freely',
    allowPing: true,
    tools: [],
    skills: [],
    timeoutMs: 1_800_000,
  }
}
