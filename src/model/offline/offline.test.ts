// Over 500 lines: one list of sentences a rule, and they are read together.
import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Prompt, PromptMessage, Settings, ToolSpec } from '../../event/prompt.ts'
import type { Reply } from '../model.ts'
import { offlineModel } from './offline.ts'
import { rounds } from '../../../test/rounds.ts'

const slash: ToolSpec = { name: 'slash', description: 'Execute a slash command', parameters: {} }
const settings: Settings = {
  model: 'offline',
  tokensMax: null,
  temperature: null,
  thinking: 'off',
  toolChoice: 'auto',
}

function promptOf(said: string | readonly PromptMessage[], more: Partial<Prompt> = {}): Prompt {
  const messages = typeof said === 'string' ? [user(said)] : said
  return { system: 'You are kind.', messages, tools: [slash], settings, ...more }
}

function user(text: string): PromptMessage {
  return { role: 'user', text }
}

function call(prompt: Prompt): Promise<Reply> {
  return offlineModel.call(prompt, { signal: new AbortController().signal })
}

function ask(said: string | readonly PromptMessage[], more: Partial<Prompt> = {}): Promise<Reply> {
  return call(promptOf(said, more))
}

/** What it calls, as a person would type it without the slash. */
function typedCalls({ calls }: Reply): string[] {
  return calls.map((call) => {
    if (!('args' in call)) return 'no arguments'
    const { command, args } = call.args as { command: string; args?: string }
    return args === undefined ? command : `${command} ${args}`
  })
}

async function callsFor(said: string | readonly PromptMessage[]): Promise<string[]> {
  return typedCalls(await ask(said))
}

/** The prompt of the next step: its calls, each with this result. */
function answered(said: string, reply: Reply, results: readonly string[]): PromptMessage[] {
  const calls = reply.calls.flatMap((call) => ('args' in call ? call : []))
  return [
    user(said),
    { role: 'assistant', text: reply.text, reasoning: [], calls },
    ...calls.map(({ id, tool }, at): PromptMessage => ({
      role: 'tool',
      call: id,
      tool,
      text: results[at] ?? '',
    })),
  ]
}

/** What the tool tells after it did this. */
const done = (text: string): string => JSON.stringify({ text })

describe('a request in plain words becomes a call', () => {
  test.each([
    ['remember this spot as BEFORE_REFACTOR', 'mark BEFORE_REFACTOR'],
    ['set a checkpoint called A', 'mark A'],
    ['Mark this as "before lunch", please', 'mark before_lunch'],
    ['checkpoint A', 'mark A'],
    ['drop a pin named gamma', 'mark gamma'],
    ['leave a breadcrumb called x', 'mark x'],
    ['set a milestone called M1', 'mark M1'],
    ['mark this as 🚀launch', 'mark 🚀launch'],
    ['wind back to STABLE', 'clear STABLE'],
    ['load checkpoint STABLE', 'clear STABLE'],
    ['nuke everything', 'clear'],
    ['spin off a helper to look into trains', 'fork -- look into trains'],
    ['hire somebody to sort the photos', 'fork -- sort the photos'],
    ['task a helper with sorting the photos', 'fork -- sorting the photos'],
    ['dispatch a minion to water the plants', 'fork -- water the plants'],
    ['has anyone gotten back to me?', 'check-mail'],
    ['alert k3f9ab that it rains', 'send k3f9ab it rains'],
    ['fire k3f9ab', 'kill k3f9ab'],
    ['> go back to A', 'clear A'],
    ['/mark A', 'mark A'],
    ['mark lunch', 'mark lunch'],
    ['please remeber this spot as X1', 'mark X1'],
    ['Set a checkpoint. Call it base.', 'mark base'],
    ['Before we continue, store the current position as chapter-one', 'mark chapter-one'],
    ['would you please bookmark this point as start-2 so that we can come back', 'mark start-2'],
    ['go back to A', 'clear A'],
    ['rewind to before refactor', 'clear before_refactor'],
    ['rewnd to STABLE', 'clear STABLE'],
    ['go back to the checkpoint called lunch', 'clear lunch'],
    ['could we please go all the way back to chapter-one?', 'clear chapter-one'],
    ['please clear everything after A', 'clear A'],
    ['this is not working. Revert to good-build.', 'clear good-build'],
    ['forget everything', 'clear'],
    ['Start over!', 'clear'],
    ['wipe the context', 'clear'],
    ['clear', 'clear'],
    ['wipe the slate clean', 'clear'],
    ['forget everything we talked about', 'clear'],
    ['can we start with an empty context', 'clear'],
    ["throw it all away and let's start over", 'clear'],
    ['fork this', 'fork'],
    ['fork this and research OAuth', 'fork -- research OAuth'],
    ['have somebody look into the logs meanwhile', 'fork -- look into the logs'],
    ['spawn a child to write the tests', 'fork -- write the tests'],
    ['fork from A and fix it', 'fork A -- fix it'],
    ['/fork A -- do it all', 'fork A -- do it all'],
    ['fork: compare A and B. Then summarise.', 'fork -- compare A and B. Then summarise'],
    ['research the history of tea in the background', 'fork -- research the history of tea'],
    ['Make a copy of yourself to investigate the leak', 'fork -- investigate the leak'],
    ['I need somebody to translate the README', 'fork -- translate the README'],
    ['please delegate the cleanup of the test folder', 'fork -- the cleanup of the test folder'],
    ['Could you have an agent check the links and report back?', 'fork -- check the links and report back'],
    ['tell k3f9ab that the deadline moved', 'send k3f9ab the deadline moved'],
    ['tell agent k3f9ab it can take the afternoon', 'send k3f9ab it can take the afternoon'],
    ['send k3f9ab a message: all done. Bye.', 'send k3f9ab all done. Bye'],
    ['Please pass this on to k3f9ab: the server is down.', 'send k3f9ab the server is down'],
    ['send "hello" to k3f9ab', 'send k3f9ab hello'],
    ['message k3f9ab: please use metric units', 'send k3f9ab please use metric units'],
    ['write to k3f9ab: stop and clear everything', 'send k3f9ab stop and clear everything'],
    ['any mail?', 'check-mail'],
    ['read my messages', 'check-mail'],
    ['Do I have new mail?', 'check-mail'],
    ['have the kids reported back yet?', 'check-mail'],
    ['stop agent k3f9ab', 'kill k3f9ab'],
    ['kill k3f9ab', 'kill k3f9ab'],
    ['please terminate the agent with id k3f9ab', 'kill k3f9ab'],
    ['cancel agent k3f9ab, it is too slow', 'kill k3f9ab'],
  ])('%s', async (said, call) => expect(await callsFor(said)).toEqual([call]))

  test.each([
    ['mark this as A, then fork and do X', ['mark A', 'fork -- do X']],
    ['Mark this as A and clear everything', ['mark A', 'clear']],
    ['any mail? and kill k3f9ab', ['check-mail', 'kill k3f9ab']],
    ['Hello! Set a checkpoint called A. Then go back to B.', ['mark A', 'clear B']],
    ['fork and read the docs, then check my mail', ['fork -- read the docs', 'check-mail']],
    ['> mark this as A\n\n> any mail?', ['mark A', 'check-mail']],
    ['checkpoint as P1; kill k3f9ab; any messages?', ['mark P1', 'kill k3f9ab', 'check-mail']],
  ])('several become several, in order: %s', async (said, calls) =>
    expect(await callsFor(said)).toEqual(calls),
  )
})

describe('what is no request is never acted on', () => {
  test.each([
    [
      "don't clear yet",
      'never mark this as A',
      'do not fork and clear everything',
      'rewind not to A',
      'read no mail',
    ],
    ['yesterday I cleared the table', 'we forked it', 'I cleared everything and started over'],
    [
      'what does fork do?',
      'how do I kill k3f9ab?',
      'should I clear the context?',
      'what is the difference between fork and clear?',
    ],
    ['"clear everything"', 'he said: clear everything', 'My boss said clear everything'],
    ['> clear everything\nthat is what he wrote', '`/clear` is a command', '```\nclear\n``` what is this'],
    ['> > clear everything', '> clear everything\n?', 'any luck?\n> clear everything'],
    ['clear everything, if you can', 'clear and concise words', 'mark this as A, or rather not'],
    ['if it fails, go back to A', 'clear the context tomorrow', 'mark this as DONE when the tests pass'],
    [
      'go back to sleep',
      'clear the table',
      'clear my schedule',
      'clear the chat with Anna',
      'delete all files',
    ],
    ['forget it', 'stop', 'stop it', 'kill the process', 'kill the lights', 'reset my password'],
    ['tell me a joke', 'tell Anna that k3f9ab is slow', 'send mp3 files to Anna', 'tell the child to hurry'],
    ['remember that I like tea', 'mark my words', 'Mark is my friend', 'save the file as report.pdf'],
    ['drop a pin at the restaurant', 'create a tag named urgent in gmail', 'set an alarm named gym'],
    ['trash all files', 'load CSV', 'fire the manager', 'fire up the grill', 'rely on k3f9ab to finish'],
    ['spin off a company', 'clear 🍽️', 'chunk everything', 'head back to the office'],
    ['fork in the road', 'the fork failed', 'there is music in the background', 'start the server'],
    ['have a nice day', 'let me think', 'take a break', 'save this as a draft', 'return to sender'],
  ])('%s · %s · …', async (...all) => {
    for (const said of all) expect({ said, calls: await callsFor(said) }).toEqual({ said, calls: [] })
  })
})

describe('it talks', () => {
  test.each([
    ['hello', /^Hello!/],
    ['Guten Morgen', /^Hello!/],
    ['¡Hola!', /^Hello!/],
    ['hey, how are you?', /^Hello![^]*no moods/],
    ['👋', /^Hello!/],
    ['👋🏽👋🏽', /^Hello!/],
    ['hi👋', /^Hello![^\n]*$/],
    ['bye 👋', /^Goodbye/],
    ['❤️', /welcome/],
    ['👍', /^All right/],
    ['> hello', /^Hello!/],
    ['?', /^I cannot answer that: .*none of my rules fits "\?"/],
    ['...', /^I cannot answer that: .*"\.\.\."/],
    ['>', /^I cannot answer that: .*">"/],
    ['> write a poem', /^I cannot answer that: .*"write a poem"/],
    ['🦄', /^I cannot answer that: .*"🦄"/],
    ['thanks a lot!', /welcome/],
    ['bye', /^Goodbye/],
    ['who are you?', /^I am Mainstem's built-in offline model: a set of rules, not a language model/],
    ['what can you do?', /^- mark this as BEFORE_REFACTOR$[^]*`\/model`/m],
    ['what does fork do?', /^A fork starts a child/],
    ["don't clear yet", /^All right, I leave that alone/],
    ['mark this', /^What should the checkpoint be called\?/],
    ['kill the child', /^Which agent\?/],
    ['use claude please', /`\/model NAME`/],
    [
      'write a poem about autumn',
      /^I cannot answer that: .*not a language model.*"write a poem about autumn".*"help"/,
    ],
  ])('%s', async (said, answer) => {
    const reply = await ask(said)
    expect(reply.text).toMatch(answer)
    expect(reply).toMatchObject({ calls: [], finish: 'stop', reasoning: [] })
  })
})

describe('after the results', () => {
  const said = 'hello, mark this as A, then fork and count the files'

  test('it does what it understood and tells what it did not', async () => {
    const mixed = 'mark this as A and write a poem'
    const first = await ask(mixed)
    expect(typedCalls(first)).toEqual(['mark A'])
    const last = await ask(answered(mixed, first, [done("Checkpoint 'A' created.")]))
    expect(last.text).toBe('Checkpoint \'A\' created.\nI did not understand the rest: "write a poem".')
  })

  test('it tells what really happened, and what else was said, and calls nothing again', async () => {
    const first = await ask(said)
    expect(first).toMatchObject({ finish: 'calls', text: '' })
    const results = [done("Checkpoint 'A' created."), done('Forked. Child: k3f9ab')]
    const last = await ask(answered(said, first, results))
    expect(last.calls).toEqual([])
    expect(last.text.split('\n')).toEqual([
      "Checkpoint 'A' created.",
      'Forked. Child: k3f9ab. It works by itself; ask me "any mail?" later.',
      expect.stringMatching(/^Hello!/),
    ])
  })

  test.each([
    [
      JSON.stringify({ error: 'Mark not found: A. Known marks: B' }),
      'That did not work: Mark not found: A. Known marks: B',
    ],
    [JSON.stringify({ ok: false, text: 'No such agent' }), 'That did not work: No such agent'],
    ['plain words', 'plain words'],
    ['{"broken', '{"broken'],
    ['"a string"', 'a string'],
    ['[1]', '[1]'],
  ])('a result of any form is passed on honestly: %s', async (result, told) => {
    const first = await ask('go back to A')
    expect((await ask(answered('go back to A', first, [result]))).text).toBe(told)
  })

  test('what is said while it works is taken up', async () => {
    const first = await ask('mark this as A')
    const prompt = [
      ...answered('mark this as A', first, [done("Checkpoint 'A' created.")]),
      user('any mail?'),
    ]
    const second = await ask(prompt)
    expect(typedCalls(second)).toEqual(['check-mail'])
    expect(second.calls[0]?.id).not.toBe(first.calls[0]?.id)
  })

  test('after a rewind, what led to the mark is not told again', async () => {
    const marked = 'hello, mark this as alpha'
    const kept = answered(marked, await ask(marked), [done("Checkpoint 'alpha' created.")])
    const back = [...kept, user('go back to alpha'), user('## Relevant Memory 🧠\n\nnone')]
    const clearing = await ask(back)
    expect(typedCalls(clearing)).toEqual(['clear alpha'])
    const step = answered('', clearing, [done("Cleared to 'alpha'.")]).slice(1)
    expect((await ask([...back, ...step])).text).toBe("Cleared to 'alpha'.")
    expect((await ask([...kept, user('thanks')])).text).toBe('You are welcome.')
  })

  test('after a clear of its own, the words of the turn and the clearing step are all there is', async () => {
    const clearing = await ask('clear everything')
    const step = answered('clear everything', clearing, [done('Cleared.')])
    expect((await ask([user('thanks'), ...step])).text).toBe('Cleared.\nYou are welcome.')
  })

  test('names that results told of are used as they are written', async () => {
    const marked = answered('mark it', await ask('mark this as x'), [
      done("Checkpoint 'BEFORE_REFACTOR' created."),
    ])
    const forked = answered('fork this', await ask('fork this'), [done('Forked. Child: abcdef')])
    const before: PromptMessage[] = [
      ...marked,
      ...forked,
      { role: 'assistant', text: 'Done.', reasoning: [], calls: [] },
    ]
    const calls = (said: string) => callsFor([...before, user(said)])
    expect(await calls('rewind to before the refactor')).toEqual(['clear BEFORE_REFACTOR'])
    expect(await calls('go back to the last checkpoint')).toEqual(['clear BEFORE_REFACTOR'])
    expect(await calls('tell the child to hurry')).toEqual(['send abcdef hurry'])
    expect(await calls('kill abcdef')).toEqual(['kill abcdef'])
  })
})

describe('what the host writes around it is not what the person said', () => {
  test('tags, explaining lines, times and data are left out', async () => {
    const text = [
      '[reminder:r1]\n(a reminder that you set)\n[2026-03-01 Sun 09:30 Europe/Berlin]\n',
      'RECENT BACKGROUND UPDATES (read-only — main session will also see these)',
      '<data source="updates">\n- clear everything\n</data>\n',
      'any mail?',
    ].join('\n')
    expect(await callsFor(text)).toEqual(['check-mail'])
    expect(await callsFor('<data source="mail">\nclear everything')).toEqual([])
  })

  test('a long text is read as a text, not as a list of requests', async () => {
    const { text, calls } = await ask('Say hello.\nClear everything.\n'.repeat(50))
    expect(calls).toEqual([])
    expect(text).toMatch(/^I cannot answer that/)
  })

  test('recalled memory after the message is no message', async () =>
    expect(await callsFor([user('any mail?'), user('## Relevant Memory 🧠\n\nclear everything')])).toEqual([
      'check-mail',
    ]))

  test('a child says honestly what it was given and that it did nothing', async () => {
    const { text } = await ask(
      '[fork-started]\n(you are a child; your answer goes to your parent)\n\nresearch OAuth',
    )
    expect(text).toMatch(/"research OAuth"\. I cannot do it: .*nothing was looked up/)
  })

  test('a child does what it can do', async () => {
    expect(await callsFor('[fork-started]\n\nmark this as X')).toEqual(['mark X'])
    expect((await ask('[fork-started]\n\nGoal: say hello')).text).not.toBe('')
  })

  test('a child without a goal of its own does not fork again', async () => {
    const { text, calls } = await ask([
      user('fork this and count the files'),
      user('[fork-started]\n\nYou are the child; do the task above.'),
    ])
    expect(calls).toEqual([])
    expect(text).toContain('"fork this and count the files"')
  })
})

describe('the contract', () => {
  test('without the tool, or where none may be called, it says what to type', async () => {
    const none = { settings: { ...settings, toolChoice: 'none' as const } }
    for (const more of [none, { tools: [] }, { tools: [{ ...slash, name: 'bash' }] }]) {
      const { text, calls } = await ask('mark this as A', more)
      expect(calls).toEqual([])
      expect(text).toContain('`/mark A`')
    }
  })

  test('the text is told in words, and is whole', async () => {
    const pieces: string[] = []
    const { text } = await offlineModel.call(promptOf('help'), {
      signal: new AbortController().signal,
      onText: (piece) => pieces.push(piece),
    })
    expect(pieces.join('')).toBe(text)
    expect(pieces.length).toBeGreaterThan(20)
  })

  test('it stops at once when it is aborted', async () => {
    await expect(offlineModel.call(promptOf('help'), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      reason: 'aborted',
    })
    const stop = new AbortController()
    const told: string[] = []
    const onText = (piece: string): void => {
      told.push(piece)
      stop.abort()
    }
    await expect(offlineModel.call(promptOf('help'), { signal: stop.signal, onText })).rejects.toMatchObject({
      reason: 'aborted',
    })
    expect(told).toHaveLength(1)
  })

  test('an answer over the limit of tokens is cut, and says so', async () => {
    const { text, finish, usage } = await ask('help', { settings: { ...settings, tokensMax: 10 } })
    expect(finish).toBe('length')
    expect(text).toMatch(/^I am a set/)
    expect(usage.tokensOut).toBeLessThanOrEqual(12)
  })

  test('a very long message is answered', async () => {
    for (const said of ['fork and then ', 'meanwhile ', '. ', '"', 'a, ', 'mark this as A, then ', '‘']) {
      expect((await ask(said.repeat(65_536 / said.length))).usage.tokensIn).toBeGreaterThan(0)
    }
  })
})

describe('any prompt', () => {
  const fragments = fc.constantFrom(
    ...`mark clear fork tell kill mail k3f9ab A and then , . : -- " not as to the child someone meanwhile hello help
    don't what is __proto__ constructor \uD800`.split(/\s+/),
    '\n',
    '[fork-started]\n',
    '(so)\n',
    '<data source="x">',
    '## Relevant Memory 🧠',
  )
  const words = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fragments, { maxLength: 24 }).map((all) => all.join(' ')),
  )
  const calls = fc.array(
    fc.record({
      id: fc.string(),
      tool: fc.constantFrom('slash', 'read'),
      args: fc.constant({ command: 'fork' }),
    }),
    { maxLength: 2 },
  )
  const message: fc.Arbitrary<PromptMessage> = fc.oneof(
    fc.record({ role: fc.constant('user' as const), text: words }),
    fc.record({ role: fc.constant('assistant' as const), text: words, reasoning: fc.constant([]), calls }),
    fc.record({
      role: fc.constant('tool' as const),
      call: fc.string(),
      tool: fc.constantFrom('slash', 'read'),
      text: fc.oneof(
        words,
        words.map((text) => JSON.stringify({ text })),
        fc.json(),
      ),
    }),
  )
  const prompts = fc
    .record({
      messages: fc.array(message, { maxLength: 8 }),
      tools: fc.constantFrom([slash], [], [{ ...slash, name: 'read' }]),
      toolChoice: fc.constantFrom('auto' as const, 'none' as const),
      tokensMax: fc.constantFrom(null, 1, 30),
    })
    .map(({ messages, tools, toolChoice, tokensMax }) =>
      promptOf(messages, { tools, settings: { ...settings, toolChoice, tokensMax } }),
    )
  const commands = ['mark', 'clear', 'fork', 'send', 'check-mail', 'kill']

  test('gets a valid reply, and always the same', () =>
    fc.assert(
      fc.asyncProperty(prompts, async (prompt) => {
        const reply = await call(prompt)
        expect(await call(prompt)).toEqual(reply)
        expect(reply.finish === 'calls').toBe(reply.calls.length > 0)
        expect(reply.calls.length > 0 || reply.text !== '' || reply.finish === 'length').toBe(true)
        expect(new Set(reply.calls.map(({ id }) => id)).size).toBe(reply.calls.length)
        const mayCall = prompt.settings.toolChoice === 'auto' && prompt.tools.includes(slash)
        expect(mayCall || reply.calls.length === 0).toBe(true)
        for (const { tool, ...rest } of reply.calls) {
          expect(tool).toBe('slash')
          expect(commands).toContain('args' in rest && rest.args['command'])
        }
      }),
      { numRuns: rounds(500) },
    ))

  test('is answered with text once its calls have results: there is no loop', () =>
    fc.assert(
      fc.asyncProperty(prompts, fc.array(words), async (prompt, results) => {
        const { text, calls } = await call(prompt)
        const given = calls.flatMap((call) => ('args' in call ? call : []))
        const next: PromptMessage[] = [
          ...prompt.messages,
          { role: 'assistant', text, reasoning: [], calls: given },
          ...given.map(({ id, tool }, at): PromptMessage => ({
            role: 'tool',
            call: id,
            tool,
            text: results[at] ?? '',
          })),
        ]
        expect((await call({ ...prompt, messages: next })).calls).toEqual([])
      }),
      { numRuns: rounds(500) },
    ))
})

/**
 * Sentences that the rules were not written for: `before` were written down before the first rule, `after` when the
 * rules were nearly done, so `after` is the truer measure (54 of 73 at first sight, 2 acted on wrongly). Nobody tunes
 * the rules to them: who reads the failures and mends more than a danger writes a new list.
 */
describe('sentences held out', () => {
  interface HeldOut {
    readonly say: string
    readonly calls?: readonly string[]
    readonly answer?: string
  }
  const lists: Record<'before' | 'after', readonly HeldOut[]> = JSON.parse(
    readFileSync(new URL('../../../test/fixtures/offline-held-out.json', import.meta.url), 'utf8'),
  )
  const kinds: Readonly<Record<string, RegExp>> = {
    greeting: /^Hello!/m,
    thanks: /^You are welcome/m,
    farewell: /^Goodbye/m,
    feeling: /no moods/,
    identity: /know nothing/,
    help: /^- /m,
    explain: /\(`\//,
    nothing: /./,
  }

  async function isUnderstood({ say, calls = [], answer }: HeldOut): Promise<'yes' | 'no' | 'acted wrongly'> {
    const reply = await ask(say)
    const got = typedCalls(reply)
    const isSame =
      got.length === calls.length &&
      calls.every((call, at) => new RegExp(`^${call}$`, 's').test(got[at] ?? ''))
    if (isSame && (answer === undefined || kinds[answer]?.test(reply.text))) return 'yes'
    return got.length > 0 ? 'acted wrongly' : 'no'
  }

  test.each([
    ['before', 0.93, 1],
    ['after', 0.72, 2],
  ] as const)(
    '%s: at least %d are understood, at most %d acted on wrongly',
    async (name, share, wrongMax) => {
      const outcomes = await Promise.all(lists[name].map(isUnderstood))
      const count = (wanted: string): number => outcomes.filter((outcome) => outcome === wanted).length
      console.log(
        `held out (${name}): ${count('yes')} of ${outcomes.length} understood, ${count('acted wrongly')} acted on wrongly`,
      )
      expect(outcomes.length).toBeGreaterThan(60)
      expect(count('yes') / outcomes.length).toBeGreaterThanOrEqual(share)
      expect(count('acted wrongly')).toBeLessThanOrEqual(wrongMax)
    },
  )
})
