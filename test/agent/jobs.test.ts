import { describe, expect, test } from 'vitest'
import { gate } from './doubles.ts'
import { askedFor, doneOf, file, HOUR, jobStage, MINUTE, restarted } from './job-rig.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { memoryShelf } from './memory-shelf.ts'
import { job, lastMessage } from './run-rig.ts'
import { FakeClock, START } from './stage.ts'

/** It is 09:30 in Berlin when a stage begins. */
const AT_TEN = file({ 'run-at': '2026-03-01T10:00' }, 'Call Ada.')
const daily = (hour: number): string =>
  file({ cron: `0 ${hour} * * *`, 'catch-up': 'once', background: true })
const EVERY_TEN = file({ cron: '*/10 * * * *', background: true })

describe('[JOB1] a reminder', () => {
  test('fires in main when it is due, once, and its file goes', async () => {
    const at = await jobStage({ files: { 'reminders/ada.md': AT_TEN } })
    await at.say('hello')
    await at.pass(29 * MINUTE)
    expect(await doneOf(at)).toEqual([])
    await at.pass(MINUTE)
    expect(await doneOf(at)).toEqual(['reminder ada 03-01 09:00'])
    expect(lastMessage(at.model.prompts.at(-1))).toMatch(/^\[reminder:ada\]\n.*\n.*\n\nCall Ada\.$/)
    expect(at.sent.at(-1)).toMatchObject({ form: 'answer', text: 'Done.' })
    expect(at.shelf.files.size).toBe(0)
    await at.pass(48 * HOUR)
    expect(await doneOf(at)).toHaveLength(1)
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test.each([
    [false, 'reminder', 'the person sees your answer'],
    [true, 'reminder-bg', 'nobody is waiting for an answer'],
  ])('[SAFE4] that a model set says whose words it has (background: %s)', async (background, tag, rest) => {
    const matter = { 'run-at': '2026-03-01T10:00', 'set-by': 'model', background, 'max-chain': 1 }
    const at = await jobStage({ files: { 'reminders/ada.md': file(matter, 'Call Ada.') } })
    await at.say('hello')
    await at.pass(30 * MINUTE)
    const shown = lastMessage(at.model.prompts.find((prompt) => lastMessage(prompt).startsWith('[reminder')))
    const whose = "a reminder that you set yourself is due; its text is yours, not the person's"
    expect(shown.split('\n').slice(0, 2)).toEqual([`[${tag}:ada]`, `(${whose}; ${rest})`])
    expect(shown).not.toContain('written by the host: a reminder')
  })

  test('whose file somebody changed as it was fired stays there, and is due at its new time', async () => {
    const later = file({ 'run-at': '2026-03-01T11:00', background: true })
    const shelf = memoryShelf({ now: () => START })
    const at = await jobStage({
      shelf,
      files: { 'reminders/ada.md': file({ 'run-at': '2026-03-01T10:00', background: true }) },
      jobFor: async (loaded) => {
        if ((await doneOf(at)).length === 0) shelf.slip('reminders/ada.md', later)
        return askedFor(loaded)
      },
    })
    await at.pass(40 * MINUTE)
    expect(await doneOf(at)).toEqual(['reminder ada 03-01 09:00'])
    expect(shelf.files.get('reminders/ada.md')).toBe(later)
    await shelf.refresh()
    await at.pass(HOUR)
    expect(await doneOf(at)).toEqual(['reminder ada 03-01 09:00', 'reminder ada 03-01 10:00'])
    expect(shelf.files.size).toBe(0)
  })

  test('that fell due while nobody was there fires once at the start, and says that it is late', async () => {
    const first = await jobStage({ files: { 'reminders/ada.md': AT_TEN } })
    const at = await restarted(first, 3 * HOUR)
    expect(await doneOf(at)).toEqual(['reminder ada 03-01 09:00 late'])
    expect(lastMessage(at.model.prompts.at(-1))).toContain('[late: was scheduled for 10:00, running now]')
    const again = await restarted(at, HOUR)
    expect(await doneOf(again)).toHaveLength(1)
    expect(again.model.prompts).toEqual([])
  })

  test('whose file is left over does not fire again; the file goes', async () => {
    const shelf = memoryShelf({ now: () => START })
    const stuck = { ...shelf, remove: () => Promise.reject(new Error('the disk is read-only')) }
    const first = await jobStage({ shelf: stuck, files: { 'reminders/ada.md': AT_TEN } })
    await first.pass(HOUR)
    expect(first.warnings).toEqual([
      "reminders/ada.md has fired, but its file cannot be removed: the disk is read-only. It won't fire again; remove the file yourself.",
    ])
    expect([...shelf.files.keys()]).toEqual(['reminders/ada.md'])
    const at = await restarted(Object.assign(first, { shelf }), 10 * HOUR)
    expect(shelf.files.size).toBe(0)
    expect(await doneOf(at)).toEqual(['reminder ada 03-01 09:00'])
    expect(at.model.prompts).toEqual([])
  })

  test('with another time is another one; with the same time it is not', async () => {
    const at = await jobStage({ files: { 'reminders/ada.md': AT_TEN } })
    await at.pass(HOUR)
    await at.put('reminders/ada.md', AT_TEN)
    expect(at.shelf.files.size).toBe(0)
    await at.put('reminders/ada.md', file({ 'run-at': '2026-03-01T11:00' }))
    await at.pass(HOUR)
    expect(await doneOf(at)).toEqual(['reminder ada 03-01 09:00', 'reminder ada 03-01 10:00'])
  })

  test('keeps its instant when another zone is configured, and the log says that one is', async () => {
    const at = await jobStage({ files: { 'reminders/ada.md': AT_TEN } })
    at.settings = { ...at.settings, zone: 'America/New_York' }
    await at.look()
    await at.pass(HOUR)
    expect(await doneOf(at)).toEqual(['reminder ada 03-01 09:00'])
    const zones = await at.events('zone-set')
    expect(zones.map(({ zone, author }) => [zone, author])).toEqual([
      ['Europe/Berlin', { by: 'policy', name: 'configuration' }],
      ['America/New_York', { by: 'policy', name: 'configuration' }],
    ])
  })

  test('of the background is a run, with its tag and whatever its chain says', async () => {
    const text = file({ 'run-at': '2026-03-01T10:00', background: true, 'max-chain': 2 }, 'Pills?')
    const at = await jobStage({ files: { 'reminders/pills.md': text } })
    await at.pass(HOUR)
    const [started] = await at.events('run-started')
    expect(started).toMatchObject({
      tag: 'reminder-bg',
      job: 'pills',
      chain: { max: 2, depth: 0, parent: 'pills' },
      author: { by: 'policy', name: 'schedule' },
    })
    expect(await at.events('job-fired')).toMatchObject([{ what: 'reminder', run: started?.branch }])
  })

  test('of a chain in main says in its message what a follow-up takes over', async () => {
    const matter = { 'run-at': '2026-03-01T10:00', 'max-chain': 3, 'chain-depth': 1, description: 'Pills' }
    const at = await jobStage({ files: { 'reminders/pills.md': file(matter, 'Pills?') } })
    await at.pass(HOUR)
    const admitted = (await at.events('inbound-admitted')).find(({ source }) => source.from === 'host')
    expect(admitted?.source).toMatchObject({
      tag: 'reminder',
      chain: { max: 3, depth: 1, parent: 'pills', description: 'Pills', skills: [] },
    })
    expect(admitted?.before).toEqual([expect.stringContaining('2/4')])
  })

  test('several that are overdue are one turn of main', async () => {
    const files = Object.fromEntries(
      ['a', 'b', 'c'].map((id) => [`reminders/${id}.md`, file({ 'run-at': '2026-03-01T10:00' }, id)]),
    )
    const at = await restarted(await jobStage({ files }), 5 * HOUR)
    expect(at.model.prompts).toHaveLength(1)
    expect(await doneOf(at)).toHaveLength(3)
    expect(at.sent.filter(({ form }) => form === 'answer')).toHaveLength(1)
  })
})

describe('[JOB3] a routine', () => {
  test('never overlaps itself in the background: a time at which it still runs is skipped', async () => {
    const held = gate()
    const at = await jobStage({
      files: { 'routines/watch.md': EVERY_TEN },
      rule: async () => (await held.opened, { text: 'Done.' }),
    })
    await at.clock.pass(25 * MINUTE)
    await at.scheduler.settled()
    expect(await doneOf(at)).toEqual(['routine watch 03-01 08:40', 'routine watch 03-01 08:50 running'])
    held.open()
    await at.settle()
    await at.pass(10 * MINUTE)
    expect((await doneOf(at)).at(-1)).toBe('routine watch 03-01 09:00')
  })

  test.each([
    ['it waits behind others', ['hello']],
    ['it is being answered', []],
  ])('nor in main, where %s', async (_, said) => {
    const held = gate()
    const at = await jobStage({
      files: { 'routines/brief.md': file({ cron: '*/10 * * * *' }) },
      rule: async () => (await held.opened, { text: 'Done.' }),
    })
    for (const text of said) await at.type(text)
    await at.clock.pass(25 * MINUTE)
    await at.scheduler.settled()
    expect(await doneOf(at)).toEqual(['routine brief 03-01 08:40', 'routine brief 03-01 08:50 running'])
    held.open()
    await at.settle()
    await at.pass(10 * MINUTE)
    expect((await doneOf(at)).at(-1)).toBe('routine brief 03-01 09:00')
  })

  test('that a person started by hand is not started beside that', async () => {
    const held = gate()
    const at = await jobStage({
      files: { 'routines/brief.md': EVERY_TEN },
      rule: async ({ messages }) => {
        if (messages.at(-1)?.text.startsWith('[routine-bg') === true) await held.opened
        return { text: 'Done.' }
      },
      jobIn: () => ({ job: job(), warnings: [] }),
    })
    await at.type('/run routines/brief.md')
    await at.clock.pass(15 * MINUTE)
    await at.scheduler.settled()
    expect(await doneOf(at)).toEqual(['routine brief 03-01 08:40 running'])
    held.open()
    await at.settle()
  })

  test('of the same id as a reminder is another job', async () => {
    const held = gate()
    const at = await jobStage({
      files: {
        'routines/brief.md': EVERY_TEN,
        'reminders/brief.md': file({ 'run-at': '2026-03-01T09:45', background: true }),
      },
      rule: async () => (await held.opened, { text: 'Done.' }),
    })
    await at.clock.pass(16 * MINUTE)
    await at.scheduler.settled()
    expect(await doneOf(at)).toEqual(['routine brief 03-01 08:40', 'reminder brief 03-01 08:45'])
    held.open()
    await at.settle()
  })

  test('asks no model while nothing is due', async () => {
    const at = await jobStage({ files: { 'routines/brief.md': file({ cron: '0 9 * * *' }) } })
    const before = (await at.all()).length
    await at.pass(23 * HOUR)
    expect(at.model.prompts).toEqual([])
    expect(await at.all()).toHaveLength(before)
  })

  test('takes a new time at once when its file is edited, and none when the file goes', async () => {
    const at = await jobStage({ files: { 'routines/brief.md': file({ cron: '0 12 * * *' }) } })
    await at.put('routines/brief.md', file({ cron: '45 9 * * *' }))
    await at.pass(20 * MINUTE)
    expect(await doneOf(at)).toEqual(['routine brief 03-01 08:45'])
    await at.shelf.remove('routines/brief.md')
    await at.look()
    await at.pass(72 * HOUR)
    expect(await doneOf(at)).toHaveLength(1)
    expect((await at.events('job-scheduled')).map(({ schedule }) => schedule)).toEqual([
      '0 12 * * *',
      '45 9 * * *',
      null,
    ])
  })
})

describe('[JOB3] what was missed', () => {
  /** 10:00 was missed by so much. */
  const table: readonly (readonly [string, number, string])[] = [
    ['skip', 30, 'missed'],
    ['once', 47 * 60, 'late'],
    ['1h', 59, 'late'],
    ['1h', 60, 'missed'],
    ['2d', 47 * 60, 'late'],
    ['2d', 48 * 60, 'missed'],
  ]
  test.each(table)('with catch-up: %s, %i minutes later, is %s', async (catchUp, minutes, outcome) => {
    const cron = '0 10 1 3 *'
    const first = await jobStage({
      files: { 'routines/brief.md': file({ cron, background: true, 'catch-up': catchUp }) },
    })
    const at = await restarted(first, (30 + minutes) * MINUTE)
    expect(await doneOf(at)).toEqual([`routine brief 03-01 09:00 ${outcome}`])
    expect(await at.events('run-started')).toHaveLength(outcome === 'late' ? 1 : 0)
  })

  test('is the latest time only, however many there were', async () => {
    const hourly = file({ cron: '0 * * * *', background: true, 'catch-up': 'once' })
    const at = await restarted(await jobStage({ files: { 'routines/brief.md': hourly } }), 100 * HOUR)
    expect(await doneOf(at)).toEqual(['routine brief 03-05 12:00 late'])
  })

  test('counts from when the file was written, if nobody was there to see it', async () => {
    const first = await jobStage()
    await first.close()
    await first.log.close()
    const clock = new FakeClock(START + 3 * HOUR)
    const shelf = memoryShelf({ now: () => START + HOUR })
    const files = { 'routines/early.md': daily(10), 'routines/later.md': daily(11) }
    const at = await jobStage({ disk: first.disk, clock, shelf, files })
    expect(await doneOf(at)).toEqual(['routine later 03-01 10:00 late'])
  })
})
