import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { assert } from '../../src/base/assert.ts'
import { instantShowing } from '../../src/base/zone-time.ts'
import type { Channel } from '../../src/channel/channel.ts'
import type { EventOf, Kind } from '../../src/event/event.ts'
import { OWNER } from '../../src/event/speaker.ts'
import { openLife, type Life } from '../../src/runtime/life/life.ts'
import { terminalAddress } from '../../src/runtime/terminal/place.ts'
import { nextTime } from '../../src/view/jobs.ts'
import { ChatApp } from '../../test/stand-ins/chat-app.ts'
import { answers, type Step } from './model.ts'
import { advanceTo, nextWake, realTime, stopTime } from './world.ts'

export const ZONE = 'Europe/Berlin'
const MINUTE = 60_000

/** Tells a story to a running Mainstem: moves its clock, types for its owner, writes its files. */
export class Teller {
  readonly home: string
  readonly app = new ChatApp()
  #life: Life | undefined
  #messages = 0

  constructor(home: string) {
    this.home = home
  }

  get life(): Life {
    assert(this.#life !== undefined, 'the story has begun')
    return this.#life
  }

  async begin(when: string): Promise<void> {
    stopTime(storyInstant(when))
    const terminal: Channel = {
      name: 'terminal',
      canAsk: true,
      can: { follow: true },
      start: async () => undefined,
      stop: async () => undefined,
      send: async ({ id }) => `shown-${id}`,
    }
    this.#life = await openLife({
      home: this.home,
      command: 'page-story',
      environment: { PATH: process.env['PATH'], ANTHROPIC_API_KEY: 'sk-the-story' },
      channels: [terminal, { ...this.app.channel(), name: 'telegram' }],
      conversation: terminalAddress,
      schedules: true,
      warn: () => undefined,
      fail: (error) => {
        throw error
      },
    })
    await this.quiet()
  }

  async end(): Promise<void> {
    await this.quiet()
    await this.life.close()
  }

  /** Lets time pass until then, local time such as `2026-11-14 09:12`; every job that is due meanwhile runs. */
  async on(when: string): Promise<void> {
    await this.#passTo(storyInstant(when), (to) => this.#nextJob(to))
  }

  /** Lets a short time pass, with everybody who waits for something in it. */
  async pass(minutes: number): Promise<void> {
    await this.#passTo(Date.now() + minutes * MINUTE, (to) => Promise.resolve(Math.min(to, nextWake())))
  }

  /** You type a message, and the model answers with these steps. */
  async you(text: string, ...steps: Step[]): Promise<void> {
    if (steps.length > 0) answers(text, ...steps)
    await this.type(text)
    await this.quiet()
    advanceTo(Date.now() + 4_000 + text.length * 60)
    await this.quiet()
  }

  async type(text: string): Promise<void> {
    const messageId = `typed-${++this.#messages}`
    await this.life.receive({ ...terminalAddress, origin: 'terminal', person: OWNER, messageId, text })
  }

  /** Somebody writes in the chat app. */
  async write(user: string, userName: string, text: string): Promise<void> {
    const messageId = `written-${++this.#messages}`
    const sender = { channel: 'telegram', conversation: user, user, userName }
    await this.app.door?.arrive({ ...sender, messageId, text })
    await this.quiet()
  }

  /** The number of the newest unasked message with these words. */
  async numberOf(words: string): Promise<number> {
    const { number } = await this.newest(
      'delivery-intended',
      (event) => event.number !== undefined && event.text.includes(words),
    )
    return number ?? 0
  }

  file(path: string, text: string): void {
    const place = join(this.home, 'workspace', path)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, text)
  }

  textOf(path: string): string {
    return readFileSync(join(this.home, 'workspace', path), 'utf8')
  }

  /** A job's file, taken up at once. */
  async job(path: string, matter: Readonly<Record<string, unknown>>, body: string): Promise<void> {
    const lines = Object.entries(matter).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    this.file(path, ['---', ...lines, '---', body, ''].join('\n'))
    const { shelf } = this.life.desk
    const isRead = (): boolean => [...shelf.jobs(), ...shelf.problems()].some(({ file }) => file === path)
    for (let tries = 0; !isRead(); tries++) {
      assert(tries < 1_000, `${path} is read`)
      await realTime(10)
    }
    await this.quiet()
  }

  async newest<K extends Kind>(
    kind: K,
    isMeant: (event: EventOf<K>) => boolean = () => true,
  ): Promise<EventOf<K>> {
    const all = await Array.fromAsync(this.life.log.events())
    const found = all.findLast(
      (event): event is EventOf<K> => event.kind === kind && isMeant(event as EventOf<K>),
    )
    assert(found !== undefined, `there is an event ${kind}`)
    return found
  }

  /** Resolves when nothing is left to do at this moment. A turn that waits for the clock or a person may run on. */
  async quiet(): Promise<void> {
    const { log, agent } = this.life
    for (let before = -1; ;) {
      for (let turn = 0; turn < 12; turn++) await new Promise(setImmediate)
      await Promise.race([agent.settled(), realTime(PATIENCE_MS)])
      const end = await log.read((reader) => reader.end)
      if (end === before) return
      before = end
    }
  }

  async #passTo(end: number, next: (to: number) => Promise<number>): Promise<void> {
    for (;;) {
      const at = await next(end)
      advanceTo(Math.max(Date.now(), Math.min(at, end)))
      await this.quiet()
      if (Date.now() >= end) return
    }
  }

  async #nextJob(to: number): Promise<number> {
    const { desk, log } = this.life
    const when = { now: Date.now(), zone: ZONE }
    const times = await log.read((reader) =>
      desk.shelf.jobs().map(({ definition }) => nextTime(reader, definition, when) ?? Infinity),
    )
    return Math.min(to, ...times.filter((at) => at > when.now))
  }
}

/** Local time of the story, such as `2026-11-14 09:12`. */
export function storyInstant(when: string): number {
  return instantShowing(Date.parse(`${when.replace(' ', 'T')}Z`), ZONE)
}

/** How long a turn may wait for something outside the story, such as a program, before the story goes on. */
const PATIENCE_MS = 300
