import { describe, expect, test } from 'vitest'
import { background, inbound, ping, QUOTED, RED, shown, type BackgroundOptions } from './background.ts'
import { expectLawful } from './lawful.ts'
import { child, slowly, talkedTo, typed } from './rig.ts'

async function afterRun(options: BackgroundOptions = {}) {
  const at = await background([[ping(RED)]], options)
  await at.run()
  return at
}

/** Ids as a platform would give them: `p` and the place of the message in the log. */
function platform(options: BackgroundOptions = {}) {
  const sent: { id: string; text: string; form: string }[] = []
  const send: NonNullable<BackgroundOptions['send']> = async ({ id, text, form }) => {
    sent.push({ id: `p${id}`, text, form })
    return `p${id}`
  }
  return { sent, options: { send, ...options } satisfies BackgroundOptions }
}

function idOfText(sent: readonly { id: string; text: string }[], text: string): string {
  return sent.find((message) => message.text === text)?.id ?? ''
}

describe('a reply on a platform', () => {
  test('[FORK5] to a message of a run is as /reply, and says where it went', async () => {
    const to = platform()
    const at = await afterRun(to.options)
    const replyTo = { messageId: idOfText(to.sent, RED) }
    await inbound(at, 'Who?', { messageId: 'm1', replyTo })
    await at.settle()
    const fork = await child(at)
    expect(to.sent.slice(-2).map(({ text, form }) => [form, text])).toEqual([
      ['notice', expect.stringMatching(`^You are in the fork ${fork} now, which knows what routine brief`)],
      ['answer', 'heard: Who?'],
    ])
    expect(shown(at).at(-1)).toContain(`${QUOTED}\n\nWho?`)
    await inbound(at, 'Why?', { messageId: 'm2', replyTo })
    await at.settle()
    expect(to.sent.at(-2)?.text).toBe(`Your reply goes on in the fork ${fork}.`)
    expect(await at.events('fork-entered')).toHaveLength(1)
    await expectLawful(at)
  })

  test('[RECV1] that is handed over twice is admitted once', async () => {
    const to = platform()
    const at = await afterRun(to.options)
    const reply = { messageId: 'm1', replyTo: { messageId: idOfText(to.sent, RED) } }
    const received = await Promise.all([inbound(at, 'Who?', reply), inbound(at, 'Who?', reply)])
    expect(received.map(({ kind }) => kind)).toEqual(['admitted', 'duplicate'])
    await at.settle()
    expect(await at.events('fork-entered')).toHaveLength(1)
    expect(to.sent.filter(({ text }) => text === 'heard: Who?')).toHaveLength(1)
  })

  test('to any other message quotes it where the person talks, and opens nothing', async () => {
    const to = platform()
    const at = await afterRun(to.options)
    await at.say('hello')
    await inbound(at, 'What did you mean?', { replyTo: { messageId: idOfText(to.sent, 'heard: hello') } })
    await at.settle()
    expect(shown(at).at(-1)).toContain('<data source="message">\nheard: hello\n</data>\n\nWhat did you mean?')
    expect(await at.events('fork-entered')).toEqual([])
  })

  test('to an answer of the fork that a reply opened is quoted in that fork', async () => {
    const to = platform()
    const at = await afterRun(to.options)
    await at.say('/reply 1 Who?')
    const fork = await child(at)
    await inbound(at, 'Sure?', { replyTo: { messageId: idOfText(to.sent, 'heard: Who?') } })
    await at.settle()
    expect(shown(at).at(-1)).toContain('<data source="message">\nheard: Who?\n</data>\n\nSure?')
    expect(await talkedTo(at)).toBe(fork)
    expect(await at.events('fork-entered')).toHaveLength(1)
  })

  test.each<[string, object, string | undefined]>([
    ['of others', { messageId: 'x', text: 'Lunch at noon?' }, 'Lunch at noon?'],
    [
      'with a card',
      { messageId: 'x', text: '', embed: { title: 'T', fields: [{ name: 'a', value: 'b' }] } },
      'T\na: b',
    ],
    ['of their own', { messageId: 'own' }, 'I said this.'],
    ['that nobody knows', { messageId: 'x' }, undefined],
    ['that says nothing', { messageId: 'x', text: ' ' }, undefined],
  ])('to a message %s quotes what is known of it', async (_, replyTo, quoted) => {
    const at = await background([])
    await inbound(at, 'I said this.', { messageId: 'own' })
    await at.settle()
    await inbound(at, 'Yes.', { replyTo: replyTo as { messageId: string } })
    await at.settle()
    const last = shown(at).at(-1) ?? ''
    if (quoted === undefined) expect(last).toMatch(/^\[2026[^\n]*\]\n\nYes\.$/)
    else expect(last).toContain(`<data source="message">\n${quoted}\n</data>\n\nYes.`)
  })

  test('that is a command runs the command, and quotes nothing', async () => {
    const to = platform()
    const at = await afterRun(to.options)
    const replyTo = { messageId: idOfText(to.sent, RED), text: RED }
    await inbound(at, '/mark A', { replyTo })
    await inbound(at, '/agents', { replyTo })
    await at.settle()
    expect(to.sent.map(({ text }) => text)).toContain("Checkpoint 'A' created.")
    expect(await at.events('fork-entered')).toEqual([])
    expect(JSON.stringify(await at.events('inbound-admitted'))).not.toContain('The person replies')
  })

  test('that waits behind a command which leaves the fork keeps its quote', async () => {
    const slow = slowly({ text: 'A long answer.' })
    const at = await background([], {
      talk: (prompt, signal) =>
        prompt.messages.at(-1)?.text.includes('begin') === true ? slow.reply(signal) : { text: 'ok' },
    })
    await at.say('/fork')
    await typed(at, 'begin')
    await slow.begun.opened
    await inbound(at, '/report We are done.')
    await inbound(at, 'And this?', { replyTo: { messageId: 'x', text: 'Lunch at noon?' } })
    slow.go.open()
    await at.settle()
    expect(shown(at).at(-1)).toContain('<data source="message">\nLunch at noon?\n</data>')
    expect(shown(at).at(-1)).toContain('RECENT BACKGROUND UPDATES')
    await expectLawful(at)
  })

  test('by a button is told as one', async () => {
    const to = platform()
    const at = await afterRun(to.options)
    await inbound(at, 'Done', { isButton: true })
    await at.settle()
    expect(shown(at).at(-1)).toMatch(/^\[button\]\n\(the person pressed a button\)\n\[.*\]\n\nDone$/)
    await inbound(at, 'Retry', { isButton: true, replyTo: { messageId: idOfText(to.sent, RED) } })
    await at.settle()
    expect(shown(at).at(-1)).toMatch(/^\[fork-started\]\n\([^\n]*\)\n\[button\]\n/)
    expect(shown(at).at(-1)).toContain(`${QUOTED}\n\nRetry`)
  })

  test('by a button of the host runs its command', async () => {
    const to = platform()
    const at = await afterRun(to.options)
    await at.say('/fork')
    await inbound(at, '/exit', { isButton: true })
    await at.settle()
    expect(to.sent.at(-1)?.text).toMatch(/^Left /)
  })
})
