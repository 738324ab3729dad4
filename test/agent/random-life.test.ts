import { expect, test } from 'vitest'
import { seededRandom, type Random } from '../../src/base/random.ts'
import type { Log } from '../../src/log/log.ts'
import { MemoryDisk, openMemoryLog } from '../../src/log/memory.ts'
import type { ModelErrorReason } from '../../src/model/contract/model.ts'
import {
  countedTool,
  modelFault,
  ruleModel,
  unanswered,
  type CountedTool,
  type RuleModel,
  type Said,
} from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { mortalLog, Platform, unlessDead, unlessKilled, type Death } from './mortal.ts'
import { breathe, FakeClock, projections, stage, START, type Stage } from './stage.ts'
import { seeds } from '../rounds.ts'

const LIVES = 4
const ACTS = 12

/** One throw of the dice: a number from 0 to `sides` - 1. */
type Dice = (sides: number) => number

function diceOf(random: Random): Dice {
  return (sides) => random() % sides
}

/** What outlives the processes: the disk, the platform, the person, and what tools did. */
class Fortune {
  readonly dice: Dice
  readonly disk = new MemoryDisk()
  readonly platform = new Platform()
  readonly tool: CountedTool = countedTool('dig')
  readonly model: RuleModel
  clock = new FakeClock(START)
  /** What the person did, by the platform's id, which redelivers it after a restart. */
  readonly done: { readonly key: string; readonly text: string }[] = []
  isKind = false
  #calls = 0

  constructor(seed: number) {
    this.dice = diceOf(seededRandom(seed))
    this.model = ruleModel((prompt) => {
      const text = `re: ${unanswered(prompt).join(' + ')}`
      return this.isKind ? { text } : this.#whim(text, prompt.settings.toolChoice)
    })
  }

  #whim(text: string, choice: string): Said {
    const faults: ModelErrorReason[] = ['overloaded', 'network', 'rejected']
    const fault = faults[this.dice(12)]
    if (fault !== undefined) throw modelFault(fault)
    if (choice === 'none' || this.dice(2) === 0) return { text }
    return { calls: Array.from({ length: 1 + this.dice(3) }, () => this.#call()) }
  }

  #call() {
    const n = ++this.#calls
    const id = `c${this.dice(3)}`
    switch (this.dice(5)) {
      case 0:
        return { id, tool: 'slash', args: { command: 'mark', args: `M${this.dice(3)}` } }
      case 1:
        return { id, tool: 'slash', args: { command: 'fork', args: `-- goal ${n}` } }
      case 2:
        return { id, tool: 'fly', args: { n } }
      default:
        return { id, tool: 'dig', args: { n } }
    }
  }

  nextAct(): { readonly key: string; readonly text: string } {
    const n = this.done.length + 1
    const texts = ['/stop', '/retry', '/mark A', `/fork -- task ${n}`, '/agents', `/note n${n}`]
    return { key: `k${n}`, text: texts[this.dice(12)] ?? `m${n}` }
  }

  get said(): string[] {
    return this.done.map(({ text }) => text).filter((text) => /^m\d+$/.test(text))
  }
}

/** One process, from its start to its death, or until it is closed. */
async function live(on: Fortune, death: Death | undefined, act: (at: Stage) => Promise<void>): Promise<void> {
  on.clock = new FakeClock(on.clock.now())
  on.disk.holder = null
  const mortal = death && mortalLog(on.disk, death)
  const log = jittery(mortal?.log ?? openMemoryLog({ disk: on.disk, projections }), on.dice)
  const at = await stage({
    disk: on.disk,
    clock: on.clock,
    seed: on.dice(1_000_000),
    models: { ruled: on.model },
    settings: { model: 'ruled' },
    tools: [on.tool],
    send: mortal ? unlessDead(mortal.hasDied, on.platform.send) : on.platform.send,
    log,
  })
  for (const { text, key } of on.done) await at.type(text, key)
  await act(at)
  if (mortal?.hasDied() !== true) await at.close()
  at.failures.forEach(unlessKilled)
}

/** A log whose answers take their time, each its own: whatever relies on their order breaks. */
function jittery(log: Log, dice: Dice): Log {
  const late = async <T>(value: Promise<T>): Promise<T> => {
    const result = await value
    for (let turns = dice(4); turns > 0; turns--) await new Promise(setImmediate)
    return result
  }
  return {
    read: (work) => late(log.read(work)),
    write: (work) => late(log.write(work)),
    events: (query) => log.events(query),
    follow: (after, signal) => log.follow(after, signal),
    close: () => log.close(),
  }
}

/** Time passes in small steps, so that whoever is late can still set an alarm. */
async function passSlowly(clock: FakeClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += ms / 20) {
    for (let moment = 0; moment < 20; moment++) await breathe()
    await clock.pass(ms / 20)
  }
}

async function actAtRandom(on: Fortune, at: Stage): Promise<void> {
  for (let count = 0; count < ACTS; count++) {
    const next = on.nextAct()
    on.done.push(next)
    await at.type(next.text, next.key)
    await on.clock.pass([0, 0, 500, 5_000, 60_000][on.dice(5)] ?? 0)
  }
}

/** The world becomes kind: everything can be reached, and the person insists. */
async function comeToRest(on: Fortune, at: Stage): Promise<void> {
  on.isKind = true
  await passSlowly(on.clock, 600_000)
  on.done.push({ key: 'last', text: 'm0' })
  await at.type('m0', 'last')
  await passSlowly(on.clock, 600_000)
  await at.settle()
  await expectLawful(at)
  await expectEmpty(at.log)
}

async function liveThrough(seed: number): Promise<void> {
  const on = new Fortune(seed)
  for (let life = 1; life < LIVES; life++) {
    const fate = on.dice(2) === 0 ? 'dies-before' : 'dies-after'
    const death: Death = { commit: 1 + on.dice(60), fate }
    await live(on, death, (at) => actAtRandom(on, at)).catch(unlessKilled)
  }
  await live(on, undefined, (at) => comeToRest(on, at))
  const about = on.platform.texts('answer').flatMap((text) => text.replace('re: ', '').split(' + '))
  const answered = about.filter((text) => /^m\d+$/.test(text))
  expect([...new Set(answered)].toSorted(), '[TURN4]').toEqual(on.said.toSorted())
  // Only a person who asks again gets another answer (TURN8).
  const again = on.done.filter(({ text }) => text === '/retry').length
  const timesOf = (said: string): number => answered.filter((text) => text === said).length
  expect(Math.max(...on.said.map(timesOf)), '[TURN4]').toBeLessThanOrEqual(1 + again)
  const runs = on.tool.runs.map(({ n }) => n)
  expect(new Set(runs).size, '[TURN3]').toBe(runs.length)
}

test('[TURN1] [TURN2] [TURN3] [TURN4] [SEND1] [RECV1] hold in lives full of faults and deaths', async () => {
  for (const seed of seeds(60)) {
    try {
      await liveThrough(seed)
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      })
    }
  }
})
