import { OWNER } from '../../event/speaker.ts'
import { expect, test } from 'vitest'
import { estimateTokens } from '../../base/tokens.ts'
import { getBranch } from '../../context/branch.ts'
import { headOf } from '../../context/message-index.ts'
import type { Position } from '../../event/id.ts'
import { gate, ruleModel } from '../../../test/agent/doubles.ts'
import { breathe, stage, type Stage } from '../../../test/agent/stage.ts'
import { prepareCall, type PreparedCall } from '../turn/asking.ts'
import type { RunningTurn } from '../turn/begin.ts'
import { fixedTokens, promptTokens } from './prompt-size.ts'

/** Five pieces of 300 tokens, as recall may return. */
const TAIL = 'remembered '.repeat(1_500)

test('what a prompt takes besides its list has its tail in it, and room for the answer', async () => {
  const at = await stage()
  const branch = await at.branch()
  const [none, some, longer] = await at.read((reader) => [
    fixedTokens(reader, { branch, answerTokens: 100, tail: null }),
    fixedTokens(reader, { branch, answerTokens: 100, tail: { text: TAIL } }),
    fixedTokens(reader, { branch, answerTokens: 900, tail: null }),
  ])
  expect((some ?? 0) - (none ?? 0)).toBe(estimateTokens(TAIL))
  expect((longer ?? 0) - (none ?? 0)).toBe(800)
})

/** Kept free for an answer without a length limit. */
const ANSWER = 1_000

interface Waiting {
  readonly at: Stage
  readonly running: Omit<RunningTurn, 'tail'>
  readonly tail: NonNullable<RunningTurn['tail']>
  /** Tokens of the prompt without a tail. */
  readonly prompt: number
  readonly end: () => Promise<void>
}

/** A turn that waits for its model. */
async function waiting(policy: 'managed' | 'explicit' = 'managed'): Promise<Waiting> {
  const held = gate()
  const model = ruleModel(async () => {
    await held.opened
    return { text: 'ok' }
  })
  const at = await stage({ models: { ruled: model }, settings: { model: 'ruled' } })
  await at.say(`/context policy ${policy}`)
  await at.type('hello')
  await breathe()
  const branch = await at.branch()
  const { state } = await at.read((reader) => getBranch(reader, branch))
  if (state.kind !== 'running') throw new Error('no turn runs')
  const after = (await at.read((reader) => headOf(reader, branch))) as Position
  const end = async (): Promise<void> => {
    held.open()
    await at.settle()
  }
  return {
    at,
    running: {
      branch,
      person: OWNER,
      turn: state.turn,
      mode: 'main',
      run: null,
      job: null,
      isTold: false,
      memory: null,
    },
    tail: { text: TAIL, after },
    prompt: await at.read((reader) => promptTokens(reader, branch)),
    end,
  }
}

/** The call as the turn would prepare it, with this tail and a model of this size. */
function prepared(
  { at, running }: Waiting,
  { call, tail, contextTokens }: { call: number; tail: RunningTurn['tail']; contextTokens: number },
): Promise<PreparedCall> {
  const { settings } = at
  const asking = { running: { ...running, tail }, call, at: at.clock.now(), settings, contextTokens }
  return at.log.write((writing) =>
    prepareCall(writing, { ...asking, model: { name: 'any' }, mayBeMany: false }),
  )
}

test('a prompt that fits without its tail, and not with it, is too large', async () => {
  const turn = await waiting()
  const { tail, prompt } = turn
  const max = prompt + ANSWER
  const larger = max + estimateTokens(TAIL)
  expect(await prepared(turn, { call: 2, tail, contextTokens: max })).toMatchObject({
    kind: 'too-large',
    tokens: larger,
    max,
  })
  expect(await prepared(turn, { call: 2, tail, contextTokens: larger })).toMatchObject({ kind: 'ready' })
  expect(await prepared(turn, { call: 3, tail: null, contextTokens: max })).toMatchObject({ kind: 'ready' })
  await turn.end()
})

test('a context that is nearly full with its tail is told of, once', async () => {
  const turn = await waiting('explicit')
  const { tail, prompt } = turn
  const contextTokens = prompt + ANSWER + estimateTokens(TAIL)
  const told = async (): Promise<number> => {
    const intents = await turn.at.events('delivery-intended')
    return intents.filter(({ text }) => text.startsWith('The context is 100 % full')).length
  }
  await prepared(turn, { call: 2, tail: null, contextTokens })
  expect(await told()).toBe(0)
  await prepared(turn, { call: 3, tail, contextTokens })
  expect(await told()).toBe(1)
  await prepared(turn, { call: 4, tail, contextTokens })
  expect(await told()).toBe(1)
  await turn.end()
})

test('room is made only where the tail fits too afterwards', async () => {
  const at = await stage({
    models: { ruled: { ...ruleModel(() => ({ text: 'ok' })), contextTokens: 4_000 } },
    settings: { model: 'ruled' },
  })
  await at.say('old '.repeat(900))
  await at.say('new '.repeat(900))
  const branch = await at.branch()
  const wish = { branch, because: 'too-large', signal: new AbortController().signal } as const
  expect(await at.agent.makeRoom({ ...wish, tail: { text: TAIL } })).toBe('none')
  expect(await at.agent.makeRoom({ ...wish, tail: null })).toBe('made')
})
