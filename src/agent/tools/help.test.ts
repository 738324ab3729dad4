import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import { slashCommands } from '../../command/read/parse.ts'
import type { BranchId, TurnId } from '../../event/id.ts'
import { guideTexts } from '../../runtime/home/workspace.ts'
import { makeHelpTool } from './help.ts'

const guides = guideTexts()
const helpTool = makeHelpTool({ guides: () => guides, reports: async () => true })

const call = {
  branch: 'br_0n5f8k2q1k3f9ab' as BranchId,
  turn: 'tn_0n5f8k2q1k3f9ab' as TurnId,
  signal: new AbortController().signal,
}

async function help(args: JsonObject = {}, tool = helpTool): Promise<string> {
  const { text, isError } = await tool.run(args, call)
  const said = JSON.parse(text) as { text?: string; error?: string }
  expect('error' in said).toBe(isError)
  return said.text ?? said.error ?? ''
}

describe('help for models', () => {
  test.each([
    ['quiet hours', /^While you are away: Pings\n/, 'quietHours'],
    ['webhook', /^While you are away: Webhooks\n/, 'data'],
    ['cron', /^While you are away: (?:Set up a routine|Fields)\n/, 'minute, hour'],
    ['how do I set a reminder?', /^While you are away: Set a reminder\n/, '--at'],
    ['permission modes', /^Permissions, approvals and memory: Modes\n/, 'dontAsk'],
    ['[fork-timeout]', /^What a model is told: Messages from the host\n/, 'Save, report or exit'],
    ['time zone', /^While you are away: Time zones\n/, '/timezone'],
  ])('finds %j in the guides', async (query, title, words) => {
    const text = await help({ query })
    expect(text).toMatch(title)
    expect(text).toContain(words)
    expect(text).toMatch(/\nSee also: /)
    expect(text).not.toContain('<!--')
  })

  test.each([[{}], [{ query: ' ' }], [{ query: null }]])(
    '%j lists the guides with their sections',
    async (args) => {
      const text = await help(args)
      expect(text).toMatch(/^While you are away: Set a reminder, .*, Webhooks, /m)
      expect(text.split('\n')).toHaveLength(guides.length + 1)
      expect(text.length).toBeLessThan(3_000)
    },
  )

  test('words that no guide has are answered with the list', async () => {
    expect(await help({ query: 'xylophone' })).toMatch(
      /^No guide has these words\. The guides, [^]*\nCommands: /,
    )
  })

  test.each([
    ...slashCommands,
    'enter_fork',
    'save_context',
    'exit_fork',
    'report_updates',
    'ping_user',
    'wait',
    'remember',
    'add_reminder',
    'follow_up_chain',
    'todo',
  ])('every model may look up %s', async (query) => expect(await help({ query })).toContain(query))

  test('[RUN2] a run that may not report is told of reporting in no text', async () => {
    const blocked = makeHelpTool({ guides: () => guides, reports: async () => false })
    for (const query of ['', 'report_updates', 'on_ping', 'report', 'fields of a job', 'background', 'fork'])
      expect(await help({ query }, blocked)).not.toMatch(/report_updates|on_ping/)
  })

  test('no arguments make it throw, and no answer is longer than a few pages', () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.dictionary(fc.string(), fc.jsonValue()),
          fc.record({ query: fc.oneof(fc.jsonValue(), fc.lorem()) }),
        ),
        async (args) => {
          expect((await help(args as JsonObject)).length).toBeLessThan(5_000)
        },
      ),
    ))

  test('anything but words is refused with the usage', async () => {
    expect(await help({ query: 7 })).toContain('Usage: help {"query"?: a few words')
  })

  test('without guides it says so', async () => {
    expect(await help({ query: 'x' }, makeHelpTool({ guides: () => [], reports: async () => true }))).toMatch(
      /^No guide has these words/,
    )
  })
})
