import { describe, expect, test } from 'vitest'
import { widthOf } from '../../src/base/width.ts'
import { agentsText } from '../../src/view/agents-text.ts'
import { agentsView } from '../../src/view/agents.ts'
import { play } from './doubles.ts'
import { child, children, isChilds, ruled, slowly, typed, type Ruled } from './rig.ts'
import { stage } from './stage.ts'

const PRICE = { perMillionIn: 3, perMillionOut: 15, perMillionCached: 0.3 }

/** A screen of 80 columns shows every line whole. */
function lines(text: string | undefined): string[] {
  const all = (text ?? '').split('\n')
  expect(all.filter((line) => widthOf(line) > 80)).toEqual([])
  return all
}

async function asked(at: { say(line: string): Promise<readonly string[]> }, line: string): Promise<string[]> {
  return lines((await at.say(line))[0])
}

const IN_MAIN = [
  '  mode                 the main session',
  '  trigger              your messages',
  '  history              everything said here, across restarts',
  '  updates              with the next message, once',
  '  recall               nothing to add: everything is shown already',
  '  may call             all of these tools',
  '  model                ruled, thinking off',
]

describe('/context', () => {
  test('shows how large each part is, which ranges and marks, and what /undo would take back', async () => {
    const at = await ruled(() => ({ text: 'ok' }), { system: 'Be kind.' })
    expect(await asked(at, '/context')).toEqual([
      'What ruled would see now in main, turn 1:',
      '',
      '▓░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 77 of 100k tokens',
      'A full prompt here: 75k tokens, $1.13 with ruled (price unknown).',
      '',
      '  system            3  AGENTS.md, 8 characters',
      '  tools            74  slash',
      '  messages          0  none',
      '',
      ...IN_MAIN,
      '',
      'No marks.',
      'Nothing to undo.',
    ])
    await at.say('hello')
    await at.say('/mark A\n/mark B')
    await at.say('and more')
    await at.say('/rewind A')
    await at.say('/send main remember')
    const shown = await asked(at, '/context')
    expect(shown[7]).toMatch(/^ {2}messages +\d+ {2}2 messages of main, log \d+–\d+$/)
    expect(shown.slice(8)).toEqual([
      '  mail                 1 unread; /check-mail shows it',
      '',
      ...IN_MAIN,
      '',
      'Marks: A',
      "/undo would undo: rewind to 'A'.",
    ])
  })

  test('shows what a fork has from where', async () => {
    const at = await ruled(() => ({ text: 'ok' }))
    await at.say('hello')
    await at.say('/fork')
    await at.say('in the fork')
    const handle = await child(at)
    const shown = await asked(at, '/context')
    expect(shown[0]).toBe(`What ruled would see now in ${handle}, turn 2:`)
    expect(shown.slice(7, 9)).toEqual([
      expect.stringMatching(/2 messages of main, log \d+–\d+$/),
      expect.stringMatching(new RegExp(`2 messages of ${handle}, log `)),
    ])
  })
})

/** The sizes of prompts depend on every word of the setup. */
function shownIn(text: string | undefined): string[] {
  return lines(text).map((line) => line.replace(/\d+ shown/, 'N shown'))
}

describe('/agents', () => {
  test('is a tree with state, mail, age and cost, and marks where the person is', async () => {
    const slow = slowly({ text: 'x' })
    const at = await ruled((prompt, signal) =>
      isChilds(prompt) && JSON.stringify(prompt).includes('Compare') ? slow.reply(signal) : { text: 'ok' },
    )
    await typed(at, '/fork -- Compare the two drafts of the novel that I sent you yesterday, word by word')
    await typed(at, '/fork -- small')
    await typed(at, '/fork --enter -- the weather')
    await typed(at, '/fork -- below')
    await at.clock.pass(90_000)
    const [slowOne, small, fork, below] = await children(at)
    const [tree] = await typed(at, '/agents')
    expect(shownIn(tree)).toEqual([
      'main: idle, 1 unread, 1 min old, 45 tokens spent, N shown',
      `├─ ${slowOne} child 'Compare the two…': working for 1 min, 0 tokens spent, N shown`,
      `├─ ${small} child 'small': idle, 1 min old, 15 tokens spent, N shown`,
      `└─ * ${fork} fork 'the w…': idle, 1 unread, 1 min old, 30 tokens spent, N shown`,
      `   └─ ${below} child 'below': idle, 1 min old, 15 tokens spent, N shown`,
    ])
    await typed(at, '/exit')
    const [rest] = await typed(at, '/agents')
    expect(shownIn(rest).slice(2)).toEqual([
      `└─ ${small} child 'small': idle, 1 min old, 15 tokens spent, N shown`,
      '2 ended; /agents all shows them.',
    ])
    const [all] = await typed(at, '/agents all')
    expect(lines(all).slice(3)).toEqual([
      `└─ ${fork} fork 'the w…': ended (discarded), 1 unread, 1 min old, 30 tokens spent`,
      `   └─ ${below} child 'below': ended (killed), 1 min old, 15 tokens spent`,
    ])
  })

  test('cuts a title to fit, and leaves out one of which little could be shown', async () => {
    const slow = slowly({ text: 'x' })
    const at = await ruled((prompt, signal) => (isChilds(prompt) ? slow.reply(signal) : { text: 'ok' }))
    await typed(at, '/fork -- Compare the two drafts of the novel')
    const here = await at.branch()
    const row = (columns: number): Promise<string | undefined> =>
      at.read((reader) => {
        const now = at.clock.now()
        const text = agentsText(agentsView(reader, { now, ended: 'shown' }), 0, { now, here, columns })
        return text
          .split('\n')[1]
          ?.replace(/\w{6}/, 'ID')
          .replace(/\d+ shown/, 'N shown')
      })
    expect(await row(68)).toBe("└─ ID child 'Compa…': working for 0 s, 0 tokens spent, N shown")
    expect(await row(67)).toBe('└─ ID child: working for 0 s, 0 tokens spent, N shown')
    expect(await row(10)).toBe('└─ ID child: working for 0 s, 0 tokens spent, N shown')
  })

  test('says that a branch waits for a model that cannot be reached', async () => {
    const at = await play([{ error: { reason: 'overloaded', retryAfterMs: 3_600_000 } }])
    await at.type('hello')
    await at.clock.pass(60_000)
    expect((await typed(at, '/agents'))[0]).toMatch(/^\* main: waiting \d+ min for the model, /)
  })
})

describe('/cost', () => {
  test('says what today and this branch used, and what the limit is', async () => {
    const usage = { tokensIn: 20_000, tokensOut: 1_000, tokensCached: 5_000, tokensCacheWritten: 0 }
    const at = await ruled(() => ({ text: 'ok', usage }))
    Object.assign(at.model, { price: PRICE })
    expect(await asked(at, '/cost')).toEqual([
      'Today (2026-03-01): no calls',
      'In main, in total: no calls',
      'No daily limit. Set one with costDayMax.',
    ])
    expect(await asked(at, '/cost allow')).toEqual(['No daily limit is set.'])
    at.settings = { ...at.settings, dayLimit: { unit: 'tokens', max: 50_000 } }
    await at.say('hello')
    await at.say('/fork -- one')
    expect(await asked(at, '/cost')).toEqual([
      'Today (2026-03-01): $0.12, 2 calls, 40k tokens in (10k cached), 2.0k out',
      'In the background: $0.0615, 1 call, 20k tokens in (5.0k cached), 1.0k out',
      'In main, in total: $0.0615, 1 call, 20k tokens in (5.0k cached), 1.0k out',
      'Daily limit: 50k tokens, 84 % used.',
    ])
  })

  test('allow lets the limit be passed for today', async () => {
    const at = await ruled(() => ({ text: 'ok' }), { settings: { dayLimit: { unit: 'tokens', max: 15 } } })
    await at.say('one')
    expect((await at.say('two'))[0]).toMatch(/^Today's spending limit .* is reached\. \/cost allow/)
    expect(await at.say('/cost allow')).toEqual([
      "Today's spending limit is lifted. /retry resends what it stopped.",
    ])
    expect((await asked(at, '/cost')).at(-1)).toBe(
      'Daily limit: 15 tokens, 100 % used. You lifted it for today.',
    )
    expect((await at.say('/retry'))[0]).toBe('Trying again.')
    expect(at.model.prompts).toHaveLength(2)
  })
})

describe('settings', () => {
  test('/model shows and changes the model, and says what is wrong with a name', async () => {
    const at = await stage()
    expect(await asked(at, '/model')).toEqual([
      'The model is offline.',
      '/model NAME changes it. A name is PROVIDER/MODEL, or offline. Providers:',
      'anthropic, openai, google, openrouter, ollama, openai-compatible.',
    ])
    expect(await asked(at, '/model nobody/nothing')).toEqual([
      "There is no model 'nobody/nothing' here.",
      'The model is still offline.',
    ])
    expect(await asked(at, '/model offline')).toEqual(['Already using offline.'])
    Object.assign(at.desk, { configure: async () => 'MODEL is set by the environment' })
    expect(await asked(at, '/model offline')).toEqual([
      'MODEL is set by the environment.',
      'The model is still offline.',
    ])
  })

  test('/thinking shows and changes how much the model thinks', async () => {
    const at = await stage()
    expect(await asked(at, '/thinking')).toEqual([
      'Thinking is off. /thinking off, adaptive, or a number of tokens changes it.',
    ])
    expect(await asked(at, '/thinking adaptive')).toEqual(['Thinking is now adaptive (was off).'])
    expect(await asked(at, '/thinking 4000')).toEqual(['Thinking is now up to 4000 tokens (was adaptive).'])
  })

  test('/system shows the system text as the model gets it', async () => {
    expect(await (await stage({ system: '# Rules\n\n- be brief' })).say('/system')).toEqual([
      '# Rules\n\n- be brief',
    ])
    expect(await (await stage({ system: '' })).say('/system')).toEqual([
      'The system text is empty: AGENTS.md is missing or empty.',
    ])
  })

  test('/reload shows what changed, and the next prompt has it', async () => {
    const at: Ruled = await ruled(() => ({ text: 'ok' }), { system: 'one\ntwo\nthree\nfour\nfive' })
    expect(await asked(at, '/reload')).toEqual(['Reloaded. Nothing changed.'])
    const { tools } = await at.desk.readSetup('all')
    const more = { name: 'look', description: 'Looks', parameters: {} }
    const other = tools.map((tool) => ({ ...tool, description: 'Does it' }))
    const system = 'one\n2\nthree\nfour\nfive\nsix'
    Object.assign(at.desk, {
      readSetup: async () => ({ system, tools: [...other, more], memory: [], notes: [] }),
    })
    expect(await asked(at, '/reload')).toEqual([
      'Reloaded. What changed:',
      '- two',
      '+ 2',
      '…',
      '+ six',
      '+ tool look',
      '~ tool slash',
    ])
    await at.say('hello')
    expect(at.model.prompts[0]?.system).toBe(system)
    Object.assign(at.desk, {
      readSetup: () => Promise.reject(Object.assign(new Error('EACCES: denied'), { code: 'EACCES' })),
    })
    expect(await asked(at, '/reload')).toEqual(['Not reloaded: EACCES: denied. The old text stays in use.'])
  })

  test.each(['/help', '/help fork', '/help rewind', '/help thinking'])('%s fits the screen', async (line) => {
    expect((await asked(await stage(), line)).length).toBeGreaterThan(3)
  })

  test('/retry sends again what failed, with the settings of now', async () => {
    const at = await play([{ error: { reason: 'unauthorised', message: 'no key' } }])
    const [failed] = await at.say('hello')
    expect(failed).toMatch(/no key\. Your message is kept; \/retry sends it again\.$/)
    await at.say('/model offline')
    const [trying, answer] = await at.say('/retry')
    expect(trying).toBe('Trying again.')
    expect(answer).toMatch(/^Hello!/)
  })
})
