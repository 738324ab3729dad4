import { proposing, type Propose } from '../src/agent/proposing.ts'
import { rememberTool } from '../src/agent/tools/remember.ts'
import { ChannelError } from '../src/channel/channel.ts'
import type { Log } from '../src/log/log.ts'
import type { StepInput } from '../src/model/script.ts'
import { scriptedModel } from '../src/model/scripted.ts'
import { builtIn, said, type Tool } from '../src/tool/tool.ts'
import { stage, type Stage } from '../test/agent/stage.ts'

/** A short life of a real agent on the log: every kind of event that only an agent writes. */
export async function tellAgentStory(log: Log): Promise<void> {
  const model = scriptedModel(steps, { name: 'scripted' })
  let refusals = 1
  const at = await stage({
    log,
    models: { scripted: model },
    settings: { model: 'scripted', compactionModel: 'scripted', window, dayLimit },
    tools: ({ log, clock, agent }) => {
      const propose = proposing({ log, now: () => clock.now(), deliver: () => agent().deliver() })
      return [trainTool, rememberTool({ propose, lines: async () => [] }), rulesTool(propose)]
    },
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
  await tellOfRights(at)
  await at.close()
}

/** What a person is asked, allows, denies and corrects, and what main is told. */
async function tellOfRights(at: Stage): Promise<void> {
  at.settings = { ...at.settings, permissions: 'default' }
  await at.type('When does the next train go?')
  await at.clock.pass(1_000)
  await at.say('/approve always')
  await at.say('/disallow trains')
  await at.type('And the one after it?')
  await at.clock.pass(61_000)
  await at.settle()
  await at.say('I do not like buses.')
  await at.say('/approve 3 Prefers trains to buses.')
  await at.say('Be shorter from now on.')
  await at.say('/deny')
  const update = {
    source: 'mcp timetable',
    text: 'The ten o’clock train is late.',
    key: 'a1.json',
    from: null,
    author: { by: 'policy', name: 'handed-in' } as const,
  }
  const branch = await at.branch()
  await at.log.write((writing) =>
    writing.append({ kind: 'update-reported', branch, at: at.clock.now(), v: 1, ...update }),
  )
  await at.say('Anything new?')
}

const trainTool: Tool = {
  spec: { name: 'trains', description: 'Looks up trains', parameters: { type: 'object' } },
  nature: { origin: { kind: 'skill', skill: 'travel' }, effect: 'runs', fingerprint: 'trains-1' },
  run: async () => said('The next one goes at eight.'),
}

function rulesTool(propose: Propose): Tool {
  return {
    spec: { name: 'rules', description: 'Proposes other rules', parameters: { type: 'object' } },
    nature: builtIn('steers'),
    run: async (_args, call) => {
      const change = { path: 'AGENTS.md', before: 'Be brief.\n', after: 'Be very brief.\n' }
      return said(`Approval ${await propose(call, { kind: 'file', ...change })}.`)
    },
  }
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
  { calls: [{ tool: 'trains', args: { to: 'Porto' } }] },
  { reply: { text: 'At eight.' } },
  { calls: [{ tool: 'trains', args: { to: 'Porto', after: 'eight' } }] },
  { reply: { text: 'I could not look.' } },
  { calls: [{ tool: 'remember', args: { line: 'Does not like buses' } }] },
  { reply: { text: 'May I remember that?' } },
  { calls: [{ tool: 'rules', args: {} }] },
  { reply: { text: 'I asked you to change my rules.' } },
  { reply: { text: 'The ten o’clock train is late.' } },
]
