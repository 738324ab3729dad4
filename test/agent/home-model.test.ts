import { describe, expect, test } from 'vitest'
import { homeModel, missingNotice } from '../../src/agent/state/home-model.ts'
import type { AgentSettings } from '../../src/agent/state/settings.ts'
import { modelFor } from '../../src/agent/state/run.ts'
import type { Life } from '../../src/runtime/life/life.ts'
import { startExchange } from '../../src/runtime/terminal/exchange.ts'
import { typedInbound } from '../../src/runtime/terminal/place.ts'
import { receive } from '../../src/command/door/reception.ts'
import { ruleModel, type RuleModel } from './doubles.ts'
import { expectLawful } from './lawful.ts'
import { addGuest, ended, slowly } from './rig.ts'
import { endsOf, ran, startRun } from './run-rig.ts'
import { breathe, stage, type Stage, type StageOptions } from './stage.ts'
import { compactions, sayTurns, SMALL } from './talk.ts'

const HOME = { name: 'anthropic/x', from: 'MAINSTEM_MODEL' }
const SET = { model: HOME.name, modelFrom: HOME.from } satisfies Partial<AgentSettings>
/** A process in whose environment no model is named. */
const UNSET = { model: 'offline', modelFrom: null } satisfies Partial<AgentSettings>

interface Home extends Stage {
  readonly x: RuleModel
  readonly offline: RuleModel
}

/** A home with both models; `offline` counts its calls, and would answer everything. */
async function home(options: StageOptions = {}): Promise<Home> {
  const x = ruleModel(() => ({ text: 'x says.' }), { name: HOME.name })
  const offline = ruleModel(() => ({ text: 'offline says.' }), { name: 'offline' })
  const at = await stage({ ...options, models: { [HOME.name]: x, offline, ...options.models } })
  return Object.assign(at, { x, offline })
}

/** The next process has no model. */
async function reopened(before: Stage, settings: Partial<AgentSettings> = UNSET): Promise<Home> {
  const at = await home({ ...(await ended(before)), settings })
  await at.settle()
  return at
}

async function answeredBefore(settings: Partial<AgentSettings> = {}): Promise<Home> {
  const first = await home({ settings: { ...SET, ...settings } })
  await first.say('hello')
  return reopened(first, { ...settings, ...UNSET })
}

function asked(at: Stage, text: string, key: string, signal = new AbortController().signal) {
  const life = {
    log: at.log,
    agent: at.agent,
    desk: at.desk,
    receive: (inbound: Parameters<Life['receive']>[0]) => receive(at.desk, inbound),
  } as unknown as Life
  return startExchange(life, typedInbound(text, { origin: 'terminal', key }), { signal }).then(
    ({ outcome }) => outcome,
  )
}

function waits(isWithdrawn = false, person = 'owner'): string {
  return missingNotice(HOME, { person, isWithdrawn })
}

test('what is said where no model is set is said in these words', () => {
  expect(waits()).toBe(
    'The model was anthropic/x (MAINSTEM_MODEL of the process that ended). It is not set here, so your question waits. /model NAME chooses one.',
  )
})

describe('[MODEL1] a process without a model, in a home whose model is another than offline,', () => {
  test('tells a person once that the question waits, and answers with the model that is chosen', async () => {
    const at = await answeredBefore()
    expect(await at.say('and now?')).toEqual([waits()])
    expect(await at.say('still there?')).toEqual([])
    await at.clock.pass(60_000)
    await at.settle()
    expect([at.sent.length, at.offline.prompts.length]).toEqual([1, 0])
    await at.say(`/model ${HOME.name}`)
    expect(at.sent.map(({ text }) => text).slice(2)).toEqual(['x says.'])
    expect(at.x.prompts).toHaveLength(1)
    await expectLawful(at)
  })

  test('goes on with a turn that another process left, once it has one', async () => {
    const first = await home({ settings: SET })
    const late = slowly({ text: 'never' })
    Object.assign(first.x, { call: (_: unknown, { signal }: { signal: AbortSignal }) => late.reply(signal) })
    await first.type('a question')
    await late.begun.opened
    const at = await reopened(first)
    expect(at.sent.map(({ text }) => text)).toEqual([waits()])
    // Another process that has none says it no second time.
    const again = await reopened(at)
    await again.clock.pass(20_000)
    await again.settle()
    expect([again.sent, again.offline.prompts]).toEqual([[], []])
    const set = await reopened(again, SET)
    expect(set.sent.map(({ text }) => text)).toEqual(['x says.'])
    await expectLawful(set)
  })

  test('is told of a model that another process sets, and then answers', async () => {
    const at = await answeredBefore()
    await at.say('and now?')
    at.settings = { ...at.settings, ...SET }
    await at.clock.pass(6_000)
    await at.settle()
    expect(at.sent.at(-1)?.text).toBe('x says.')
  })

  test('does commands meanwhile, and /retry and /stop say what is the matter', async () => {
    const at = await answeredBefore()
    await at.say('and now?')
    expect(await at.say('/mark here')).toHaveLength(1)
    await at.say('/retry')
    expect((await at.events('command-run')).at(-1)).toMatchObject({ isError: true })
    expect(at.offline.prompts).toHaveLength(0)
    await at.say('/stop')
    await at.say(`/model ${HOME.name}`)
    expect(at.x.prompts).toHaveLength(0)
  })

  test('withdraws the question of a program, which is told so, also behind one that waits', async () => {
    const at = await answeredBefore()
    const alone = await asked(at, 'from a program', 'k1')
    expect(alone).toMatchObject({ isFailed: true, deliveries: [{ text: waits(true) }] })
    await at.say('from a person')
    const behind = await asked(at, 'from another one', 'k2')
    expect(behind).toMatchObject({ isFailed: true, deliveries: [{ text: waits(true) }] })
    at.settings = { ...at.settings, ...SET }
    await at.clock.pass(6_000)
    await at.settle()
    const shown = at.x.prompts
      .at(-1)
      ?.messages.map(({ text }) => text)
      .join('\n')
    expect(shown).toContain('from a person')
    expect(shown).not.toContain('from another one')
    await expectLawful(at)
  })

  test('starts no background run before it has one, and loses none', async () => {
    const at = await answeredBefore()
    const run = await startRun(at)
    await at.clock.pass(3_600_000)
    await at.settle()
    expect([await endsOf(at, run), at.offline.prompts, at.sent]).toEqual([[], [], []])
    expect((await at.events('turn-started')).filter(({ branch }) => branch === run)).toEqual([])
    at.settings = { ...at.settings, ...SET }
    await at.clock.pass(6_000)
    await at.settle()
    expect(await endsOf(at, run)).toEqual(['finished'])
  })

  test('lets offline answer where its name was chosen: by a setting, by /model or by a job', async () => {
    const set = await reopened(await answeredBefore(), { model: 'offline', modelFrom: 'config.json' })
    expect(await set.say('hi')).toEqual(['offline says.'])
    // It is the home's model now.
    const unset = await reopened(set)
    expect(await unset.say('hi')).toEqual(['offline says.'])

    const chosen = await answeredBefore()
    await chosen.say('and now?')
    await chosen.say('/model offline')
    expect(chosen.sent.at(-1)?.text).toBe('offline says.')

    const job = await answeredBefore()
    expect(await endsOf(job, await ran(job, { model: 'offline' }))).toEqual(['finished'])
    expect(job.offline.prompts).toHaveLength(1)
  })

  test('writes no summary, until an extract may stand in', async () => {
    const window = { ...SMALL, truncationMessages: 100 }
    const first = await home({ settings: { ...SET, compactionModel: HOME.name, window } })
    await sayTurns(first, 3)
    const at = await reopened(first, { ...UNSET, compactionModel: 'offline', window })
    await at.say('/compact')
    expect(at.offline.prompts).toEqual([])
    expect((await compactions(at as never)).filter((one) => !one.startsWith('('))).toEqual([])
  })
})

describe('[MODEL1] the home’s model', () => {
  test('is nobody’s at first, so that offline answers a new home', async () => {
    const at = await home({ settings: UNSET })
    expect(await at.read(homeModel)).toBeUndefined()
    expect(await at.say('hi')).toEqual(['offline says.'])
    expect((await at.events('turn-started')).map(({ model }) => model)).toEqual([
      { name: 'offline', from: 'default' },
    ])
    expect(await at.say('and again')).toEqual(['offline says.'])
  })

  test('is that of the newest turn that a person opened, a guest too, and not that of a job or a fallback', async () => {
    const at = await home({ settings: SET, fallbacks: ['offline'] })
    await at.say('hello')
    await ran(at, { model: 'offline' })
    expect(await at.read(homeModel)).toEqual(HOME)
    const guest = { person: 'ada', channel: 'telegram', conversation: '7' }
    await addGuest(at, guest)
    at.settings = { ...at.settings, model: 'offline', modelFrom: '--model' }
    await receive(at.desk, { ...guest, origin: 'phone', messageId: null, text: 'hi' })
    await at.settle()
    await breathe()
    expect(await at.read(homeModel)).toEqual({ name: 'offline', from: '--model' })
    await expectLawful(at)
  })

  test('is written for every turn that has one, with where its name came from', async () => {
    const at = await home({ settings: SET })
    await at.say('hello')
    await ran(at, { model: 'offline' })
    const started = await at.events('turn-started')
    expect(started.map(({ model }) => model)).toEqual([HOME, { name: 'offline', from: 'routine brief' }])
    expect(modelFor(null, at.settings)).toBe(HOME.name)
  })
})
