import { describe, expect, test } from 'vitest'
import type { Definition } from '../../src/schedule/definition.ts'
import {
  background,
  inbound,
  ping,
  RED,
  shown,
  type Background,
  type BackgroundOptions,
  type Step,
} from './background.ts'
import { expectLawful } from './lawful.ts'
import { memoryShelf, type MemoryShelf } from './memory-shelf.ts'
import { slowly, typed } from './rig.ts'
import { FakeClock, START } from './stage.ts'

const HOUR_MS = 3_600_000
/** What the stage's clock in Berlin shows is 09:30. */
const NOON = START + 2.5 * HOUR_MS

interface Face extends Background {
  readonly shelf: MemoryShelf
}

/** A person who was pinged by a run of the routine `brief`, as #1. */
async function pinged(
  steps: readonly Step[] = [[ping(RED)]],
  options: BackgroundOptions = {},
): Promise<Face> {
  const clock = new FakeClock(START)
  const shelf = memoryShelf({ now: () => clock.now() })
  const at = await background(steps, { clock, shelf, ...options })
  await at.run()
  return Object.assign(at, { shelf })
}

/** What the person said to pings, in order. */
async function answers(at: Background): Promise<string[]> {
  return (await at.events('ping-answered')).map(({ answer }) => answer)
}

function reminders({ shelf }: Face): Extract<Definition, { kind: 'reminder' }>[] {
  return shelf.jobs().flatMap(({ definition }) => (definition.kind === 'reminder' ? [definition] : []))
}

async function forks(at: Background): Promise<number> {
  return (await at.events('fork-entered')).length
}

describe('/done', () => {
  test('[PING4] stands in the ledger, and the run is left alone', async () => {
    const at = await pinged()
    const [decided] = await at.events('ping-decided')
    expect(await at.say('/done 1')).toEqual(['#1 is done.'])
    expect(await at.events('ping-answered')).toMatchObject([{ ping: decided?.position, answer: 'done' }])
    expect(await forks(at)).toBe(0)
    await expectLawful(at)
  })

  test('acts at once, while a turn runs', async () => {
    const slow = slowly({ text: 'A long answer.' })
    const at = await pinged([[ping(RED)]], { talk: (_, signal) => slow.reply(signal) })
    await at.type('begin')
    await slow.begun.opened
    expect(await typed(at, '/done 1')).toEqual(['#1 is done.'])
    slow.go.open()
    await at.settle()
  })

  test.each([
    [
      '/done 7',
      'There is no message #7 here. Only pings and notices have numbers. The newest is #1: /done 1',
    ],
    [
      '/snooze 7',
      'There is no message #7 here. Only pings and notices have numbers. The newest is #1: /snooze 1',
    ],
    [
      '/less #7',
      'There is no message #7 here. Only pings and notices have numbers. The newest is #1: /less 1',
    ],
    ['/done', '/done takes the number of a message. Usage: /done NUMBER'],
    ['/done tomorrow', '/done takes the number of a message. Usage: /done NUMBER'],
    ['/snooze', '/snooze needs the number of a message, and a time. Usage: /snooze NUMBER [WHEN]'],
  ])('is refused where nothing is meant: %s', async (line, said) => {
    const at = await pinged()
    expect(await at.say(line)).toEqual([said])
    expect(await answers(at)).toEqual([])
  })

  test('of a notice is refused: that is no ping', async () => {
    const at = await pinged([])
    const branch = await at.branch()
    await at.log.write((writing) => {
      const to = { channel: 'terminal', conversation: 'local' }
      const told = { to, form: 'notice', text: 'It failed.', turn: null, number: 1 } as const
      writing.append({ kind: 'delivery-intended', branch, at: START, v: 1, ...told })
    })
    const no =
      '#1 is a notice, not a ping, so /done, /snooze and /less do not apply. /reply 1 TEXT answers it.'
    for (const line of ['/done 1', '/snooze 1 1h', '/less 1']) expect(await at.say(line)).toContain(no)
    expect(await answers(at)).toEqual([])
    expect(at.shelf.files.size).toBe(0)
  })

  test.each(['/done 1', 'done'])('from another conversation, in reply to the message: %s', async (text) => {
    const at = await pinged()
    const delivery = (await at.events('delivery-intended')).find(({ form }) => form === 'ping')?.position
    const replyTo = { messageId: '1', ...(delivery && { delivery }) }
    await inbound(at, text, { channel: 'page', conversation: 'owner', messageId: 'p1', replyTo })
    expect(await answers(at)).toEqual(['done'])
  })

  test('by a button is the command', async () => {
    const at = await pinged()
    await inbound(at, '/done 1', { isButton: true, messageId: 'b1' })
    await inbound(at, '/done 1', { isButton: true, messageId: 'b1' })
    expect(await answers(at)).toEqual(['done'])
  })
})

describe('/snooze', () => {
  test('[PING4] writes a reminder that names the ping, and says until when', async () => {
    const at = await pinged()
    const [decided] = await at.events('ping-decided')
    expect(await at.say('/snooze 1 10m')).toEqual(['Snoozed until today 09:40, in 10 min.'])
    const until = START + 600_000
    expect(await at.events('ping-answered')).toMatchObject([{ answer: 'snoozed', until }])
    expect(reminders(at)).toMatchObject([
      {
        snoozeOf: decided?.position,
        body: RED,
        background: false,
        runAt: '2026-03-01T09:40:00+01:00',
      },
    ])
    expect([...at.shelf.files.keys()]).toEqual([expect.stringMatching(/^reminders\/snooze-1-\d+\.md$/)])
    expect(await forks(at)).toBe(0)
    await expectLawful(at)
  })

  test.each([
    ['/snooze 1', '2026-03-01T10:30:00'],
    ['/snooze 1 1h', '2026-03-01T10:30:00'],
    ['/snooze #1 for 90 min', '2026-03-01T11:00:00'],
    ['/snooze 1 tomorrow', '2026-03-02T09:00:00'],
    ['/snooze 1 until tomorrow 18:15', '2026-03-02T18:15:00'],
    ['/snooze 1 2026-04-01T09:00', '2026-04-01T09:00:00'],
  ])('takes any time: %s', async (line, local) => {
    const at = await pinged()
    expect(await at.say(line)).toEqual([expect.stringMatching(/^Snoozed until .*\.$/)])
    expect(reminders(at)).toMatchObject([{ runAt: `${local}+0${local < '2026-03-29' ? 1 : 2}:00` }])
  })

  test('again moves it: there is one reminder', async () => {
    const at = await pinged()
    await at.say('/snooze 1 10m')
    await at.say('/snooze 1 tomorrow')
    expect(reminders(at)).toMatchObject([{ runAt: '2026-03-02T09:00:00+01:00' }])
  })

  test('moves the reminder that is there, whatever it is called', async () => {
    const at = await pinged()
    const [decided] = await at.events('ping-decided')
    const matter = `run-at: 2026-03-01T12:00+01:00\nsnooze-of: ${decided?.position}`
    await at.shelf.put('reminders/mine.md', `---\n${matter}\n---\n${RED}\n`)
    await at.say('/snooze 1 10m')
    expect(reminders(at)).toMatchObject([{ id: 'mine', runAt: '2026-03-01T09:40:00+01:00' }])
  })

  test('is called off by /done', async () => {
    const at = await pinged()
    await at.say('/snooze 1 10m')
    expect(await at.say('/done 1')).toEqual(['#1 is done.'])
    expect(at.shelf.files.size).toBe(0)
    expect(await answers(at)).toEqual(['snoozed', 'done'])
  })

  test.each(['yesterday 9:00', 'the green one', '2026-01-01T09:00'])(
    'to no time to come is refused, and nothing is written: %s',
    async (when) => {
      const at = await pinged()
      expect(await at.say(`/snooze 1 ${when}`)).toEqual([expect.stringMatching(/^Not snoozed: /)])
      expect(await answers(at)).toEqual([])
      expect(at.shelf.files.size).toBe(0)
    },
  )

  test('that could not be written is not said to be done', async () => {
    const at = await pinged()
    Object.assign(at.shelf, {
      write: () => Promise.reject(Object.assign(new Error('the disk is full'), { code: 'ENOSPC' })),
    })
    expect(await at.say('/snooze 1 1h')).toEqual(['Not snoozed: the disk is full.'])
    expect(await answers(at)).toEqual([])
  })

  test.each([
    ['with a half character', `half \uD83D a sign`],
    ['with control characters', 'a\u0007b\r\nc\u2028d'],
    ['that looks like front matter', '---\nid: x\n---\nand more'],
  ])('keeps a message %s', async (_, text) => {
    const at = await pinged([[ping(text)]])
    expect(await at.say('/snooze 1 1h')).toEqual(['Snoozed until today 10:30, in 1 h.'])
    expect(reminders(at)).toHaveLength(1)
  })
})

describe('/less', () => {
  test('[PING4] of a job holds back its pings, more each time it is said, until it is taken back', async () => {
    const at = await pinged()
    expect(await at.say('/less 1')).toEqual([
      'Less of routine brief: at most one ping a day from now on. /ping-budget more brief undoes it.',
    ])
    await at.clock.pass(25 * HOUR_MS)
    await at.run()
    expect(await at.say('/less 2')).toEqual([expect.stringContaining('at most one ping a week')])
    await at.clock.pass(8 * 24 * HOUR_MS)
    await at.run()
    expect(await at.say('/less 3')).toEqual([expect.stringContaining('at most one ping in 30 days')])
    expect(await at.say('/ping-budget why')).toEqual([
      expect.stringContaining(
        '\nLess of routine brief: at most one ping in 30 days. /ping-budget more brief undoes it.',
      ),
    ])
    expect(await at.say('/ping-budget more routine brief')).toEqual(['Routine brief may ping as before.'])
    expect((await at.say('/ping-budget why')).join()).not.toContain('Less of')
    expect(await at.say('/ping-budget more brief')).toEqual(['You have not asked for less of routine brief.'])
    expect(await answers(at)).toEqual(['less', 'less', 'less', 'more'])
    await expectLawful(at)
  })

  test('of the same ping twice means it once', async () => {
    const at = await pinged()
    const [first] = await at.say('/less 1')
    expect(await at.say('/less 1')).toEqual([first])
    expect(await answers(at)).toEqual(['less'])
    await at.say('/ping-budget more brief')
    await at.say('/less 1')
    expect(await answers(at)).toEqual(['less', 'more', 'less'])
  })

  test('of what no job sent is refused', async () => {
    const at = await pinged()
    const [decided] = await at.events('ping-decided')
    if (decided === undefined) throw new Error('there is no ping')
    const branch = await at.branch()
    await at.log.write((writing) => {
      const to = { channel: 'terminal', conversation: 'local' }
      const about = { branch, at: START, v: 1 } as const
      const told = { to, form: 'ping', text: 'Look.', turn: null, number: 2 } as const
      const delivery = writing.append({ kind: 'delivery-intended', ...about, ...told })
      const { position: _, budget: __, job: ___, ...rest } = decided
      writing.append({ ...rest, ...about, run: null, because: 'asked', delivery, before: null })
    })
    expect(await at.say('/less 2')).toContain('#2 does not come from a job, so /less does not apply.')
    expect(await at.say('/done 2')).toEqual(['#2 is done.'])
  })

  test('is taken back of a job that is known only', async () => {
    const at = await pinged()
    expect(await at.say('/ping-budget more nothing')).toEqual(["No job called 'nothing' has pinged yet."])
    await at.say('/less 1')
    expect(await at.say('/ping-budget more nothing')).toEqual([
      "No job called 'nothing' has pinged yet. You asked for less of: brief.",
    ])
  })
})

/** Ids as a platform would give them. */
async function onPlatform(steps?: readonly Step[]) {
  const sent: { id: string; text: string }[] = []
  const at = await pinged(steps, {
    send: async ({ id, text }) => {
      sent.push({ id: `p${id}`, text })
      return `p${id}`
    },
  })
  const reply = (text: string, to: string, more: object = {}) => {
    const messageId = sent.find((message) => message.text.includes(to))?.id ?? ''
    return inbound(at, text, { replyTo: { messageId }, ...more }).then(() => at.settle())
  }
  return { at, sent, reply }
}

describe('words in a reply', () => {
  test.each([
    ['Done ✅', 'done', '#1 is done.'],
    ['snooze until tomorrow 9:00', 'snoozed', 'Snoozed until tomorrow 09:00, in 24 h.'],
    ['later', 'snoozed', 'Snoozed until today 10:30, in 1 h.'],
    ['Less of this!', 'less', 'Less of routine brief: at most one ping a day from now on.'],
  ])('to a ping are the command, on a platform and by /reply: %s', async (text, answer, said) => {
    const { at, sent, reply } = await onPlatform()
    await reply(text, RED)
    expect(sent.at(-1)?.text).toContain(said)
    await at.say('/ping-budget more brief')
    await at.say(`/reply 1 ${text}`)
    expect(sent.at(-1)?.text).toContain(said)
    expect((await answers(at)).filter((one) => one !== 'more')).toEqual([answer, answer])
    expect(await forks(at)).toBe(0)
    await expectLawful(at)
  })

  test.each(['Done with which part?', 'snooze the alarm of the oven', 'ok', 'not done'])(
    'that say more go to whoever knows: %s',
    async (text) => {
      const { at, reply } = await onPlatform()
      await reply(text, RED)
      expect(await answers(at)).toEqual([])
      expect(await forks(at)).toBe(1)
      expect(shown(at).at(-1)).toMatch(new RegExp(`\n\n${text.replace('?', '\\?')}$`))
    },
  )

  test('[RECV1] that are handed over twice are meant once', async () => {
    const { at, reply } = await onPlatform()
    await Promise.all([reply('done', RED, { messageId: 'm1' }), reply('done', RED, { messageId: 'm1' })])
    expect(await answers(at)).toEqual(['done'])
  })

  test('to anything else are words', async () => {
    const { at, reply } = await onPlatform()
    await at.say('hello')
    await reply('done', 'heard: hello')
    expect(await answers(at)).toEqual([])
    expect(shown(at).at(-1)).toMatch(/heard: hello\n<\/data>\n\ndone$/)
    await inbound(at, 'done')
    await at.settle()
    expect(shown(at).at(-1)).toMatch(/\]\n\ndone$/)
    expect(await answers(at)).toEqual([])
  })

  test('that the message itself offers go to whoever wrote it', async () => {
    const card = { title: 'Build', description: RED, buttons: [{ label: 'Done' }, { label: 'Retry' }] }
    const { at, reply } = await onPlatform([[['send_embed', card]]])
    await reply('Done', RED, { isButton: true })
    expect(shown(at).at(-1)).toMatch(/\n\nDone$/)
    await at.say('/exit')
    await at.say('/reply 1 done')
    expect(await answers(at)).toEqual([])
    expect(await forks(at)).toBe(2)
    await at.say('/reply 1 done!')
    expect(await answers(at)).toEqual(['done'])
  })

  test('of a button are what the button says', async () => {
    const { at, reply } = await onPlatform()
    await reply('later', RED, { isButton: true })
    expect(await answers(at)).toEqual([])
    expect(shown(at).at(-1)).toMatch(/\n\nlater$/)
  })

  test('keep their place among what is typed', async () => {
    const { at, reply } = await onPlatform()
    await Promise.all([reply('done', RED), inbound(at, 'and now?')])
    await at.settle()
    const [answered] = await at.events('ping-answered')
    const next = (await at.events('inbound-admitted')).find(({ text }) => text === 'and now?')
    expect(next?.position).toBeGreaterThan(answered?.position ?? Infinity)
  })
})

test('what was pinged long ago can still be done or put off', async () => {
  const at = await pinged()
  await at.clock.pass(NOON - START + 40 * 24 * HOUR_MS)
  expect(await at.say('/done 1')).toEqual(['#1 is done.'])
  expect(await at.say('/reply 1 snooze 1h')).toEqual(['Snoozed until today 14:00, in 1 h.'])
})
