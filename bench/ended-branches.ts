import { livingChildren } from '../src/context/living.ts'
import { addMessage } from '../src/context/step.ts'
import { isRefusal } from '../src/context/decision.ts'
import type { Actor } from '../src/agent/contract/act.ts'
import type { Writing } from '../src/event/table.ts'
import type { Stage } from '../test/agent/stage.ts'
import { withCopies, type Data, type Opened } from './data.ts'
import { interleave, type Case } from './measure.ts'
import { Progress } from './progress.ts'
import { atMost, type Measure } from './report.ts'
import { plannerOn } from '../test/agent/run-rig.ts'
import { runStage, startRun } from './run-data.ts'

/** A year of a job every quarter of an hour. */
const ENDED = 35_000
const PER_WORK = 200
const QUARTER_MS = 15 * 60 * 1000
const ROUNDS = { rounds: 10, perRound: 5 }
const RUNS_MAX = 4
const FLAT_MAX = 1.25

/** What has ended costs nobody anything: the same acts in a log without it and in one with a year of it. */
export async function measureEnded(data: Data): Promise<Measure[]> {
  const copies = [
    { name: 'no runs yet', size: 0 },
    { name: `${ENDED.toLocaleString('en')} runs that have ended`, size: 0 },
  ] as const
  const [none, many] = copies.map(({ name }) => name) as [string, string]
  return withCopies(data, copies, async (opened) => {
    const stages = await Promise.all(opened.map(({ log }) => runStage(log, RUNS_MAX)))
    await endMany(stages[1] as Stage)
    for (const at of stages) await at.recall.catchUp()
    const cases = stages.flatMap((at, index) => casesOf(at, [none, many][index] as string))
    const samples = await interleave([...cases, ...startCases(opened, [none, many])], ROUNDS)
    for (const at of stages) await at.close()
    return ACTS.map((act) => ({
      group: 'runs',
      measure: `flat: ${act}, ${many}`,
      value: samples.median(`${act}, ${many}`),
      unit: 'ms',
      comparedWith: { name: `÷ ${none}`, value: samples.median(`${act}, ${none}`) },
      ratio: samples.ratio(`${act}, ${many}`, `${act}, ${none}`),
      goal: atMost(FLAT_MAX),
    }))
  })
}

const ACTS = ['the agent starts', 'a turn', '/agents', '/fork -- GOAL', 'what wait waits for'] as const

type Act = (typeof ACTS)[number]

function casesOf(at: Stage, log: string): Case[] {
  const acts: Partial<Record<Act, Omit<Case, 'name'>>> = {
    'a turn': { run: () => at.say('hello'), restore: () => at.say('/clear') },
    '/agents': { run: () => at.say('/agents') },
    '/fork -- GOAL': {
      run: () => at.say('/fork -- hello'),
      restore: async () =>
        at.say(`/kill ${/Child: (\w+)/.exec(at.sent.findLast(isForked)?.text ?? '')?.[1]}`),
    },
    'what wait waits for': {
      run: async () => {
        const main = await at.branch()
        await at.read((reader) => livingChildren(reader, main))
      },
    },
  }
  return Object.entries(acts).map(([act, one]) => ({ name: `${act}, ${log}`, ...one }))
}

function isForked({ text }: { readonly text: string }): boolean {
  return text.startsWith('Forked.')
}

/** Another agent on the same log, which has nothing to do. */
function startCases(opened: readonly Opened[], logs: readonly string[]): Case[] {
  return opened.map(({ log }, index) => {
    let at: Stage | undefined
    return {
      name: `${ACTS[0]}, ${logs[index]}`,
      run: async () => (at = await runStage(log, RUNS_MAX)),
      restore: async () => at?.close(),
    }
  })
}

async function endMany(at: Stage): Promise<void> {
  const actor = await plannerOn(at)
  const progress = new Progress('making runs that have ended')
  for (let n = 0; n < ENDED; n += PER_WORK) {
    await at.log.write((writing) => {
      for (let number = n; number < n + PER_WORK; number++) runAndEnd(writing, actor, number)
    })
    progress.update((n + PER_WORK) / ENDED)
  }
}

function runAndEnd(writing: Writing, actor: Actor, number: number): void {
  const at = actor.at - (ENDED - number) * QUARTER_MS
  // One seed for all would draw every handle that is taken before it finds a new one.
  const branch = startRun(writing, { ...actor, at, seed: number }, number)
  const message = { role: 'assistant', text: `Nothing in part ${number} can't wait.`, calls: [] } as const
  const said = addMessage(writing, { branch, at, message: { ...message, calls: [] }, tokens: 10 })
  if (isRefusal(said)) throw new Error(`the benchmark was refused: ${said.refused}`)
  writing.append(said.draft)
  const author = { by: 'policy', name: 'run' } as const
  writing.append({ kind: 'branch-ended', branch, at, v: 1, reason: 'finished', author })
}
