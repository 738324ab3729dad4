import type { RunAsked } from '../../../src/agent/run/run-act.ts'
import { canonicalJson } from '../../../src/base/canonical.ts'
import type { JobRead } from '../../../src/agent/run/run-act.ts'
import { reportings } from '../../../src/event/run.ts'
import type { LoadedJob } from '../../../src/schedule/job-shelf.ts'
import type { Chance } from './chance.ts'

const SECOND_MS = 1_000
/** From shorter than a slow model call to longer than a life. */
const TIMEOUTS_MS = [5 * SECOND_MS, 60 * SECOND_MS, 600 * SECOND_MS, 86_400 * SECOND_MS]
/** Tools that jobs may call beyond those of every run. */
const TOOLS: readonly (readonly string[])[] = [
  [],
  [],
  ['count', 'slow', 'broken'],
  ['count', 'ship(to 1)', 'jot'],
  ['ship', 'slash', 'recall', 'wait'],
  ['slash', 'remember', 'write', 'far', 'enter_fork'],
]
export const MISSING = 'missing.md'

/** Any possible job, as a file defines it. */
export function someJob({ chance, number }: { chance: Chance; number: () => number }, path: string): JobRead {
  if (path === MISSING) return { problem: 'There is no such file.' }
  const id = number()
  const isolated = chance.oneIn(3)
  const system = `You are job ${id}.`
  const job: RunAsked = {
    job: `job-${id}`,
    tag: chance.pick(['routine-bg', 'routine-bg', 'reminder-bg', 'webhook']),
    file: path,
    isolated,
    model: chance.pick([null, null, 'sim', 'other']),
    thinking: chance.pick(['off', 'adaptive']),
    reporting: chance.pick([...reportings, 'on_ping', 'always']),
    allowPing: !chance.oneIn(4),
    tools: [...chance.pick(TOOLS)],
    skills: [],
    timeoutMs: chance.pick(TIMEOUTS_MS),
    title: chance.oneIn(2) ? '' : `work ${id}`,
    body: `Look after ${id}.`,
    setup: isolated ? { system, tools: canonicalJson([SPEC]) } : null,
  }
  return { job, warnings: chance.oneIn(8) ? ['A field is not known.'] : [] }
}

/** A due job, as its file defines it. */
export function dueJob({ definition, file }: LoadedJob, timeoutMs: number): JobRead {
  const { id: job, kind, isolated, model, thinking, reporting, allowPing, body, person } = definition
  if (model !== null && model !== 'offline') return { problem: `${file}: its model cannot be used.` }
  const tag = kind === 'reminder' ? 'reminder-bg' : 'routine-bg'
  const rights = { isolated, model, thinking, reporting, allowPing, tools: [...definition.tools], skills: [] }
  const chain = kind === 'reminder' && definition.chain.max > 0 && { chain: definition.chain }
  const session = kind === 'routine' && definition.isPersistent && { session: 'persistent' as const }
  const setup = isolated ? { system: `You are ${job}.`, tools: canonicalJson([SPEC]) } : null
  const asked = { job, tag, file, timeoutMs, title: definition.description, body, setup } as const
  return {
    job: { ...asked, ...rights, ...chain, ...session, ...(person !== null && { person }) },
    warnings: [],
  }
}

/** A model without any tool would be taken for a summariser. */
const SPEC = { name: 'help', description: 'What there is.', parameters: { type: 'object', properties: {} } }
