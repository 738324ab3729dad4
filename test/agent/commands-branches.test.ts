import { describe, expect, test } from 'vitest'
import { HOW_IT_ENDS } from '../../src/agent/branch/enter-act.ts'
import { limits } from '../../src/base/limits.ts'
import { seededRandom } from '../../src/base/random.ts'
import { handleOf, makeBranchId } from '../../src/event/id.ts'
import { forking, shownIn } from './forking.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import {
  bare,
  child,
  children,
  dialogue,
  idOf,
  isChilds,
  lastText,
  ruled,
  said,
  slowly,
  stateOf,
  talkedTo,
  typed,
} from './rig.ts'
import { stage, terminal } from './stage.ts'

const echo = (prompt: Parameters<typeof lastText>[0]) => ({ text: `heard: ${lastText(prompt)}` })

function handleFrom(seed: number): string {
  return handleOf(makeBranchId(0, seededRandom(seed)))
}

describe('/fork', () => {
  test('takes the person into a branch that knows all, and its first message carries the tag', async () => {
    const at = await ruled(echo)
    await at.say('the sky is green')
    const [forked] = await at.say('/fork')
    expect(forked).toBe(
      `Forked. Child: ${await child(at)}\nYou're in a side conversation now. ${HOW_IT_ENDS}`,
    )
    expect(await talkedTo(at)).toBe(await child(at))
    expect(await at.say('what colour is it?')).toEqual(['heard: what colour is it?'])
    expect(at.model.prompts.at(-1)?.messages.map(bare)).toEqual([
      'the sky is green',
      'heard: the sky is green',
      'what colour is it?',
    ])
    expect(at.model.prompts.at(-1)?.messages.at(-1)?.text).toMatch(
      /^\[fork-started\]\n\(written by the host: .*\)\n\[2026/,
    )
    await at.say('and now?')
    expect(at.model.prompts.at(-1)?.messages.at(-1)?.text).toMatch(/^\[2026/)
  })

  test('with --enter and a topic runs one turn about it, answered to the person', async () => {
    const at = await ruled(echo)
    await dialogue(at, [
      [
        '/fork --enter -- the two drafts',
        /^Forked\. Child: \w{6}\nYou're in a side conversation now\. \/save, \/report or \/exit ends it\. Main does not see/,
        'heard: the two drafts',
      ],
      ['go on', 'heard: go on'],
    ])
    expect(at.model.prompts[0]?.messages[0]?.text).toMatch(/^\[fork-started\]\n/)
  })

  test('inside a fork is refused with the way out, but a child of the fork is not', async () => {
    const at = await ruled(echo)
    await at.say('/fork')
    const fork = await child(at)
    const ends = '/save adds it to main, /report tells main about it, /exit drops it'
    const refused = `You are already in a fork, and only one can be open at a time. End it first: ${ends}. /fork -- GOAL starts a child from here.`
    expect(await at.say('/fork')).toEqual([refused])
    expect(await at.say('/fork --enter -- more')).toEqual([refused])
    expect((await at.say('/fork -- count to ten'))[0]).toMatch(/^Forked\. Child: \w{6}$/)
    await at.say('/switch main')
    expect(await at.say('/fork')).toEqual([
      `The fork ${fork} is open, and only one can be open at a time. /switch ${fork} goes back to it; there ${ends}.`,
    ])
    await at.say(`/switch ${fork}`)
    await at.say('/exit')
    expect((await at.say('/fork'))[0]).toMatch(/^Forked\. Child: \w{6}\nYou're in a side conversation now\. /)
  })

  test('with words that are no mark offers what may have been meant', async () => {
    const at = await ruled(echo)
    await dialogue(at, [
      [
        '/fork look into it',
        'Mark not found: look into it\nThere are no marks here. /mark NAME sets one.\nTo give it as a task: /fork -- look into it\nTo talk about it in a fork: /fork --enter -- look into it',
      ],
      ['/mark A', "Checkpoint 'A' created."],
      [
        '/fork B -- count',
        'Mark not found: B\nMarks here: A\nTo give the task with all that was said here: /fork -- count',
      ],
      [
        '/fork A',
        'There is nothing after that mark, so the child would have no task. Add one: fork MARK -- GOAL',
      ],
    ])
    expect(await children(at)).toEqual([])
  })

  test('with a goal starts a child at once, the person stays, and the parent never answers the goal', async () => {
    const at = await ruled((prompt) => ({ text: isChilds(prompt) ? 'It is 42.' : 'main speaks' }))
    const [forked, finished, ...more] = await at.say('/fork -- find the answer')
    const handle = await child(at)
    expect([forked, finished, more]).toEqual([
      `Forked. Child: ${handle}`,
      `${handle} finished: It is 42.`,
      [],
    ])
    expect(await talkedTo(at)).not.toBe(handle)
    expect(at.model.prompts.map(said)).toEqual([['find the answer']])
    expect(at.model.prompts[0]?.messages[0]?.text).toMatch(
      /^\[fork-started\]\n\(written by the host: .*\)\n\[2026/,
    )
    await expectLawful(at)
  })

  test('from a mark with --enter takes the person into a fork that knows only what follows it', async () => {
    const at = await forking()
    await at.say('one')
    await at.say('/mark A')
    await at.say('two')
    await dialogue(at, [
      [
        '/fork B --enter',
        'Mark not found: B\nMarks here: A\nTo talk with all that was said here: /fork --enter',
      ],
      [
        '/fork B --enter -- tea',
        'Mark not found: B\nMarks here: A\nTo talk with all that was said here: /fork --enter -- tea',
      ],
      ['/fork A --enter --idle 5 -- three', /^Forked\. Child: /, 'heard: three'],
    ])
    expect(await shownIn(at)).toEqual(['two', 'heard: two', 'three', 'heard: three'])
    expect(await at.events('fork-entered')).toMatchObject([{ how: 'command', idleMs: 300_000 }])
    await at.say('/save')
    expect(await shownIn(at)).toEqual(['one', 'two', 'three'].flatMap((text) => [text, `heard: ${text}`]))
  })

  test('from a mark with --enter gives nothing away, and may begin with nothing', async () => {
    const slow = slowly({ text: 'two is answered' })
    const at = await forking({
      first: (prompt, signal) => (lastText(prompt) === 'two' ? slow.reply(signal) : undefined),
    })
    await at.say('one')
    await at.say('/mark A')
    await at.type('two')
    await slow.begun.opened
    expect((await typed(at, '/fork A --enter'))[0]).toMatch(/^Forked\. Child: /)
    expect(await shownIn(at)).toEqual([])
    slow.go.open()
    await at.settle()
    expect((await shownIn(at, 'main')).slice(-2)).toEqual(['two', 'two is answered'])
    expect(await at.say('three')).toEqual(['heard: three'])
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('from a mark gives only what follows it, and a goal on top of it', async () => {
    const at = await ruled(echo)
    await at.say('before the mark')
    await at.say('/mark M')
    await at.say('after the mark')
    const [forked] = await at.say('/fork M -- and the goal')
    expect(forked).toBe(`Forked. Child: ${await child(at)} (from M)`)
    expect(said(at.model.prompts.at(-1))).toEqual(['after the mark', 'and the goal'])
  })
})

describe('/switch', () => {
  test('talks to a child and back, and the child answers the person', async () => {
    const at = await ruled(echo)
    await at.say('/fork -- wait for me')
    const handle = await child(at)
    await dialogue(at, [
      [`/switch ${handle.slice(0, 3)}`, `You are talking to ${handle} now. /switch main goes back.`],
      [`/switch ${handle}`, `You are already talking to ${handle}.`],
      ['how is it going?', 'heard: how is it going?'],
      ['/switch main', 'You are talking to main now.'],
      ['hello', 'heard: hello'],
    ])
    const mails = await at.events('mail-sent')
    expect(mails.map(({ text }) => text)).toEqual(['heard: wait for me'])
  })

  test('to a branch that has ended opens a copy and says so', async () => {
    const at = await ruled(echo)
    await at.say('/fork -- remember the number seven')
    const handle = await child(at)
    await at.say(`/kill ${handle}`)
    const [opened] = await at.say(`/switch ${handle}`)
    const copy = await child(at)
    expect(opened).toBe(
      `${handle} has ended, so you are in a fork with a copy of what it saw: ${copy}. ${HOW_IT_ENDS}`,
    )
    await at.say('which number?')
    expect(said(at.model.prompts.at(-1))).toEqual(['remember the number seven', 'which number?'])
    expect(await at.say('/exit')).toEqual([
      `Left the fork ${copy}; main does not know about it. The log keeps it: /switch ${copy} opens a copy. You are talking to main now.`,
    ])
    expect(await stateOf(at, copy)).toBe('discarded')
    expect(await stateOf(at, handle)).toBe('killed')
  })

  test('in the midst of a text takes the rest of the text with it, in order', async () => {
    const at = await ruled(echo)
    await at.say('/fork -- wait for me')
    const handle = await child(at)
    const before = at.model.prompts.length
    const texts = await at.say(
      `/note for main\n/switch ${handle}\nhello child\n/mark HERE\n/switch main\nhello main`,
    )
    expect(texts).toEqual([
      'Noted.',
      `You are talking to ${handle} now. /switch main goes back.`,
      'heard: hello child',
      "Checkpoint 'HERE' created.",
      'You are talking to main now.',
      'heard: hello main',
    ])
    expect(at.model.prompts.slice(before).map((prompt) => said(prompt).at(-1))).toEqual([
      'hello child',
      'hello main',
    ])
    const [mark] = await at.events('mark-set')
    expect(mark?.branch).toBe(await idOf(at, handle))
    await expectLawful(at)
  })
})

describe('/exit', () => {
  test('in main has nothing to exit where nothing can be left, and leaves where it can', async () => {
    const at = await stage()
    expect(await at.say('/exit')).toEqual(['Nothing to exit: this is the main session.'])
    const left: unknown[] = []
    Object.assign(at.desk, { wayOut: (source: unknown) => () => left.push(source) })
    expect(await at.say('/quit')).toEqual(['Goodbye.'])
    expect(left).toEqual([expect.objectContaining(terminal)])
  })

  test('in a fork ends it with all below it; in a child it goes back', async () => {
    const at = await ruled(echo)
    await at.say('/fork')
    const fork = await child(at)
    await at.say('/fork -- below')
    const below = await child(at)
    await at.say(`/switch ${below}`)
    expect(await at.say('/exit')).toEqual([
      `You are talking to ${fork} now. ${below} goes on working; /kill ${below} ends it.`,
    ])
    expect(await at.say('/exit')).toEqual([
      `Left the fork ${fork} and 1 branch below it; main does not know about it. The log keeps it: /switch ${fork} opens a copy. You are talking to main now. 1 unread message in the fork, from ${below}: "heard: below"`,
    ])
    expect([await stateOf(at, fork), await stateOf(at, below)]).toEqual(['discarded', 'killed'])
  })
})

describe('a name of a branch', () => {
  test('that is unknown, too short or ambiguous is answered with what to do', async () => {
    const at = await ruled(echo)
    for (let n = 0; n < 12; n++) await at.say('/fork -- wait')
    const all = await children(at)
    await dialogue(at, [
      ['/kill zzzzzz', "There is no branch 'zzzzzz'. /agents lists them."],
      ['/switch zzz', "There is no branch 'zzz'. /agents lists them."],
      [
        '/send zz hello',
        `'zz' is too short: give ${limits.handlePrefixMin} or more characters of an ID. /agents lists them.`,
      ],
    ])
    expect(new Set(all).size).toBe(12)
  })

  test('that several begin with lists them', async () => {
    const at = await ruled(echo)
    // Chance gives these two handles the same beginning.
    const first = handleFrom(0)
    const beginning = first.slice(0, 3)
    let alike = 1
    while (!handleFrom(alike).startsWith(beginning) || handleFrom(alike) === first) alike++
    for (const seed of [0, alike]) {
      Object.assign(at.desk, { random: () => seed })
      await at.say(`/fork -- ${seed}`)
    }
    const [one, two] = (await children(at)).toSorted()
    const said = `'${beginning}' is ambiguous: it could be ${one}, ${two}.`
    expect(await at.say(`/kill ${beginning}`)).toEqual([said])
  })
})
