import { ChannelError } from '../src/channel/channel.ts'
import type { Log } from '../src/log/log.ts'
import type { StepInput } from '../src/model/script.ts'
import { scriptedModel } from '../src/model/scripted.ts'
import { stage } from '../test/agent/stage.ts'

/** A short life of a real agent on the log: every kind of event that only an agent writes. */
export async function tellAgentStory(log: Log): Promise<void> {
  const model = scriptedModel(steps, { name: 'scripted' })
  let refusals = 1
  const at = await stage({
    log,
    models: { scripted: model },
    settings: { model: 'scripted', compactionModel: 'scripted', window, dayLimit },
    send: async ({ id }) => {
      if (refusals-- > 0) throw new ChannelError('the message was refused', { isFinal: true })
      return `shown-${id}`
    },
  })
  await at.settle()
  await at.say('Good evening. Which trains go tomorrow?')
  await at.say('/mark TASK\nCompare the train and the bus to Porto.\n/fork TASK')
  await at.say('/check-mail')
  await at.say('/cost allow')
  await at.type('Are you there?')
  await at.clock.pass(120_000)
  await at.settle()
  await at.say('/fork\nSomething else: the tram.')
  await at.say('/exit')
  await at.say('/compact the trains')
  await at.say('/context policy explicit')
  await at.say('/context')
  await at.close()
}

const dayLimit = { unit: 'tokens', max: 1_000_000 } as const
const window = {
  policy: 'managed',
  windowMessages: 4,
  thresholdMessages: 200,
  truncationMessages: 300,
  summaryTokensMax: 500,
} as const

const steps: readonly StepInput[] = [
  { reply: { text: 'I was interrupted; here is the rest of my answer.' } },
  {
    calls: [{ tool: 'slash', args: { command: 'mark', args: 'TRAINS' } }],
    reasoning: [{ text: 'A mark first.', data: { signature: 'abc' } }],
  },
  { reply: { text: 'At eight and at ten.' } },
  { reply: { text: 'The train is faster, the bus is cheaper.' } },
  ...Array.from({ length: 5 }, (): StepInput => ({ error: { reason: 'overloaded' } })),
  { reply: { text: 'I am. It took a while.' } },
  { reply: { text: 'The tram is slow.' } },
  { reply: { text: 'Trains to Porto go at eight and at ten; the train is faster, the bus is cheaper.' } },
]
