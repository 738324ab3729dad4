import { Writable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { countedTool, play } from './agent/doubles.ts'
import { proposing, type Propose } from '../src/agent/right/proposing.ts'
import { receive } from '../src/command/door/reception.ts'
import type { StepInput } from '../src/model/scripted.ts'
import type { Life } from '../src/runtime/life/life.ts'
import { builtIn, ok, type Tool } from '../src/tool/tool.ts'
import { Conversation } from '../src/runtime/terminal/conversation.ts'
import { Seats } from '../src/runtime/terminal/seats.ts'
import { Output } from '../src/cli/frame/output.ts'
import { answerPrinter, jsonPrinter, textPrinter, type Printer } from '../src/cli/talk/printer.ts'

const remembering: readonly StepInput[] = [
  { calls: [{ tool: 'remember', args: {} }] },
  { reply: { text: 'That is all.' } },
]
const QUESTION = [
  'Remember this? (approval 1)',
  '+ Ono is the dentist.',
  '/approve 1 remembers it, /approve 1 YOUR WORDS remembers those, /deny 1 does not.',
].join('\n')

interface Printed {
  readonly out: string
  readonly err: string
}

/** Says a text to a real agent without a screen; its model wants something remembered, then answers. */
async function sayBy(
  make: (outputs: { out: Output; err: Output }) => Printer,
  steps: readonly StepInput[] = remembering,
): Promise<Printed> {
  const [out, err] = [taking(), taking()]
  const failures: unknown[] = []
  const printer = make({ out: new Output(out.stream), err: new Output(err.stream) })
  const seats = new Seats((error) => failures.push(error))
  const held: { propose?: Propose } = {}
  const at = await play(steps, {
    settings: { permissions: 'default' },
    canAsk: seats.channel.canAsk,
    send: (...sending) => seats.channel.send(...sending),
    tools: [rememberTool(held), { ...countedTool('fetch'), nature: builtIn('reaches') }],
  })
  const { log, agent, desk } = at
  held.propose = proposing({ log, now: desk.now, deliver: () => agent.deliver() })
  onTestFinished(async () => {
    seats.close()
    await at.close()
    expect(failures).toEqual([])
  })
  const hear: Life['receive'] = (inbound) => receive(desk, inbound)
  const { signal } = new AbortController()
  const life = { log, agent, desk, receive: hear } as unknown as Life
  seats.open(life)
  const conversation = new Conversation({ life, seats, print: printer.said })
  const outcome = await conversation.say({ text: 'go', key: 'k1', origin: 'program', signal })
  if (outcome !== undefined) await printer.outcome('go', outcome)
  return { out: out.text(), err: err.text() }
}

function objectsIn(out: string): unknown[] {
  return out
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
}

function taking(): { stream: Writable; text: () => string } {
  let text = ''
  const stream = new Writable({
    write: (chunk, _, done) => {
      text += String(chunk)
      done()
    },
  })
  return { stream, text: () => text }
}

function rememberTool(held: { propose?: Propose }): Tool {
  return {
    spec: { name: 'remember', description: 'Remembers', parameters: { type: 'object' } },
    nature: builtIn('steers'),
    run: async (_, call) => {
      const proposal = { kind: 'memory', line: 'Ono is the dentist.', replaces: null } as const
      return ok(`approval ${(await held.propose?.(call, proposal)) ?? '?'} waits`)
    },
  }
}

test('a pipe gets a question as text, with what to type', async () =>
  expect(await sayBy(textPrinter)).toEqual({ out: `${QUESTION}\nThat is all.\n`, err: '' }))

test('a question about what was asked alone goes to the standard error, and the answer stays alone', async () =>
  expect(await sayBy(answerPrinter)).toEqual({ out: 'That is all.\n', err: `${QUESTION}\n` }))

test('as JSON a question is an event with its choices, before the object of what was asked', async () => {
  const { out } = await sayBy(jsonPrinter)
  const choices = [
    { label: 'Approve', command: '/approve 1' },
    { label: 'Deny', command: '/deny 1' },
  ]
  expect(objectsIn(out)).toEqual([
    { event: expect.objectContaining({ form: 'question', text: QUESTION, branch: 'main', choices }) },
    expect.objectContaining({ input: 'go', output: 'That is all.' }),
  ])
})

const refused: readonly StepInput[] = [
  { calls: [{ tool: 'fetch', args: {} }] },
  { reply: { text: 'That is all.' } },
]
const REFUSED = /^\(?fetch was refused: nobody can be asked here\. /

test.each([
  ['a pipe', textPrinter],
  ['one question', answerPrinter],
])('for %s, what the host remarks on the way goes to the standard error', async (_, make) => {
  const { out, err } = await sayBy(make, refused)
  expect(out).toBe('That is all.\n')
  expect(err).toMatch(REFUSED)
})

test('as JSON it is an event, before the object of what was asked and not in its output', async () => {
  const { out } = await sayBy(jsonPrinter, refused)
  expect(objectsIn(out)).toEqual([
    {
      event: expect.objectContaining({
        form: 'notice',
        text: expect.stringMatching(REFUSED) as string,
      }) as object,
    },
    expect.objectContaining({ input: 'go', output: 'That is all.' }),
  ])
})

test('why a turn failed stands for its answer: in the output of the object, else on the standard error', async () => {
  const failing: readonly StepInput[] = [
    { calls: [{ tool: 'fetch', args: {} }] },
    { error: { reason: 'rejected', message: 'no luck' } },
  ]
  const { out } = await sayBy(jsonPrinter, failing)
  expect(objectsIn(out)).toEqual([
    { event: expect.objectContaining({ text: expect.stringMatching(REFUSED) as string }) as object },
    expect.objectContaining({ output: expect.stringContaining('no luck') as string, error: true }),
  ])
  const piped = await sayBy(textPrinter, failing)
  expect(piped.out).toBe('')
  expect(piped.err).toContain('no luck')
})
