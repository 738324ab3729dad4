import { describe, expect, test } from 'vitest'
import { receive } from '../../src/command/door/reception.ts'
import { getBranch } from '../../src/context/branch.ts'
import { handleOf, type BranchId } from '../../src/event/id.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import { gate, modelFault } from './doubles.ts'
import { forking, forkTools, mainOf, type Forking } from './forking.ts'
import { expectLawful } from './lawful.ts'
import { child, idOf, lastText, ruled, slash, slowly, stateOf, stopped, typed, type Ruled } from './rig.ts'
import { background, holding, ping, RED, runOf } from './background.ts'
import { endsOf, startRun } from './run-rig.ts'
import { breathe, type Stage } from './stage.ts'

const MINUTE = 60_000
const phone = { channel: 'terminal', conversation: 'phone' }

/** The same person, at another screen. */
async function onPhone(at: Stage, text: string): Promise<void> {
  await receive(at.desk, { ...phone, origin: 'terminal', person: 'owner', messageId: null, text })
  await breathe()
}

function toPhone(at: Stage): string[] {
  return at.sent.filter(({ conversation }) => conversation === 'phone').map(({ text }) => text)
}

async function pass(at: Stage, ms: number): Promise<string[]> {
  const before = at.sent.length
  await at.clock.pass(ms)
  return at.sent.slice(before).map(({ text }) => text)
}

function roles({ messages }: Prompt): string[] {
  return messages.map(({ role }) => role)
}

/** A stage whose model cannot be asked `Q1` for now. */
async function asking(fault: 'rate-limited' | 'rejected'): Promise<{ at: Forking; mend: () => void }> {
  const link = { isDown: true }
  const at = await forking({
    first: (prompt) => {
      if (lastText(prompt) === 'Q1' && link.isDown) throw modelFault(fault)
      return undefined
    },
  })
  await at.say('hello')
  await at.type('Q1')
  const hasEnded = async (): Promise<boolean> => (await at.events('turn-ended')).length > 1
  for (let tries = 0; tries < 200 && !(await hasEnded()); tries++) await at.clock.pass(100)
  return { at, mend: () => void (link.isDown = false) }
}

/** Main and its children call what they are told to: `kill ID`; what is called `slow` waits. */
async function killing(): Promise<{ at: Ruled; results: string[]; go: () => void }> {
  const slow = slowly({ text: 'the answer' })
  const results: string[] = []
  const at = await ruled(
    (prompt, signal) => {
      const text = lastText(prompt)
      if (prompt.messages.at(-1)?.role === 'tool') {
        results.push(text)
        return { text: 'done' }
      }
      if (text === 'slow') return slow.reply(signal)
      const [, id] = /^kill (\w+)$/.exec(text) ?? []
      return id === undefined ? { text: `heard: ${text}` } : { calls: [slash('kill', id)] }
    },
    { tools: forkTools },
  )
  await at.say('hello')
  return { at, results, go: () => slow.go.open() }
}

/** A child that is given `LONG` works until it is let go. */
async function working(): Promise<{ at: Ruled; fork: string; kid: string; go: () => void }> {
  const slow = slowly({ text: 'found it' })
  const at = await ruled(
    (prompt, signal) => (lastText(prompt) === 'LONG' ? slow.reply(signal) : { text: 'fine' }),
    { tools: forkTools },
  )
  await at.say('hello')
  await at.say('/fork')
  const fork = await child(at)
  await at.say('please look')
  await typed(at, '/fork -- LONG')
  return { at, fork, kid: await child(at), go: () => slow.go.open() }
}

describe('[TURN4] a question that is open in main, and a fork that is saved meanwhile', () => {
  test('is answered first where it is tried again by itself: the save waits for that', async () => {
    const { at, mend } = await asking('rate-limited')
    expect((await at.events('turn-ended')).at(-1)?.outcome).toBe('deferred')
    await typed(at, '/fork')
    await typed(at, 'side talk')
    expect((await typed(at, '/save')).join()).not.toContain('Saved')
    mend()
    await at.clock.pass(MINUTE)
    await at.settle()
    const texts = at.sent.map(({ text }) => text)
    const [answered, saved] = [
      texts.indexOf('heard: Q1'),
      texts.findIndex((text) => text.startsWith('Saved: ')),
    ]
    expect(answered).toBeGreaterThan(0)
    expect(saved).toBeGreaterThan(answered)
    await expectLawful(at)
  })

  test('is given up by /stop in main, and then the save is done', async () => {
    const { at } = await asking('rate-limited')
    await typed(at, '/fork')
    await typed(at, 'side talk')
    await typed(at, '/save')
    await typed(at, '/switch main')
    expect((await typed(at, '/stop')).join('\n')).toMatch(/^Stopped: [^]*\nSaved: /m)
    await expectLawful(at)
  })

  test.each(['heard', 'unheard'] as const)(
    'that failed and is tried again behind the words of the fork is named again: its last are %s',
    async (last) => {
      const { at, mend } = await asking('rejected')
      expect((await at.events('turn-ended')).at(-1)?.outcome).toBe('failed')
      await at.say('/fork')
      await at.say('side talk')
      if (last === 'unheard') await at.say('/note a last word')
      expect((await at.say('/save')).join()).toContain('Saved')
      mend()
      await at.say('/retry')
      await at.settle()
      const prompt = at.model.prompts.at(-1) as Prompt
      expect(roles(prompt).at(-1)).toBe('user')
      const told = prompt.messages.at(-1)?.text ?? ''
      expect(told).toMatch(/^\[system\]\n\(written by the host: .*\)\n\[2026/)
      expect(told).toContain('What the person said before that has no answer yet: "Q1". Answer it now.')
      await expectLawful(at)
    },
  )

  test('is not named again where nothing stands behind it', async () => {
    const { at, mend } = await asking('rejected')
    mend()
    expect(await at.say('/retry')).toEqual(['Trying again.', 'heard: Q1'])
    expect(at.model.prompts.at(-1)?.messages.at(-1)?.text).not.toContain('[system]')
  })
})

describe('a model that kills', () => {
  test('does not end the fork that a person talks in', async () => {
    const { at, results } = await killing()
    await at.say('/fork')
    const fork = await child(at)
    await onPhone(at, `kill ${fork}`)
    await at.settle()
    expect(await stateOf(at, fork)).toBe('idle')
    expect(results[0]).toContain(`${fork} is a fork that the person talks in, so only the person ends it.`)
  })

  test('does not end a child in which a person waits for an answer, nor what stands above that', async () => {
    const { at, results, go } = await killing()
    await at.say('/fork -- top')
    const top = await child(at)
    await at.say(`/switch ${top}`)
    await at.say('/fork -- below')
    const below = await child(at)
    await at.say(`/switch ${below}`)
    await typed(at, 'slow')
    await onPhone(at, `kill ${top}`)
    await onPhone(at, `kill ${below}`)
    expect(results[0]).toContain(`Not killed: the person waits for an answer in ${below} below it.`)
    expect(results[1]).toContain('Not killed: the person waits for an answer there.')
    go()
    await at.settle()
    expect(at.sent.map(({ text }) => text)).toContain('the answer')
    await onPhone(at, `kill ${top}`)
    await at.settle()
    expect([await stateOf(at, top), await stateOf(at, below)]).toEqual(['killed', 'killed'])
    await expectLawful(at)
  })
})

describe('a branch that ends', () => {
  test('[FORK5] by /kill leaves the fork alone in which a person replies to it, and says so', async () => {
    const at = await background([[ping(RED)]])
    await at.say('hello')
    holding(at, { until: 'Sent', reply: stopped })
    await at.type('/run routines/brief.md')
    await breathe()
    const run = await runOf(at)
    await typed(at, '/reply 1 why?')
    const fork = await at.branch()
    expect(await at.read((reader) => getBranch(reader, fork).mode)).toBe('fork')
    await onPhone(at, `/kill ${handleOf(run)}`)
    await at.settle()
    expect([await endsOf(at, run), await endsOf(at, fork)]).toEqual([['killed'], []])
    expect(toPhone(at)).toContain(`Killed ${handleOf(run)}. The fork ${handleOf(fork)} below it goes on.`)
    expect(await at.say('and now?')).toEqual(['heard: and now?'])
    expect(await at.branch()).toBe(fork)
    await expectLawful(at)
  })

  test('[TURN4] with the run that it worked for tells who waits in it that no answer comes', async () => {
    const over = gate()
    const slow = slowly({ text: 'the answer' })
    const at = await ruled(async (prompt, signal) => {
      const text = lastText(prompt)
      if (text === 'slow') return slow.reply(signal)
      const opened = prompt.messages.findLast((one) => one.role === 'user' && one.text.startsWith('['))
      if (opened?.text.startsWith('[routine-bg') !== true) return { text: 'fine' }
      if (prompt.messages.at(-1)?.role !== 'tool') return { calls: [slash('fork', '-- help me')] }
      await over.opened
      return { text: 'over' }
    })
    await at.say('hello')
    const run = await startRun(at, { tools: ['slash'] })
    await breathe()
    const kid = await child(at)
    await typed(at, `/switch ${kid}`)
    await typed(at, 'slow')
    const before = at.sent.length
    over.open()
    await at.settle()
    expect([await endsOf(at, run), await stateOf(at, kid)]).toEqual([['finished'], 'killed'])
    expect(at.sent.slice(before).map(({ text }) => text)).toEqual([
      `What you wrote last in ${kid} was not answered: it ended with ${handleOf(run)}, which has finished. Say it again to have it answered.`,
    ])
    expect(await toldWith(at, await idOf(at, kid))).toBe(true)
    await expectLawful(at)
  })

  test.each([
    ['it works on', 'slow'],
    ['it has not read', 'unread'],
  ])('[TURN4] by the word of another conversation tells who waits in it: for what %s', async (_, what) => {
    const slow = slowly({ text: 'late' })
    const at = await forking({
      first: (prompt, signal) => (lastText(prompt).startsWith('slow') ? slow.reply(signal) : undefined),
    })
    await at.say('hello')
    await at.say('/fork')
    const fork = await child(at)
    await onPhone(at, `/switch ${fork}`)
    if (what === 'slow') await onPhone(at, 'slow')
    else {
      await typed(at, 'slow')
      await onPhone(at, 'and this?')
    }
    const before = at.sent.length
    await typed(at, '/exit')
    slow.go.open()
    await at.settle()
    const told = `What you wrote last in ${fork} was not answered: it was left and has ended. Say it again to have it answered.`
    expect(toPhone(at).at(-1)).toBe(told)
    // Who ends it knows.
    const here = at.sent.slice(before).filter(({ conversation }) => conversation === 'local')
    expect(here.map(({ text }) => text)).toEqual([expect.stringMatching(/^Left the fork /)])
    await onPhone(at, 'again')
    await at.settle()
    expect(toPhone(at).at(-1)).toBe('heard: again')
    await expectLawful(at)
  })

  test('moves what waits behind the command that ends it, and does not call that unanswered', async () => {
    const slow = slowly({ text: 'late' })
    const at = await forking({
      first: (prompt, signal) => (lastText(prompt) === 'slow' ? slow.reply(signal) : undefined),
    })
    await at.say('/fork')
    const fork = await child(at)
    await onPhone(at, `/switch ${fork}`)
    await typed(at, 'slow')
    await typed(at, '/report that is all')
    await onPhone(at, 'and this?')
    slow.go.open()
    await at.settle()
    expect(await stateOf(at, fork)).toBe('reported')
    expect(toPhone(at).join('\n')).not.toContain('was not answered')
    expect(toPhone(at).at(-1)).toMatch(/^heard: [^]*\n\nand this\?$/)
  })

  test('[KILL1] that a person waits in is killed with a word to them', async () => {
    const slow = slowly({ text: 'late' })
    const at = await forking({
      first: (prompt, signal) => (lastText(prompt) === 'slow' ? slow.reply(signal) : undefined),
    })
    await at.say('/fork -- top')
    const top = await child(at)
    await onPhone(at, `/switch ${top}`)
    await onPhone(at, 'slow')
    expect(await typed(at, `/kill ${top}`)).toContain(`Killed ${top}.`)
    expect(toPhone(at).at(-1)).toBe(
      `What you wrote last in ${top} was not answered: it was killed. Say it again to have it answered.`,
    )
    slow.go.open()
    await at.settle()
    await expectLawful(at)
  })
})

/** Whether the word to who waits became durable in one with the end. */
async function toldWith(at: Stage, branch: BranchId): Promise<boolean> {
  const all = await at.all()
  const end = all.findIndex((event) => event.kind === 'branch-ended' && event.branch === branch)
  const before = all[end - 1]
  return before?.kind === 'delivery-intended' && before.branch === branch
}

describe('a silent fork for which a child works', () => {
  test('is left alone until that is done, and for its time from then on', async () => {
    const { at, fork, kid, go } = await working()
    expect(await pass(at, 45 * MINUTE)).toEqual([])
    expect([await stateOf(at, fork), await stateOf(at, kid)]).toEqual(['idle', 'running'])
    go()
    await at.settle()
    expect(await pass(at, 10 * MINUTE - 1)).toEqual([])
    expect(await pass(at, 1)).toEqual([expect.stringMatching(/^55 min without a word; /), 'fine'])
    await expectLawful(at)
  })

  test('says with its end how many ended with it', async () => {
    const { at, fork, kid, go } = await working()
    go()
    await at.settle()
    const said = await pass(at, 30 * MINUTE)
    expect([await stateOf(at, fork), await stateOf(at, kid)]).toEqual(['timed-out', 'killed'])
    expect(said.at(-1)).toContain(
      'for 30 min, so it was ended, with 1 branch that worked for it. Main is told',
    )
    expect(await at.branch()).toBe(await mainOf(at))
  })
})
