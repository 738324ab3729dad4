import type { Channel, Outgoing } from '../../src/channel/channel.ts'
import { MemoryDisk, openMemoryStore } from '../../src/log/memory.ts'
import { StoreLog } from '../../src/log/store-log.ts'
import { Killed, MortalStore, type Fate } from '../simulation/mortal-store.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { FakeClock, projections, stage, START, type Stage, type StageOptions } from './stage.ts'

/** A platform that can tell: a message that it was given before is not shown a second time. */
export class Platform {
  readonly shown = new Map<number, Outgoing>()
  readonly given: Outgoing[] = []

  readonly send: Channel['send'] = async (message) => {
    this.given.push(message)
    if (!this.shown.has(message.id)) this.shown.set(message.id, message)
    else if (!message.isAgain) throw new Error('[SEND1] the second time is marked')
    return null
  }

  texts(form: Outgoing['form']): string[] {
    return [...this.shown.values()].filter((message) => message.form === form).map(({ text }) => text)
  }
}

/** Where and how a process dies: at its commit of this number, before it or after it. */
export interface Death {
  readonly commit: number
  readonly fate: Extract<Fate, 'dies-before' | 'dies-after'>
}

/** What happens in a trial; the same one lives through all lives of it. */
export interface Scenario {
  readonly options: (now: () => number) => StageOptions
  /** What the person does. A platform that was not told otherwise does it again after a restart, with the same keys. */
  readonly act: (at: Stage) => Promise<void>
  readonly lastsMs: number
  readonly check: (end: End) => Promise<void> | void
}

export interface End {
  readonly at: Stage
  readonly platform: Platform
}

/** Plays a scenario in one life after the other, each but the last ending as told; whether all of them died. */
export async function playLives(scenario: Scenario, deaths: readonly Death[]): Promise<boolean> {
  const disk = new MemoryDisk()
  const platform = new Platform()
  let clock = new FakeClock(START)
  const options = scenario.options(() => clock.now())
  for (const [life, death] of deaths.entries()) {
    clock = new FakeClock(clock.now())
    const { log, hasDied } = mortalLog(disk, death)
    const seed = life + 1
    const parts = { ...options, disk, log, clock, seed, send: unlessDead(hasDied, platform.send) }
    await liveOn(scenario, parts, hasDied).catch(unlessKilled)
    if (!hasDied()) return false
    disk.holder = null
  }
  clock = new FakeClock(clock.now())
  const at = await stage({ ...options, disk, clock, seed: 0, send: platform.send })
  await scenario.act(at)
  await clock.pass(scenario.lastsMs)
  await at.settle()
  await expectLawful(at.log)
  await expectEmpty(at.log)
  await scenario.check({ at, platform })
  await at.close()
  return true
}

/** Dies at every commit there is, both ways; how many there were. */
export async function dieEverywhere(scenario: () => Scenario): Promise<number> {
  await playLives(scenario(), [])
  for (let commit = 1; ; commit++) {
    const before = await playLives(scenario(), [{ commit, fate: 'dies-before' }])
    const after = await playLives(scenario(), [{ commit, fate: 'dies-after' }])
    if (!before && !after) return commit - 1
  }
}

async function liveOn(
  scenario: Scenario,
  options: StageOptions & { clock: FakeClock },
  hasDied: () => boolean,
): Promise<void> {
  const at = await stage(options)
  await scenario.act(at)
  // Time does not go on without the process: the next one starts when this one died.
  const end = options.clock.now() + scenario.lastsMs
  while (!hasDied() && options.clock.now() < end)
    await options.clock.pass(Math.min(MOMENT_MS, scenario.lastsMs))
  at.failures.forEach(unlessKilled)
}

const MOMENT_MS = 500

export function mortalLog(disk: MemoryDisk, death: Death): { log: StoreLog; hasDied: () => boolean } {
  let commits = 0
  const store = new MortalStore(openMemoryStore(disk, 'a life'), {
    fate: () => (++commits === death.commit ? death.fate : 'lives'),
    during: (_, commit) => commit(),
    committed: () => undefined,
    foundFull: () => undefined,
  })
  return { log: new StoreLog(store, projections), hasDied: () => store.isDead }
}

/** The dead send nothing; what they were about to send is lost with them. */
export function unlessDead(hasDied: () => boolean, send: Channel['send']): Channel['send'] {
  return async (message, note) => {
    if (hasDied()) throw new Killed('this process is dead')
    return send(message, note)
  }
}

export function unlessKilled(error: unknown): void {
  if (!(error instanceof Killed)) throw error
}
