import { describe, expect, test } from 'vitest'
import { OR_NONE } from '../../src/config/type/value-type.ts'
import { pauseOf } from '../../src/agent/state/jobs.ts'
import { askApproval } from '../../src/agent/state/approvals.ts'
import { keep } from '../../src/agent/state/setup.ts'
import { makeTurnId } from '../../src/event/id.ts'
import { modelFault } from './doubles.ts'
import { memoryShelf, type MemoryShelf } from './memory-shelf.ts'
import { append, DAY, HOUR, MINUTE, pass, raise } from './notice-rig.ts'
import { ruled, type Ruled } from './rig.ts'
import { notices, plannerOn, begun, job } from './run-rig.ts'
import { START, type Stage } from './stage.ts'

const BRIEF = `---
cron: 0 8 * * 1-5
background: true
description: what is on today
---
Look at the calendar.
`
const REVIEW = `---
cron: 0 18 * * 5
timezone: Asia/Tokyo
---
Let us look back at the week, at what went well and at what did not go well at all.
`
const CALL = `---
run-at: 2026-03-01T14:00
---
Call mum.
`

interface Jobs extends Ruled {
  readonly shelf: MemoryShelf
}

/** It is Sunday, 2026-03-01, 09:30 in Berlin. */
async function withJobs(files: Readonly<Record<string, string>>): Promise<Jobs> {
  const shelf = memoryShelf({ now: () => START })
  for (const [file, text] of Object.entries(files)) await shelf.put(file, text)
  const at = await ruled(() => Promise.reject(modelFault('rejected')), { shelf })
  Object.assign(at.desk, {
    configure: async (_: string, value: string) => {
      if (!value.includes('/'))
        return `timezone is '${value}'. Write a time zone${OR_NONE} (did you mean Europe/${value}?)`
      at.settings = { ...at.settings, zone: value }
      return undefined
    },
  })
  return Object.assign(at, { shelf })
}

const three = {
  'routines/brief.md': BRIEF,
  'routines/review.md': REVIEW,
  'reminders/call-mum.md': CALL,
}

async function said(at: Stage, line: string): Promise<string> {
  return (await at.say(line)).join('\n')
}

test('[JOB1] a reminder that the log says is fired is listed no more, though its file is still there', async () => {
  const at = await withJobs(three)
  const fired = {
    what: 'reminder',
    job: 'call-mum',
    due: Date.UTC(2026, 2, 1, 13),
    isLate: false,
    run: null,
  } as const
  const branch = await at.branch()
  await at.log.write((writing) => writing.append({ kind: 'job-fired', branch, at: START, v: 1, ...fired }))
  expect(await said(at, '/reminders')).toMatch(/^There are no reminders/)
})

test('/reminders cancel and /routines cancel take the file away, and say what it was', async () => {
  const at = await withJobs(three)
  expect(await said(at, '/reminders cancel call-mum')).toBe(
    'Cancelled reminder call-mum, today 14:00, in 5 h: Call mum.',
  )
  expect(await said(at, '/routines cancel brief')).toBe(
    'Cancelled routine brief, next due tomorrow 08:00, in 23 h (routines/brief.md). A run that has started goes on.',
  )
  expect([...at.shelf.files.keys()]).toEqual(['routines/review.md'])
  expect(await said(at, '/routines cancel brief')).toBe("There is no routine 'brief'. /routines lists them.")
  expect(await said(at, '/reminders cancel')).toContain(
    "takes the id of one reminder, or 'cancel' and its id.",
  )
})

test('/todo shows the list and changes it', async () => {
  const at = await withJobs({})
  expect(await said(at, '/todo')).toBe('todo.md has no to-dos.')
  expect(await said(at, '/todo add buy milk')).toBe('Added as 1: buy milk')
  await said(at, '/todo add call mum')
  expect(await said(at, '/todo done milk')).toBe('Done: 1. buy milk. 1 open.')
  expect(await said(at, '/todo')).toBe('todo.md, 1 open, 1 done:\n2. [ ] call mum')
  expect(await said(at, '/todo delete 2')).toBe('Deleted: call mum.')
  expect(await said(at, '/todo done')).toContain('takes nothing, all, add and a text')
})

describe('/routines', () => {
  test('lists what there is, the next one first', async () => {
    const at = await withJobs(three)
    expect(await said(at, '/routines')).toBe(`2 routines:
  brief: tomorrow 08:00, in 23 h (0 8 * * 1-5, background)
    what is on today
  review: Friday 10:00, in 5 days (0 18 * * 5 Asia/Tokyo, in main)
    Let us look back at the week, at what went well and at what…`)
  })

  test('says what is wrong, what is paused and what waits for the person', async () => {
    const at = await withJobs({ ...three, 'routines/odd.md': '---\ncron: soon\n---\nDo it.\n' })
    const branch = await at.branch()
    const turn = makeTurnId(START, at.desk.random)
    await at.log.write((writing) => {
      const after = keep(writing, { branch, at: START }, BRIEF)
      const wish = { kind: 'file', turn, path: 'routines/new.md', before: null, after } as const
      askApproval(writing, { branch, at: START, wish, until: null })
    })
    await at.say('/pause review')
    await at.say('/pause all 2h')
    const text = await said(at, '/routines')
    expect(text.split('\n')[0]).toBe('All jobs are paused until today 11:30, in 2 h. /resume ends the pause.')
    expect(text).toContain('(0 18 * * 5 Asia/Tokyo, in main, paused until resumed)')
    expect(text).toContain('\nroutines/new.md waits for you: /approvals 1 shows it.')
    expect(text).toMatch(/\nNot used: routines\/odd\.md, line 2: /)
    expect(await said(at, '/reminders')).not.toContain('odd.md')
  })

  test('says what of a file is left out, as it may have been meant', async () => {
    const at = await withJobs({ 'routines/brief.md': BRIEF.replace('background', 'allow_pings') })
    expect(await said(at, '/routines')).toMatch(
      /\nWarning: routines\/brief\.md: Line 3: 'allow_pings' is not a field and is ignored/,
    )
    expect(await said(at, '/reminders')).not.toContain('Warning')
  })

  test('tells how the last time went', async () => {
    const at = await withJobs(three)
    await at.say('/help')
    for (let count = 0; count < 2; count++) {
      const actor = await plannerOn(at)
      const run = await at.log.write((writing) => {
        const branch = begun(writing, actor, job({ job: 'brief' }))
        const fired = {
          what: 'routine',
          job: 'brief',
          due: actor.at,
          isLate: count === 1,
          run: branch,
        } as const
        writing.append({ kind: 'job-fired', branch: actor.branch, at: actor.at, v: 1, ...fired })
        return branch
      })
      if (count === 0)
        expect(await said(at, '/routines')).toMatch(/Last: today 09:30, now: fired, as \w{6}, running/)
      at.agent.wake([run])
      await at.settle()
      await pass(at, 5 * MINUTE)
    }
    const text = await said(at, '/routines')
    expect(text).toContain('background, failed 2 times in a row)')
    expect(text).toMatch(/\n    Last: today 09:35, 5 min ago: fired late, as \w{6}, failed$/m)
  })

  test('with an id shows all of one, and of an id that there is not the one that was meant', async () => {
    const at = await withJobs(three)
    const text = await said(at, '/routines brief')
    expect(text.split('\n').slice(0, 3)).toEqual([
      'routine brief (routines/brief.md)',
      'Next      tomorrow 08:00, in 23 h',
      '          Tuesday 08:00, in 2 days',
    ])
    expect(text).toContain('Look at the calendar.')
    expect(await said(at, '/routines BRIEF')).toBe(text)
    expect(await said(at, '/routines brif')).toBe(
      "There is no routine 'brif'. Did you mean routine brief? /routines lists them.",
    )
  })

  test('says how to get one where there is none', async () => {
    const at = await withJobs({})
    expect(await said(at, '/routines')).toMatch(/^There are no routines\. /)
    expect(await said(at, '/reminders')).toMatch(/^There are no reminders\. /)
  })
})

describe('/reminders', () => {
  test('lists what there is, and what is due already', async () => {
    const at = await withJobs(three)
    expect(await said(at, '/reminders')).toBe(`1 reminder:
  call-mum: today 14:00, in 5 h (in main)
    Call mum.`)
    await pass(at, 5 * HOUR)
    expect(await said(at, '/reminders')).toContain('call-mum: due since today 14:00, 30 min ago (in main)')
  })

  test('keep the moment that the log knows, whatever the zone', async () => {
    const at = await withJobs(three)
    const file = 'reminders/call-mum.md'
    const due = START + 4 * HOUR + 30 * MINUTE
    const known = { what: 'reminder', job: 'call-mum', file, schedule: '2026-03-01T14:00:00', due } as const
    await append(at, { kind: 'job-scheduled', ...known })
    at.settings = { ...at.settings, zone: 'America/New_York' }
    expect(await said(at, '/reminders')).toContain('call-mum: today 08:00, in 5 h')
  })
})

describe('/pause', () => {
  test('all: no jobs and no pings until its time is over', async () => {
    const at = await withJobs(three)
    expect(await said(at, '/pause all 2h')).toBe(
      'All jobs and pings are paused until today 11:30, in 2 h. /resume ends it sooner.',
    )
    expect(await at.events('jobs-paused')).toMatchObject([
      { one: null, until: START + 2 * HOUR, author: { by: 'person' } },
    ])
    await raise(at, 'a', 'Something waits.')
    await pass(at, DAY)
    expect(notices(at)).toEqual(['- Something waits.\n- The pause is over. Jobs and pings resume.'])
  })

  test.each([
    ['/pause all', null, null],
    ['/pause 90 min', null, START + 90 * MINUTE],
    ['/pause for 1 day', null, START + DAY],
    ['/pause all until 18:00', null, Date.UTC(2026, 2, 1, 17)],
    ['/pause all until tomorrow 9:00', null, Date.UTC(2026, 2, 2, 8)],
    ['/pause until tomorrow 9:00', null, Date.UTC(2026, 2, 2, 8)],
    ['/pause brief', 'brief', null],
    ['/pause routine brief 1d', 'brief', START + DAY],
    ['/pause Brief for 30m', 'brief', START + 30 * MINUTE],
  ])('%s', async (line, name, until) => {
    const at = await withJobs(three)
    await at.say(line)
    const one = name === null ? null : { what: 'routine', job: name }
    expect(await at.events('jobs-paused')).toMatchObject([{ one, until }])
  })

  test('one: the others go on', async () => {
    const at = await withJobs(three)
    expect(await said(at, '/pause brief 1d')).toBe(
      'Routine brief is paused until tomorrow 09:30, in 24 h. /resume brief ends it sooner.',
    )
    expect(await said(at, '/pause call-mum')).toBe(
      'Reminder call-mum is paused until you say /resume call-mum.',
    )
    expect(await at.read((reader) => pauseOf(reader, null, START))).toBeNull()
  })

  test('refuses what it does not understand, and pauses nothing', async () => {
    const at = await withJobs({ ...three, 'reminders/brief.md': CALL })
    expect(await said(at, '/pause brief')).toBe(
      'There are routine brief and reminder brief. Write /pause routine brief or /pause reminder brief.',
    )
    expect(await said(at, '/pause revue 2h')).toBe(
      "There is no job 'revue'. Did you mean routine review? /routines and /reminders list them.",
    )
    expect(await said(at, '/pause reminder review')).toMatch(/^There is no reminder 'review'\. /)
    expect(await said(at, '/pause all soonish')).toMatch(
      /^Nothing was paused\. Could not read 'soonish' as a time/,
    )
    expect(await said(at, '/pause all until 09:00 yesterday')).toMatch(/^Nothing was paused\. /)
    expect(await said(at, '/pause routine')).toContain("takes the id of a routine after 'routine'")
    expect(await at.events('jobs-paused')).toEqual([])
  })

  test('alone tells what is paused', async () => {
    const at = await withJobs(three)
    expect(await said(at, '/pause')).toMatch(/^Nothing is paused\. /)
    await at.say('/pause brief')
    await at.say('/pause all 2h')
    expect(await said(at, '/pause')).toBe(`All jobs and pings are paused until today 11:30, in 2 h.
Routine brief is paused until resumed.
/resume ends the pause of all jobs, /resume JOB that of one.`)
  })
})

describe('/resume', () => {
  test('ends the pause of all and tells what fell due meanwhile', async () => {
    const at = await withJobs(three)
    const call = { what: 'reminder', job: 'call-mum', file: 'reminders/call-mum.md' } as const
    await append(at, { kind: 'job-scheduled', ...call, schedule: 'x', due: START + HOUR })
    await at.say('/pause all')
    await at.say('/pause review')
    await pass(at, 2 * HOUR)
    expect(await said(at, '/resume')).toBe(`Jobs and pings resume. Due meanwhile: reminder call-mum (10:30).
Routine review is paused separately: /resume review ends that.`)
    expect(await at.events('jobs-resumed')).toMatchObject([{ one: null, author: { by: 'person' } }])
    expect(await said(at, '/resume')).toBe(`Not all jobs are paused.
Routine review is paused separately: /resume review ends that.`)
  })

  test('ends the pause of one, also where its file is gone', async () => {
    const at = await withJobs(three)
    await at.say('/pause brief')
    await at.shelf.remove('routines/brief.md')
    expect(await said(at, '/resume brief')).toBe('Routine brief resumes.')
    expect(await said(at, '/resume')).toBe('Nothing is paused.')
  })

  test('of one job says that all are paused', async () => {
    const at = await withJobs(three)
    await at.say('/pause all 2h')
    const others = 'All jobs are paused until today 11:30, in 2 h: /resume ends that.'
    expect(await said(at, '/resume brief')).toBe(`Routine brief is not paused separately. ${others}`)
    await at.say('/pause brief')
    expect(await said(at, '/resume routine brief')).toBe(`Routine brief resumes. ${others}`)
    expect(await at.read((reader) => pauseOf(reader, null, START))).not.toBeNull()
  })

  test('refuses what is no job', async () => {
    const at = await withJobs(three)
    expect(await said(at, '/resume breif')).toContain('Did you mean routine brief?')
    expect(await said(at, '/resume brief now')).toContain('takes all, the id of one job, or nothing.')
  })
})

describe('/timezone', () => {
  test('shows the zone, the time there and what comes next', async () => {
    const at = await withJobs(three)
    expect(await said(at, '/timezone')).toBe(`The time zone is Europe/Berlin. It is 2026-03-01 09:30 there.
Next: reminder call-mum: today 14:00, in 5 h; routine brief: tomorrow 08:00, in 23 h.
/timezone NAME changes it, as in /timezone Europe/Berlin.`)
    expect(await at.events('zone-set')).toEqual([])
  })

  test('sets it: the log knows, and it is said what that means', async () => {
    const at = await withJobs(three)
    const due = START + 4 * HOUR + 30 * MINUTE
    const call = { what: 'reminder', job: 'call-mum', file: 'reminders/call-mum.md', due } as const
    await append(at, { kind: 'job-scheduled', ...call, schedule: '2026-03-01T14:00:00' })
    expect(await said(at, '/timezone America/New_York')).toBe(
      `The time zone is America/New_York from now on (was Europe/Berlin). It is 2026-03-01 03:30 there.
Routines keep their time of day, in the new zone; reminders keep the moment they
were set for.
Next: reminder call-mum: today 08:00, in 5 h; routine brief: tomorrow 08:00, in 29 h.`,
    )
    expect(await at.events('zone-set')).toMatchObject([
      { zone: 'America/New_York', author: { by: 'person' } },
    ])
    expect(await said(at, '/timezone America/New_York')).toMatch(
      /^The time zone is America\/New_York already\./,
    )
    expect(await at.events('zone-set')).toHaveLength(1)
  })

  test('refuses what is none, and everything stays', async () => {
    const at = await withJobs(three)
    expect(await said(at, '/timezone Berlin')).toBe(
      "timezone is 'Berlin'. Write a time zone (did you mean Europe/Berlin?).\nThe time zone is still Europe/Berlin.",
    )
    expect(await at.events('zone-set')).toEqual([])
  })
})
