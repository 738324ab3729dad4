import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../src/base/clock.ts'
import { hookSecretsIn } from '../src/config/hook-secret.ts'
import { openHomeJobs, type HomeJobs, type HomeJobsOptions } from '../src/runtime/home/home-jobs.ts'
import type { Definition, Reminder } from '../src/schedule/definition.ts'
import { readDefinition } from '../src/schedule/read-definition.ts'

const ROUTINE = '---\ncron: 0 8 * * *\n---\nLook at the news.\n'
const REMINDER = '---\nrun-at: 2027-01-01T09:00\n---\nWater the plants.\n'
const BROKEN = '---\ncron: 0 8 * *\n---\nLook at the news.\n'
const BROKEN_MS = 400

function makeRoot(files: Readonly<Record<string, string>> = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'mainstem-home-jobs-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const folder of ['routines', 'reminders', 'webhooks', 'notes']) mkdirSync(join(root, folder))
  for (const [file, text] of Object.entries(files)) put(root, file, text)
  return root
}

function hook(name: string): string {
  return `---\nid: ${name}\nsecret_env: MAINSTEM_HOOK_${name}\n---\nDo it.`
}

function put(root: string, file: string, text: string): void {
  writeFileSync(join(root, file), text)
}

/** As if it had been written long ago. */
function age(root: string, file: string): void {
  utimesSync(join(root, file), 1_700_000_000, 1_700_000_000)
}

interface Opened {
  readonly shelf: HomeJobs
  readonly warnings: string[]
  readonly changes: () => number
}

async function open(root: string, options: Partial<HomeJobsOptions> = {}): Promise<Opened> {
  const warnings: string[] = []
  let changes = 0
  const shelf = await openHomeJobs({
    root,
    now: systemClock,
    secrets: () => undefined,
    warn: (text) => warnings.push(text),
    onChange: () => changes++,
    watch: true,
    fail: (error) => {
      throw error
    },
    ...options,
    times: { brokenMs: BROKEN_MS, settleMs: 30, ...options.times },
  })
  onTestFinished(() => shelf.close())
  return { shelf, warnings, changes: () => changes }
}

function files(shelf: HomeJobs): string[] {
  return shelf.jobs().map(({ file }) => file)
}

function problems(shelf: HomeJobs): string[] {
  return shelf.problems().map(({ file, line, reason }) => `${file}, line ${line}: ${reason}`)
}

/** What is not yet so becomes so within seconds, by itself. */
async function soon(check: () => void): Promise<void> {
  await vi.waitFor(check, { timeout: 300_000, interval: 20 })
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

async function definition(file: string, text: string): Promise<Definition> {
  const read = await readDefinition({ file, text }, { due: 'required' })
  if ('problem' in read) throw new Error(read.problem.reason)
  return read.definition
}

describe('the jobs of a workspace', () => {
  test('are those of its three folders; other files, hidden ones and what editors leave are none', async () => {
    const root = makeRoot({
      'routines/brief.md': ROUTINE,
      'reminders/plants.md': REMINDER,
      'webhooks/push.md': 'Somebody pushed.',
      'notes/brief.md': ROUTINE,
      'routines/brief.md~': 'x',
      'routines/#brief.md#': 'x',
      'routines/#brief.md': 'x',
      'routines/.brief.md.swp': 'x',
      'routines/.hidden.md': 'x',
      'routines/read-me.txt': 'x',
    })
    mkdirSync(join(root, 'routines', 'folder.md'))
    mkdirSync(join(root, 'routines', 'deep'))
    put(root, 'routines/deep/brief.md', ROUTINE)
    symlinkSync('nobody@1', join(root, 'routines', '.#brief.md'))
    symlinkSync(join(root, 'nowhere.md'), join(root, 'routines', 'dangling.md'))
    const { shelf } = await open(root)
    expect(shelf.jobs().map(({ definition: { kind, id } }) => `${kind} ${id}`)).toEqual([
      'reminder plants',
      'routine brief',
      'webhook push',
    ])
    expect(problems(shelf)).toEqual([])
  })

  test('count from when their files came here, whatever time those bring, and never later than now', async () => {
    const before = systemClock() - 1_000
    const root = makeRoot({ 'routines/old.md': ROUTINE, 'routines/young.md': ROUTINE })
    age(root, 'routines/old.md')
    utimesSync(join(root, 'routines/young.md'), 4_000_000_000, 4_000_000_000)
    const { shelf } = await open(root)
    for (const { changedAt } of shelf.jobs()) {
      expect(changedAt).toBeGreaterThanOrEqual(before)
      expect(changedAt).toBeLessThanOrEqual(systemClock())
    }
    expect(shelf.jobs()).toHaveLength(2)
  })

  test('[JOB2] a broken file keeps nobody else from working, and is named with line and reason', async () => {
    const root = makeRoot({ 'routines/a.md': BROKEN, 'routines/b.md': ROUTINE })
    age(root, 'routines/a.md')
    const { shelf } = await open(root)
    expect(files(shelf)).toEqual(['routines/b.md'])
    expect(problems(shelf)).toEqual([expect.stringMatching(/^routines\/a\.md, line 2: cron is '0 8 \* \*'/)])
  })

  test('[HOOK2] a webhook whose secret is missing or too short is not used, until the secret is right', async () => {
    const root = makeRoot({
      'webhooks/a.md': hook('A'),
      'webhooks/b.md': hook('B'),
      'webhooks/c.md': hook('C'),
      'webhooks/d.md': 'Do it without a secret.',
    })
    const secret = 'correct horse battery staple'
    put(root, '.env', `MAINSTEM_HOOK_B='${secret.slice(0, 15)}'\nexport MAINSTEM_HOOK_C="${secret}" # mine\n`)
    const secrets = hookSecretsIn(root, { MAINSTEM_HOOK_C: ' ' })
    const { shelf, changes } = await open(root, { secrets })
    expect(files(shelf)).toEqual(['webhooks/c.md', 'webhooks/d.md'])
    expect(problems(shelf)).toEqual([
      expect.stringMatching(/^webhooks\/a\.md, line 3: the secret MAINSTEM_HOOK_A is not set\./),
      expect.stringMatching(/^webhooks\/b\.md, line 3: the secret MAINSTEM_HOOK_B needs at least 16 char/),
    ])
    expect(JSON.stringify(problems(shelf))).not.toContain(secret.slice(0, 15))
    expect(secrets('MAINSTEM_HOOK_C')).toBe(secret)
    put(root, '.env', `MAINSTEM_HOOK_B=${'x'.repeat(16)}\nMAINSTEM_HOOK_C=${secret}\n`)
    await shelf.refresh()
    expect(files(shelf)).toEqual(['webhooks/b.md', 'webhooks/c.md', 'webhooks/d.md'])
    expect(changes()).toBe(1)
  })

  test('[JOB2] of two files with one id the first by its name works until it goes', async () => {
    const root = makeRoot({
      'routines/a.md': `---\ncron: 0 8 * * *\nid: brief\n---\nOne.`,
      'routines/brief.md': ROUTINE,
      'reminders/brief.md': REMINDER,
    })
    const { shelf } = await open(root)
    expect(files(shelf)).toEqual(['reminders/brief.md', 'routines/a.md'])
    expect(problems(shelf)).toEqual([
      "routines/brief.md, line 1: routines/a.md is the routine 'brief' already. Change the id: here, or remove one of the two files.",
    ])
    rmSync(join(root, 'routines/a.md'))
    await soon(() => expect(files(shelf)).toEqual(['reminders/brief.md', 'routines/brief.md']))
    expect(problems(shelf)).toEqual([])
    put(root, 'routines/z.md', '---\ncron: 0 8 * * *\nid: brief\n---\nTwo.')
    await soon(() => expect(problems(shelf)).toEqual([expect.stringMatching(/^routines\/z\.md, line 3: /)]))
  })

  test('a file that is too large, no text or not readable is a problem of its own', async () => {
    const root = makeRoot({ 'routines/large.md': `${ROUTINE}${'x'.repeat(256 * 1024)}` })
    writeFileSync(join(root, 'routines', 'odd.md'), Buffer.from([0xff, 0xfe, 0x00]))
    for (const name of ['large', 'odd']) age(root, `routines/${name}.md`)
    const { shelf } = await open(root)
    expect(problems(shelf)).toEqual([
      expect.stringMatching(/^routines\/large\.md, line 1: it has 262\d+ bytes; the maximum is 262144\./),
      expect.stringContaining('is not UTF-8 text'),
    ])
  })

  test('[SAFE3] links inside of the workspace are followed, and none that leads out of it', async () => {
    const [root, outside] = [makeRoot({ 'notes/linked.md': ROUTINE }), makeRoot({ 'routines/x.md': ROUTINE })]
    symlinkSync(join(root, 'notes/linked.md'), join(root, 'routines/linked.md'))
    symlinkSync(join(outside, 'routines/x.md'), join(root, 'routines/out.md'))
    rmSync(join(root, 'reminders'), { recursive: true })
    symlinkSync(join(outside, 'routines'), join(root, 'reminders'))
    age(outside, 'routines/x.md')
    const { shelf } = await open(root)
    expect(files(shelf)).toEqual(['routines/linked.md'])
    expect(problems(shelf)).toEqual([
      expect.stringMatching(/^reminders, line 1: the folder cannot be used: .* leads out of the workspace/),
      expect.stringMatching(/^routines\/out\.md, line 1: .* leads out of the workspace/),
    ])
  })

  test('more than 5,000 files in a folder are left out, with a note', async () => {
    const root = makeRoot()
    for (let index = 0; index < 5_001; index++) put(root, `reminders/${10_000 + index}.md`, 'x')
    const { shelf, warnings } = await open(root, { watch: false })
    expect(shelf.problems()).toHaveLength(5_000)
    expect(warnings).toEqual([
      'reminders has 5001 files: the first 5000 by name are read, and the others are left out.',
    ])
    const text = '---\nrun-at: 2027-01-01T09:00\nid: more\n---\nMore.'
    await expect(shelf.write(await definition('reminders/more.md', text))).rejects.toThrow(
      'reminders already has 5000 files',
    )
  })
})

describe('while somebody lives', () => {
  test('what is added, edited, renamed and removed counts within seconds', async () => {
    const root = makeRoot()
    const { shelf, changes } = await open(root)
    put(root, 'routines/brief.md', ROUTINE)
    await soon(() => expect(files(shelf)).toEqual(['routines/brief.md']))
    put(root, 'routines/brief.md', ROUTINE.replace('news', 'mail'))
    await soon(() => expect(shelf.jobs()[0]?.definition.body).toBe('Look at the mail.'))
    renameSync(join(root, 'routines/brief.md'), join(root, 'routines/evening.md'))
    await soon(() => expect(shelf.jobs()[0]?.definition.id).toBe('evening'))
    rmSync(join(root, 'routines/evening.md'))
    await soon(() => expect(files(shelf)).toEqual([]))
    expect(changes()).toBeGreaterThanOrEqual(4)
  })

  test('a folder that is taken away and made again is still watched', async () => {
    const root = makeRoot({ 'routines/brief.md': ROUTINE })
    const { shelf } = await open(root)
    rmSync(join(root, 'routines'), { recursive: true })
    await soon(() => expect(files(shelf)).toEqual([]))
    mkdirSync(join(root, 'routines'))
    put(root, 'routines/one.md', ROUTINE)
    await soon(() => expect(files(shelf)).toEqual(['routines/one.md']))
    put(root, 'routines/two.md', ROUTINE)
    await soon(() => expect(files(shelf)).toEqual(['routines/one.md', 'routines/two.md']))
  })

  test('where watching sees nothing, the next look does', async () => {
    const root = makeRoot({ 'notes/far.md': ROUTINE })
    symlinkSync(join(root, 'notes/far.md'), join(root, 'routines/far.md'))
    const { shelf } = await open(root, { times: { lookMs: 100 } })
    put(root, 'notes/far.md', ROUTINE.replace('news', 'mail'))
    await soon(() => expect(shelf.jobs()[0]?.definition.body).toBe('Look at the mail.'))
  })

  test('[JOB2] a file that is broken for a moment is as it was, and nobody hears of it', async () => {
    const root = makeRoot({ 'routines/brief.md': ROUTINE })
    const { shelf, changes } = await open(root, { times: { brokenMs: 3_600_000 } })
    put(root, 'routines/brief.md', '')
    await shelf.refresh()
    expect(files(shelf)).toEqual(['routines/brief.md'])
    put(root, 'routines/brief.md', ROUTINE.replace('news', 'mail'))
    await soon(() => expect(shelf.jobs()[0]?.definition.body).toBe('Look at the mail.'))
    expect(problems(shelf)).toEqual([])
    expect(changes()).toBe(1)
  })

  test('[JOB2] one that stays broken is told, once, and works again when it is mended', async () => {
    const root = makeRoot({ 'routines/brief.md': ROUTINE })
    const { shelf, changes } = await open(root)
    put(root, 'routines/brief.md', BROKEN)
    await soon(() => expect(problems(shelf)).toHaveLength(1))
    expect(files(shelf)).toEqual([])
    await shelf.refresh()
    expect(changes()).toBe(1)
    put(root, 'routines/brief.md', ROUTINE)
    await soon(() => expect(files(shelf)).toEqual(['routines/brief.md']))
    expect(problems(shelf)).toEqual([])
  })

  test('what has not changed is not read again', async () => {
    const root = makeRoot({ 'routines/brief.md': ROUTINE, 'routines/other.md': ROUTINE })
    const { shelf, changes } = await open(root)
    await pause(100)
    const [brief] = shelf.jobs()
    put(root, 'routines/other.md', ROUTINE.replace('news', 'mail'))
    await shelf.refresh()
    expect(shelf.jobs()[0]).toBe(brief)
    expect(shelf.jobs()[1]?.definition.body).toBe('Look at the mail.')
    expect(changes()).toBe(1)
  })

  test('two versions of one moment and one size are told apart', async () => {
    const root = makeRoot({ 'routines/brief.md': ROUTINE })
    const { shelf } = await open(root)
    for (let index = 10; index < 60; index++) {
      put(root, 'routines/brief.md', ROUTINE.replace('news', `ne${index}`))
      await shelf.refresh()
      expect(shelf.jobs()[0]?.definition.body).toBe(`Look at the ne${index}.`)
    }
  })

  test.skipIf(process.getuid?.() === 0)(
    'a folder that cannot be read for a while keeps its jobs',
    async () => {
      const root = makeRoot({ 'routines/brief.md': ROUTINE })
      const { shelf } = await open(root)
      chmodSync(join(root, 'routines'), 0)
      await shelf.refresh()
      chmodSync(join(root, 'routines'), 0o700)
      expect(files(shelf)).toEqual(['routines/brief.md'])
      expect(problems(shelf)).toEqual([
        expect.stringMatching(/^routines, line 1: the folder cannot be used: .*EACCES/),
      ])
      await shelf.refresh()
      expect(problems(shelf)).toEqual([])
    },
  )

  test('a file in the place of a folder is told, and the jobs that were in that are gone', async () => {
    const root = makeRoot({ 'routines/brief.md': ROUTINE })
    const { shelf } = await open(root)
    rmSync(join(root, 'routines'), { recursive: true })
    put(root, 'routines', 'x')
    await soon(() => expect(files(shelf)).toEqual([]))
    expect(problems(shelf)).toEqual([expect.stringContaining('a part of the path is a file, not a folder')])
    expect(await shelf.remove('routines/brief.md')).toBe(false)
  })

  test('nothing is told any more once it is closed', async () => {
    const root = makeRoot()
    const { shelf, changes } = await open(root)
    await shelf.close()
    put(root, 'routines/brief.md', ROUTINE)
    await pause(200)
    expect(changes()).toBe(0)
  })
})

describe('a job that is written', () => {
  const REMIND = '---\nrun-at: 2027-01-01T09:00\ndescription: Water\n---\nWater the plants.'

  test('is there at once, in a file named after it, and another process sees it too', async () => {
    const root = makeRoot()
    const [{ shelf }, { shelf: other }] = [await open(root), await open(root)]
    const written = await definition('reminders/plants.md', REMIND)
    expect(await shelf.write(written)).toBe('reminders/plants.md')
    expect(shelf.jobs()).toMatchObject([{ file: 'reminders/plants.md', definition: written }])
    await soon(() => expect(other.jobs()[0]?.definition).toEqual(written))
    expect(readdirSync(join(root, 'reminders'))).toEqual(['plants.md'])
  })

  test('again takes the place of its own file, whatever that is called', async () => {
    const root = makeRoot({ 'reminders/my plants.md': REMIND.replace('---\n', '---\nid: plants\n') })
    const { shelf } = await open(root)
    const later = (await definition('reminders/plants.md', REMIND.replace('09:00', '10:00'))) as Reminder
    expect(await shelf.write(later)).toBe('reminders/my plants.md')
    expect(shelf.jobs().map((job) => (job.definition as Reminder).runAt)).toEqual(['2027-01-01T10:00:00'])
  })

  test('as a new one never takes the place of one, though two processes write it at once', async () => {
    const root = makeRoot()
    const shelves = await Promise.all(Array.from({ length: 8 }, () => open(root, { watch: false })))
    const job = (await definition('reminders/plants.md', REMIND)) as Reminder
    const written = await Promise.allSettled(
      shelves.map(({ shelf }, index) => shelf.write({ ...job, body: `no ${index}` }, { isNew: true })),
    )
    const [won, ...others] = written.filter(({ status }) => status === 'fulfilled')
    expect([won, others]).toEqual([{ status: 'fulfilled', value: 'reminders/plants.md' }, []])
    for (const one of written)
      if (one.status === 'rejected')
        expect(one.reason).toMatchObject({
          name: 'JobTakenError',
          message: "reminders/plants.md is the reminder 'plants' already.",
        })
    const first = written.findIndex(({ status }) => status === 'fulfilled')
    expect(readdirSync(join(root, 'reminders'))).toEqual(['plants.md'])
    expect(readFileSync(join(root, 'reminders/plants.md'), 'utf8')).toContain(`no ${first}`)
  })

  test('as a new one takes another name where a file is in the way that is another job', async () => {
    const root = makeRoot({ 'reminders/plants.md': REMIND.replace('---\n', '---\nid: other\n') })
    const { shelf } = await open(root)
    const job = await definition('reminders/plants.md', REMIND)
    expect(await shelf.write(job, { isNew: true })).toBe('reminders/plants-2.md')
    await expect(shelf.write(job, { isNew: true })).rejects.toThrow(
      "reminders/plants-2.md is the reminder 'plants' already.",
    )
  })

  test('never takes the file of another job, nor one that nobody can read', async () => {
    const taken = REMIND.replace('---\n', '---\nid: other\n')
    const root = makeRoot({ 'reminders/plants.md': taken, 'reminders/plants-2.md': 'broken' })
    const { shelf } = await open(root)
    expect(await shelf.write(await definition('reminders/plants.md', REMIND))).toBe('reminders/plants-3.md')
    expect(readFileSync(join(root, 'reminders/plants.md'), 'utf8')).toBe(taken)
    expect(readFileSync(join(root, 'reminders/plants-2.md'), 'utf8')).toBe('broken')
    expect(shelf.jobs().map(({ definition: { id } }) => id)).toEqual(['plants', 'other'])
  })

  test.each(['übung', 'con', 'Ünï.cödé', '日本語', 'a'.repeat(64), 'x.md', 'x..', '٣'])(
    'is found again under the id %j, in a file that any system takes',
    async (id) => {
      const root = makeRoot()
      const { shelf } = await open(root)
      const job = { ...(await definition('reminders/a.md', REMIND)), id } as Reminder
      const file = await shelf.write({ ...job, chain: { ...job.chain, parent: id } })
      expect(file).toMatch(/^reminders\/[a-z\d][\w.-]*\.md$/i)
      expect(file).not.toBe('reminders/con.md')
      expect(shelf.jobs()[0]?.definition.id).toBe(id)
    },
  )

  test('of which many are written at once, each has its file', async () => {
    const root = makeRoot()
    const { shelf } = await open(root)
    const job = (await definition('reminders/a.md', REMIND)) as Reminder
    const ids = Array.from({ length: 20 }, (_, index) => `r${index}`)
    await Promise.all(ids.map((id) => shelf.write({ ...job, id, chain: { ...job.chain, parent: id } })))
    expect(
      shelf
        .jobs()
        .map(({ definition: { id } }) => id)
        .toSorted(),
    ).toEqual(ids.toSorted())
  })

  test('makes its folder where somebody took it away', async () => {
    const root = makeRoot()
    rmSync(join(root, 'reminders'), { recursive: true })
    const { shelf } = await open(root)
    await shelf.write(await definition('reminders/plants.md', REMIND))
    expect(files(shelf)).toEqual(['reminders/plants.md'])
  })

  test('and removed is gone at once; what is no job is never removed', async () => {
    const root = makeRoot({ 'reminders/plants.md': REMIND, 'notes/a.md': 'a', 'AGENTS.md': 'You.' })
    const { shelf, changes } = await open(root)
    expect(await shelf.remove('reminders/plants.md')).toBe(true)
    expect(files(shelf)).toEqual([])
    expect(existsSync(join(root, 'reminders/plants.md'))).toBe(false)
    expect(changes()).toBe(1)
    expect(await shelf.remove('reminders/plants.md')).toBe(false)
    for (const file of ['notes/a.md', 'AGENTS.md', 'reminders/../AGENTS.md', '/etc/passwd'])
      expect(await shelf.remove(file)).toBe(false)
    expect(readFileSync(join(root, 'AGENTS.md'), 'utf8')).toBe('You.')
  })

  test.each([
    ['another', REMIND.replace('09:00', '10:00'), ['2027-01-01T10:00:00']],
    ['one that nobody can read yet', '---\nrun-at: 2027-01-01T1', ['2027-01-01T09:00:00']],
  ])('is not removed where %s stands in its place that nobody has read', async (_, text, expected) => {
    const root = makeRoot({ 'reminders/plants.md': REMIND })
    // Nobody looks by itself.
    const { shelf } = await open(root, { times: { settleMs: 60_000 } })
    put(root, 'reminders/plants.md', text)
    expect(await shelf.remove('reminders/plants.md')).toBe(false)
    expect(readFileSync(join(root, 'reminders/plants.md'), 'utf8')).toBe(text)
    expect(shelf.jobs().map((job) => (job.definition as Reminder).runAt)).toEqual(expected)
    put(root, 'reminders/other.md', REMIND)
    await shelf.refresh()
    // It was read by now, or is still not what is told.
    expect(await shelf.remove('reminders/plants.md')).toBe(text.endsWith('plants.'))
  })

  test('is not removed where it was not read at all; of a link only the link is', async () => {
    const root = makeRoot({ 'notes/plants.md': REMIND })
    symlinkSync(join(root, 'notes/plants.md'), join(root, 'reminders/plants.md'))
    const { shelf } = await open(root, { times: { settleMs: 60_000 } })
    put(root, 'reminders/new.md', REMIND)
    expect(await shelf.remove('reminders/new.md')).toBe(false)
    expect(await shelf.remove('reminders/plants.md')).toBe(true)
    expect(existsSync(join(root, 'reminders/plants.md'))).toBe(false)
    expect(readFileSync(join(root, 'notes/plants.md'), 'utf8')).toBe(REMIND)
  })
})
