import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../src/base/clock.ts'
import { reminderCommand, routineCommand, webhookCommand } from '../src/cli/job/jobs.ts'
import type { Draft } from '../src/event/event.ts'
import type { BranchId } from '../src/event/id.ts'
import { openForWriting } from '../src/runtime/home/open-log.ts'
import { openOtherWriter, run, runHere, tempFolder, type Failed } from './cli/run.ts'
import { Scene } from './model/scene.ts'

function newHome(): string {
  const home = join(tempFolder(), 'home')
  mkdirSync(join(home, 'workspace', 'reminders'), { recursive: true })
  for (const folder of ['routines', 'webhooks']) mkdirSync(join(home, 'workspace', folder))
  writeFileSync(join(home, 'config.json'), JSON.stringify({ timezone: 'Europe/Berlin' }))
  return home
}

function put(home: string, file: string, text: string): void {
  writeFileSync(join(home, 'workspace', file), text)
}

function textOf(home: string, file: string): string {
  return readFileSync(join(home, 'workspace', file), 'utf8')
}

const reminder = (home: string, ...args: string[]): Promise<Failed> => runHere(reminderCommand, home, args)
const routine = (home: string, ...args: string[]): Promise<Failed> => runHere(routineCommand, home, args)
const webhook = (home: string, ...args: string[]): Promise<Failed> => runHere(webhookCommand, home, args)

const NOBODY = "Mainstem is not running: 'mainstem' or 'mainstem serve' starts it when it is due."
const ROUTINE = '---\ncron: 30 8 * * 1-5\ndescription: News, briefly\n---\nTell me the news.\n'

/** What the log has to say of jobs. */
async function happened(
  home: string,
  drafts: (branch: BranchId, at: number) => readonly Draft[],
): Promise<void> {
  const log = openForWriting({ home, command: 'test' })
  await log.write((writing) => {
    const scene = new Scene(writing)
    scene.root('main')
    for (const draft of drafts(scene.id('main'), systemClock())) writing.append(draft)
  })
  await log.close()
}

describe('[HOOK2] url', () => {
  const SECRET = 'it is "hidden" $HOME'
  const HOOK = `---
secret-env: MAINSTEM_HOOK_CI
fields: {n: {type: integer, minimum: 3}, who: {type: string}, state: {enum: [it's, done]}}
---
Look.`

  function homeWithHook(): string {
    const home = newHome()
    put(home, 'webhooks/ci.md', HOOK)
    put(home, 'webhooks/bell.md', 'Look.')
    writeFileSync(join(home, '.env'), `MAINSTEM_HOOK_CI='${SECRET}'\n`)
    return home
  }

  test('prints the address of a webhook and commands that call it, without the secret', async () => {
    const home = homeWithHook()
    const { code, out } = await webhook(home, 'url', 'ci')
    expect(code).toBe(0)
    expect(out).toMatch(/^http:\/\/127\.0\.0\.1:7420\/hook\/ci\n/)
    expect(out).toContain(`. ${join(home, '.env')}\n`)
    expect(out).not.toContain('hidden')
    writeFileSync(join(home, 'config.json'), JSON.stringify({ publicUrl: 'https://me.example/' }))
    const { out: json } = await webhook(home, 'url', 'ci', '--json')
    const view = JSON.parse(json) as Record<'id' | 'url' | 'secretEnv' | 'signed' | 'bearer', string>
    expect(view).toMatchObject({ id: 'ci', url: 'https://me.example/hook/ci', secretEnv: 'MAINSTEM_HOOK_CI' })
    expect(json).not.toContain('hidden')
    const body = `{"n":3,"who":"text","state":"it's"}`
    const hmac = createHmac('sha256', SECRET).update(body).digest('hex')
    expect(wordsIn(view.signed)).toEqual([
      'curl',
      '-H',
      `X-Hub-Signature-256: sha256=${hmac}`,
      '-H',
      'Content-Type: application/json',
      '--data',
      body,
      view.url,
    ])
    expect(wordsIn(view.bearer)[2]).toBe(`Authorization: Bearer ${SECRET}`)
  })

  /** The words as a shell hands them to the program. */
  function wordsIn(line: string): string[] {
    const script = `for word in ${line}; do printf '%s\\n' "$word"; done`
    const env = { ...process.env, MAINSTEM_HOOK_CI: SECRET }
    return execFileSync('sh', ['-c', script], { encoding: 'utf8', env }).trimEnd().split('\n')
  }

  test('says what a webhook without a secret needs; so do list and show', async () => {
    const home = homeWithHook()
    const { code, error } = await webhook(home, 'url', 'bell')
    expect(code).toBe(1)
    expect(error).toContain(
      'Webhook bell has no secret-env, so it takes no requests. Add a line secret-env: MAINSTEM_HOOK_BELL to webhooks/bell.md',
    )
    expect((await webhook(home, 'list')).out).toMatch(
      /^bell +background, no secret-env, so no requests +Look\.$/m,
    )
    expect((await webhook(home, 'show', 'bell')).out).toContain('Requests  none: it has no secret-env\n')
    const show = await webhook(home, 'show', 'ci')
    expect(show.out).toContain('Requests  with the secret in MAINSTEM_HOOK_CI;')
    expect(show.out).not.toContain('hidden')
  })
})

describe('add', () => {
  test('writes a reminder and echoes its id, the time that was understood and its file', async () => {
    const home = newHome()
    const { code, out } = await reminder(home, 'add', 'call', 'mum', '--at', 'tomorrow 9:00')
    expect(code).toBe(0)
    expect(out).toMatch(
      new RegExp(
        `^Reminder call-mum is set: tomorrow 09:00, in \\d+ h \\(reminders/call-mum\\.md\\)\\.\n${NOBODY}\n$`,
      ),
    )
    expect(textOf(home, 'reminders/call-mum.md')).toMatch(
      /^---\nid: call-mum\nrun-at: \d{4}-\d\d-\d\dT09:00:00\+0[12]:00\n---\ncall mum\n$/,
    )
  })

  test('takes another id where the name is taken, by a job or by a file that is wrong', async () => {
    const home = newHome()
    put(home, 'reminders/call-mum-2.md', 'no front matter')
    await reminder(home, 'add', 'call mum', '--at', 'in 2 hours')
    const { out } = await reminder(home, 'add', 'call mum', '--at', 'in 2 hours')
    expect(out).toContain('Reminder call-mum-3 is set: ')
  })

  test('of the same words at the same moment all are kept, each under an id of its own', async () => {
    const home = newHome()
    const added = Array.from({ length: 6 }, () => reminder(home, 'add', 'call mum', '--at', 'in 2 hours'))
    const said = (await Promise.all(added)).map(({ out }) => / (call-mum\S*) is set/.exec(out)?.[1] ?? out)
    expect(new Set(said).size).toBe(6)
    expect(readdirSync(join(home, 'workspace', 'reminders')).toSorted()).toEqual(
      said.map((id) => `${id}.md`).toSorted(),
    )
  })

  test('of one --id at the same moment one is set, and the others are told', async () => {
    const home = newHome()
    const added = ['a', 'b', 'c'].map((text) =>
      reminder(home, 'add', text, '--id', 'one', '--at', 'in 2 hours'),
    )
    const done = await Promise.all(added)
    expect(done.filter(({ code }) => code === 0)).toHaveLength(1)
    for (const { error } of done.filter(({ code }) => code !== 0))
      expect(error).toMatch(/No reminder is set: .* Give another --id, or cancel that one/)
  })

  test('writes every field that was given, and what the file says is read back', async () => {
    const home = newHome()
    const fields = ['--background', '--isolated', '--no-ping', '--update', 'always', '--max-chain', '3']
    const more = [
      '--tools',
      'web_fetch, remember',
      '--skills',
      'weather',
      '--model',
      'offline',
      '--thinking',
      'false',
    ]
    const who = [
      '--id',
      'tea',
      '--description',
      'Tea: "now" # really',
      '--for',
      'anna',
      '--timezone',
      'Asia/Tokyo',
    ]
    const { code, out } = await reminder(
      home,
      'add',
      'tea?',
      '--at',
      'in 90 minutes',
      ...fields,
      ...more,
      ...who,
    )
    expect(code).toBe(0)
    expect(out).toContain('It is for anna, who has never written here: it waits until they do.')
    const shown = await reminder(home, 'show', 'tea', '--json')
    expect(JSON.parse(shown.out)).toMatchObject({
      definition: {
        id: 'tea',
        description: 'Tea: "now" # really',
        person: 'anna',
        background: true,
        isolated: true,
        allowPing: false,
        reporting: 'always',
        chain: { max: 3, depth: 0, parent: 'tea' },
        tools: ['web_fetch', 'remember'],
        skills: ['weather'],
        model: 'offline',
        thinking: 'off',
        timezone: 'Asia/Tokyo',
      },
    })
  })

  test('reads a time by the clock of --timezone', async () => {
    const home = newHome()
    await reminder(home, 'add', 'x', '--id', 'there', '--at', 'tomorrow 9:00', '--timezone', 'Asia/Tokyo')
    expect(textOf(home, 'reminders/there.md')).toMatch(/^run-at: \S+T09:00:00\+09:00$/m)
  })

  test('writes a routine, with when it is next due', async () => {
    const home = newHome()
    const { out } = await routine(
      home,
      'add',
      'brief me',
      '--cron',
      '30 8 * * *',
      '--catch-up',
      '2h',
      '--session',
      'persistent',
    )
    expect(out).toMatch(/^Routine brief is set: (?:today|tomorrow) 08:30, in .* \(routines\/brief\.md\)\.\n/)
    expect(textOf(home, 'routines/brief.md')).toBe(
      '---\nid: brief\ncron: 30 8 * * *\nsession: persistent\ncatch-up: 2h\n---\nbrief me\n',
    )
  })

  test('writes a webhook with the data it takes, and warns of what cannot be put into a task', async () => {
    const home = newHome()
    const fields = join(tempFolder(), 'fields.json')
    writeFileSync(fields, JSON.stringify({ title: { type: 'string' }, count: { type: 'integer' } }))
    const { out, err } = await webhook(
      home,
      'add',
      '{count}: {title}',
      '--id',
      'build',
      '--fields',
      fields,
      '--secret-env',
      'MAINSTEM_HOOK_CI',
    )
    expect(out).toBe(
      'Webhook build is set (webhooks/build.md).\nIt cannot be used yet: the secret MAINSTEM_HOOK_CI is not set. Set it to a long random text, in the environment of mainstem or in the file .env of its home.\n',
    )
    expect(err).toContain('The task has {title}')
    expect(textOf(home, 'webhooks/build.md')).toContain('secret-env: MAINSTEM_HOOK_CI')
    expect((await webhook(home, 'add', 'Look.', '--id', 'bell')).out).toBe(
      "Webhook bell is set (webhooks/bell.md).\n'mainstem webhook url bell' shows how to call it; 'mainstem webhook run bell --data JSON' runs it.\n",
    )
  })

  test('takes a text from the standard input', async () => {
    const home = newHome()
    const text = '--- no front matter ---\nsecond: line\n'
    const { code } = await run(['reminder', 'add', '-', '--at', 'in 2 hours', '--id', 'long'], {
      home,
      input: text,
    })
    expect(code).toBe(0)
    expect(textOf(home, 'reminders/long.md').endsWith(`---\n${text}`)).toBe(true)
  })

  test.each([
    [['--max-chain', 'many'], "max-chain is 'many'. Write a whole number from 0 to 100."],
    [
      ['--update', 'sometimes'],
      "update-main-session is 'sometimes'. Write on_ping, always, freely or blocked.",
    ],
    [['--timezone', 'Mars/Base'], "timezone is 'Mars/Base'."],
    [['--id', 'a b'], "id is 'a b'. Write 1 to 64 letters"],
    [['--model', 'no such'], "model is 'no such'."],
    [['--at', 'yesterday'], "'yesterday' has passed: "],
    [['--at', 'some day'], "Could not read 'some day' as a time."],
  ])('refuses %j in the words that a file would get, and writes nothing', async (args, why) => {
    const home = newHome()
    const { code, error } = await reminder(home, 'add', 'x', '--at', 'in 2 hours', ...args)
    expect(code).toBe(1)
    expect(error).toContain(`CommandError: No reminder is set: ${why}`)
    expect(readdirSync(join(home, 'workspace', 'reminders'))).toEqual([])
  })

  test('refuses an id that is there, and one whose file is wrong', async () => {
    const home = newHome()
    put(home, 'routines/brief.md', ROUTINE)
    put(home, 'routines/broken.md', '---\ncron: x\n---\nx')
    const add = (id: string) => routine(home, 'add', 'x', '--cron', '0 9 * * *', '--id', id)
    expect((await add('brief')).error).toBe(
      "CommandError: No routine is set: routines/brief.md is the routine 'brief' already. Give another --id, or cancel that one: mainstem routine cancel brief",
    )
    expect((await add('broken')).error).toContain(
      'a file of that name is there and cannot be used. routines/broken.md, line 2: cron is',
    )
    expect(textOf(home, 'routines/brief.md')).toBe(ROUTINE)
  })

  test.each([
    [['add', 'x'], reminderCommand, 'Missing --at. Usage: mainstem reminder add TEXT --at'],
    [['add', 'x'], routineCommand, 'Missing --cron. Usage: mainstem routine add TEXT --cron'],
    [['add', ' ', '--at', 'in 2 hours'], reminderCommand, 'Missing TEXT. Usage: mainstem'],
    [['add', 'x', '--cron', '* * * * *'], reminderCommand, "has no option '--cron'"],
    [['list', '--at', '9:00'], reminderCommand, "--at does not go with 'list'"],
    [['lists'], reminderCommand, "'mainstem reminder' has no 'lists'. Usage: mainstem reminder list | add"],
    [['show'], routineCommand, 'Missing ID. Usage: mainstem routine show ID'],
  ])('says what is missing or too much in %j', async (args, command, why) => {
    const { error } = await runHere(command, newHome(), args)
    expect(error).toContain('UsageError: ')
    expect(error).toContain(why)
  })
})

describe('list', () => {
  test('shows the next one first, how each is run, and the files that are wrong with line and reason', async () => {
    const home = newHome()
    put(
      home,
      'routines/later.md',
      '---\ncron: 0 0 1 1 *\n---\nWish a happy new year to everybody whom I know and like, one by one.\n',
    )
    put(home, 'routines/sooner.md', '---\ncron: "* * * * *"\nbackground: true\ndescription: Often\n---\nx\n')
    put(home, 'routines/broken.md', '---\ncron: 0 9 * * *\nallow-ping: maybe\n---\nx\n')
    const { code, out } = await routine(home)
    expect(code).toBe(0)
    const lines = out.split('\n')
    expect(lines[0]).toMatch(/^ID      NEXT +HOW +WHAT$/)
    expect(lines[1]).toMatch(/^sooner  .*, in (\d+ s|1 min) +background  Often$/)
    expect(lines[2]).toMatch(
      /^later   .* in main     Wish a happy new year to everybody whom I know and like, on…$/,
    )
    expect(lines[3]).toBe("Not used: routines/broken.md, line 3: allow-ping is 'maybe'. Write true or false.")
  })

  test('knows from the log what is paused, also while another process writes', async () => {
    const home = newHome()
    put(home, 'routines/brief.md', ROUTINE)
    await happened(home, (branch, at) => [
      {
        kind: 'jobs-paused',
        branch,
        at,
        v: 1,
        one: { what: 'routine', job: 'brief' },
        until: null,
        author: { by: 'person' },
      },
      { kind: 'jobs-paused', branch, at, v: 1, one: null, until: at + 7_200_500, author: { by: 'person' } },
    ])
    await openOtherWriter(home)
    const { out } = await routine(home, 'list')
    expect(out).toMatch(/^All jobs are paused until .*, in 2 h\.\n/)
    expect(out).toMatch(/brief .* in main, paused until resumed  News, briefly\n/)
    expect(JSON.parse((await routine(home, 'list', '--json')).out)).toMatchObject({
      paused: expect.stringMatching(/\+0[12]:00$/) as string,
      jobs: [{ id: 'brief', file: 'routines/brief.md', schedule: '30 8 * * 1-5', paused: true, failures: 0 }],
      problems: [],
    })
  })

  test('says what of a file is left out, also to programs', async () => {
    const home = newHome()
    put(home, 'routines/brief.md', ROUTINE.replace('---\n', '---\nfrequncy: high\n'))
    expect((await routine(home, 'list')).out).toMatch(
      /\nWarning: routines\/brief\.md: Line 2: 'frequncy' is not a field and is ignored/,
    )
    expect(JSON.parse((await routine(home, 'list', '--json')).out)).toMatchObject({
      jobs: [{ warnings: [expect.stringContaining("'frequncy' is not a field")] }],
    })
  })

  test('says how one is set where there is none, and makes nothing', async () => {
    const home = join(tempFolder(), 'home')
    for (const [command, how] of [
      [routineCommand, 'Add one: mainstem routine add TEXT --cron "30 8 * * 1-5"'],
      [reminderCommand, 'Add one: mainstem reminder add TEXT --at "tomorrow 9:00"'],
      [webhookCommand, 'Add one: mainstem webhook add TEXT'],
    ] as const)
      expect((await runHere(command, home, [])).out).toContain(how)
    expect(existsSync(home)).toBe(false)
  })
})

describe('show', () => {
  test('tells the next three times, how it went, its pings and what its file says', async () => {
    const home = newHome()
    put(home, 'routines/brief.md', ROUTINE)
    const named = { what: 'routine', job: 'brief' } as const
    await happened(home, (branch, at) => [
      { kind: 'job-fired', branch, at, v: 1, ...named, due: at - 60_000, isLate: true, run: null },
      { kind: 'job-skipped', branch, at, v: 1, ...named, due: at, because: 'running' },
      { kind: 'job-skipped', branch, at, v: 1, what: 'reminder', job: 'brief', due: at, because: 'nobody' },
    ])
    const { out } = await routine(home, 'show', 'BRIEF')
    const lines = out.split('\n')
    expect(lines[0]).toBe('routine brief (routines/brief.md)')
    expect(lines[1]).toMatch(/^Next {6}(?:\w+ )?08:30, in /)
    expect(lines[2]).toMatch(/^ {10}\w+ 08:30, in \d+ (?:h|days)$/)
    expect(lines[3]).toMatch(/^ {10}\w+ 08:30, in \d+ (?:h|days)$/)
    expect(lines[4]).toMatch(/^Last {6}.*: skipped, as it was still running$/)
    expect(lines[5]).toMatch(/^ {10}.*: fired late, in main$/)
    expect(lines.slice(6).join('\n')).toBe(`\n${ROUTINE}`)
  })

  test('suggests the near one where the id is unknown, and says what is wrong with a file', async () => {
    const home = newHome()
    put(home, 'routines/brief.md', ROUTINE)
    put(home, 'routines/broken.md', '---\ncron: x\n---\nx')
    expect((await routine(home, 'show', 'breif')).error).toBe(
      "CommandError: There is no routine 'breif'; did you mean 'brief'? 'mainstem routine list' lists them",
    )
    expect((await routine(home, 'show', 'broken')).error).toContain(
      "The routine 'broken' cannot be used. routines/broken.md, line 2: ",
    )
    expect((await reminder(home, 'show', 'brief')).error).toContain("There is no reminder 'brief'. ")
  })
})

describe('cancel', () => {
  test('takes the file away and says what it was, and another kind with that id stays', async () => {
    const home = newHome()
    await reminder(home, 'add', 'x', '--at', 'tomorrow 9:00', '--id', 'brief')
    put(home, 'routines/brief.md', ROUTINE)
    const { code, out } = await reminder(home, 'cancel', 'reminders/brief.md')
    expect(code).toBe(0)
    expect(out).toMatch(
      /^Cancelled reminder brief, due tomorrow 09:00, in \d+ h \(reminders\/brief\.md\)\.\n$/,
    )
    expect(readdirSync(join(home, 'workspace', 'reminders'))).toEqual([])
    expect(textOf(home, 'routines/brief.md')).toBe(ROUTINE)
    expect((await reminder(home, 'cancel', 'brief')).error).toContain("There is no reminder 'brief'.")
  })
})

describe('where nobody has the log', () => {
  test('run does what mainstem run does, and pause and resume are written to the log', async () => {
    const home = newHome()
    put(home, 'routines/brief.md', ROUTINE)
    const ran = await run(['routine', 'run', 'brief'], { home })
    expect(ran.out).toMatch(/^\[routine-bg:brief\] started as \w{6} \(forked\)\n[^]*\nFinished after \d+ s: /)
    expect(ran.code).toBe(0)
    expect((await routine(home, 'show', 'brief')).out).toMatch(
      /\nLast {6}today .*: started by hand, as \w{6}, finished\n/,
    )
    const paused = await run(['routine', 'pause', 'brief', '2h'], { home })
    expect(paused).toMatchObject({ code: 0, err: '' })
    expect(paused.out).toMatch(
      /^Routine brief is paused until .*, in 2 h\. 'mainstem routine resume brief' ends it sooner\.\n$/,
    )
    const wrong = await run(['routine', 'pause', 'brief', 'never'], { home })
    expect(wrong).toMatchObject({ code: 1, out: '' })
    expect(wrong.err).toMatch(/^mainstem: Nothing was paused\./)
    expect((await routine(home)).out).toContain('paused until')
    const resumed = await run(['routine', 'resume', 'brief', '--json'], { home })
    expect(JSON.parse(resumed.out)).toMatchObject({
      input: '/resume routine brief',
      output: 'Routine brief resumes.',
    })
    expect((await routine(home)).out).not.toContain('paused')
  })

  test('what is not there cannot be paused or run, and nothing is begun', async () => {
    const home = newHome()
    expect((await routine(home, 'pause', 'brief')).error).toContain("There is no routine 'brief'")
    expect((await routine(home, 'run', 'brief')).error).toContain("There is no routine 'brief'")
    expect((await webhook(home, 'run', 'brief', '--data', '{')).error).toContain(
      "There is no webhook 'brief'",
    )
    expect(existsSync(join(home, 'log.db'))).toBe(false)
  })

  test('data for a webhook must be a JSON object, and one that its file allows', async () => {
    const home = newHome()
    const fields = join(tempFolder(), 'fields.json')
    const properties = { count: { type: 'integer' } }
    writeFileSync(fields, JSON.stringify({ properties, required: ['count'] }))
    await webhook(home, 'add', 'x', '--id', 'build', '--fields', fields)
    expect((await webhook(home, 'run', 'build')).error).toBe(
      "CommandError: Nothing was started. The field 'count' is missing. Its data is given with --data JSON",
    )
    const wrong = await webhook(home, 'run', 'build', '--data', '{"count": "three"}')
    expect(wrong.error).toContain('CommandError: Nothing was started. ')
    expect(wrong.error).toContain('count')
    expect((await webhook(home, 'run', 'build', '--data', '{')).error).toContain('--data is not JSON: ')
    expect((await webhook(home, 'run', 'build', '--data', '[1]')).error).toContain(
      '--data is not a JSON object',
    )
    expect((await webhook(home, 'run', 'build', '--data', '@nowhere.json')).error).toContain(
      '--data: nowhere.json cannot be read',
    )
  })
})

describe('what nobody is there to fire', () => {
  const ALONE = 'only while Mainstem is running.\n'

  test('is told of by who ends: one question of what it set itself, or of what is overdue', async () => {
    const home = newHome()
    const set = await run(['-p', 'remind me to call mum in 2 hours'], { home })
    expect(set.err).toMatch(/^mainstem: 1 reminder pending: call-mum \(.*, in [12] h.*\)\. It fires only/m)
    expect(set.err.endsWith(ALONE)).toBe(true)
    expect((await run(['-p', 'hello'], { home })).err).toBe('')
    put(home, 'reminders/old.md', '---\nrun-at: 2026-01-01T09:00\n---\nEat.')
    expect((await run(['-p', 'hello'], { home })).err).toMatch(
      /^mainstem: 1 reminder pending: old \(due since .*\)\. It fires only/,
    )
  })

  test('is told of at the end of a conversation', async () => {
    const home = newHome()
    for (const id of ['a', 'b']) put(home, `reminders/${id}.md`, '---\nrun-at: 2099-01-01T09:00\n---\nEat.')
    const { out, err } = await run([], { home, input: '/exit\n' })
    expect(out).toContain('Goodbye.')
    expect(err).toContain('2 reminders pending; the next is a (Thursday 2099-01-01 09:00')
    expect(err.endsWith(`They fire ${ALONE}`)).toBe(true)
  })

  test('stands in the status, with what is next, paused and wrong', async () => {
    const home = newHome()
    await happened(home, (branch, at) => [
      { kind: 'jobs-paused', branch, at, v: 1, one: null, until: null, author: { by: 'person' } },
      {
        kind: 'jobs-paused',
        branch,
        at,
        v: 1,
        one: { what: 'routine', job: 'brief' },
        until: null,
        author: { by: 'person' },
      },
    ])
    expect((await run(['status'], { home })).out).not.toContain('Jobs')
    put(home, 'routines/brief.md', ROUTINE)
    put(home, 'reminders/a.md', '---\nrun-at: 2099-01-01T09:00\n---\nEat.')
    put(home, 'routines/odd.md', '---\ncron: soon\n---\nEat.')
    expect((await run(['status'], { home })).out).toMatch(
      /^Jobs   1 routine, 1 reminder; next is routine brief, .* 08:30, in .*; all are paused until resumed; paused: routine brief; 1 file cannot be used: the lists say why$/m,
    )
  })
})
