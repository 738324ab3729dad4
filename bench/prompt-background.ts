import { job } from '../test/agent/run-rig.ts'
import type { Stage } from '../test/agent/stage.ts'

/** Runs that report what they found. Without texts nobody does. */
export function startBackground(
  at: Stage,
  texts: readonly string[],
): { reported(): number; report(count: number): Promise<void> } {
  let reported = 0
  return {
    reported: () => reported,
    report: async (count) => {
      if (texts.length === 0) return
      const [main] = await at.events('branch-created')
      if (main === undefined) throw new Error('there is no main')
      const head = { branch: main.branch, at: at.clock.now(), v: 1 } as const
      const author = { by: 'policy', name: 'handed-in' } as const
      const facts = { source: 'routine morning-brief', from: null, key: null, author }
      // A work may be run again, so what it writes is chosen before it.
      const chosen = Array.from({ length: count }, () => texts[reported++ % texts.length] ?? '')
      await at.log.write((writing) => {
        for (const text of chosen) writing.append({ kind: 'update-reported', ...head, ...facts, text })
      })
    },
  }
}

/** A forked run, which shares all that main shows. */
export const BRIEF = job({
  file: 'brief.md',
  thinking: 'adaptive',
  allowPing: false,
  tools: ['look'],
  body: 'Look at what is new.',
})
