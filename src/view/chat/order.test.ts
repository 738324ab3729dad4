import { expect, test } from 'vitest'
import { countedTool, play } from '../../../test/agent/doubles.ts'
import { breathe, START, terminal, type Stage } from '../../../test/agent/stage.ts'
import { receive } from '../../command/door/reception.ts'
import type { Event } from '../../event/event.ts'
import type { Reader } from '../../event/table.ts'
import { builtIn } from '../../tool/tool.ts'
import { queuedAfter, saidAt, type Window } from './order.ts'
import { timelineView } from './timeline.ts'

/** What a window shows of an event: what a person said there, or an answer. */
function shownOf(reader: Reader, event: Event, window: Window): string[] {
  const said = saidAt(reader, event, window)
  if (said !== undefined) return [said.text]
  return event.kind === 'delivery-intended' && event.form === 'answer' ? [`answer: ${event.text}`] : []
}

async function shown(at: Stage) {
  const [here, events] = [await at.branch(), await at.all()]
  return at.read((reader) => {
    const windows = [terminal, { channel: 'web', conversation: 'page' }].map((one) => ({ ...one, here }))
    const page = timelineView(reader, { branch: here, limit: 100, now: START }).entries
    return {
      windows: windows.map((window) => events.flatMap((event) => shownOf(reader, event, window))),
      page: page.flatMap((entry) => {
        if (entry.kind === 'said') return [entry.text]
        return entry.kind === 'answer' && entry.text !== '' ? [`answer: ${entry.text}`] : []
      }),
      queued: windows.map((window) => queuedAfter(reader, window, reader.end).map(({ text }) => text)),
    }
  })
}

/** The turn of `a?` waits for an answer to its question. */
async function waitingTurn(): Promise<Stage> {
  const call = { calls: [{ id: 'c1', tool: 'fetch', args: {} }] }
  const fetch = { ...countedTool('fetch'), nature: builtIn('reaches') }
  const steps = [call, { reply: { text: 'A.' } }, { reply: { text: 'B.' } }]
  const at = await play(steps, { tools: [fetch], settings: { permissions: 'default' } })
  await at.type('a?')
  for (let tries = 0; at.sent.length === 0 && tries < 1_000; tries++) await breathe()
  return at
}

test('[ORDER1] a question that is steered in stands behind the first, and they share an answer', async () => {
  const at = await waitingTurn()
  await at.type('b?')
  expect(await shown(at)).toMatchObject({ windows: [['a?'], ['a?']], queued: [['b?'], ['b?']], page: ['a?'] })
  await at.say('y')
  const { windows, page, queued } = await shown(at)
  expect(windows).toEqual([
    ['a?', 'y', 'b?', 'answer: A.'],
    ['a?', 'b?', 'answer: A.'],
  ])
  expect({ page, queued }).toEqual({ page: ['a?', 'b?', 'answer: A.'], queued: [[], []] })
})

test('[ORDER1] after a stop the queued question stands above its own answer, wherever it was typed', async () => {
  const at = await waitingTurn()
  const page = {
    channel: 'web',
    conversation: 'page',
    origin: 'page' as const,
    person: 'owner',
    messageId: 'm1',
  }
  await receive(at.desk, { ...page, text: 'b?' })
  await at.say('/stop')
  const { windows, page: rows } = await shown(at)
  expect(windows).toEqual([
    ['a?', '/stop', 'b?', 'answer: A.'],
    ['a?', 'b?', 'answer: A.'],
  ])
  expect(rows).toEqual(['a?', 'b?', 'answer: A.'])
})
