import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Message } from 'grammy/types'
import { AGAIN } from '../../src/channel/telegram/sending.ts'
import { stopwatchMs } from '../../src/base/clock.ts'
import type { Event } from '../../src/event/event.ts'
import { fileStore } from '../../src/file/file-store.ts'
import { openForReading } from '../../src/runtime/home/open-log.ts'
import { seededRandom, type Random } from '../../src/base/random.ts'
import { startModelServer, type ModelServer, type SeenRequest, type Turn } from '../stand-ins/model-server.ts'
import type { Media, Person, Place } from '../stand-ins/telegram/people.ts'
import { startTelegram, type Fault, type TelegramStandIn } from '../stand-ins/telegram/server.ts'
import {
  abridged,
  answerTo,
  checkFiles,
  checkMarks,
  checkSecrets,
  heardIn,
  missingIn,
  WORD,
  type Kill,
  type SentFiles,
  type Talk,
} from './telegram-laws.ts'

const MAINSTEM = fileURLToPath(new URL('../../bin/mainstem.js', import.meta.url))
export const KILLS_PER_SEED = 20
/** Only what hangs is to fail. */
const PATIENCE_MS = 120_000
const KILL_WITHIN_MS = 2_500
const MEMBERS = ['Cleo', 'Dan', 'Eva', 'Finn', 'Gus']
const PRIVATE = /This assistant is private/
const HINT = /This assistant is private.* code: (\S+)/
const HINTS_MAX = 10

export interface Survived {
  readonly kills: number
  readonly asked: number
  /** Messages that were sent again, marked. */
  readonly repeats: number
  /** Messages with a mark whose first try was killed before it came. */
  readonly unseen: number
}

/**
 * Ten people on Telegram: the owner and two guests in their own chats, they and five others in a group, and two whom
 * nobody knows. The process that answers them is killed again and again, while connections break and messages come
 * twice, in another order or changed: everything asked is answered once and in order, and nobody sees what is not theirs.
 */
export async function killOnTelegram(
  seed: number,
  { kills = KILLS_PER_SEED, onKill }: { kills?: number; onKill?: () => void } = {},
): Promise<Survived> {
  const random = seededRandom(seed)
  const scene = await Scene.open(random)
  try {
    await scene.pair()
    for (let kill = 0; kill < kills; kill++) {
      await scene.live()
      await scene.kill()
      onKill?.()
      scene.meanwhile()
      scene.serve()
    }
    return { kills, asked: scene.asked, ...(await scene.settled()) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(`seed ${seed}: ${message}\n${scene.told()}`, { cause: error })
  } finally {
    await scene.close()
  }
}

interface Asked {
  readonly by: Person
  readonly message: Message
  readonly word: string
  isEdited: boolean
}

class Scene {
  /** What the processes wrote. */
  printed = ''
  readonly #random: Random
  readonly #telegram: TelegramStandIn
  readonly #model: ModelServer
  readonly #home = mkdtempSync(join(tmpdir(), 'mainstem-telegram-'))
  readonly #owner: Person
  readonly #guests: readonly Person[]
  readonly #members: readonly Person[]
  readonly #strangers: readonly Person[]
  readonly #group: Place
  readonly #talks: readonly Talk[]
  readonly #written: Asked[] = []
  readonly #kills: Kill[] = []
  readonly #sent: SentFiles[] = []
  /** Sends parts of albums that come later than the others. */
  #late: (() => void)[] = []
  #words = 0
  #child: ChildProcess | undefined
  /** How often Telegram was asked for updates before this process. */
  #polls = 0
  #isOver = false

  static async open(random: Random): Promise<Scene> {
    const telegram = await startTelegram()
    const model = await startModelServer((request) => answerOf(request, random))
    const scene = new Scene(random, telegram, model)
    scene.serve()
    return scene
  }

  private constructor(random: Random, telegram: TelegramStandIn, model: ModelServer) {
    this.#random = random
    this.#telegram = telegram
    this.#model = model
    const person = (name: string): Person => telegram.person(name)
    this.#owner = person('Olga')
    this.#guests = [person('Ana'), person('Ben')]
    this.#members = MEMBERS.map(person)
    this.#strangers = [person('Sid'), person('Tom')]
    this.#group = telegram.group('Club')
    const privates = [this.#owner, ...this.#guests]
    this.#talks = [
      ...privates.map((place) => ({ name: place.user.first_name.toLowerCase(), place, asked: [] })),
      { name: 'club', place: this.#group, asked: [] },
    ]
    const config = {
      telegram: { token: telegram.token, url: telegram.url },
      links: [`telegram:${this.#owner.user.id}`],
      model: 'openai-compatible/echo',
      openaiCompatible: { url: `${model.url}/v1` },
      rateLimitMax: 10_000,
      reconnectBaseDelay: 50,
      reconnectMaxDelay: 500,
      reconnectJitter: 50,
    }
    mkdirSync(this.#home, { recursive: true, mode: 0o700 })
    writeFileSync(join(this.#home, 'config.json'), JSON.stringify(config))
  }

  get asked(): number {
    return this.#talks.reduce((sum, { asked }) => sum + asked.length, 0)
  }

  /** For whoever looks for the cause. */
  told(): string {
    const calls = this.#telegram.calls.map(({ method, params }) => `${method} ${JSON.stringify(params)}`)
    const requests = this.#model.requests.map(({ body }) => JSON.stringify(body.messages.at(-1)))
    const lines = [...calls.slice(-40), ...requests.slice(-5)].map(abridged)
    return [...lines, this.printed.slice(-1_000)].join('\n')
  }

  serve(): void {
    const child = spawn(process.execPath, [MAINSTEM, '--home', this.#home, 'serve', '--port', '0'])
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes: Buffer) => void (this.printed += bytes.toString()))
    this.#child = child
    this.#polls = this.#telegram.count('getUpdates')
  }

  /** Everybody but the strangers is let in, by a command or with a tap. */
  async pair(): Promise<void> {
    // Only now they can be asked here.
    this.#owner.writes('/mark begin')
    await this.#until('the owner is not answered', () => this.#owner.texts()[0])
    for (const person of [...this.#guests, ...this.#members]) {
      person.writes('hello')
      const code = await this.#until('no hint', () => HINT.exec(person.texts().join('\n'))?.[1])
      if (this.#random() % 4 === 0) {
        await this.kill()
        this.serve()
      }
      const name = person.user.first_name
      if (this.#random() % 2 === 0) this.#owner.writes(`/pair approve ${code} ${name}`)
      else {
        const asked = await this.#until('nobody asks the owner', () =>
          this.#owner.fromBot().findLast(({ text = '' }) => text.includes(code)),
        )
        this.#owner.taps(asked, `Let in as ${name}`)
      }
      await this.#until(`${name} is not let in`, () => /Welcome/.test(person.texts().join('\n')) || undefined)
    }
  }

  /** People write, and things go wrong, until it is time for a kill. */
  async live(): Promise<void> {
    const random = this.#random
    // Now and then it dies before it has begun.
    const isEarly = random() % 6 === 0
    if (!isEarly)
      await this.#until(
        'it does not start',
        () => this.#telegram.count('getUpdates') > this.#polls || undefined,
      )
    for (let count = random() % 4; count > 0; count--) {
      if (random() % 2 === 0) this.#break()
      this.#happen()
      await sleep(random() % 200)
    }
  }

  /** At a call of Telegram's, while a message waits to be sent, or at any time. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    const random = this.#random
    const dead = once(child, 'exit')
    const die = async (): Promise<void> => {
      if (this.#child !== child || this.#isOver) return
      child.kill('SIGKILL')
      await dead
    }
    const how = random() % 4
    if (how === 0) this.#telegram.will('sendMessage', { retryAfter: 2 })
    else if (how > 1) {
      const method = pick(random, [
        'sendMessage',
        'sendMessage',
        'editMessageText',
        'getUpdates',
        'deleteMessage',
        'file',
      ])
      this.#telegram.will(method, random() % 2 === 0 ? { before: die } : { after: die })
    }
    await Promise.race([dead, sleep(random() % KILL_WITHIN_MS)])
    await die()
    this.#child = undefined
    const noted = readFileSync(join(this.#home, 'run', 'sending.json'), 'utf8')
    const { positions } = JSON.parse(noted) as { positions: number[] }
    this.#kills.push({ after: this.#telegram.calls.length, onItsWay: positions })
  }

  /** People go on while nobody is there; their messages may come in another order. */
  meanwhile(): void {
    const random = this.#random
    if (random() % 2 === 0) return
    this.#sendLate()
    const { world } = this.#telegram
    // The call of a process that was killed may still end, and Telegram then forgets older updates.
    const lastId = (): number => world.updates.at(-1)?.update.update_id ?? 0
    const start = lastId()
    const one = this.#ask()
    const middle = lastId()
    const other = this.#ask()
    const { updates } = world
    const fresh = updates.splice(updates.findIndex(({ update }) => update.update_id > start))
    const early = fresh.filter(({ update }) => update.update_id <= middle)
    const late = fresh.slice(early.length)
    if (early.length === 0 || late.length === 0) throw new Error('nobody polls')
    const isSwapped = random() % 2 === 0
    for (const [index, { at, update }] of (isSwapped ? [...late, ...early] : fresh).entries()) {
      const id = fresh[index]?.update.update_id ?? 0
      updates.push({ at, update: { ...update, update_id: id } })
    }
    if (isSwapped && one === other) one.asked.push(...one.asked.splice(-2).toReversed())
  }

  /** Waits until everything is answered, stops, and looks at everything. Returns how much was repeated. */
  async settled(): Promise<Pick<Survived, 'repeats' | 'unseen'>> {
    this.#isOver = true
    this.#sendLate()
    let left = ''
    const look = (): true | undefined => {
      try {
        left = this.#talks.flatMap((talk) => missingIn(talk, heardIn(talk))).join(', ')
      } catch (error) {
        left = error instanceof Error ? error.message : String(error)
      }
      return left === '' && this.#telegram.world.updates.length === 0 ? true : undefined
    }
    await this.#until(() => `not settled: ${left}`, look)
    const child = this.#child
    if (child !== undefined) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    const heard = this.#talks.map((talk) => ({ talk, heard: heardIn(talk) }))
    for (const { talk, heard: one } of heard)
      if (missingIn(talk, one).length > 0) throw new Error('something was answered and is gone')
    checkSecrets(this.#telegram, this.#talks)
    this.#checkModel()
    this.#checkStrangers()
    const repeats = heard.reduce((sum, { heard: one }) => sum + one.repeats, 0)
    const events = await this.#events()
    await checkFiles(this.#sent, { events, store: fileStore(this.#home) })
    const seen = { events, kills: this.#kills }
    return { repeats, unseen: checkMarks(this.#telegram.calls, seen) }
  }

  async close(): Promise<void> {
    this.#isOver = true
    const child = this.#child
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    await this.#telegram.close()
    await this.#model.close()
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 20 })
  }

  async #events(): Promise<readonly Event[]> {
    const log = openForReading(this.#home)
    try {
      return await Array.fromAsync(log.events())
    } finally {
      await log.close()
    }
  }

  #happen(): void {
    const random = this.#random
    if (random() % 2 === 0) this.#sendLate()
    const recent = this.#written.at(-1 - (random() % 6))
    switch (random() % 10) {
      case 0:
        return recent?.by.repeats(recent.message)
      case 1:
        return this.#edit(recent)
      case 2:
        return this.#beIgnored()
      case 3:
        return void pick(random, [this.#owner, ...this.#guests]).writes('/recall lunch')
      default:
        this.#ask()
    }
  }

  #ask(): Talk {
    const random = this.#random
    // A group takes few messages.
    const talk = pick(random, [...this.#talks, ...this.#talks.slice(0, 3), ...this.#talks.slice(0, 3)])
    const { place, asked, name } = talk
    const isGroup = place === this.#group
    const by = isGroup ? pick(random, this.#everybody) : (place as Person)
    const word = this.#word(name)
    const text = `${isGroup ? '@mainstem_bot ' : ''}say ${word} before lunch`
    asked.push(word)
    const message = this.#send(by, text, place)
    this.#written.push({ by, message, word, isEdited: false })
    return talk
  }

  #send(by: Person, text: string, place: Place): Message {
    // Not to what /recall showed: the model would answer what is quoted.
    const last = place.fromBot().findLast(({ text: shown = '' }) => shown.startsWith('Answer'))
    switch (this.#random() % 6) {
      case 0:
        return last === undefined ? by.writes(text, place) : by.replies(last, text)
      case 1:
        return this.#sendFiles(by, text, place)
      default:
        return by.writes(text, place)
    }
  }

  #sendFiles(by: Person, caption: string, place: Place): Message {
    const random = this.#random
    const count = random() % 2 === 0 ? 1 : 2 + (random() % 2)
    const files = Array.from({ length: count }, () => mediaOf(random, count > 1))
    const more = count > 1 ? { media_group_id: this.#word('album') } : {}
    const sent: SentFiles = { messages: [], contents: files.map(({ bytes }) => bytes) }
    this.#sent.push(sent)
    for (const [index, { media }] of files.entries()) {
      const about = index === 0 ? { caption } : {}
      const send = (): void => void sent.messages.push(by.sends(media, { ...about, place, more }))
      if (index > 0 && random() % 3 === 0) this.#late.push(send)
      else send()
    }
    return sent.messages[0] as Message
  }

  #sendLate(): void {
    for (const send of this.#late.splice(0)) send()
  }

  #edit(asked: Asked | undefined): void {
    if (asked === undefined || asked.isEdited) return
    asked.isEdited = true
    const { by, message, word } = asked
    by.edits(message, (message.text ?? message.caption ?? '').replace(word, `${word}e`))
  }

  /** Somebody says something that is not for us, or nobody knows them. */
  #beIgnored(): void {
    const random = this.#random
    const stranger = pick(random, this.#strangers)
    switch (random() % 4) {
      case 0:
        return void pick(random, this.#everybody).writes(
          `say ${this.#word('quiet')} before lunch`,
          this.#group,
        )
      case 1:
        return void stranger.writes(`@mainstem_bot say ${this.#word('stranger')} before lunch`, this.#group)
      case 2:
        return void stranger.sends(
          { voice: { bytes: Buffer.from('OggS of a stranger') } },
          { caption: this.#word('stranger') },
        )
      default:
        return stranger.repeats(stranger.writes(`say ${this.#word('stranger')} before lunch`))
    }
  }

  #break(): void {
    const random = this.#random
    const method = pick(random, [
      'sendMessage',
      'sendMessage',
      'editMessageText',
      'deleteMessage',
      'getUpdates',
      'getFile',
      'file',
      'getMe',
      'sendChatAction',
      'setMessageReaction',
    ])
    const slowly = { after: () => sleep(random() % 1_000) }
    const fault = pick<Fault>(random, [
      'drop-before',
      'drop-after',
      'bad-gateway',
      'html-page',
      { retryAfter: 1 },
      slowly,
    ])
    this.#telegram.will(method, fault)
  }

  /** Each call of the model has words of one chat only, and none of strangers. */
  #checkModel(): void {
    for (const { body } of this.#model.requests) {
      const names = new Set(Array.from(JSON.stringify(body).matchAll(WORD), ([, name]) => name))
      if (names.size > 1 || names.has('quiet') || names.has('stranger'))
        throw new Error(`a call of the model has words of ${[...names].join(' and ')}`)
    }
  }

  #checkStrangers(): void {
    const everybody = [...this.#guests, ...this.#members, ...this.#strangers]
    const hints = everybody.flatMap((person) =>
      person.texts().filter((text) => HINT.test(text) && !text.startsWith(AGAIN)),
    )
    if (hints.length > HINTS_MAX) throw new Error(`${hints.length} hints`)
    const others = this.#strangers.flatMap((person) => person.texts().filter((text) => !PRIVATE.test(text)))
    if (others.length > 0) throw new Error(`strangers were told: ${others.join('\n')}`)
    const { calls, world } = this.#telegram
    const fetched = calls
      .filter(({ method }) => method === 'getFile')
      .map(({ params }) => world.files.get(String(params['file_id']))?.bytes ?? [])
    if (fetched.some((bytes) => Buffer.from(bytes).includes('stranger')))
      throw new Error('a file of a stranger was fetched')
  }

  get #everybody(): readonly Person[] {
    return [this.#owner, ...this.#guests, ...this.#members]
  }

  #word(name: string): string {
    return `z${name}${++this.#words}`
  }

  async #until<T>(what: string | (() => string), look: () => T | undefined): Promise<T> {
    const end = stopwatchMs() + PATIENCE_MS
    while (stopwatchMs() < end) {
      const found = look()
      if (found !== undefined) return found
      const ended = this.#child?.exitCode
      if (typeof ended === 'number') throw new Error(`it ended with ${ended}`)
      await sleep(20)
    }
    throw new Error(typeof what === 'string' ? what : what())
  }
}

/** Says the words that came since it spoke last. */
function answerOf({ body }: SeenRequest, random: Random): Turn {
  const { messages } = body as { messages: { role: string; content: unknown }[] }
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
  const words = Array.from(
    JSON.stringify(since).matchAll(/say (z\w+) before lunch/g),
    ([, word = '']) => word,
  )
  if (words.length === 0) return { blocks: [{ text: 'There is nothing to say.' }] }
  const padding = pick(random, [0, 0, 0, 100, 100, 1_500])
  const answer = { blocks: [{ text: answerTo([...new Set(words)], padding) }] }
  if (random() % 2 === 0) return answer
  return { held: answer, after: 1 + (random() % 30), until: sleep(random() % 3_000) }
}

/** Different messages may have files with equal bytes. Albums have photos only. */
function mediaOf(random: Random, isAlbum: boolean): { readonly media: Media; readonly bytes: Uint8Array } {
  const kind = isAlbum ? 'photo' : pick(random, ['photo', 'voice', 'document'] as const)
  const bytes = Buffer.from(`${HEADS[kind]}${`${random() % 5}`.repeat(200)}`, 'latin1')
  if (kind === 'photo') return { media: { photo: { bytes } }, bytes }
  if (kind === 'voice') return { media: { voice: { bytes } }, bytes }
  return { media: { document: { bytes }, name: 'list.txt', type: 'text/plain' }, bytes }
}

const HEADS = { photo: '\xFF\xD8\xFF', voice: 'OggS', document: 'a list ' } as const

function pick<T>(random: Random, all: readonly T[]): T {
  return all[random() % all.length] as T
}
