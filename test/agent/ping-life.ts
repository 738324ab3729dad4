import { actRun } from '../../src/agent/run/run-act.ts'
import type { Actor } from '../../src/agent/contract/act.ts'
import type { KeepLook } from '../../src/agent/ping/chore.ts'
import { pingChores } from '../../src/agent/ping/ping-chores.ts'
import { planPings, type Ping } from '../../src/agent/ping/pinging.ts'
import { Post } from '../../src/agent/loop/post.ts'
import { openTries } from '../../src/agent/loop/tries.ts'
import type { AgentSettings } from '../../src/agent/state/settings.ts'
import type { World } from '../../src/agent/contract/world.ts'
import { seededRandom } from '../../src/base/random.ts'
import { ChannelError, type Channel } from '../../src/channel/channel.ts'
import { createBranch } from '../../src/context/fork.ts'
import { makeBranchId, makeTurnId, type BranchId } from '../../src/event/id.ts'
import type { Event, EventOf, Kind } from '../../src/event/event.ts'
import type { Writing } from '../../src/event/table.ts'
import type { Log } from '../../src/log/log.ts'
import { MemoryDisk, openMemoryLog } from '../../src/log/memory.ts'
import { job } from './run-rig.ts'
import { breathe, FakeClock, projections, START } from './stage.ts'

/** What a platform does with a message. */
export type Fate = 'taken' | 'refused' | 'later' | 'hangs'

export interface Wish {
  readonly text: string
  readonly isCritical?: boolean
  readonly isPatient?: boolean
}

export const PEOPLE = ['owner', 'guest'] as const
export type Person = (typeof PEOPLE)[number]

const places = {
  owner: { channel: 'terminal', conversation: 'local' },
  guest: { channel: 'terminal', conversation: 'guest' },
} as const

/** Where the owner is found besides. */
const SECOND = { channel: 'terminal', conversation: 'second' } as const

/** Pings on a log of their own: real decisions, post and chores; no model, and a clock that goes any way. */
export interface PingLife {
  readonly clock: FakeClock
  settings: AgentSettings
  /** What the platform does with the next messages; `taken` when there is no more. */
  readonly fates: Fate[]
  /** What arrived, in order. */
  readonly arrived: string[]
  readonly mains: Readonly<Record<Person, BranchId>>
  /** A new run of a person's job. */
  run(person: Person, more?: { readonly allowPing?: boolean; readonly job?: string }): Promise<BranchId>
  /** What the calls of one step gave, in one transaction. */
  ping(branch: BranchId, wishes: readonly Wish[]): Promise<string[]>
  /** Several branches at once. */
  pingAll(wishes: readonly (readonly [BranchId, Wish])[]): Promise<string[]>
  /** The person writes in a conversation of theirs. */
  hear(person: Person, conversation?: string): Promise<void>
  write<T>(work: (writing: Writing) => T): Promise<T>
  /** Moves the clock, forwards or back, and lets everything happen that is due then. */
  move(ms: number): Promise<void>
  /** Lets everything happen that is due now. */
  settle(): Promise<void>
  /** The process dies where it is, and another one starts. */
  restart(): Promise<void>
  read: Log['read']
  all(): Promise<Event[]>
  events<K extends Kind>(kind: K): Promise<EventOf<K>[]>
}

export async function pingLife(given: AgentSettings): Promise<PingLife> {
  const disk = new MemoryDisk()
  const clock = new SettableClock(START)
  const random = seededRandom(3)
  const fates: Fate[] = []
  const arrived: string[] = []
  const author = { by: 'policy', name: 'schedule' } as const
  let log = openMemoryLog({ disk, projections })
  let runs = 0
  const channel: Channel = {
    name: 'terminal',
    canAsk: false,
    can: { follow: true },
    start: async () => undefined,
    stop: async () => undefined,
    send: async ({ text }) => {
      const fate = fates.shift() ?? 'taken'
      if (fate === 'hangs') return new Promise(() => undefined)
      if (fate !== 'taken') throw new ChannelError('the platform is down', { isFinal: fate === 'refused' })
      arrived.push(text)
      return null
    },
  }
  const failures: unknown[] = []
  const fail = (error: unknown): void => void failures.push(error)
  const postOn = async (): Promise<Post> => {
    const world = {
      log,
      now: () => clock.now(),
      sleep: clock.sleep,
      channels: new Map([['terminal', channel]]),
      settings: () => life.settings,
      emit: () => undefined,
    }
    return new Post(world as unknown as World, await openTries({ log }), fail)
  }
  const look = (): KeepLook => ({
    now: clock.now(),
    settings: life.settings,
    channels: new Set(['terminal']),
    passingSince: null,
    sending: post.sending,
  })
  const actorIn = (branch: BranchId): Actor => ({
    branch,
    author,
    at: clock.now(),
    seed: random(),
    settings: life.settings,
  })
  const plan = (writing: Writing, branch: BranchId, wishes: readonly Wish[]): string[] => {
    const step = { turn: makeTurnId(clock.now(), random), position: 1 as never }
    const wanted = wishes.map((wish) => ({ call: { args: {}, step }, ping: pingOf(wish) }))
    return planPings(writing, actorIn(branch), wanted).map(({ said }) => said.text)
  }
  const mains = await log.write((writing) => {
    const made = PEOPLE.map((person) => {
      const at = clock.now()
      const child = makeBranchId(at, random)
      writing.append(createBranch({ child, mode: 'main', title: null, at, author }).draft)
      for (const place of [...(person === 'owner' ? [SECOND] : []), places[person]])
        writing.append({ kind: 'conversation-bound', branch: child, at, v: 1, ...place, author })
      heard(writing, { branch: child, at, person, conversation: places[person].conversation })
      return [person, child] as const
    })
    return Object.fromEntries(made) as Record<Person, BranchId>
  })
  const settle = async (): Promise<void> => {
    for (let round = 0; ; round++) {
      if (round > 100) throw new Error('the chores never come to rest')
      void post.look()
      await breathe()
      const hasKept = await log.write((writing) => {
        const due = pingChores.filter((chore) => (chore.dueAt(writing, look()) ?? Infinity) <= clock.now())
        for (const chore of due) chore.keep(writing, look())
        return due.length > 0
      })
      if (failures.length > 0) throw failures[0]
      if (!hasKept) return
    }
  }
  const life: PingLife = {
    clock,
    settings: given,
    fates,
    arrived,
    mains,
    run: (person, { allowPing = true, job: name = `job-${++runs}` } = {}) =>
      log.write((writing) => {
        const asked = job({ job: name, allowPing, isolated: true, ...(person !== 'owner' && { person }) })
        const { run, text } = actRun(writing, actorIn(mains[person]), asked)
        if (run === undefined) throw new Error(text)
        return run
      }),
    ping: async (branch, wishes) => {
      const said = await log.write((writing) => plan(writing, branch, wishes))
      await settle()
      return said
    },
    pingAll: async (wishes) => {
      const said = wishes.map(([branch, wish]) => log.write((writing) => plan(writing, branch, [wish])))
      return (await Promise.all(said)).flat()
    },
    hear: async (person, conversation = places[person].conversation) => {
      const at = clock.now()
      await log.write((writing) => heard(writing, { branch: mains[person], at, person, conversation }))
    },
    write: (work) => log.write(work),
    move: async (ms) => {
      if (ms < 0) clock.set(clock.now() + ms)
      else await clock.pass(ms)
      await settle()
    },
    settle,
    restart: async () => {
      // What hangs there hangs for ever, so nobody waits for it; nothing of it is written any more.
      void post.close()
      await breathe()
      await log.close()
      log = openMemoryLog({ disk, projections })
      post = await postOn()
      await settle()
    },
    read: (work) => log.read(work),
    all: () => Array.fromAsync(log.events()),
    events: async <K extends Kind>(kind: K) =>
      (await Array.fromAsync(log.events())).filter((event): event is EventOf<K> => event.kind === kind),
  }
  let post = await postOn()
  return life
}

class SettableClock extends FakeClock {
  #back = 0

  override now(): number {
    return super.now() - this.#back
  }

  set(at: number): void {
    this.#back += this.now() - at
  }
}

function pingOf({ text, isCritical = false, isPatient = false }: Wish): Ping {
  return { what: 'message', text, isCritical, isPatient }
}

function heard(
  writing: Writing,
  {
    branch,
    at,
    person,
    conversation,
  }: { branch: BranchId; at: number; person: string; conversation: string },
): void {
  const source = { from: 'person', channel: 'terminal', conversation, person, key: null } as const
  writing.append({ kind: 'inbound-admitted', branch, at, v: 1, source, form: 'note', text: 'I am here.' })
}
