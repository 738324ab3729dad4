import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import { catalogue, commandNamed } from '../../command/read/catalogue.ts'
import { slashCommands } from '../../command/read/parse.ts'
import type { BranchId, TurnId } from '../../event/id.ts'
import { reportings } from '../../event/run.ts'
import type { HostSource } from '../../event/work.ts'
import { makeHelpTool } from './help.ts'

const helpTool = makeHelpTool({ reports: async () => true })

const call = {
  branch: 'br_0n5f8k2q1k3f9ab' as BranchId,
  turn: 'tn_0n5f8k2q1k3f9ab' as TurnId,
  signal: new AbortController().signal,
}

async function help(args: JsonObject = {}): Promise<{ text?: string; error?: string }> {
  const { text, isError } = await helpTool.run(args, call)
  const said = JSON.parse(text) as { text?: string; error?: string }
  expect('error' in said).toBe(isError)
  return said
}

/** What stands first in the lines of a list. */
const linesOf = (text: string) => [...text.matchAll(/^ {2}(.+?)(?: {2,}.*)?$/gm)].map(([, form]) => form)

const TOPICS = [
  'commands',
  'tags',
  'marks',
  'forks',
  'background',
  'reminders',
  'todo',
  'mail',
  'log',
  'tools',
  'memory',
  'people',
]

describe('help for models', () => {
  test.each([[{}], [{ topic: '' }], [{ topic: null }]])('%j gives an overview under 1.7 kB', async (args) => {
    const { text = '' } = await help(args)
    expect(text).toMatch(/^Mainstem /)
    expect(Buffer.byteLength(text)).toBeLessThan(1_700)
    expect(text).toContain(`Topics: ${TOPICS.join(', ')}.`)
  })

  test.each(TOPICS)('there is a short text on %s', async (topic) => {
    const { text = '' } = await help({ topic })
    expect(text.length).toBeGreaterThan(200)
    expect(text.length).toBeLessThan(1_400)
  })

  test('a topic may be written with a slash, in capitals, or as the command it is about', async () => {
    const { text } = await help({ topic: 'forks' })
    for (const topic of ['Fork', '/fork', ' kill ']) expect((await help({ topic })).text).toBe(text)
  })

  test.each(slashCommands)('every model may look up its command %s', async (topic) => {
    expect((await help({ topic })).text).toContain(topic)
  })

  test('an unknown topic is answered with the topics there are', async () => {
    const { error } = await help({ topic: 'weather' })
    expect(error).toBe(`There is no help on 'weather'. Topics: ${TOPICS.join(', ')}.`)
  })

  test('it names the commands that models may use, in the form in which they are used, and no others', async () => {
    const forms = slashCommands.map((name) => `${name} ${commandNamed(name)?.usage[0] ?? ''}`.trimEnd())
    const { text: overview = '' } = await help()
    const { text: commands = '' } = await help({ topic: 'commands' })
    expect(linesOf(overview)).toEqual(forms)
    expect(linesOf(commands)).toEqual(forms)
  })

  test('it names the commands that people can type, and no others', async () => {
    const { text = '' } = await help({ topic: 'people' })
    const [list = ''] = text.split('. ', 1)
    expect(list.match(/(?<=\/)[\w-]+/g)).toEqual(catalogue.map(({ name }) => name))
  })

  test('it explains every tag that the host puts before a message', async () => {
    const { text = '' } = await help({ topic: 'tags' })
    const tags: Record<HostSource['tag'], string> = {
      'fork-started': 'task',
      'fork-timeout': 'wrap up',
      system: 'host',
      routine: 'job',
      'routine-bg': 'job',
      reminder: 'reminder',
      'reminder-bg': 'reminder',
      webhook: 'data',
    }
    for (const [tag, word] of Object.entries(tags))
      expect(text).toMatch(new RegExp(`^  \\[${tag}(?::ID)?\\]  .*${word}`, 'm'))
  })

  test.each([
    'enter_fork',
    'save_context',
    'exit_fork',
    'report_updates',
    'ping_user',
    'send_embed',
    'wait',
    'add_reminder',
    'list_reminders',
    'cancel_reminder',
    'follow_up_chain',
    'todo',
  ])('every model may look up its tool %s', async (topic) =>
    expect((await help({ topic })).text).toContain(topic),
  )

  test('it says of forks that there is one at a time, what ends one, and what silence does', async () => {
    const { text = '' } = await help({ topic: 'forks' })
    for (const word of ['One at a time', 'save_context', 'report_updates', 'exit_fork', '[fork-timeout]'])
      expect(text).toContain(word)
  })

  test('it says of background runs when they must report', async () => {
    const { text = '' } = await help({ topic: 'background' })
    for (const word of [...reportings, 'ping_user', 'send_embed', 'sent back']) expect(text).toContain(word)
  })

  test('[RUN2] a run that may not report is told of reporting in no text', async () => {
    const blocked = makeHelpTool({ reports: async () => false })
    for (const topic of ['', ...TOPICS]) {
      const { text } = await blocked.run({ topic }, call)
      expect(text).not.toMatch(/report_updates|on_ping/)
      expect(JSON.parse(text)).toHaveProperty('text')
    }
  })

  test('no arguments make it throw', () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.record({ topic: fc.jsonValue() })),
        async (args) => void (await help(args as JsonObject)),
      ),
    ))

  test('anything but a word is refused with the usage', async () => {
    expect((await help({ topic: 7 })).error).toContain('Usage: help {"topic"?: a word}.')
  })
})
