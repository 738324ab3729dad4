import type { Arrival, Inbound } from '../src/channel/channel.ts'
import { Gate } from '../src/command/door/gate.ts'
import { receive } from '../src/command/door/reception.ts'
import type { Log } from '../src/log/log.ts'
import type { Model } from '../src/model/contract/model.ts'
import { Doors } from '../src/runtime/life/door.ts'
import { DAY, HOUR } from '../test/agent/job-rig.ts'
import { FakeClock, stage, START, type Stage } from '../test/agent/stage.ts'
import { ChatApp } from '../test/stand-ins/chat-app.ts'

interface Scene extends Stage {
  readonly app: ChatApp
  arrive(user: string, more?: Partial<Arrival>): Promise<unknown>
}

/** Twenty days later: strangers, guests and a group on a chat app, with files, edits and answers that grow. */
export async function tellPeopleStory(log: Log): Promise<void> {
  const app = new ChatApp()
  const at = await openScene(log, app)
  await at.type('Hello again')
  await at.clock.pass(20_000)
  await tellOfPairing(at)
  await tellOfAnswers(at)
  await tellOfGuests(at)
  await at.close()
}

/** One stranger is the owner, one becomes a guest, one is refused; all others are only counted. */
async function tellOfPairing(at: Scene): Promise<void> {
  await at.arrive('7')
  await at.say(`/pair approve ${await lastCode(at)} me`)
  await at.arrive('7', { text: 'It is me.' })
  await at.clock.pass(20_000)
  await at.arrive('8')
  await at.say(`/pair approve ${await lastCode(at)} Ada`)
  await at.arrive('9')
  await at.say(`/pair refuse ${await lastCode(at)}`)
  await at.clock.pass(2 * HOUR)
}

/** One in several parts, one that is changed and one that is deleted while they wait, one that is stopped, and a refusal. */
async function tellOfAnswers(at: Scene): Promise<void> {
  at.app.charsMax = 20
  await at.arrive('7', { text: 'Count to ten.' })
  await at.clock.pass(3_000)
  const waiting = { text: 'Wait.', messageId: 'edited' }
  await at.arrive('7', waiting)
  await at.arrive('7', { text: 'Never mind.', messageId: 'dropped' })
  const sender = { channel: 'app', conversation: 'room 7', user: '7', userName: 'Seven' }
  await at.app.door?.edited({ ...sender, messageId: 'edited', text: 'Go on.' })
  await at.app.door?.removed({ ...sender, messageId: 'dropped' })
  await at.clock.pass(60_000)
  at.app.charsMax = 4_000
  await at.arrive('7', { text: 'Count again.' })
  await at.clock.pass(3_000)
  await at.arrive('7', { text: '/stop' })
  await at.clock.pass(20_000)
  at.app.fate = () => 'refused'
  await at.arrive('7', { text: 'And once more.' })
  await at.clock.pass(3_000)
  at.app.fate = () => 'taken'
  await at.clock.pass(60_000)
}

async function tellOfGuests(at: Scene): Promise<void> {
  await at.arrive('8', { text: 'Read this.', files: [SHIPS] })
  await at.clock.pass(20_000)
  const group = { title: 'Harbour', isForUs: true }
  await at.arrive('8', { text: 'And here?', conversation: 'harbour', group })
  await at.clock.pass(20_000)
  await at.say('/people remove Ada')
  await at.say('/people remove app:7')
}

const SHIPS = {
  kind: 'document',
  name: 'ships.txt',
  size: 16,
  fetch: async () => new TextEncoder().encode('A list of ships.'),
} as const

async function lastCode(at: Stage): Promise<string> {
  return (await at.events('pairing-asked')).at(-1)?.code ?? 'none'
}

async function openScene(log: Log, app: ChatApp): Promise<Scene> {
  const at: Stage = await stage({
    log,
    apps: [app.channel()],
    clock: new FakeClock(START + 20 * DAY),
    models: { counting: counting(() => at) },
    settings: { model: 'counting' },
  })
  const { desk, clock, failures } = at
  const fail = (error: unknown): void => void failures.push(error)
  const gate = new Gate({ desk, sleep: clock.sleep, fail })
  const taken = (inbound: Inbound) => receive(desk, inbound)
  const parts = { gate, files: desk.files, receive: taken, now: desk.now }
  const channels = [app.channel()]
  new Doors({ ...parts, channels, warn: fail, fail, onState: () => undefined }).open()
  let messages = 0
  const arrive: Scene['arrive'] = async (user, more) =>
    app.door?.arrive({
      channel: 'app',
      conversation: `room ${user}`,
      user,
      userName: `Name of ${user}`,
      messageId: `m${++messages}`,
      text: 'Hello',
      ...more,
    })
  return Object.assign(at, { app, arrive })
}

/** Writes so slowly that its answers grow before one's eyes. */
function counting(at: () => Stage): Model {
  const usage = { tokensIn: 1, tokensOut: 1, tokensCached: 0, tokensCacheWritten: 0 }
  return {
    name: 'counting',
    contextTokens: 100_000,
    call: async (_, { signal, onText }) => {
      const numbers = Array.from({ length: 10 }, (__, index) => `${index + 1} `)
      for (const number of numbers) {
        await at().clock.sleep(600, signal)
        onText?.(number)
      }
      return { text: numbers.join(''), calls: [], reasoning: [], finish: 'stop', usage }
    },
  }
}
