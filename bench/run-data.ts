import type { Actor } from '../src/agent/contract/act.ts'
import type { BranchId } from '../src/event/id.ts'
import type { Writing } from '../src/event/table.ts'
import type { Log } from '../src/log/log.ts'
import { begun, job, plannerOn } from '../test/agent/run-rig.ts'
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
  const actor = await plannerOn(at)
  const works = Array.from({ length: count }, (_, n) =>
    at.log.write((writing) => startRun(writing, { ...actor, seed: at.desk.random() }, n)),
  )
  at.agent.wake(await Promise.all(works))
}

/** Every other one is isolated, and all are some job's. */
export function startRun(writing: Writing, actor: Actor, number: number): BranchId {
  const name = `inbox-${number % JOBS}`
  const body = `Look through part ${number} of the inbox, and say what needs an answer today.`
  const asked = job({ job: name, file: `routines/${name}.md`, isolated: number % 2 === 0, body })
  return begun(writing, actor, asked)
}
