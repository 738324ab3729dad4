import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { giverOf, readElsewhere } from '../src/agent/turn/leaving.ts'
import { readyWebhooks } from '../src/agent/job/webhook-calls.ts'
import { knownJobs } from '../src/agent/state/jobs.ts'
import { openTurn } from '../src/agent/state/turn-number.ts'
import type { Draft } from '../src/event/event.ts'
import { callsWaiting, firstCall } from '../src/agent/state/jobs.ts'
import type { BranchId, Position } from '../src/event/id.ts'
import { expectRebuilt } from './agent/lawful.ts'
import { START } from './agent/stage.ts'
import { run, tempFolder } from './cli/run.ts'
import { fuzzExport } from './simulation/export-fuzz.ts'
import {
  evil,
  forgeries,
  granted,
  hashOf,
  head,
  opening,
  proposal,
  questions,
  talk,
} from './simulation/forgeries.ts'
import { importedDisk, linesFrom, liveOn, type ImportedLife } from './simulation/imported-life.ts'

async function life(...drafts: readonly Draft[]): Promise<ImportedLife> {
  const at = await liveOn(await importedDisk(linesFrom([...opening, ...drafts])))
  onTestFinished(() => at.close())
  return at
}

describe('[SAFE5] in an imported log', () => {
  test.each(forgeries)('%s does nothing, and the next message is answered', async (_, drafts) => {
    const at = await life(...drafts)
    expect(at.model.prompts).toEqual([])
    expect(at.sent.filter(({ text }) => !text.includes('has ended'))).toEqual([])
    expect([at.ended, at.dangers, [...at.files]]).toEqual([[], [], []])
    expect(at.settings.permissions).toBe('dontAsk')
    expect(await at.say('/approve 1')).toEqual([expect.stringMatching(/^(?:There is no|Approval 1|Nothing)/)])
    expect([...at.files]).toEqual([])
    expect((await at.say('Hello?')).at(-1)).toBe('the model spoke')
    await expectRebuilt(at.log, await at.all())
  })

  test('nothing is allowed: a grant is gone, and so is a yes to more spending', async () => {
    const at = await life(granted, { kind: 'spending-noted', ...head, day: '2026-03-02', what: 'agreed' })
    expect((await at.say('/allow')).join()).toContain('Nothing is allowed yet')
    expect((await at.say('/cost')).join()).not.toContain('lifted')
  })

  test('no turn is open', async () => {
    const at = await life(...named('whose process'))
    const [first] = await at.events('branch-created')
    expect(await at.read((reader) => first && openTurn(reader, first.branch))).toBeUndefined()
  })

  test('[LEAVE1] nothing is vouched for: all of it is from elsewhere, and no address in it was given', async () => {
    const [here, there] = ['http://person.test/', 'http://page.test/']
    const at = await life(...talk(`Look at ${here}`, there))
    const [first] = await at.events('branch-created')
    const main = first?.branch ?? ('' as BranchId)
    const web = { addresses: [], openHosts: [] }
    const given = () => at.read((reader) => [here, there].map((href) => giverOf(reader, main, { href, web })))
    expect(await given()).toEqual([undefined, undefined])
    await at.say('Hello?')
    const [{ turn } = {}] = (await at.events('turn-started')).slice(-1)
    expect(turn && (await at.read((reader) => readElsewhere(reader, turn)))).toBe(true)
    await at.say(`Look at ${here}`)
    expect(await given()).toEqual(['somebody', undefined])
  })

  test('[LEAVE1] a summary of it is from elsewhere, also one that is made here', async () => {
    const [policy, historyTokensMax, summaryTokensMax] = ['managed', null, null] as const
    const few = { windowMessages: 1, thresholdMessages: 2, truncationMessages: 3, shareMin: 0 }
    const window = { policy, historyTokensMax, summaryTokensMax, ...few }
    const disk = await importedDisk(linesFrom([...opening, ...questions(14)]))
    const at = await liveOn(disk, { compactionModel: 'offline', window })
    await at.say('Hello?')
    const [{ turn } = {}] = (await at.events('turn-started')).slice(-1)
    const [{ items } = {}] = await at.events('context-compacted')
    expect(items?.map((item) => 'summary' in item)).toEqual([true, false])
    expect(turn && (await at.read((reader) => readElsewhere(reader, turn)))).toBe(true)
  })

  test('no job has a schedule', async () => {
    const job = { what: 'reminder', job: 'evil', file: 'reminders/evil.md' } as const
    const at = await life({ kind: 'job-scheduled', ...head, ...job, schedule: 'x', due: START })
    expect(await at.read((reader) => knownJobs(reader, 'reminder'))).toMatchObject([
      { schedule: null, due: null },
    ])
  })

  test('no call of a webhook waits, though a file of this home has its name', async () => {
    const run = 'br_0n5f8k2q1k3f9ab' as BranchId
    const call = { job: 'evil', key: 'webhook-id 1', hash: hashOf('{}'), data: '{}', run }
    const received: Draft = { kind: 'webhook-received', ...head, ...call }
    const at = await life(received, received, received)
    expect(await at.read((reader) => readyWebhooks(reader, START))).toEqual([])
    expect(await at.read((reader) => [firstCall(reader, 'evil'), callsWaiting(reader, 'evil')])).toEqual([
      undefined,
      0,
    ])
    await expectRebuilt(at.log, await at.all())
  })

  test('a call of a webhook that was never received is not taken', async () => {
    const fired = { what: 'webhook', job: 'evil', due: START, isLate: false, run: null } as const
    const drafts: Draft[] = [...opening, { kind: 'job-fired', ...head, ...fired, took: 1 as Position }]
    await expect(importedDisk(linesFrom(drafts))).rejects.toThrow(
      'it took the call at 1, where none is first',
    )
  })

  test('branches above each other without end are refused', async () => {
    const [first] = opening
    if (first?.kind !== 'branch-created') throw new Error('a log begins with a branch')
    const ids = Array.from({ length: 1_001 }, (_, index) => `br_1ka38ee00${String(index).padStart(6, '0')}`)
    const below = ids.map((branch, index) => ({
      ...first,
      branch: branch as BranchId,
      mode: 'child' as const,
      parent: (ids[index - 1] ?? first.branch) as BranchId,
    }))
    await expect(importedDisk(linesFrom([...opening, ...below]))).rejects.toThrow(
      'branches lie above each other',
    )
  })

  test('a text under the hash of another is refused', async () => {
    const forged = { kind: 'content-kept', ...head, hash: hashOf('AGENTS.md'), text: evil.text } as const
    await expect(importedDisk(linesFrom([...opening, forged]))).rejects.toThrow('its text has another hash')
  })
})

test.each([1, 2, 3, 4])(
  '[SAFE5] of forged exports, none acts and none ends the process: seeds %i01 on',
  async (many) => {
    for (let seed = many * 100 + 1; seed <= many * 100 + 10; seed++) await fuzzExport(seed)
  },
)

test('[SAFE5] a main session that is called a run, and would end with its answer, is refused: seed 116607', async () => {
  expect(await fuzzExport(116_607)).toBe('refused')
})

test('[SAFE5] messages that claim more tokens than can be counted are summed up: seed 55633', async () => {
  expect(await fuzzExport(55_633)).toBe('harmless')
})

test('[SAFE5] an export of which nothing is left is refused with a sentence: seed 90746', async () => {
  expect(await fuzzExport(90_746)).toBe('refused')
})

test('[SAFE5] the command says that nothing in it acts; a second import closes both', async () => {
  const [first, second] = [join(tempFolder(), 'a'), join(tempFolder(), 'b')]
  const file = join(tempFolder(), 'export.jsonl')
  const forged = linesFrom([...opening, ...proposal(true), granted])
  writeFileSync(file, forged)
  const { out } = await run(['import', file], { home: first })
  expect(out).toContain('Nothing in it will run')
  const again = (await run(['export'], { home: first })).out
  expect(again.startsWith(`${forged}\n`)).toBe(true)
  expect(again.slice(forged.length + 1)).toMatch(/^\{[^\n]*"kind":"import-closed"[^\n]*\}\n$/)
  expect((await run(['import', '-'], { home: second, input: again })).code).toBe(0)
  const answer = await run(['-p', '/allow', '--set', 'model=offline'], { home: second })
  expect(answer.out).toContain('Nothing is allowed yet')
  const agents = join(second, 'workspace', 'AGENTS.md')
  expect(existsSync(agents) ? readFileSync(agents, 'utf8') : '').not.toContain(evil.text)
})

test('[CTX2] [SAFE5] a log that was closed while a turn ran and sent mail is rebuilt the same', async () => {
  const home = join(tempFolder(), 'home')
  const drafts = [...opening, ...named('whose process'), ...named('with mail'), ...proposal(true), granted]
  expect((await run(['import', '-'], { home, input: linesFrom(drafts) })).code).toBe(0)
  expect((await run(['doctor'], { home })).out).toContain('Everything is fine.')
  await run(['-p', 'hello', '--set', 'model=offline'], { home })
  expect((await run(['doctor'], { home })).out).toContain('Everything is fine.')
})

function named(name: string): readonly Draft[] {
  return forgeries.find(([one]) => one.includes(name))?.[1] ?? []
}
