import { describe, expect, test } from 'vitest'
import { actRedo, actTakeBack, actUndo } from '../../src/agent/branch/context-acts.ts'
import { dueIn } from '../../src/agent/branch/due.ts'
import { causedFor } from '../../src/agent/state/cause.ts'
import { pendingUpdates } from '../../src/agent/state/updates.ts'
import { compact } from '../../src/context/compaction.ts'
import { isRefusal } from '../../src/context/decision.ts'
import type { Position } from '../../src/event/id.ts'
import { getBranch } from '../../src/context/branch.ts'
import { headOf, messagesAdded } from '../../src/context/message-index.ts'
import { listOf } from '../../src/context/version.ts'
import type { Writing } from '../../src/event/table.ts'
import { receive } from '../../src/command/door/reception.ts'
import type { StepInput } from '../../src/model/scripted.ts'
import { countedTool, play, type Played } from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { breathe, terminal } from './stage.ts'

const answer = (text: string): StepInput => ({ reply: { text } })
const call = (...tools: string[]): StepInput => ({ calls: tools.map((tool) => ({ tool })) })

/** What the context shows: the last lines of each message. */
async function shown(at: Played): Promise<string[]> {
  const branch = await at.branch()
  return at.log.read((reader) =>
    listOf(reader, getBranch(reader, branch), headOf(reader, branch)).flatMap((item) =>
      'from' in item ? messagesAdded(reader, item).map(({ message }) => message.text) : ['summary'],
    ),
  )
}

async function pending(at: Played): Promise<number> {
  const branch = await at.branch()
  return at.log.read((reader) => pendingUpdates(reader, branch).length)
}

async function report(at: Played, text: string): Promise<void> {
  const branch = await at.branch()
  const told = {
    source: 'a job',
    text,
    key: null,
    from: null,
    author: { by: 'policy', name: 'test' } as const,
  }
  await at.log.write((writing) =>
    writing.append({ kind: 'update-reported', branch, at: at.clock.now(), v: 1, ...told }),
  )
}

describe('/retry', () => {
  test('[TURN8] after an answer asks the same again: the results of calls stay, and nothing runs twice', async () => {
    const tool = countedTool('look')
    const at = await play([call('look'), answer('One.'), answer('Two.')], { tools: [tool] })
    await at.say('go')
    expect((await at.say('/retry')).at(-1)).toBe('Two.')
    expect(tool.runs).toHaveLength(1)
    expect(at.prompts[2]?.messages).toEqual(at.prompts[1]?.messages)
    expect(await shown(at)).toEqual(['go', '', expect.any(String), 'Two.'])
    await expectLawful(at.log)
    await expectEmpty(at.log)
  })

  test('[TURN8] [CTX4] is a change like any other: /undo restores the answer', async () => {
    const at = await play([answer('One.'), { delayMs: 60_000 }, answer('Never.')])
    await at.say('go')
    await at.type('/retry')
    await breathe()
    await at.say('/stop')
    expect(await shown(at)).toEqual(['go'])
    expect((await at.say('/undo'))[0]).toContain('retry')
    expect(await shown(at)).toEqual(['go', 'One.'])
    await expectLawful(at.log)
  })

  test('[TURN8] [CAUSE1] is one transaction: the work goes on by itself after it, with a new count', async () => {
    const at = await play([answer('One.'), { delayMs: 60_000 }])
    await at.say('go')
    const branch = await at.branch()
    await at.type('/retry')
    await breathe()
    const dropped = (await at.events('context-cleared'))[0]?.position ?? 0
    const [run] = await at.events('command-run')
    expect((run?.position ?? 0) - dropped).toBe(1)
    const [, second] = await at.events('turn-started')
    expect(second).toMatchObject({ continues: (await at.events('turn-started'))[0]?.turn })
    expect((await at.log.read((reader) => causedFor(reader, branch))).calls).toBe(1)
    await at.agent.close()
    const now = at.clock.now()
    expect((await at.log.read((reader) => dueIn(reader, { branch, now }))).kind).toBe('recovery')
  })

  test('[TURN8] after a stopped answer takes what was shown of it out of the context, and sends the message again', async () => {
    const steps: StepInput[] = [{ pieces: ['The first half'] }, { delayMs: 60_000 }, answer('Whole.')]
    const at = await play([...steps])
    await at.type('go')
    await breathe()
    await at.say('/stop')
    expect(await shown(at)).toHaveLength(3)
    expect((await at.say('/retry')).at(-1)).toBe('Whole.')
    expect(await shown(at)).toEqual(['go', 'Whole.'])
    expect(at.prompts.at(-1)?.messages).toEqual(at.prompts[0]?.messages)
    await expectLawful(at.log)
  })

  test('is refused where something else came after the answer, or where there is none', async () => {
    const at = await play([answer('One.')])
    expect(await at.say('/retry')).toEqual(['There is nothing to retry here.'])
    await at.say('go')
    await at.say('/note later')
    const before = await shown(at)
    await at.say('/retry')
    expect((await at.events('command-run')).at(-1)).toMatchObject({ line: '/retry', isError: true })
    expect(await shown(at)).toEqual(before)
  })
})

describe('/edit', () => {
  test('[TURN8] sends the new text in place of the last exchange, and /undo restores that', async () => {
    const at = await play([answer('Hi.'), answer('One.'), answer('Two.')])
    await at.say('hello')
    await at.say('first')
    expect((await at.say('/edit second')).at(-1)).toBe('Two.')
    expect(await shown(at)).toEqual(['hello', 'Hi.', 'second', 'Two.'])
    await at.say('/undo')
    expect(await shown(at)).toEqual(['hello', 'Hi.', 'first', 'One.', 'second', 'Two.'])
    await expectLawful(at.log)
    await expectEmpty(at.log)
  })

  test('[TURN8] [UPD1] shows again the updates that the exchange took', async () => {
    const at = await play([answer('One.'), answer('Two.')])
    await report(at, 'It rained.')
    await at.say('first')
    await at.say('/edit second')
    expect(at.prompts[1]?.messages).toHaveLength(1)
    expect(at.prompts[1]?.messages[0]?.text).toContain('It rained.')
    await expectLawful(at.log)
  })

  test('[TURN8] [UPD2] makes updates pending again that the exchange took; undoing that settles them, and redoing it does not', async () => {
    const at = await play([answer('One.')])
    await report(at, 'It rained.')
    await at.say('first')
    const actor = {
      branch: await at.branch(),
      at: at.clock.now(),
      seed: 1,
      author: { by: 'person' },
      settings: at.desk.settings(),
    } as const
    const source = { from: 'person', ...terminal, person: 'owner', key: null } as const
    const counts: number[] = [await pending(at)]
    for (const act of [
      (writing: Writing) => actTakeBack(writing, actor, source),
      (writing: Writing) => actUndo(writing, actor),
      (writing: Writing) => actRedo(writing, actor),
    ]) {
      expect((await at.log.write(act)).isError).toBe(false)
      counts.push(await pending(at))
    }
    expect(counts).toEqual([0, 1, 0, 1])
    await expectLawful(at.log)
  })

  test('[TURN8] of a message that waits for the model is sent in its place', async () => {
    const steps: StepInput[] = [{ error: { reason: 'rate-limited', retryAfterMs: 600_000 } }, answer('Two.')]
    const at = await play(steps)
    await at.say('first')
    expect((await at.events('turn-ended'))[0]?.outcome).toBe('deferred')
    expect((await at.say('/edit second')).at(-1)).toBe('Two.')
    expect(await shown(at)).toEqual(['second', 'Two.'])
    await expectEmpty(at.log)
  })

  test('[TURN8] is refused where a part of the exchange is summarized', async () => {
    const at = await play([answer('One.')])
    await at.say('first')
    const branch = await at.branch()
    const position = (await at.events('message-added'))[0]?.position as Position
    const texts = [{ text: 'It was about the first.', tokens: 5 }]
    const covered = [{ src: branch, from: position, to: position }]
    const act = {
      branch,
      at: at.clock.now(),
      author: { by: 'person' },
      covered,
      texts,
      writer: 'test',
    } as const
    await at.log.write((writing) => {
      const decided = compact(writing, act)
      if (isRefusal(decided)) throw new Error(decided.refused)
      writing.append(decided.draft)
    })
    const before = await shown(at)
    await at.say('/edit second')
    expect((await at.events('command-run')).at(-1)).toMatchObject({ isError: true })
    expect(await shown(at)).toEqual(before)
    await expectEmpty(at.log)
  })

  test('[TURN8] is refused from another conversation, and changes nothing', async () => {
    const at = await play([answer('One.')])
    await at.say('first')
    const before = await shown(at)
    const messageId = 'elsewhere-1'
    const inbound = {
      channel: 'terminal',
      conversation: 'elsewhere',
      origin: 'terminal' as const,
      person: 'owner',
      messageId,
    }
    await receive(at.desk, { ...inbound, text: '/edit second' })
    await at.settle()
    expect((await at.events('command-run')).at(-1)).toMatchObject({ isError: true })
    expect(await shown(at)).toEqual(before)
    await expectEmpty(at.log)
  })
})
