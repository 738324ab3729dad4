import { expect, test } from 'vitest'
import { gatedTool, play } from './doubles.ts'

const answer = (text: string) => ({ reply: { text } })
const never = new AbortController().signal

test('an agent that finishes ends and answers the turn that runs, and begins no other', async () => {
  const tool = gatedTool('dig')
  const at = await play([{ calls: [{ tool: 'dig' }] }, answer('Dug.')], { tools: [tool] })
  await at.type('dig')
  await tool.begun
  const finished = at.agent.finish(never)
  await at.type('/fork -- look for more')
  tool.gate.open()
  await finished
  expect(at.sent.filter(({ form }) => form === 'answer').map(({ text }) => text)).toEqual(['Dug.'])
  expect(at.prompts).toHaveLength(2)
  await at.close()
})

test('[TURN4] a turn that takes longer is handed back, and the next start answers it once', async () => {
  const tool = gatedTool('dig')
  const at = await play([{ calls: [{ tool: 'dig' }] }], { tools: [tool] })
  await at.type('dig')
  await tool.begun
  const patience = new AbortController()
  const finished = at.agent.finish(patience.signal)
  patience.abort()
  await finished
  const closed = at.close()
  tool.gate.open()
  await closed
  await at.log.close()
  expect(at.sent).toEqual([])
  const later = await play([answer('Dug after all.')], { disk: at.disk, tools: [tool] })
  await later.settle()
  expect(later.sent.map(({ text }) => text)).toEqual(['Dug after all.'])
  expect(tool.runs).toHaveLength(1)
  await later.close()
})

test('turns that wait for a place are left to the next start', async () => {
  const tool = gatedTool('dig')
  const calls = [{ tool: 'dig' }]
  const at = await play([{ calls }, answer('One.')], { tools: [tool], settings: { runningMax: 1 } })
  await at.type('/fork -- one')
  await tool.begun
  await at.type('/fork -- two')
  const finished = at.agent.finish(never)
  tool.gate.open()
  await finished
  expect(at.agent.busy).toEqual([])
  expect(at.prompts).toHaveLength(2)
  await at.close()
})
