import { stopwatchMs } from '../src/base/clock.ts'
import { composedFrom, readElsewhere } from '../src/agent/turn/leaving.ts'
import type { Log } from '../src/log/log.ts'
import type { Model, Reply } from '../src/model/contract/model.ts'
import { stage, type Stage } from '../test/agent/stage.ts'
import { withCopies, type Data } from './data.ts'
import { share } from './measure.ts'
import { atMost, type Measure } from './report.ts'

const TURNS = 300
const WARM_UP = 30
/** Before a conversation fills the model: what is measured is a turn, not a long prompt. */
const CLEAR_EVERY = 15
const P50_MS_MAX = 10
const P95_MS_MAX = 20

interface Turns {
  readonly wallMs: number[]
  readonly cpuMs: number[]
}

/** What we ourselves add to a turn: the model answers at once. */
export async function measureTurns(data: Data): Promise<Measure[]> {
  const copies = [
    { name: 'turns, new log', size: 0 },
    { name: 'turns, 100,000 messages behind', size: 100_000 },
  ] as const
  return withCopies(data, copies, async (opened) => {
    const stages = await Promise.all(opened.map(({ log }) => instantStage(log)))
    // An old log is indexed once, beside the first turns; what is measured is what comes after that.
    for (const at of stages) await at.recall.catchUp()
    const names = copies.map(({ name }) => name.replace('turns, ', ''))
    const plain = await interleaved(stages, 'hello')
    const withTool = await interleaved(stages, 'please mark this place')
    for (const at of stages) await at.close()
    return [
      ...names.flatMap((name, index) => measuresOf(`an answer, ${name}`, plain[index] as Turns)),
      ...names.flatMap((name, index) =>
        measuresOf(`a step with a tool and an answer, ${name}`, withTool[index] as Turns),
      ),
      await measureLeaving(),
    ]
  })
}

function instantStage(log: Log): Promise<Stage> {
  return stage({ log, models: { instant }, settings: { model: 'instant' } })
}

const usage = { tokensIn: 100, tokensOut: 10, tokensCached: 0, tokensCacheWritten: 0 }
const answer: Reply = { text: 'All right.', reasoning: [], calls: [], finish: 'stop', usage }
const mark = { id: 'call', tool: 'slash', args: { command: 'mark', args: 'HERE' } }

/** Asks for a tool when a message says so, and answers otherwise. */
export const instant: Model = {
  name: 'instant',
  contextTokens: 1_000_000,
  call: async ({ messages }) => {
    const last = messages.at(-1)
    const wantsMark = last?.role === 'user' && last.text.endsWith('mark this place')
    return wantsMark ? { ...answer, text: '', calls: [mark], finish: 'calls' } : answer
  },
}

async function interleaved(stages: readonly Stage[], text: string): Promise<Turns[]> {
  const turns = stages.map((): Turns => ({ wallMs: [], cpuMs: [] }))
  for (let n = 0; n < WARM_UP + TURNS; n++) {
    for (const [index, at] of stages.entries()) {
      if (n % CLEAR_EVERY === 0) await at.say('/clear')
      const [start, cpu] = [stopwatchMs(), process.cpuUsage()]
      await at.say(text)
      const wallMs = stopwatchMs() - start
      const { user, system } = process.cpuUsage(cpu)
      if (n < WARM_UP) continue
      turns[index]?.wallMs.push(wallMs)
      turns[index]?.cpuMs.push((user + system) / 1_000)
    }
  }
  return turns
}

const SAID = 500
const CHECKS = 2_000
const CHECK_MS_MAX = 0.2

/** What a turn pays to know whether text from elsewhere is in view, and whether somebody gave an address (LEAVE1). */
async function measureLeaving(): Promise<Measure> {
  const many = { thresholdMessages: 10_000, truncationMessages: 20_000, windowMessages: 10_000 }
  const at = await stage({ models: { instant }, settings: { model: 'instant' } })
  at.settings = { ...at.settings, window: { ...at.settings.window, ...many } }
  for (let n = 0; n < SAID; n++) await at.say(`hello, https://example.com/${n}`)
  const turn = (await at.events('turn-started')).at(-1)?.turn
  const branch = await at.branch()
  const tookMs = await at.read((reader) =>
    Array.from({ length: CHECKS }, () => {
      const start = stopwatchMs()
      if (turn !== undefined && readElsewhere(reader, turn)) throw new Error('only a person spoke')
      composedFrom(reader, branch, { href: 'https://example.com/made-up', web: at.settings.web })
      return stopwatchMs() - start
    }),
  )
  await at.close()
  return {
    group: 'turns',
    unit: 'ms',
    measure: `what may leave: the check, p50, a prompt of ${(2 * SAID).toLocaleString('en')} messages`,
    value: share(tookMs, 0.5),
    goal: atMost(CHECK_MS_MAX, 'value'),
  }
}

function measuresOf(name: string, { wallMs, cpuMs }: Turns): Measure[] {
  const common = { group: 'turns', unit: 'ms' } as const
  return [
    {
      ...common,
      measure: `own time, p50, ${name}`,
      value: share(wallMs, 0.5),
      goal: atMost(P50_MS_MAX, 'value'),
    },
    {
      ...common,
      measure: `own time, p95, ${name}`,
      value: share(wallMs, 0.95),
      goal: atMost(P95_MS_MAX, 'value'),
    },
    { ...common, measure: `processor time, p50, ${name}`, value: share(cpuMs, 0.5) },
  ]
}
