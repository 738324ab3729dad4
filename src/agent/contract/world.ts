import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { Channel } from '../../channel/channel.ts'
import type { Happening } from '../../event/happening.ts'
import type { Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { StartedProcess } from '../../event/work.ts'
import type { Log } from '../../log/log.ts'
import { ModelError, type Model } from '../../model/contract/model.ts'
import type { Sleep } from '../../model/contract/sleep.ts'
import type { Recall } from '../../recall/contract/recall.ts'
import type { Versions } from '../../recall/scope/standing.ts'
import type { LoadedJob } from '../../schedule/job-shelf.ts'
import type { Tool } from '../../tool/tool.ts'
import type { Admitted } from '../state/inbox.ts'
import type { ActTool } from './act.ts'
import type { AgentSettings } from '../state/settings.ts'

/** Everything outside the agent that it uses. Tests bring a fake clock, a scripted model, a log that dies. */
export interface World {
  readonly log: Log
  readonly now: Clock
  readonly random: Random
  readonly sleep: Sleep
  /** The model of this name with its failure policy around it; throws a ModelError that says what is missing. */
  readonly model: (name: string) => Model
  /** The tools of a person's branches as they are now, in the order in which models are told of them. */
  readonly tools: (person: string) => readonly (Tool | ActTool)[]
  /** Brings the setup of a guest or group up to date before their turn. Left out: there is only the owner. */
  readonly prepare?: (person: string) => Promise<void>
  /** Finds what was said; null: nothing comes back by itself. */
  readonly recall: Recall | null
  /** Results computed from old versions of lists, cached as long as the process lives. */
  readonly versions: Versions
  readonly channels: ReadonlyMap<string, Channel>
  /** Read at each use, so that a changed value counts from the next call on. */
  readonly settings: () => AgentSettings
  /** What the files of the workspace define, as it was read last. */
  readonly jobs: () => readonly LoadedJob[]
  /** What platforms have at this moment, noted for the next process. Left out: it cannot know. */
  readonly onItsWay?: {
    /** What the last process noted, if the log that ends here is the one it had; undefined: nobody knows. */
    last(end: number): ReadonlySet<number> | undefined
    note(positions: ReadonlySet<Position>): void
  }
  /** Here for one question or one run: what others left to be told unasked is for a process that stays. */
  readonly isPassing?: boolean
  /** Ends a program that a process that is gone has started; whether it still ran. */
  readonly endProcess: (process: StartedProcess) => Promise<boolean>
  /** Runs a command that waited in the inbox, and writes that it was run. */
  readonly runCommand: (entry: Admitted) => Promise<void>
  readonly emit: (happening: Happening) => void
  /** Resolves once `holds` holds of the log, or the signal is aborted; whether it held. */
  readonly until: (holds: (reader: Reader) => boolean, signal: AbortSignal) => Promise<boolean>
}

export function modelNamed({ model }: Pick<World, 'model'>, name: string): Model | ModelError {
  try {
    return model(name)
  } catch (error) {
    if (error instanceof ModelError) return error
    throw error
  }
}

/** What a model costs; undefined: nobody knows, or it cannot be opened any more. */
export function priceOf(world: Pick<World, 'model'>, name: string): Model['price'] {
  const model = modelNamed(world, name)
  return model instanceof ModelError ? undefined : model.price
}
