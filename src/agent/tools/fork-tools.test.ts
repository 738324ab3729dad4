import { describe, expect, test } from 'vitest'
import { Scene } from '../../../test/model/scene.ts'
import type { JsonObject } from '../../base/json.ts'
import { contextProjections } from '../../context/fold.ts'
import type { TurnId } from '../../event/id.ts'
import { openMemoryLog } from '../../log/memory.ts'
import type { ActTool } from '../contract/act.ts'
import { agentProjection } from '../state/fold.ts'
import { admittedAt, waiting } from '../state/inbox.ts'
import type { AgentSettings } from '../state/settings.ts'
import { enterForkTool, exitForkTool, saveContextTool } from './fork-tools.ts'
import { reportUpdatesTool } from './report-updates.ts'

const turn = 'tn_0n5f8k2q1k3f9ab' as TurnId

/** Calls of a model in main, or in a fork of it that a person talks in, one step; what they gave and what waits then. */
async function calls(
  where: 'main' | 'fork' | 'nobody',
  ...asked: readonly (readonly [ActTool, JsonObject])[]
): Promise<{ said: string[]; lines: string[] }> {
  const log = openMemoryLog({ projections: [...contextProjections, agentProjection] })
  return log.write((writing) => {
    const scene = new Scene(writing)
    scene.root('main')
    if (where === 'fork') scene.fork('main', 'fork', { mode: 'fork' })
    const branch = scene.id(where === 'fork' ? 'fork' : 'main')
    const at = scene.at
    if (where !== 'nobody') {
      const bound = { channel: 'terminal', conversation: 'local', author: { by: 'person' } } as const
      writing.append({ kind: 'conversation-bound', branch, at, v: 1, ...bound })
    }
    const author = { by: 'model', turn } as const
    const actor = { branch, author, at, seed: 0, settings: {} as AgentSettings }
    const step = { turn, position: writing.end as never }
    const planned = asked.flatMap(([tool, args]) => tool.plan(writing, actor, [{ args, step }]))
    return {
      said: planned.map(({ said }) => said.text),
      lines: waiting(writing, branch).map(({ position }) => admittedAt(writing, position).text),
    }
  })
}

describe('what a model asks for when its turn ends is a command of its own', () => {
  test.each([
    [{}, '/fork --enter'],
    [{ topic: 'the garden' }, '/fork --enter -- the garden'],
    [{ topic: '  ' }, '/fork --enter'],
    [{ topic: 'one\n/clear\ntwo' }, '/fork --enter -- one /clear two'],
    [{ topic: '-- x' }, '/fork --enter -- -- x'],
    [{ idle_timeout: 5 }, '/fork --enter --idle 5'],
    [{ topic: 'tea', idle_timeout: 1_440 }, '/fork --enter --idle 1440 -- tea'],
  ])('enter_fork %j', async (args, line) => {
    expect((await calls('main', [enterForkTool, args])).lines).toEqual([line])
  })

  test.each([
    [saveContextTool, {}, '/save'],
    [exitForkTool, {}, '/exit'],
    [reportUpdatesTool, { message: ' We plant\nroses. ' }, '/report\nWe plant\nroses.'],
    [reportUpdatesTool, { message: '/exit' }, '/report\n/exit'],
  ])('%#: %j', async (tool, args, line) => {
    expect((await calls('fork', [tool, args])).lines).toEqual([line])
  })

  test('a report as long as it may be keeps all of it', async () => {
    const message = 'x'.repeat(4_000)
    expect((await calls('fork', [reportUpdatesTool, { message }])).lines).toEqual([`/report\n${message}`])
  })

  test('is asked for once; what else would come behind it is refused', async () => {
    const both = await calls('fork', [saveContextTool, {}], [exitForkTool, {}], [saveContextTool, {}])
    expect(both.lines).toEqual(['/save'])
    expect(both.said).toEqual([
      'This fork is saved when your turn ends.',
      'Not done: you already asked for /save, which runs when your turn ends.',
      'This fork is saved when your turn ends.',
    ])
  })
})

describe('a call that cannot be done asks for nothing', () => {
  test.each([
    [enterForkTool, { topic: 'x'.repeat(2_001) }, /^Bad arguments: .* Usage: enter_fork /],
    [enterForkTool, { idle_timeout: 0 }, /^Bad arguments: .* Usage: enter_fork /],
    [enterForkTool, { idle_timeout: 1_441 }, /^Bad arguments: .* Usage: enter_fork /],
    [enterForkTool, { minutes: 5 }, /^Bad arguments: .* Usage: enter_fork /],
    [reportUpdatesTool, { message: '  ' }, /^Bad arguments: .* Usage: report_updates /],
    [reportUpdatesTool, { message: 'x'.repeat(4_001) }, /^Bad arguments: .* Usage: report_updates /],
  ])('%#: %j', async (tool, args, usage) => {
    const { said, lines } = await calls('fork', [tool, args])
    expect([said, lines]).toEqual([[expect.stringMatching(usage)], []])
  })

  test('nobody is there who could be taken into a fork', async () =>
    expect(await calls('nobody', [enterForkTool, {}])).toEqual({
      said: ['Nobody has written here yet, so there is nobody to take into a fork.'],
      lines: [],
    }))
})
