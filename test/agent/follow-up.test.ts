import { describe, expect, test } from 'vitest'
import type { RunAsked } from '../../src/agent/run/run-act.ts'
import type { HostSource } from '../../src/event/work.ts'
import { expectLawful } from './lawful.ts'
import { ran, startRun } from './run-rig.ts'
import { START } from './stage.ts'
import { bold, call, remindersOn, say, shelfWith, withCalls, type Calling } from './reminder-rig.ts'
import { oldestMain } from '../../src/agent/state/person.ts'

const pill: Partial<RunAsked> = {
  job: 'pill',
  tag: 'reminder-bg',
  reporting: 'freely',
  chain: { max: 2, depth: 0, parent: 'pill' },
  body: 'Did they take it?',
}
const again = (minutes: number) => call('follow_up_chain', { minutes_from_now: minutes })

const due = async (at: Calling, ...chains: readonly HostSource[]): Promise<void> => {
  const branch = await at.branch()
  await at.log.write((writing) => {
    for (const source of chains)
      writing.append({
        kind: 'inbound-admitted',
        branch,
        at: START,
        v: 1,
        source,
        form: 'message',
        text: 'Ate?',
      })
  })
  at.agent.wake([branch])
  await at.settle()
}

const lunch = (id: string, depth = 0): HostSource => ({
  from: 'host',
  tag: 'reminder',
  id,
  chain: { max: 1, depth, parent: id, description: 'Lunch', skills: ['diet'] },
})

describe('follow_up_chain', () => {
  test('sets the next check, which takes over all that the run had', async () => {
    const at = await withCalls([again(30), say('ok')])
    await at.say('/help')
    const { tag: _, ...rights } = bold
    await ran(at, {
      ...bold,
      reporting: 'freely',
      ...pill,
      person: 'ana',
      title: 'The pill',
      allowPing: false,
    })
    expect(at.given()).toEqual(['Follow-up pill-check-2 (check 2/3) is set: today 10:00, in 30 min.'])
    expect(remindersOn(at.shelf)).toMatchObject([
      {
        ...rights,
        id: 'pill-check-2',
        reporting: 'freely',
        chain: { max: 2, depth: 1, parent: 'pill' },
        description: 'The pill',
        background: true,
        allowPing: false,
        person: 'ana',
        body: 'Did they take it?',
        runAt: '2026-03-01T10:00:00+01:00',
      },
    ])
    await expectLawful(at)
  })

  test('called again it moves the follow-up, and adds none', async () => {
    const at = await withCalls([again(30), again(60), say('ok')])
    await at.say('/help')
    await ran(at, pill)
    expect(at.given().at(-1)).toBe('Follow-up pill-check-2 (check 2/3) is moved: today 10:30, in 1 h.')
    expect(remindersOn(at.shelf)).toHaveLength(1)
  })

  test('[SAFE4] what a person changed in its file meanwhile stays, but for the time', async () => {
    const at = await withCalls([again(30), say('ok')])
    await at.say('/help')
    const edited =
      '---\nrun-at: 2026-03-01T10:00\nbackground: true\nmax-chain: 2\nchain-depth: 1\nchain-parent: pill\n---\nAsk kindly.\n'
    await at.shelf.put('reminders/pill-check-2.md', edited)
    await ran(at, { ...pill, tools: ['web_fetch'] })
    expect(at.given()).toEqual(['Follow-up pill-check-2 (check 2/3) is moved: today 10:00, in 30 min.'])
    expect(remindersOn(at.shelf)).toMatchObject([
      { id: 'pill-check-2', tools: [], body: 'Ask kindly.', runAt: expect.stringMatching(/\+01:00$/) },
    ])
  })

  test("does not touch another one's file", async () => {
    const shelf = await shelfWith({ id: 'pill-check-2', body: 'mine' })
    const at = await withCalls([again(30), say('ok')], { shelf })
    await at.say('/help')
    await ran(at, pill)
    expect(remindersOn(shelf).map(({ id, body }) => [id, body])).toEqual([
      ['pill-check-2-2', 'Did they take it?'],
      ['pill-check-2', 'mine'],
    ])
  })

  test('sets nothing once the next check has begun', async () => {
    const at = await withCalls([again(30), say('ok')])
    await at.say('/help')
    const main = await at.read(oldestMain)
    if (main === undefined) throw new Error('there is no main session')
    await startRun(at, pill)
    await at.log.write((writing) => {
      const name = { what: 'reminder', job: 'pill-check-2' } as const
      const known = { ...name, file: 'reminders/pill-check-2.md', schedule: 'x', due: START }
      writing.append({ kind: 'job-scheduled', branch: main, at: START, v: 1, ...known })
      writing.append({
        kind: 'job-fired',
        branch: main,
        at: START,
        v: 1,
        ...name,
        due: START,
        isLate: false,
        run: null,
      })
    })
    await at.settle()
    expect(at.given()[0]).toBe('The next check, pill-check-2, has begun already. It can follow up by itself.')
    expect(at.shelf.files.size).toBe(0)
  })

  const FINAL = 'This is the final check (3/3): there is no follow-up.'
  test.each<[string, Partial<RunAsked>, string]>([
    [
      'may ping and report',
      {},
      `${FINAL} If it is unresolved and matters, ping the person now with ping_user; else report it with report_updates.`,
    ],
    [
      'does not report',
      { reporting: 'blocked' },
      `${FINAL} If it is unresolved and matters, ping the person now with ping_user.`,
    ],
    ['may not ping', { allowPing: false }, `${FINAL} If it is unresolved, report it with report_updates.`],
    ['may do neither', { allowPing: false, reporting: 'blocked' }, `${FINAL} End here.`],
  ])(
    '[RUN2] at the final check of a run that %s there is none, and it is told what to do',
    async (_, more, words) => {
      const at = await withCalls([again(30), say('ok')])
      await at.say('/help')
      await ran(at, { ...pill, chain: { max: 2, depth: 2, parent: 'pill' }, ...more })
      expect(at.given()).toEqual([words])
      expect(at.shelf.files.size).toBe(0)
    },
  )

  test('is cancelled with the ping of its check, once the person is done with that', async () => {
    const ping = call('ping_user', { message: 'Did you take it?' })
    const at = await withCalls([ping, again(30), say('ok')])
    await at.say('/help')
    await at.shelf.put('reminders/other.md', '---\nrun-at: 2026-03-02T09:00\n---\nWater the plants.\n')
    await ran(at, pill)
    expect(remindersOn(at.shelf).map(({ id }) => id)).toEqual(['other', 'pill-check-2'])
    expect(await at.say('/done 1')).toEqual(['#1 is done. The follow-up pill-check-2 is cancelled.'])
    expect(remindersOn(at.shelf).map(({ id }) => id)).toEqual(['other'])
  })

  test('is not offered to a run of no chain, and refused in main', async () => {
    const at = await withCalls([again(30), say('ok'), again(30), say('ok')])
    await at.say('go')
    expect(at.given()[0]).toMatch(/^There is no chain here/)
    await ran(at)
    expect(at.given()[0]).toContain("'follow_up_chain' is not offered to this run.")
    expect(at.shelf.files.size).toBe(0)
  })

  test.each([0, -1, 10_081, 1.5])('%d minutes are refused', async (minutes) => {
    const at = await withCalls([again(minutes), say('ok')])
    await at.say('/help')
    await ran(at, pill)
    expect(at.given()[0]).toMatch(/^Bad arguments: minutes_from_now.*Usage: follow_up_chain/)
  })

  test('in main it follows up the reminder that opened the turn', async () => {
    const at = await withCalls([again(15), say('ok')])
    await due(at, lunch('lunch'))
    expect(at.given()).toEqual(['Follow-up lunch-check-2 (check 2/2) is set: today 09:45, in 15 min.'])
    expect(remindersOn(at.shelf)).toMatchObject([
      {
        background: false,
        chain: { max: 1, depth: 1, parent: 'lunch' },
        description: 'Lunch',
        skills: ['diet'],
        body: 'Ate?',
      },
    ])
  })

  test('in main the final check is told to say it now, and the next turn has no chain', async () => {
    const at = await withCalls([again(15), say('ok'), again(15), say('ok')])
    await due(at, lunch('lunch', 1))
    expect(at.given()).toEqual([
      'This is the final check (2/2): there is no follow-up. If it is unresolved and matters, say so to the person now.',
    ])
    await at.say('go')
    expect(at.given().at(-1)).toMatch(/^There is no chain here/)
  })

  test('of several in one turn it has to say which', async () => {
    const named = call('follow_up_chain', { minutes_from_now: 15, reminder: 'tea' })
    const at = await withCalls([again(15), named, say('ok')])
    await due(at, lunch('lunch'), lunch('tea'))
    expect(remindersOn(at.shelf).map(({ id }) => id)).toEqual(['tea-check-2'])
    const said = (await at.events('message-added')).flatMap(({ message }) =>
      message.role === 'tool' ? message.text : [],
    )
    expect(said[0]).toContain('Say which with \\"reminder\\": \\"lunch\\" or \\"tea\\".')
  })
})
