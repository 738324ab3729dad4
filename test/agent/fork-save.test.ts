import { describe, expect, test } from 'vitest'
import { background, ping } from './background.ts'
import { job } from './run-rig.ts'
import { gatedTool } from './doubles.ts'
import { forking, forkTools, pending, report, shownIn } from './forking.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { child, children, stateOf, talkedTo, typed } from './rig.ts'
import { promptNow } from './talk.ts'

describe('/save', () => {
  test('[FORK4] where main has not moved, main shows exactly what the fork showed, and the fork has ended', async () => {
    const at = await forking()
    await at.say('one')
    await at.say('/fork')
    const fork = await child(at)
    await at.say('two')
    const before = await promptNow(at)
    expect(await at.say('/save')).toEqual([
      'Saved: 2 messages of this fork are part of main now. /undo in main takes this back. You are talking to main now.',
    ])
    expect(await promptNow(at)).toBe(before)
    expect(await stateOf(at, fork)).toBe('saved')
    expect(await talkedTo(at)).not.toBe(fork)
    await expectLawful(at)
  })

  test('where main has moved, what the fork said follows what main said', async () => {
    const at = await forking()
    await at.say('one')
    await at.say('/fork')
    await at.say('two')
    await at.say('/switch main')
    await at.say('three')
    await at.say(`/switch ${await child(at)}`)
    await at.say('/save')
    expect(await shownIn(at)).toEqual(['one', 'three', 'two'].flatMap((text) => [text, `heard: ${text}`]))
  })

  test('where main was rewound past the fork, what main dropped stays dropped', async () => {
    const at = await forking()
    await at.say('/mark A')
    await at.say('one')
    await at.say('/fork')
    await at.say('two')
    await at.say('/switch main')
    await at.say('/rewind A')
    await at.say(`/switch ${await child(at)}`)
    await at.say('/save')
    expect(await shownIn(at)).toEqual(['two', 'heard: two'])
  })

  test('a second time, by a copy, brings only what main lacks', async () => {
    const at = await forking()
    await at.say('/fork')
    const fork = await child(at)
    await at.say('one')
    await at.say('/save')
    await at.say(`/switch ${fork}`)
    expect(await at.say('/save')).toEqual([
      'Nothing to save: this fork has nothing that main lacks. /exit leaves it.',
    ])
    await at.say('two')
    expect((await at.say('/save'))[0]).toMatch(/^Saved: 2 messages of this fork /)
    expect(await shownIn(at)).toEqual(['one', 'heard: one', 'two', 'heard: two'])
  })

  test('a second time brings all of it again where main took the first back', async () => {
    const at = await forking()
    await at.say('/fork')
    const fork = await child(at)
    await at.say('one')
    await at.say('/save')
    await at.say('/undo')
    expect(await shownIn(at)).toEqual([])
    await at.say(`/switch ${fork}`)
    await at.say('two')
    expect((await at.say('/save'))[0]).toMatch(
      new RegExp(`^Saved: 2 messages of this fork and 2 of ${fork} are part of main now\\.`),
    )
    expect(await shownIn(at)).toEqual(['one', 'heard: one', 'two', 'heard: two'])
  })

  test('brings only what a fork still shows that was cleared inside, and main keeps what it has', async () => {
    const at = await forking()
    await at.say('one')
    await at.say('/fork')
    await at.say('two')
    await at.say('/clear')
    await at.say('three')
    await at.say('/save')
    expect(await shownIn(at)).toEqual(['one', 'heard: one', 'three', 'heard: three'])
  })

  test('of a fork that was opened in a child says whose messages come along, and goes to main', async () => {
    const at = await forking()
    await at.say('/fork -- count the sheep')
    const [kid] = await children(at)
    await at.say(`/switch ${kid}`)
    await at.say('/fork')
    await at.say('two')
    expect(await at.say('/save')).toEqual([
      `Saved: 2 messages of this fork and 2 of ${kid} are part of main now. /undo in main takes this back. You are talking to main now.`,
    ])
    expect((await shownIn(at)).slice(-2)).toEqual(['two', 'heard: two'])
    await at.say(`/switch ${kid}`)
    await at.say('more')
    await at.say('/fork')
    expect((await at.say('/save'))[0]).toMatch(
      new RegExp(`^Saved: 2 messages of ${kid} are part of main now\\. .* You are talking to main now\\.$`),
    )
    await expectLawful(at)
  })

  test('with nothing to save says so and leaves the fork open', async () => {
    const at = await forking()
    await at.say('one')
    await at.say('/fork')
    const fork = await child(at)
    expect(await at.say('/save')).toEqual([
      'Nothing to save: this fork has nothing that main lacks. /exit leaves it.',
    ])
    expect([await stateOf(at, fork), await talkedTo(at)]).toEqual(['idle', fork])
  })

  test('[CTX3] waits for the turn that runs in main, says so, and what is typed meanwhile follows it', async () => {
    const gate = gatedTool('look')
    const at = await forking({ tools: [...forkTools, gate] })
    await at.type('call look {}')
    await gate.begun
    await typed(at, '/fork')
    await typed(at, 'two')
    const [waits, ...more] = await typed(at, '/save')
    expect([waits, more]).toEqual([
      'Main is still answering. This fork is saved when it is done; /stop cancels the save, /stop in main ends that answer.',
      [],
    ])
    await typed(at, 'three')
    gate.gate.open()
    await at.settle()
    expect(await shownIn(at)).toEqual([
      'call look {}',
      '',
      JSON.stringify({ text: 'look done' }),
      'done',
      'two',
      'heard: two',
      'three',
      'heard: three',
    ])
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('that waits for main is not done any more when the fork is left meanwhile', async () => {
    const gate = gatedTool('look')
    const at = await forking({ tools: [...forkTools, gate] })
    await at.type('call look {}')
    await gate.begun
    await typed(at, '/fork')
    const fork = await child(at)
    await typed(at, 'two')
    await typed(at, '/save')
    expect((await typed(at, '/exit')).at(0)).toMatch(/^Left the fork /)
    gate.gate.open()
    await at.settle()
    expect(await stateOf(at, fork)).toBe('discarded')
    expect(await shownIn(at)).not.toContain('two')
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('that waits for main is taken back by /stop, whoever asked for it, and the fork goes on', async () => {
    for (const asks of ['/save', 'call save_context {}']) {
      const gate = gatedTool('look')
      const at = await forking({ tools: [...forkTools, gate] })
      await at.type('call look {}')
      await gate.begun
      await typed(at, '/fork')
      const fork = await child(at)
      await typed(at, 'two')
      expect((await typed(at, asks)).at(-1)).toMatch(/^Main is still answering/)
      expect(await typed(at, '/stop')).toEqual(['Not saved. This fork stays open.'])
      expect(await typed(at, 'three')).toEqual(['heard: three'])
      expect(await typed(at, '/stop')).toEqual(['Nothing is running here.'])
      gate.gate.open()
      await at.settle()
      expect([await stateOf(at, fork), await at.events('context-saved')]).toEqual(['idle', []])
      expect((await at.say('/save'))[0]).toMatch(/^Saved: /)
      await expectLawful(at)
      await expectEmpty(at.log)
    }
  })

  test('is taken back by /undo in main, and done again by /redo', async () => {
    const at = await forking()
    await at.say('one')
    await at.say('/fork')
    await at.say('two')
    await at.say('/save')
    const saved = await shownIn(at)
    expect((await at.say('/undo'))[0]).toMatch(/^Undid save of \w{6} \(2 messages\)\. /)
    expect(await shownIn(at)).toEqual(['one', 'heard: one'])
    expect(await at.say('/redo')).toEqual([expect.stringMatching(/^Redone: save of \w{6} \(2 messages\)\.$/)])
    expect(await shownIn(at)).toEqual(saved)
  })

  test.each([false, true])(
    'of a reply to a run brings what the run did too, once; isolated: %s',
    async (isolated) => {
      const at = await background([[ping('red')]], { asked: job({ isolated }) })
      await at.say('one')
      const main = await shownIn(at)
      await at.run()
      await at.say('/reply 1 why?')
      const fork = await child(at)
      await at.say('/save')
      const saved = await shownIn(at)
      expect(saved.slice(0, main.length)).toEqual(main)
      expect(saved.filter((text) => text.includes('Look at the build.'))).toHaveLength(1)
      expect(saved.filter((text) => text.endsWith('why?'))).toHaveLength(2)
      await at.say(`/switch ${fork}`)
      await at.say('thanks')
      await at.say('/save')
      expect((await shownIn(at)).slice(saved.length)).toEqual(['thanks', 'heard: thanks'])
    },
  )

  test('[UPD2] settles the updates that it brings; /undo makes them pending again, /redo settles them again', async () => {
    const at = await forking()
    await at.say('/fork')
    await report(at, 'The build is green.')
    await at.say('two')
    expect(await pending(at)).toEqual(['The build is green.'])
    expect(await at.say('/save')).toEqual([
      'Saved: 2 messages of this fork are part of main now. 1 update that it shows is not repeated. /undo in main takes this back. You are talking to main now.',
    ])
    expect(await pending(at)).toEqual([])
    await at.say('/undo')
    expect(await pending(at)).toEqual(['The build is green.'])
    await at.say('/redo')
    expect(await pending(at)).toEqual([])
    await at.say('/undo')
    expect(await at.say('three')).toEqual(['catching up on background activity...', expect.any(String)])
    expect(await pending(at)).toEqual([])
    await expectLawful(at)
  })

  test('[UPD2] does not settle what the fork looked at and took out of its context', async () => {
    const at = await forking()
    await at.say('/fork')
    await report(at, 'The build is green.')
    await at.say('two')
    await at.say('/clear')
    await at.say('three')
    await at.say('/save')
    expect(await pending(at)).toEqual(['The build is green.'])
    await expectLawful(at)
  })
})
