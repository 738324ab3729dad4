import type { DiskKind } from './disk.ts'
import type { Happenings } from './happenings.ts'
import { World } from './world.ts'

export interface Failure {
  readonly seed: number
  readonly error: unknown
  readonly story: readonly string[]
}

/** Even seeds run on SQLite, odd ones in memory, so that a seed alone reproduces a run. */
export function diskOf(seed: number): DiskKind {
  return seed % 2 === 0 ? 'sqlite' : 'memory'
}

/** Runs one world and adds its events to `happenings`. */
export async function simulate(seed: number, happenings: Happenings): Promise<Failure | undefined> {
  const world = new World(seed, diskOf(seed))
  try {
    await world.run()
    return undefined
  } catch (error) {
    return { seed, error, story: world.story }
  } finally {
    happenings.addAll(world.happenings)
    world.remove()
  }
}

export function report({ seed, error, story }: Failure): string {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const lines = story.map((line, index) => `  ${index + 1}. ${line}`)
  return [
    `seed ${seed} (${diskOf(seed)}) failed after:`,
    ...lines,
    reason,
    `replay it with: npm run simulate -- --seed ${seed}`,
  ].join('\n')
}
