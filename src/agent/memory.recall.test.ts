import { describe, expect, test } from 'vitest'
import { FACT, forgetful, memoryFor, QUESTION, sayMuch } from '../../test/agent/recalling.ts'
import type { Stage } from '../../test/agent/stage.ts'
import { sayTurns, talk } from '../../test/agent/talk.ts'
import { receive } from '../command/reception.ts'
import { recalledLast } from '../command/recalled.ts'
import { memoryIn, noteMemory } from './memory.ts'
import { recallTool } from './tools/recall.ts'

const DAY = 86_400_000
const LABEL = 'superseded by memory, 2026-03-03'

/** Two days later memory.md has these lines. */
async function correct(at: Stage, ...lines: string[]): Promise<void> {
  await at.clock.pass(2 * DAY)
  const branch = await at.branch()
  const author = { by: 'person' } as const
  await at.log.write((writing) => noteMemory(writing, { lines, branch, at: at.clock.now(), author }))
}

function toolOf(at: Stage): ReturnType<typeof recallTool> {
  return recallTool({
    log: at.log,
    recall: at.recall,
    now: () => at.clock.now(),
    settings: () => at.settings,
  })
}

function heads(memory: string): string[] {
  return memory.match(/^\[log .*\]$/gm) ?? []
}

describe('a fact that a newer line of memory.md corrects', () => {
  test('comes back with the date of the line, and with the line itself', async () => {
    const at = await forgetful()
    await sayMuch(at, 25)
    await correct(at, 'Dentist: Dr. Ono', 'Likes tea')
    expect(await memoryFor(at, QUESTION)).toContain(
      `[log 27, the person, 2026-03-01 Sun 09:30, ${LABEL}]
<data source="recall">
> memory.md: Dentist: Dr. Ono
> the assistant: ok
${FACT}
</data>`,
    )
    const branch = await at.branch()
    const recalled = await at.read((reader) => recalledLast(reader, branch))
    expect(recalled?.pieces).toMatchObject([{ position: 27, who: 'the person', label: LABEL }])
  })

  test('keeps its place among what came back, and the others have no label', async () => {
    const at = await talk({ summarise: () => ({ text: 'They talked.' }) })
    await at.say('My dentist is called Dr. Meyer.')
    await at.say("Ana's dentist is called Dr. Huber.")
    await sayMuch(at)
    const before = (await memoryFor(at, QUESTION)) ?? ''
    await correct(at, 'Dentist: Dr. Ono')
    const after = (await memoryFor(at, QUESTION)) ?? ''
    expect(heads(before)).toHaveLength(2)
    expect(heads(after).map((head) => head.replace(`, ${LABEL}`, ''))).toEqual(heads(before))
    expect(heads(after).filter((head) => head.includes('superseded'))).toHaveLength(1)
  })

  test('has no label before the line is there, nor once the line is gone', async () => {
    const at = await forgetful()
    expect(await memoryFor(at, QUESTION)).not.toContain('superseded')
    await correct(at, 'Dentist: Dr. Ono')
    expect(await memoryFor(at, QUESTION)).toContain(LABEL)
    await correct(at)
    await sayMuch(at)
    expect(await memoryFor(at, QUESTION)).not.toContain('superseded')
  })

  test('is not superseded when it was said after the line', async () => {
    const at = await talk({ summarise: () => ({ text: 'They talked.' }) })
    await correct(at, 'Dentist: Dr. Ono')
    await at.clock.pass(DAY)
    await at.say(FACT)
    await sayMuch(at)
    const memory = await memoryFor(at, QUESTION)
    expect(memory).toContain(FACT)
    expect(memory).not.toContain('superseded')
  })

  test('is labelled where a person asks, beside the labels that it has', async () => {
    const at = await forgetful()
    Object.assign(at.desk, { memory: memoryIn })
    await correct(at, 'Dentist: Dr. Ono')
    expect((await at.say('/recall dentist'))[0]).toContain(
      `1. 2026-03-01 Sun 09:30, you, main at 27 (${LABEL})\n${FACT}`,
    )
    await at.say('/clear')
    expect((await at.say('/recall dentist'))[0]).toContain(`, you, main at 27 (cleared, ${LABEL})\n`)
  })

  test('is labelled where a model asks, with the line', async () => {
    const at = await forgetful()
    await correct(at, 'Dentist: Dr. Ono')
    const call = {
      branch: await at.branch(),
      turn: 'tn_0n5f8k2q1k3f9ab' as never,
      signal: AbortSignal.timeout(9_000),
    }
    const { text } = await toolOf(at).run({ query: 'dentist', speaker: 'user' }, call)
    expect((JSON.parse(text) as { hits: unknown[] }).hits[0]).toMatchObject({
      position: 27,
      label: LABEL,
      memory: 'Dentist: Dr. Ono',
    })
  })

  test('is not quoted by the offline model as if it held: the line is', async () => {
    const at = await talk({ settings: { model: 'offline' }, summarise: () => ({ text: 'They talked.' }) })
    await at.say(FACT)
    await sayTurns(at, 12, (turn) => `Entry ${turn}: rain in the north.`)
    expect((await at.say(QUESTION))[0]).toBe(`You said on 2026-03-01: "${FACT}"`)
    await correct(at, 'Dentist: Dr. Ono')
    expect((await at.say(QUESTION))[0]).toBe('memory.md says since 2026-03-03: "Dentist: Dr. Ono"')
  })

  test('said by somebody else is theirs', async () => {
    const at = await forgetful()
    const from = { channel: 'terminal', conversation: 'local', person: 'ben', messageId: null }
    await receive(at.desk, { ...from, text: 'My dentist is Dr. Huber.' })
    await at.settle()
    await sayMuch(at)
    await correct(at, 'Dentist: Dr. Ono')
    const memory = (await memoryFor(at, QUESTION)) ?? ''
    expect(memory).toMatch(/^\[log 27, owner, .*superseded by memory, .*\]$/m)
    expect(memory).toMatch(/^\[log \d+, ben, 2026-03-01 Sun 09:30\]$/m)
  })
})
