import { startRun } from '../../command/desk/start-run.ts'
import { missingModel, missingWords } from '../../agent/state/home-model.ts'
import type { JsonObject } from '../../base/json.ts'
import type { BranchId } from '../../event/id.ts'
import type { Life } from '../life/life.ts'
import { modelProblem } from '../tool/job-file.ts'
import { terminalAddress } from './place.ts'

/** A job file to run, whose text may come from anywhere. */
export interface RunWish {
  /** Made by the client, which may ask again: one branch of this name is started, once. */
  readonly run: BranchId
  /** The name to show. */
  readonly file: string
  readonly text: string
  /** For a webhook. */
  readonly payload?: JsonObject | undefined
  readonly model?: string | undefined
}

/** A persistent session runs in the branch that it had before. */
export interface BegunRun {
  readonly run: BranchId
  readonly warnings: readonly string[]
}

/** Starts the run, for a command line that shows its steps and its end. */
export async function beginAsked(
  { desk, jobOf }: Life,
  { run: as, file, text, payload, model }: RunWish,
): Promise<BegunRun | { readonly problem: string }> {
  const read = await jobOf({ file, text }, payload)
  if ('problem' in read) return { problem: `Nothing was started. ${read.problem}` }
  const problem = model === undefined ? undefined : modelProblem(model, desk)
  if (problem !== undefined) return { problem: `Nothing was started: ${problem}` }
  const settings = desk.settings()
  const own = model ?? read.job.model
  const missing = own === null ? await desk.log.read((reader) => missingModel(reader, settings)) : undefined
  if (missing !== undefined)
    return {
      problem: `Nothing was started. ${missingWords(missing)}. --model NAME chooses one for this run.`,
    }
  const said = await startRun(desk, terminalAddress, {
    ...read.job,
    as,
    ...(model !== undefined && { model }),
  })
  if (said.run === undefined) return { problem: `Nothing was started. ${said.text}` }
  return { run: said.run, warnings: read.warnings }
}
