import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Prompt, PromptMessage, Settings, ToolSpec } from '../../event/prompt.ts'
import type { Reply } from '../model.ts'
import { offlineModel } from './offline.ts'
import { rounds } from '../../../test/rounds.ts'

const settings: Settings = {
  model: 'offline',
  tokensMax: null,
  temperature: null,
  thinking: 'off',
  toolChoice: 'auto',
}
const tools: readonly ToolSpec[] = ['slash', 'recall', 'remember'].map((name) => ({
  name,
  description: name,
  parameters: {},
}))

const user = (text: string): PromptMessage => ({ role: 'user', text })

function ask(said: string | readonly PromptMessage[], more: Partial<Prompt> = {}): Promise<Reply> {
  const messages = typeof said === 'string' ? [user(said)] : said
  return offlineModel.call(
    { system: '', messages, tools, settings, ...more },
    { signal: new AbortController().signal },
  )
}

async function linesFor(said: string): Promise<unknown[]> {
  const { calls } = await ask(said)
  return calls.flatMap((call) => ('args' in call && call.tool === 'remember' ? [call.args['line']] : []))
}

/** What it says when its calls have these results. */
async function answer(said: string, ...results: string[]): Promise<string> {
  const { text, calls: wanted } = await ask(said)
  const calls = wanted.flatMap((call) => ('args' in call ? call : []))
  expect(calls).toHaveLength(results.length)
  const done = calls.map(({ id, tool }, at): PromptMessage => ({
    role: 'tool',
    call: id,
    tool,
    text: results[at] ?? '',
  }))
  const last = await ask([user(said), { role: 'assistant', text, reasoning: [], calls }, ...done])
  expect(last.calls).toEqual([])
  return last.text
}

describe('what is to be remembered for good is proposed', () => {
  test.each([
    ['remember that I like tea', 'I like tea'],
    ['please remember: my dentist is Dr. Ono', 'My dentist is Dr. Ono'],
    ['Please remember: my dentist is Dr. Ono.', 'My dentist is Dr. Ono'],
    ["don't forget that Ana comes on Monday!", 'Ana comes on Monday'],
    ['Do not forget that the car is in the garage', 'The car is in the garage'],
    ['Remember I like tea.', 'I like tea'],
    ['Remember that my sister has two kids, please.', 'My sister has two kids'],
    ['Could you remember that we leave at 7:40?', 'We leave at 7:40'],
    ['Hey, please keep in mind that I am vegan', 'I am vegan'],
    ['save to memory: no calls before nine', 'No calls before nine'],
    ['add "prefers short answers" to my memory', 'prefers short answers'],
    ['Remember this: Wifi is  x', 'Wifi is  x'],
  ])('%s', async (said, line) => {
    expect((await linesFor(said)).map((one) => String(one).toLowerCase())).toEqual([line.toLowerCase()])
  })

  test('its first letter is a capital, a name keeps its letters', async () => {
    expect(await linesFor('remember that my cat is old')).toEqual(['My cat is old'])
    expect(await linesFor('remember that iPhones are expensive')).toEqual(['iPhones are expensive'])
  })

  test('beside other requests, each is done', async () => {
    const { calls } = await ask(
      'Remember that I like tea. Any mail? And remember that Dr. Ono is my dentist.',
    )
    expect(calls.map((call) => 'args' in call && { tool: call.tool, args: call.args })).toEqual([
      { tool: 'slash', args: { command: 'check-mail' } },
      { tool: 'remember', args: { line: 'I like tea' } },
      { tool: 'remember', args: { line: 'Dr. Ono is my dentist' } },
    ])
  })

  test('the answer says how to approve it', async () => {
    const waits = { text: "It waits for the person's approval (approval 7); it is not remembered yet." }
    expect(await answer('remember that I like tea', JSON.stringify(waits))).toBe(
      'I proposed that for your memory; it is not remembered yet. `/approve 7` remembers it, `/deny 7` does not.',
    )
  })

  test('what the tool says else is said as it is', async () => {
    const there = 'It is remembered already: "I like tea". Nothing was proposed.'
    expect(await answer('remember that I like tea', JSON.stringify({ text: there }))).toBe(there)
    expect(await answer('remember that I like tea', JSON.stringify({ error: 'It is too long.' }))).toBe(
      'That did not work: It is too long.',
    )
  })

  test('without the tool it says what to type, and calls nothing', async () => {
    const { text, calls } = await ask('remember that I like tea', { tools: [] })
    expect(calls).toEqual([])
    expect(text).toContain('`/remember I like tea`')
    expect(text).toContain('not remembered')
  })
})

describe('nothing is proposed', () => {
  test.each([
    ['do you remember that I like tea?', 'Do you remember my dentist?', 'Remember that evening in Rome?'],
    ['remind me to call mom', 'remind me that I like tea', 'remember to buy milk', "don't forget to call"],
    ['I remember that you like tea', 'She said: remember that I like tea', 'We remembered that it rains'],
    ['remember the milk', 'remember my birthday', 'remember me', 'remember that', 'remember this'],
    ['remember where we are as A', 'remember this spot as B', 'forget everything', 'forget that I like tea'],
    [
      '> remember that I like tea\nThat was hers.',
      '"remember that I like tea"',
      'when I am old, remember that I like tea',
    ],
    ['Remember that I told you about tea?', 'Remember my sister is in Rome?'],
    ['Remember that I love you', 'Note that the file is old', 'I forgot that it is Monday'],
  ])('%s · %s · …', async (...all) => {
    for (const said of all) expect({ said, lines: await linesFor(said) }).toEqual({ said, lines: [] })
  })

  test('for a long text that happens to have such a sentence', async () => {
    const text = 'It rained and we stayed at home. '.repeat(20)
    expect(await linesFor(`${text}Remember that I like tea.`)).toEqual([])
  })
})

const AGENTS = '# You\n\nBe brief.\n\n- Answer in English'
const MEMORY = '# Memory\n\n## People\n- Dentist: Dr. Ono\n  in Oak Street\n* No calls before nine'
const SKILLS =
  'You have access to the following skills. Use them when relevant.\n\n## git\n# Memory\n- none of it'

describe('what is always remembered is shown', () => {
  test.each([
    'what do you remember about me?',
    'What do you remember?',
    'show my memory',
    'Please show me your memory.',
    'what do you know about me',
    'list what you remember about me',
    "what's in my memory",
  ])('%s', async (said) => {
    const { text, calls } = await ask(said, { system: [AGENTS, MEMORY, SKILLS].join('\n\n') })
    expect(calls).toEqual([])
    expect(text).toBe(
      'Your memory.md says:\n- Dentist: Dr. Ono\n- No calls before nine\n`/memory` shows since when.',
    )
  })

  test.each([
    ['there is none', AGENTS],
    ['it has no heading of its own', `${AGENTS}\n\n- Dentist: Dr. Ono`],
    ['two parts have its heading', [MEMORY, MEMORY].join('\n\n')],
    ['its heading stands among those of AGENTS.md', `${MEMORY}\n\n# Style\n\n- Be brief`],
    ['only a skill has its heading', `${AGENTS}\n\n${SKILLS}`],
  ])('by a command where %s', async (_, system) => {
    const { text } = await ask('show my memory', { system })
    expect(text).toMatch(/^`\/memory` shows what is always remembered/)
  })
})

describe('how rights, skills and memory work is told with the commands', () => {
  test.each([
    ['how do I allow a tool?', ['/tools', '/allow', '/permissions']],
    ['How do I allow a skill', ['/skills allow', '/allow']],
    ['what are permissions', ['/permissions']],
    ['help permissions', ['/permissions']],
    ['what skills do you have?', ['/skills', 'mainstem skills']],
    ['help skills', ['/skills', 'mainstem skills']],
    ['help memory', ['/memory', '/remember']],
    ['which tools are there', ['/tools']],
  ])('%s', async (said, names) => {
    const { text, calls } = await ask(said)
    expect(calls).toEqual([])
    for (const name of names) expect(text).toContain(name)
    expect(text.split('\n').length).toBeLessThanOrEqual(3)
  })

  test.each([
    'what tools does a carpenter need?',
    'how do I improve my memory at work and school',
    'which skills matter for a nurse?',
    'my memory is bad',
    'allow me to explain',
  ])('and not where something else is meant: %s', async (said) => {
    expect((await ask(said)).text).not.toMatch(/`\/(?:tools|skills|memory|allow)/)
  })
})

/**
 * `before` were written down before the first of these rules, `after` when they were done, so `after` is the truer
 * measure (26 of 38 at first sight). Nobody tunes the rules to them: who reads the failures and mends more than a danger writes a new list.
 */
describe('sentences held out', () => {
  interface HeldOut {
    readonly remember: readonly { say: string; line: string }[]
    readonly show: readonly string[]
    readonly about: readonly { say: string; names: string }[]
    readonly other: readonly string[]
  }
  const lists: Record<'before' | 'after', HeldOut> = JSON.parse(
    readFileSync(new URL('../../../test/fixtures/offline-memory-held-out.json', import.meta.url), 'utf8'),
  )
  const system = [AGENTS, MEMORY, SKILLS].join('\n\n')

  async function judged(say: string, isMeant: (reply: Reply, lines: readonly unknown[]) => boolean) {
    const [reply, lines] = [await ask(say, { system }), await linesFor(say)]
    return { isRight: isMeant(reply, lines), isProposed: lines.length > 0 }
  }

  /** Whether each is understood as it was meant, and whether something is proposed that was not meant. */
  async function outcomesOf({ remember, show, about, other }: HeldOut) {
    return Promise.all([
      ...remember.map(async ({ say, line }) => {
        const isLine = (lines: readonly unknown[]): boolean =>
          lines.length === 1 && String(lines[0]).toLowerCase() === line.toLowerCase()
        const { isRight, isProposed } = await judged(say, (_, lines) => isLine(lines))
        return { isRight, isProposed: isProposed && !isRight }
      }),
      ...show.map((say) => judged(say, ({ text }) => text.includes('- Dentist: Dr. Ono'))),
      ...about.map(({ say, names }) => judged(say, ({ text }) => text.includes(names))),
      ...other.map((say) => judged(say, (_, lines) => lines.length === 0)),
    ])
  }

  test.each([
    ['before', 0.95],
    ['after', 0.65],
  ] as const)(
    '%s: at least %d are understood, and nothing is proposed that was not meant',
    async (name, share) => {
      const outcomes = await outcomesOf(lists[name])
      const right = outcomes.filter(({ isRight }) => isRight)
      console.log(`held out (${name}): ${right.length} of ${outcomes.length} understood`)
      expect(outcomes.length).toBeGreaterThan(30)
      expect(right.length / outcomes.length).toBeGreaterThanOrEqual(share)
      expect(outcomes.filter(({ isProposed }) => isProposed)).toEqual([])
    },
  )
})

test('long runs of the same words take no time to speak of', async () => {
  const begun = performance.now()
  for (const word of [
    'please ',
    'add a ',
    'remember ',
    'remember that ',
    'you should ',
    'to my memory ',
    ', ',
  ])
    await ask(`${word.repeat(2_000)}x`)
  expect(performance.now() - begun).toBeLessThan(4_000)
})

test('whatever is said, the reply is the same again, and a wish has words', () =>
  fc.assert(
    fc.asyncProperty(
      fc
        .array(
          fc.constantFrom(
            ...'remember that I my : , . ? " > \n please add to memory don’t forget can you is tea Dr. show'.split(
              ' ',
            ),
          ),
          { maxLength: 20 },
        )
        .map((words) => words.join(' ')),
      async (said) => {
        expect(await ask(said)).toEqual(await ask(said))
        for (const line of await linesFor(said)) expect(line).toMatch(/[\p{L}\p{N}]/u)
      },
    ),
    { numRuns: rounds(300) },
  ))
