import { proposing, type Propose } from '../src/agent/right/proposing.ts'
import type { RunAsked } from '../src/agent/run/run-act.ts'
import { enterForkTool, exitForkTool, saveContextTool } from '../src/agent/tools/fork-tools.ts'
import { pingUserTool, sendEmbedTool } from '../src/agent/tools/ping.ts'
import { rememberTool } from '../src/agent/tools/remember.ts'
import { reportUpdatesTool } from '../src/agent/tools/report-updates.ts'
import { ChannelError } from '../src/channel/channel.ts'
import type { Log } from '../src/log/log.ts'
import type { StepInput } from '../src/model/scripted.ts'
import { scriptedModel } from '../src/model/scripted.ts'
import { builtIn, ok, type Tool } from '../src/tool/tool.ts'
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
      const own = [trainTool, rememberTool({ propose, lines: async () => [] }), rulesTool(propose)]
      return [...own, ...forkTools]
    },
    jobIn: (path) => ({ job: jobs[path] ?? brief, warnings: [] }),
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
  await tellOfRuns(at)
  await tellOfForks(at)
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
  await at.clock.pass(601_000)
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

/** A run that pings and is sent back, what a reply to it opens, and a save that tells main what the fork looked at. */
async function tellOfRuns(at: Stage): Promise<void> {
  await at.say('/run routines/brief.md')
  await at.say('/reply 1 Then let us take the bus.')
  await at.say('/save')
  await at.say('/undo')
  await at.say('/redo')
  await at.say('/run routines/quiet.md')
  await at.say('What did you hear?')
}

/** Forks that end in every way: reported, dropped, saved by the model, and left alone until the host ends one. */
async function tellOfForks(at: Stage): Promise<void> {
  await at.say('/fork')
  await at.say('Is the ferry cheaper?')
  await at.say('/report The ferry costs half.')
  await at.say('/fork --enter --idle 5 -- the tram lines')
  for (let asked = 0; asked < 3; asked++) {
    await at.clock.pass(5 * 60_000)
    await at.settle()
  }
  await at.say('Let us talk about the boat on the side.')
  await at.say('That is settled, keep it.')
  await at.say('And now?')
}

const forkTools = [
  enterForkTool,
  saveContextTool,
  exitForkTool,
  reportUpdatesTool,
  pingUserTool,
  sendEmbedTool,
]

const brief: RunAsked = {
  job: 'brief',
  tag: 'routine-bg',
  file: 'routines/brief.md',
  title: 'Trains of the morning',
  body: 'Look whether the trains run.',
  isolated: false,
  model: null,
  thinking: 'off',
  reporting: 'on_ping',
  allowPing: true,
  tools: ['trains'],
  skills: [],
  timeoutMs: 600_000,
  setup: null,
}

const jobs: Readonly<Record<string, RunAsked>> = {
  'routines/quiet.md': {
    ...brief,
    job: 'quiet',
    file: 'routines/quiet.md',
    body: 'Count the boats, and keep it to yourself.',
    isolated: true,
    thinking: 'adaptive',
    reporting: 'blocked',
    allowPing: false,
    tools: [],
    setup: { system: 'You count boats.', tools: '[]' },
  },
}

const trainTool: Tool = {
  spec: { name: 'trains', description: 'Looks up trains', parameters: { type: 'object' } },
  nature: { origin: { kind: 'skill', skill: 'travel' }, effect: 'runs', fingerprint: 'trains-1' },
  run: async (_args, call) => {
    call.processStarted?.({ group: 4_711, startTime: '90210@the-boot-of-the-story' })
    return ok('The next one goes at eight.')
  },
}

function rulesTool(propose: Propose): Tool {
  return {
    spec: { name: 'rules', description: 'Proposes other rules', parameters: { type: 'object' } },
    nature: builtIn('steers'),
    run: async (_args, call) => {
      const change = { path: 'AGENTS.md', before: 'Be brief.\n', after: 'Be very brief.\n' }
      return ok(`Approval ${await propose(call, { kind: 'file', ...change })}.`)
    },
  }
}

const dayLimit = { unit: 'tokens', max: 1_000_000 } as const
const window = {
  policy: 'managed',
  windowMessages: 4,
  thresholdMessages: 200,
  truncationMessages: 300,
  shareMin: 0,
  historyTokensMax: null,
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
  ...runSteps(),
  ...forkSteps(),
]

function runSteps(): readonly StepInput[] {
  return [
    { calls: [{ tool: 'ping_user', args: { message: 'No train runs before noon.' } }] },
    { calls: [{ tool: 'send_embed', args: { title: 'Trains', fields: [{ name: 'eight', value: 'off' }] } }] },
    { reply: { text: 'I am done.' } },
    {
      calls: [{ tool: 'report_updates', args: { message: 'No train runs before noon; the person knows.' } }],
    },
    { reply: { text: 'Reported.' } },
    { reply: { text: 'The bus goes at nine.' } },
    { calls: [{ tool: 'ping_user', args: { message: 'Seven boats.', critical: true } }] },
    { reply: { text: 'Seven boats.' } },
    { reply: { text: 'That no train runs before noon.' } },
  ]
}

function forkSteps(): readonly StepInput[] {
  return [
    { reply: { text: 'It is: the ferry costs half.' } },
    { reply: { text: 'Line 28 goes up the hill.' } },
    { reply: { text: 'Do you want to know more about line 28?' } },
    { reply: { text: 'I wait for you.' } },
    { calls: [{ tool: 'enter_fork', args: { topic: 'the boat', idle_timeout: 20 } }] },
    { reply: { text: 'Aside, then.' } },
    { reply: { text: 'The boat takes six hours.' } },
    { calls: [{ tool: 'save_context', args: {} }] },
    { reply: { text: 'I keep it.' } },
    { reply: { text: 'The ferry is cheap, and the boat takes six hours.' } },
  ]
}
