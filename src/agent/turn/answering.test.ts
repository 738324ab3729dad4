import { afterEach, beforeEach, expect, test } from 'vitest'
import { countedTool } from '../../../test/agent/doubles.ts'
import { stage } from '../../../test/agent/stage.ts'
import { modelAt } from '../../../test/stand-ins/model-at.ts'
import { type ModelServer, startModelServer } from '../../../test/stand-ins/model-server.ts'

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer()
})
afterEach(() => server.close())

const LIMIT = '(not done: the limit of tool rounds for one turn was reached; "go on" continues)'
const digging = (id: string) => ({ blocks: [{ call: 'dig', id, args: '{}' }] })

test.each(['openai-compatible', 'anthropic', 'ollama'])(
  'a model of %s that calls when it may not any more leaves the remark about the limit',
  async (provider) => {
    const tool = countedTool('dig')
    const models = { model: modelAt(server, provider) }
    const at = await stage({ models, settings: { model: 'model', roundsMax: 1 }, tools: [tool] })
    server.will(digging('a'), digging('b'))
    expect(await at.say('dig')).toEqual([LIMIT])
    expect(tool.runs).toHaveLength(1)
  },
)

test('an empty answer of a model that may call is called empty', async () => {
  const models = { model: modelAt(server, 'openai-compatible') }
  const at = await stage({ models, settings: { model: 'model' } })
  server.will({ blocks: [{ text: ' ' }] })
  expect(await at.say('dig')).toEqual(['(the model gave an empty answer)'])
})

test('a model that declines its last answer is not said to have reached the limit', async () => {
  const models = { model: modelAt(server, 'openai-compatible') }
  const at = await stage({ models, settings: { model: 'model', roundsMax: 0 } })
  server.will({ blocks: [{ text: ' ' }], finish: 'refused' })
  expect(await at.say('dig')).toEqual(['(the model declined to answer)'])
})

test('at the limit of rounds the model is asked to say what is left, and "go on" goes on', async () => {
  const tool = countedTool('dig')
  const models = { model: modelAt(server, 'openai-compatible') }
  const at = await stage({ models, settings: { model: 'model', roundsMax: 2 }, tools: [tool] })
  server.will(digging('a'), digging('b'), { blocks: [{ text: 'Two holes, one is left.' }] })
  expect(await at.say('dig three holes')).toEqual(['Two holes, one is left.'])
  const asked = (await at.events('message-added')).filter(
    ({ message }) => message.role === 'user' && message.head?.startsWith('[system]'),
  )
  expect(asked.map(({ message }) => message.text)).toEqual([
    'You have called tools in 2 rounds, the limit of one turn. Answer now, without tools: say what is done and what is left. If something is left, say that "go on" continues the work.',
  ])
  expect(server.requests.at(-1)?.body).toMatchObject({ tool_choice: 'none' })
  server.will(digging('c'), { blocks: [{ text: 'All three.' }] })
  expect(await at.say('go on')).toEqual(['All three.'])
  expect(tool.runs).toHaveLength(3)
})
