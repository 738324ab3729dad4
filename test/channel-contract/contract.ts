import { expect, test } from 'vitest'
import { ChannelError, type Channel, type Door, type Outgoing } from '../../src/channel/channel.ts'
import type { Position } from '../../src/event/id.ts'

/** A channel on a platform that tests can look into. */
export interface Subject {
  readonly channel: Channel
  readonly conversation: string
  /** What a person sees in the conversation, in order. Without what a platform adds for formatting. */
  shown(): Promise<readonly string[]> | readonly string[]
  /** An id for a message: some platforms take only messages that are in a log. Left out: numbers from 1. */
  intend?(text: string): Promise<Position>
  close?(): Promise<void>
}

export interface Limits {
  /** So many characters surely need more than one part; left out: messages are never split. */
  readonly splitsAt?: number
}

/** What every channel must do. Skipped is only what a platform cannot do, by its own words. */
export function channelContract(name: string, open: () => Promise<Subject>, { splitsAt }: Limits = {}): void {
  const run = (title: string, act: (on: Subject) => Promise<void>): void => {
    test(`${name}: ${title}`, async () => {
      const on = await open()
      try {
        await act(on)
      } finally {
        await on.channel.stop()
        await on.close?.()
      }
    })
  }

  run('[SEND1] a message is shown once sending resolves, and the order is kept', async (on) => {
    await on.channel.start(door)
    for (const text of ['one', 'two', 'three']) await on.channel.send(await message(on, text), neverNoted)
    expect(await on.shown()).toEqual(['one', 'two', 'three'])
  })

  run('starting resolves soon, and stopping twice does no harm', async (on) => {
    await on.channel.start(door)
    await on.channel.stop()
  })

  run('a channel has a name of its own that fits into an address', async (on) => {
    expect(on.channel.name).toMatch(/^[a-z][a-z0-9-]*$/)
  })

  run('[SEND1] a long message is noted part by part, and goes on behind what was sent', async (on) => {
    if (splitsAt === undefined) return
    await on.channel.start(door)
    const text = Array.from({ length: splitsAt / 4 }, (_, n) => `w${n}`).join(' ')
    const whole = await message(on, text)
    const noted: string[] = []
    const cut = on.channel.send(whole, async ({ id }) => {
      noted.push(id)
      throw new ChannelError('killed here', { isFinal: false })
    })
    await expect(cut).rejects.toBeInstanceOf(ChannelError)
    expect(noted).toHaveLength(1)
    const last = await on.channel.send({ ...whole, sent: noted }, async ({ id }) => void noted.push(id))
    expect(last).not.toBeNull()
    expect(new Set([...noted, last]).size).toBe(noted.length + 1)
    expect(letters(await on.shown())).toBe(letters([text]))
  })

  run('[SEND1] a preview grows, and becomes the message in its place', async (on) => {
    const { preview } = on.channel
    if (preview === undefined) return
    await on.channel.start(door)
    const id = await preview.begin(on.conversation, 'wri')
    await preview.grow(on.conversation, id, 'writing')
    await preview.grow(on.conversation, id, 'writing')
    expect(await on.shown()).toEqual(['writing'])
    const sent = await on.channel.send({ ...(await message(on, 'written')), replaces: id }, neverNoted)
    expect(await on.shown()).toEqual(['written'])
    const again = { ...(await message(on, 'written')), replaces: id, isAgain: true }
    expect(await on.channel.send(again, neverNoted)).toBe(sent)
    expect(await on.shown()).toEqual(['written'])
    expect(preview.everyMs(on.conversation)).toBeGreaterThan(0)
  })

  run('a preview can be taken away, twice, and a message whose preview is gone is sent', async (on) => {
    const { preview } = on.channel
    if (preview === undefined) return
    await on.channel.start(door)
    const id = await preview.begin(on.conversation, 'wri')
    await preview.remove(on.conversation, id)
    await preview.remove(on.conversation, id)
    expect(await on.shown()).toEqual([])
    await on.channel.send({ ...(await message(on, 'written')), replaces: id }, neverNoted)
    expect(await on.shown()).toEqual(['written'])
  })

  run('[SEND1] what may be a repeat is shown with a mark, where the platform cannot tell', async (on) => {
    if (on.channel.preview === undefined) return
    await on.channel.start(door)
    await on.channel.send({ ...(await message(on, 'hello')), isAgain: true }, neverNoted)
    const [shown = ''] = await on.shown()
    expect(shown).toContain('hello')
    expect(shown).not.toBe('hello')
  })

  run('typing, a menu and a pace do no harm before the first message', async (on) => {
    const { channel, conversation } = on
    await channel.start(door)
    const all = [{ name: 'ping-budget', help: 'how often jobs may write to you' }]
    await channel.menu?.({ everybody: all, owner: all, owners: ['1'], strangers: ['2'] })
    await channel.typing?.(conversation)
    expect(channel.paceMs?.(conversation) ?? 0).toBeGreaterThanOrEqual(0)
    expect(await on.shown()).toEqual([])
  })
}

const door: Door = {
  arrive: async () => ({ kind: 'ignored' }),
  edited: async () => undefined,
  removed: async () => undefined,
  moved: async () => undefined,
  state: () => undefined,
}

let ids = 0

async function message(on: Subject, text: string): Promise<Outgoing> {
  const id = (await on.intend?.(text)) ?? (++ids as Position)
  return { id, conversation: on.conversation, text, form: 'answer', choices: [], isAgain: false }
}

async function neverNoted(): Promise<void> {
  throw new Error('a short message has no parts')
}

/** A platform may break lines between parts as it likes. */
function letters(texts: readonly string[]): string {
  return texts.join('').replaceAll(/\s/g, '')
}
