import { describe, expect, test } from 'vitest'
import type { Arrival, Inbound } from '../../src/channel/channel.ts'
import { Gate, type Entry } from '../../src/command/door/gate.ts'
import { receive, type Received } from '../../src/command/door/reception.ts'
import { personIn } from '../../src/agent/state/person.ts'
import { MemoryDisk } from '../../src/log/memory.ts'
import { ruled, ended, type Ruled } from './rig.ts'
import { FakeClock, START, type StageOptions } from './stage.ts'
import { lastText } from './rig.ts'

const HOUR = 60 * 60 * 1_000

interface Door extends Ruled {
  readonly gate: Gate
  /** As a channel hands it over: through the gate, and what passes is received. */
  arrive(
    arrival: Partial<Arrival> & { readonly user: string },
  ): Promise<Received['kind'] | 'stopped' | 'refused'>
  enter(arrival: Partial<Arrival> & { readonly user: string }): Promise<Entry>
  /** Texts that were sent to a conversation. */
  told(conversation: string): Promise<string[]>
}

let fetched = 0
const voice = {
  kind: 'voice',
  name: null,
  size: 9,
  fetch: async () => {
    fetched++
    return new Uint8Array(9)
  },
} as const

let messages = 0

async function door(options: StageOptions = {}): Promise<Door> {
  const at = await ruled((prompt) => ({ text: `Heard: ${lastText(prompt)}` }), options)
  const gate = new Gate({ desk: at.desk, sleep: at.clock.sleep, fail: (error) => at.failures.push(error) })
  const enter = (arrival: Partial<Arrival> & { readonly user: string }): Promise<Entry> =>
    gate.enter({
      channel: 'chat',
      conversation: `room ${arrival.user}`,
      userName: `Name of ${arrival.user}`,
      messageId: `m${++messages}`,
      text: 'hello',
      ...arrival,
    })
  return Object.assign(at, {
    gate,
    enter,
    arrive: async (arrival: Partial<Arrival> & { readonly user: string }) => {
      const entry = await enter(arrival)
      if (entry.kind === 'out') return entry.welcome.kind === 'ignored' ? 'stopped' : 'refused'
      const { kind } = await receive(at.desk, entry.inbound)
      return kind
    },
    told: async (conversation: string) =>
      (await at.events('delivery-intended'))
        .filter(({ to }) => to.conversation === conversation)
        .map(({ text }) => text),
  } as const)
}

const CODE = /code: ([A-Z2-9]{4}-[A-Z2-9]{4})$/

async function codeOf(at: Door, user: string): Promise<string> {
  const hint = (await at.told(`room ${user}`)).findLast((text) => CODE.test(text)) ?? ''
  return CODE.exec(hint)?.[1] ?? 'none'
}

async function paired(at: Door, user: string, as: string): Promise<void> {
  await at.arrive({ user })
  await at.say(`/pair approve ${await codeOf(at, user)} ${as}`)
}

describe('a stranger', () => {
  test('[SAFE1] sees one sentence with a code, and nothing of theirs is kept', async () => {
    const at = await door()
    expect(await at.arrive({ user: '7', text: '/help' })).toBe('stopped')
    expect(await at.told('room 7')).toEqual([
      expect.stringMatching(
        /^This assistant is private\. Its owner can let you in with this code: [A-Z2-9]{4}-[A-Z2-9]{4}$/,
      ),
    ])
    await at.settle()
    expect(await at.events('inbound-admitted')).toEqual([])
    expect(at.model.prompts).toEqual([])
    expect((await at.events('conversation-bound')).map(({ channel }) => channel)).toEqual(['terminal'])
  })

  test('[SAFE1] a thousand messages of a hundred strangers cost no model, no download and a few events', async () => {
    const disk = new MemoryDisk()
    const clock = new FakeClock(START)
    let at = await door({ disk, clock })
    fetched = 0
    for (let count = 0; count < 1_000; count++) {
      if (count === 500) {
        await at.gate.close()
        at = await door(await ended(at))
      }
      const user = String(count % 100)
      expect(await at.arrive({ user, files: [voice], text: `spam ${count}` })).toBe('stopped')
      await at.clock.pass(2 * 60 * 1_000)
      if (count % 50 === 0) await deny(at)
    }
    await at.gate.close()
    const { length: hints } = (await at.events('delivery-intended')).filter(({ text }) => CODE.test(text))
    const hours = Math.ceil((1_000 * 2) / 60)
    expect(hints).toBeGreaterThan(hours)
    expect(hints).toBeLessThanOrEqual(10 * hours)
    expect(at.model.prompts).toEqual([])
    expect(fetched).toBe(0)
    const noted = await at.events('strangers-noted')
    expect(noted.length).toBeLessThanOrEqual(hours + 1)
    for (const [index, { at: time }] of noted.entries())
      expect(time - (noted[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(HOUR)
    expect(noted.every(({ senders }) => senders.length <= 10)).toBe(true)
  })

  test('[SAFE1] ten thousand messages within an hour are three codes and one count, also across restarts', async () => {
    const disk = new MemoryDisk()
    const clock = new FakeClock(START)
    let at = await door({ disk, clock })
    const before = (await at.all()).length
    for (let count = 0; count < 2_000; count++) {
      if (count % 500 === 499) at = await door(await ended(at))
      await at.arrive({ user: String(count), text: 'spam' })
    }
    await at.clock.pass(HOUR)
    expect((await at.events('pairing-asked')).length).toBe(3)
    expect((await at.events('strangers-noted')).length).toBe(1)
    expect((await at.all()).length - before).toBeLessThan(20)
  })

  test('[SAFE1] gets at most one hint an hour, whatever becomes of their code', async () => {
    const at = await door()
    await at.arrive({ user: '7' })
    await at.say(`/pair refuse ${await codeOf(at, '7')}`)
    await at.arrive({ user: '7' })
    expect(await at.told('room 7')).toHaveLength(1)
    await at.clock.pass(HOUR)
    await at.arrive({ user: '7' })
    expect(await at.told('room 7')).toHaveLength(2)
  })

  test('[SAFE1] ten hints an hour are all there are', async () => {
    const at = await door()
    for (let user = 0; user < 15; user++) {
      await at.arrive({ user: String(user) })
      await deny(at)
    }
    expect((await at.events('pairing-asked')).length).toBe(10)
  })

  test('[PEOPLE1] in a group is not answered at all', async () => {
    const at = await door()
    const group = { title: 'Family', isForUs: true }
    expect(await at.arrive({ user: '7', conversation: 'g', group })).toBe('stopped')
    expect(await at.told('g')).toEqual([])
    expect(await at.events('pairing-asked')).toEqual([])
  })

  test('who calls themselves like somebody else is let in as nobody else', async () => {
    const at = await door()
    await paired(at, '7', 'Ana')
    await at.arrive({ user: '8', userName: 'ana' })
    await at.arrive({ user: '9', userName: 'me' })
    const choices = (await at.events('delivery-intended')).flatMap((one) => one.choices ?? [])
    const commands = choices.map(({ command }) => command).filter((command) => command.includes('approve'))
    expect(commands.slice(1).map((command) => command.replace(/^.* [A-Z\d-]{9} /, ''))).toEqual([
      'ana 2',
      'Guest',
    ])
  })
})

/** The owner refuses everybody who waits. */
async function deny(at: Door): Promise<void> {
  const decided = new Set((await at.events('pairing-decided')).map(({ code }) => code))
  for (const { code } of await at.events('pairing-asked'))
    if (!decided.has(code)) await at.type(`/pair refuse ${code}`)
}

describe('pairing', () => {
  test('the owner is asked once, in their place, with what to type and to tap', async () => {
    const at = await door()
    await at.arrive({ user: '7', userName: 'Eve\u202e\n/approve' })
    await at.arrive({ user: '7' })
    await at.settle()
    const code = await codeOf(at, '7')
    expect(at.sent.map(({ text }) => text)).toEqual([
      `'Eve /approve' (chat:7) wants to talk to me. Until 10:30:\n` +
        `/pair approve ${code} me if it is you, /pair approve ${code} NAME for a guest, /pair refuse ${code}`,
    ])
    expect(at.sent[0]?.choices).toEqual([
      { label: 'Let in as Eve /approve', command: `/pair approve ${code} Eve /approve` },
      { label: 'Refuse', command: `/pair refuse ${code}` },
    ])
  })

  test('[PEOPLE1] as me: the conversation talks to main', async () => {
    const at = await door()
    await paired(at, '7', 'me')
    expect(at.sent.at(-1)?.text).toBe('Paired: chat:7 (Name of 7) is you. What you write there goes to main.')
    expect(await at.arrive({ user: '7', text: 'It is me.' })).toBe('admitted')
    await at.settle()
    expect(await at.told('room 7')).toEqual([
      expect.stringMatching(CODE),
      'This conversation is yours now.',
      'Heard: It is me.',
    ])
    const [said] = (await at.events('inbound-admitted')).slice(-1)
    expect(said).toMatchObject({ branch: await at.branch(), source: { person: 'owner' } })
  })

  test('[PEOPLE1] as a guest: they talk to a main session of their own, with a guest’s rights', async () => {
    const at = await door()
    await paired(at, '7', 'Ana')
    expect(await at.arrive({ user: '7', text: 'Hello from Ana.' })).toBe('admitted')
    await at.settle()
    const [said] = (await at.events('inbound-admitted')).slice(-1)
    expect(said?.branch).not.toBe(await at.branch())
    expect(await at.read((reader) => said && personIn(reader, said.branch))).toBe('ana')
    await at.arrive({ user: '7', text: '/model offline' })
    await at.arrive({ user: '7', text: '/pair' })
    await at.arrive({ user: '7', text: '/mark here' })
    await at.settle()
    expect(await at.told('room 7')).toEqual([
      expect.stringMatching(CODE),
      'Welcome, Ana. You can write to me here now.',
      'Heard: Hello from Ana.',
      'This is for the owner only: /model offline',
      'This is for the owner only: /pair',
      "Checkpoint 'here' created.",
    ])
    const runs = await at.events('command-run')
    expect(runs.slice(-3).every(({ author }) => author.by === 'person' && author.person === 'ana')).toBe(true)
    expect((await at.events('mark-set')).at(-1)?.author).toEqual({ by: 'person', person: 'ana' })
  })

  test('a name that is known links another account of the same guest', async () => {
    const at = await door()
    await paired(at, '7', 'Ana')
    await paired(at, '8', 'ana')
    expect(at.sent.at(-1)?.text).toBe('Paired: chat:8 (Name of 8) is Ana too.')
    expect((await at.events('person-added')).length).toBe(1)
  })

  test('a code works for an hour, once, however it is typed', async () => {
    const at = await door()
    await at.arrive({ user: '7' })
    const code = await codeOf(at, '7')
    await at.say(`/pair approve ${code.toLowerCase().replace('-', '')} Ana`)
    expect(at.sent.at(-1)?.text).toBe('Paired: chat:7 (Name of 7) is Ana, a guest. /people lists everybody.')
    expect(await at.say(`/pair approve ${code} Eve`)).toEqual([
      `No one waits with the code ${code}. Codes work for an hour; /pair lists them.`,
    ])
    await at.arrive({ user: '8' })
    await at.clock.pass(HOUR)
    expect((await at.say(`/pair approve ${await codeOf(at, '8')} Ben`))[0]).toContain('No one waits')
  })

  test('[PEOPLE1] whoever is removed is a stranger: their branches end, and nothing waits for them', async () => {
    const at = await door()
    await paired(at, '7', 'Ana')
    await at.arrive({ user: '7', text: 'Hello.' })
    await at.settle()
    expect(await at.say('/people remove ana')).toEqual([
      'Removed Ana. Whoever writes from there is a stranger again.',
    ])
    expect(await at.arrive({ user: '7', text: 'And now?' })).toBe('stopped')
    await at.clock.pass(2 * HOUR)
    await paired(at, '7', 'me')
    await at.arrive({ user: '7', text: 'Now it is mine.' })
    await at.settle()
    const [said] = (await at.events('inbound-admitted')).slice(-1)
    expect(said?.branch).toBe(await at.branch())
  })

  test('[PEOPLE1] an account in `links` is the owner’s, without a code', async () => {
    const at = await door({ settings: { links: ['chat:7'] } })
    expect(await at.arrive({ user: '7', text: 'Hi.' })).toBe('admitted')
    expect(await at.arrive({ user: '7', channel: 'other', text: 'Hi.' })).toBe('stopped')
  })

  test('/people and /pair list who is here', async () => {
    const at = await door({ settings: { links: ['chat:1'] } })
    await paired(at, '7', 'Ana')
    await at.arrive({ user: '8', userName: 'Ben' })
    expect((await at.say('/people')).at(-1)).toBe(
      [
        'owner       owner  chat:1  last wrote 09:30',
        'ana    Ana  guest  chat:7  has not written yet',
        'Waiting to be let in: 1. /pair lists them.',
      ].join('\n'),
    )
    expect((await at.say('/pair')).at(-1)).toBe(
      [
        `${await codeOf(at, '8')}  chat:8  Ben  until 10:30`,
        '/pair approve CODE me, /pair approve CODE NAME or /pair refuse CODE',
      ].join('\n'),
    )
  })
})

describe('somebody we know', () => {
  test('[RECV1] one message that comes five times has one turn; the same id in two chats has two', async () => {
    const at = await door({ settings: { links: ['chat:7'] } })
    const once = { user: '7', messageId: '100', text: 'Once.' }
    const five = await Promise.all([1, 2, 3, 4, 5].map(() => at.arrive(once)))
    expect(five.filter((kind) => kind === 'admitted')).toHaveLength(1)
    await at.settle()
    expect(await at.arrive(once)).toBe('refused')
    await at.arrive({ ...once, conversation: 'another room', text: 'Elsewhere.' })
    await at.settle()
    expect((await at.events('turn-started')).length).toBe(2)
  })

  test('[PEOPLE1] a group is a person of its own: it answers when it is meant, with a guest’s rights, also to the owner', async () => {
    const at = await door({ settings: { links: ['chat:1'] } })
    await paired(at, '7', 'Ana')
    const group = { title: 'Family', isForUs: true }
    const say = (user: string, text: string, isForUs = true) =>
      at.arrive({ user, text, conversation: 'g', group: { ...group, isForUs } })
    expect(await say('7', 'Not for you.', false)).toBe('stopped')
    expect(await say('7', 'For you.')).toBe('admitted')
    expect(await say('1', '/model offline')).toBe('done')
    await at.settle()
    expect(await at.told('g')).toEqual(['This is for the owner only: /model offline', 'Heard: For you.'])
    const [said] = (await at.events('inbound-admitted')).slice(-1)
    expect(said?.source).toMatchObject({ person: 'family', speaker: { person: 'ana', name: 'Ana' } })
    expect((await at.events('command-run')).at(-1)).toMatchObject({
      author: { by: 'person' },
      source: { person: 'family', speaker: { person: 'owner' } },
    })
    expect((await at.events('person-added')).map(({ role }) => role)).toEqual(['guest', 'group'])
  })

  test('[SAFE5] a forwarded message is never a command', async () => {
    const at = await door({ settings: { links: ['chat:7'] } })
    expect(await at.arrive({ user: '7', text: '/clear', isForwarded: true })).toBe('admitted')
    await at.settle()
    expect(await at.events('context-cleared')).toEqual([])
    expect((await at.events('message-added'))[0]?.message).toMatchObject({
      before: [expect.stringContaining('forwarded')],
    })
  })

  test('what no log takes is refused or mended, and ends nothing', async () => {
    const at = await door({ settings: { links: ['chat:7'] } })
    expect(await at.arrive({ user: '7', text: 'a\0b\ud800' })).toBe('admitted')
    expect(await at.arrive({ user: '\ud800' })).toBe('refused')
    expect(await at.arrive({ user: 'x'.repeat(1_000) })).toBe('refused')
    await at.settle()
    expect(await at.told('room 7')).toEqual(['Heard: a\ufffdb\ufffd'])
  })
})

const limited = (max: number): Promise<Door> =>
  door({ settings: { links: ['chat:7'], rateLimit: { max, windowMs: 60_000 } } })

describe('the rate limit', () => {
  test('over it messages wait in the inbox, and one notice a window says how many', async () => {
    const at = await limited(2)
    for (let count = 1; count <= 5; count++) {
      await at.arrive({ user: '7', text: `${count}` })
      await at.settle()
    }
    expect(await at.told('room 7')).toEqual([
      'Heard: 1',
      'Heard: 2',
      'You write faster than I may answer: 1 message waits until 09:31 (in 60 s).',
    ])
    await at.clock.pass(60_000)
    await at.settle()
    expect((await at.told('room 7')).at(-1)).toContain('4')
    await at.clock.pass(60_000)
    await at.settle()
    expect((await at.told('room 7')).at(-1)).toBe('Heard: 5')
    expect((await at.events('inbound-admitted')).length).toBe(5)
  })

  test('ten times as many are refused, which is said once; what waits is answered after a restart', async () => {
    const at = await limited(1)
    const says: (string | undefined)[] = []
    for (let count = 1; count <= 13; count++) {
      const entry = await at.enter({ user: '7', text: `${count}` })
      if (entry.kind === 'in') await receive(at.desk, entry.inbound satisfies Inbound)
      else says.push(entry.welcome.say)
    }
    expect(says).toEqual([expect.stringContaining('too many messages'), undefined, undefined])
    await at.settle()
    const again = await door({ ...(await ended(at)), settings: at.settings })
    await again.clock.pass(10 * 60_000)
    await again.settle()
    expect((await again.told('room 7')).at(-1)).toBe('Heard: 10')
  })
})

describe('a message that its author', () => {
  const sender = { channel: 'chat', conversation: 'room 7', user: '7', userName: 'Ana' }

  test('changes while it waits is answered as changed', async () => {
    const at = await limited(1)
    await at.arrive({ user: '7', text: 'first' })
    await at.arrive({ user: '7', text: 'secnod', messageId: 'b' })
    await at.gate.edited({ ...sender, messageId: 'b', text: 'second' })
    await at.gate.edited({ ...sender, user: '8', messageId: 'b', text: 'of somebody else' })
    await at.clock.pass(60_000)
    await at.settle()
    expect((await at.told('room 7')).at(-1)).toBe('Heard: second')
  })

  test('changes later gets a note, once', async () => {
    const at = await limited(1)
    await at.arrive({ user: '7', text: 'frist', messageId: 'a' })
    await at.settle()
    const edit = { ...sender, messageId: 'a', text: 'first' }
    for (const one of [edit, edit, { ...edit, text: 'frist' }]) await at.gate.edited(one)
    await at.settle()
    const notes = (await at.events('message-added')).filter(({ message }) => message.role === 'note')
    expect(notes.map(({ message }) => message.text)).toEqual(['(changed an earlier message to:) first'])
    expect((await at.events('turn-started')).length).toBe(1)
  })

  test('[RECV1] deletes while it waits is never answered, and what follows is', async () => {
    const at = await limited(1)
    await at.arrive({ user: '7', text: 'first' })
    await at.arrive({ user: '7', text: 'second', messageId: 'b' })
    await at.arrive({ user: '7', text: 'third' })
    await at.gate.removed({ ...sender, messageId: 'b' })
    await at.gate.removed({ ...sender, messageId: 'nothing' })
    await at.clock.pass(3 * 60_000)
    await at.settle()
    expect((await at.told('room 7')).filter((text) => text.startsWith('Heard'))).toEqual([
      'Heard: first',
      'Heard: third',
    ])
  })
})
