import type { AgentHappenings } from './agent-happenings.ts'
import { AgentWorld } from './agent-world.ts'

export interface AgentFailure {
  readonly seed: number
  readonly error: unknown
  readonly story: readonly string[]
}

export interface AgentRun {
  readonly failure: AgentFailure | undefined
  /** The events, in a few words each. */
  readonly story: readonly string[]
  /** The log's bytes on the disk. */
  readonly bytes: string
}

/** Lives of the real turn loop, driven by one seed, and judged; adds their events to `happenings`. */
export async function simulateAgent(seed: number, happenings: AgentHappenings): Promise<AgentRun> {
  const world = new AgentWorld(seed)
  let failure: AgentFailure | undefined
  try {
    await world.run()
  } catch (error) {
    failure = { seed, error, story: world.around.story }
  }
  happenings.addAll(world.around.happenings)
  return { failure, story: world.around.story, bytes: JSON.stringify(world.disk.events) }
}

const LINES_MAX = 60

/** The end of the story, the broken law, and how to reproduce it. */
export function reportAgent({ seed, error, story }: AgentFailure, linesMax = LINES_MAX): string {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const skipped = Math.max(0, story.length - linesMax)
  const lines = story.slice(skipped).map((line, index) => `  ${skipped + index + 1}. ${line}`)
  return [
    `agent seed ${seed} failed after:`,
    ...(skipped > 0 ? [`  (${skipped} lines before)`] : []),
    ...lines,
    reason,
    `replay it with: npm run simulate -- --seed ${seed}`,
  ].join('\n')
}
