import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mainOf, personIn } from '../src/agent/state/person.ts'
import { firedAt } from '../src/agent/state/jobs.ts'
import { openApprovals } from '../src/agent/state/approvals.ts'
import { rebuildPrompt } from '../src/agent/turn/call-prompt.ts'
import type { JsonObject } from '../src/base/json.ts'
import { seededRandom, type Random } from '../src/base/random.ts'
import { catalogue } from '../src/command/read/catalogue.ts'
import type { Event } from '../src/event/event.ts'
import { handleOf, type BranchId } from '../src/event/id.ts'
import { terminalAddress } from '../src/runtime/terminal/place.ts'
import { knownIn } from '../src/runtime/terminal/status-line.ts'
import {
  branchesOf,
  confide,
  household,
  living,
  PEOPLE,
  secret,
  SECRET,
  typo,
  type Household,
  type Who,
} from './household.ts'
import { seeds } from './rounds.ts'

/** Commands after which nobody could try anything more. */
const TOO_MUCH = /^\/(?:model|thinking|people remove ana)/

/** A form of a command with a word that could name something of another: `cancel ID`, `[MARK] [-- GOAL]`. */
function filled(form: string, word: string | number): string {
  return form.replaceAll(/[[\]]/g, '').replaceAll(/[A-Z]{2,}|\bN\b/g, `${word}`)
}

/** Everything that somebody may try in order to learn of the others. */
function probes(by: Who, others: readonly BranchId[], end: number): (readonly [string, JsonObject?])[] {
  const handles = others.map(handleOf)
  const ids = handles.flatMap((handle) => [handle, handle.slice(0, 4)])
  const positions = Array.from({ length: 12 }, (_, index) => Math.ceil(((index + 1) * end) / 12))
  const named = [
    ...ids,
    ...positions,
    1,
    2,
    3,
    4,
    5,
    6,
    'zqowner',
    'zqana',
    'ana',
    'ben/brief',
    '../ana/notes.md',
  ]
  const words = ['message', 'todo', 'file', 'goal', 'aside', 'report', 'note', 'memory']
  const sought = PEOPLE.flatMap((who) => words.map((word) => typo(who, word, by)))
  const paths = ['../workspace/notes.md', '../../workspace/notes.md', '../ben/notes.md', '../owner/todo.md']
  return [
    ...catalogue.flatMap(({ name, usage }) => [
      [`/${name}`] as const,
      ...usage
        .flatMap((form) => named.map((word) => `/${name} ${filled(form, word)}`))
        .filter((line) => !TOO_MUCH.test(line))
        .map((line) => [line] as const),
    ]),
    // Only commands: the words of a message would be in the index themselves.
    ...[...sought, 'hide everybody', 'aside'].map((text) => [`/recall ${text}`] as const),
    ...PEOPLE.map((who) => ['recall', { query: typo(who, 'topic', by) }] as const),
    ['recall', { query: 'hide everybody' }],
    ['recall', { query: 'hide', speaker: 'owner' }],
    ['recall', { query: 'hide', speaker: 'Ben' }],
    ...positions.map((around) => ['read_log', { around, limit: 20 }] as const),
    ...positions.map((around) => ['read_log', { around, full: true }] as const),
    ...ids.map((branch) => ['read_log', { branch }] as const),
    ...ids.map((id) => ['wait', { ids: [id], timeout: 1 }] as const),
    ...ids.map((id) => ['slash', { command: 'send', args: `${id} hello` }] as const),
    ...ids.map((id) => ['slash', { command: 'kill', args: id }] as const),
    ...paths.flatMap(
      (path) =>
        [
          ['read', { path }],
          ['edit', { path, old: 'a', new: 'b' }],
        ] as const,
    ),
    ...paths.map((path) => ['send_file', { path }] as const),
    ['glob', { pattern: '**' }],
    ['glob', { pattern: '../**' }],
    ['grep', { pattern: 'zq' }],
    ['grep', { pattern: 'end', path: '..' }],
    ['todo', { action: 'list', which: 'all' }],
    ['todo', { action: 'done', item: 'zq' }],
    ['list_reminders', {}],
    ['cancel_reminder', { id: 'zq' }],
    ['add_reminder', { text: 'zqowner', when: 'in 2 days' }],
    ['follow_up_chain', { when: 'in 1 hour' }],
    ['remember', { line: 'x', replaces: 'zq' }],
    ['marks', {}],
    ['read_skill', { skill_name: 'notes' }],
    ['help', { topic: 'people' }],
    ['web_fetch', { url: 'file:///etc/passwd' }],
    ['nothing_like_it', {}],
    ['slash', { command: 'check-mail' }],
    ['slash', { command: 'mark', args: '' }],
    ...paths.map((path) => ['write', { path, content: 'x' }] as const),
    ['ping_user', { message: 'x' }],
    ['send_embed', { title: 'x' }],
    ['enter_fork', { topic: 'x' }],
    ['save_context', {}],
    ['exit_fork', {}],
    ['/exit'],
    ['report_updates', { message: 'x' }],
    ['compact_session', {}],
  ]
}

/** Whom each text of the log was shown to, and its words. */
async function shown({ life }: Household): Promise<{ who: string; text: string; event: Event }[]> {
  const events = await Array.fromAsync(life.log.events())
  return life.log.read((reader) => {
    const conversations = new Map([
      ['team', 'team'],
      ['ana', 'ana'],
      ['ben', 'ben'],
    ])
    return events.flatMap((event) => {
      if (event.kind === 'delivery-intended') {
        const who = conversations.get(event.to.conversation) ?? 'owner'
        return { who, text: JSON.stringify(event), event }
      }
      if (event.kind === 'message-added')
        return { who: personIn(reader, event.branch), text: JSON.stringify(event), event }
      if (event.kind !== 'model-called') return []
      return { who: personIn(reader, event.branch), text: rebuildPrompt(reader, event).text, event }
    })
  })
}

/** The names of the tools in a prompt. */
function toolsIn(prompt: string): string[] {
  const { tools } = JSON.parse(prompt) as { tools: { name: string }[] }
  return tools.map(({ name }) => name)
}

function callsIn(event: Event): string[] {
  const isStep = event.kind === 'message-added' && event.message.role === 'assistant'
  return isStep ? (event.message.calls ?? []).map(({ tool }) => tool) : []
}

/** What a line of this person may be completed with. */
async function completions({ life }: Household, who: Who): Promise<string> {
  const desk = await life.desk.deskOf(who)
  return life.log.read((reader) => {
    const main = mainOf(reader, who)
    return main === undefined ? '' : JSON.stringify(knownIn(reader, { branch: main }, desk))
  })
}

/** Of each command and tool, some of what there is to try. */
function sample<T>(tries: readonly T[], random: Random): T[] {
  return tries
    .map((one) => ({ one, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .slice(0, 3)
    .map(({ one }) => one)
}

/** Secrets of others in what somebody was shown. */
function leaks(told: Awaited<ReturnType<typeof shown>>): string[] {
  return told.flatMap(({ who, text, event }) =>
    [...text.matchAll(SECRET)].flatMap(([word, whose]) =>
      whose === who || isAsked(who, word)
        ? []
        : `${who} was shown ${word} by ${event.kind} ${event.position}`,
    ),
  )
}

/** The owner is asked about a guest's routine, and sees what would be written. */
function isAsked(who: string, word: string): boolean {
  return who === 'owner' && word.endsWith('routineend')
}

test.each(seeds(10))(
  '[PEOPLE2] nobody is shown anything of another, whatever they ask for (seed %i)',
  async (seed) => {
    const at = await household()
    for (const who of PEOPLE) await confide(at, who)
    const random = seededRandom(seed)
    const end = await at.life.log.read((reader) => reader.end)
    for (const who of PEOPLE) {
      const known = await completions(at, who)
      expect(known).toContain(secret(who, 'mark'))
      expect([...known.matchAll(SECRET)].filter(([, whose]) => whose !== who)).toEqual([])
    }
    for (const who of PEOPLE) {
      const others = await branchesOf(at, (person) => person !== who)
      const all = probes(who, others.toSorted(() => (random() % 2 === 0 ? 1 : -1)).slice(0, 3), end)
      for (const tries of Map.groupBy(all, ([what]) => what.split(' ')[0]).values())
        for (const [what, args] of sample(tries, random))
          await (args === undefined ? at.say(who, what) : at.call(who, what, args))
    }
    const told = await shown(at)
    for (const who of PEOPLE) {
      const theirs = told.filter((one) => one.who === who)
      const offered = theirs.flatMap(({ text, event }) =>
        event.kind === 'model-called' ? toolsIn(text) : [],
      )
      const called = new Set(theirs.flatMap(({ event }) => callsIn(event)))
      expect([...new Set(offered)].filter((tool) => !called.has(tool))).toEqual([])
    }
    expect(leaks(told)).toEqual([])
    for (const who of PEOPLE) {
      await at.say(who, `/recall zq${who}messageenq`)
      const found = (await at.events('command-run')).at(-1)?.output
      expect(found).toContain(secret(who, 'message'))
    }
  },
)

test('[PEOPLE2] nobody can name a branch of another', async () => {
  const at = await household()
  for (const who of ['owner', 'ana'] as const) {
    const [branch] = await branchesOf(at, (person) => person === 'ben')
    const handle = handleOf(branch as BranchId)
    for (const line of [`/switch ${handle}`, `/kill ${branch}`, `/send ${handle.slice(0, 4)} hi`]) {
      await at.say(who, line)
      expect((await at.events('command-run')).at(-1)?.output).toMatch(/^There is no branch '/)
    }
  }
  await at.say('ana', '/switch main')
  expect((await at.events('command-run')).at(-1)?.output).toBe('You are already talking to main.')
})

test('[PEOPLE2] each has a ledger of pings', async () => {
  const at = await household()
  await at.call('ana', 'ping_user', { message: secret('ana', 'ping') })
  await at.say('owner', '/ping-budget why')
  await at.say('ana', '/ping-budget why')
  const [owners, anas] = (await at.events('command-run')).slice(-2).map(({ output }) => output)
  expect(owners).not.toContain(secret('ana', 'ping'))
  expect(anas).toContain(secret('ana', 'ping'))
})

test('[PEOPLE2] a guest has files, memory, to-dos and jobs in a folder of their own', async () => {
  const at = await household()
  await confide(at, 'owner')
  await confide(at, 'ana')
  const folder = join(at.home, 'people', 'ana')
  expect(readFileSync(join(folder, 'memory.md'), 'utf8')).toContain(secret('ana', 'memory'))
  expect(readFileSync(join(folder, 'todo.md'), 'utf8')).toContain(secret('ana', 'todo'))
  expect(readFileSync(join(folder, 'notes.md'), 'utf8')).toBe(secret('ana', 'file'))
  expect(readdirSync(join(folder, 'reminders'))).toHaveLength(1)
  for (const file of ['memory.md', 'todo.md', 'notes.md'])
    expect(readFileSync(join(at.home, 'workspace', file), 'utf8')).not.toContain('zqana')
  // Her own memory line is hers to approve; a routine is the owner's.
  const [hers, owners] = await at.life.log.read((reader) =>
    ['ana', 'owner'].map((person) => openApprovals(reader, 0, person).map(({ request }) => request)),
  )
  expect(hers).toMatchObject([{ wish: { kind: 'memory', line: secret('ana', 'proposal') } }])
  await at.say('ana', `/approve ${hers?.[0]?.number ?? 0}`)
  expect(readFileSync(join(folder, 'memory.md'), 'utf8')).toContain(secret('ana', 'proposal'))
  const branches = await branchesOf(at, (person) => person === 'ana')
  const routine = owners?.find(({ wish, branch }) => wish.kind === 'file' && branches.includes(branch))
  await at.say('owner', `/approve ${routine?.number ?? 0}`)
  expect(readFileSync(join(folder, 'routines', 'brief.md'), 'utf8')).toContain(secret('ana', 'routine'))
})

test('[PEOPLE2] what would ask is asked of the owner, and the yes counts for that guest alone', async () => {
  const at = await household({ permissions: 'bypassPermissions' })
  await at.call('owner', 'write', { path: 'a.md', content: 'owner' })
  const asking = at.call('ana', 'write', { path: 'a.md', content: 'ana' })
  const signal = AbortSignal.timeout(20_000)
  await at.life.agent.until((reader) => openApprovals(reader, 0).length === 1, signal)
  const questions = (await at.events('delivery-intended')).filter(({ form }) => form === 'question')
  expect(questions.at(-1)).toMatchObject({ to: terminalAddress })
  expect(questions.at(-1)?.text).toMatch(/^ana is talking with me\. Allow `write` to a\.md\?/)
  const told = (await at.events('delivery-intended')).filter(({ to }) => to.conversation === 'ana')
  expect(told.at(-1)?.text).toBe("I asked the owner whether I may use write. I'll go on when they answer.")
  const number = await at.life.log.read((reader) => openApprovals(reader, 0)[0]?.request.number ?? 0)
  await at.life.receive({
    ...terminalAddress,
    origin: 'terminal',
    person: 'owner',
    messageId: 'yes',
    text: `/approve ${number} always`,
  })
  await asking
  expect(readFileSync(join(at.home, 'people', 'ana', 'a.md'), 'utf8')).toBe('ana')
  await at.call('ana', 'write', { path: 'a.md', content: 'again' })
  expect(readFileSync(join(at.home, 'people', 'ana', 'a.md'), 'utf8')).toBe('again')
  const before = (await at.events('approval-asked')).length
  const bens = at.call('ben', 'write', { path: 'a.md', content: 'ben' })
  await at.life.agent.until((reader) => openApprovals(reader, 0).length === 1, signal)
  expect(await at.events('approval-asked')).toHaveLength(before + 1)
  await at.life.receive({
    ...terminalAddress,
    origin: 'terminal',
    person: 'owner',
    messageId: 'no',
    text: '/deny',
  })
  await bens
  expect(readdirSync(join(at.home, 'people', 'ben'))).not.toContain('a.md')
})

test('a group is told who speaks, has no memory, and a guest is called by name', async () => {
  const at = await household()
  await at.say('ana', 'hi')
  const prompts = await at.life.log.read((reader) => reader.end)
  expect(prompts).toBeGreaterThan(0)
  const texts = (await shown(at)).filter(({ event }) => event.kind === 'model-called')
  const last = (who: Who) => texts.findLast((one) => one.who === who)?.text ?? ''
  expect(last('ana')).toContain('You are talking with \\"ana\\", a guest')
  expect(last('team')).toContain('You are talking in the group \\"Team\\"')
  expect(last('team')).toMatch(/\] ana:\\n/)
  expect(last('team')).not.toContain('"name":"remember"')
  expect(last('owner')).not.toContain('Who you are talking with')
})

test("a guest's reminder fires in their main, and their folder has no webhooks", async () => {
  const first = await household()
  const folder = join(first.home, 'people', 'ana')
  await first.close()
  for (const kind of ['reminders', 'webhooks']) mkdirSync(join(folder, kind), { recursive: true })
  writeFileSync(
    join(folder, 'reminders', 'late.md'),
    `---\nrun-at: "2026-01-01T09:00Z"\n---\n${secret('ana', 'due')}`,
  )
  writeFileSync(join(folder, 'webhooks', 'hook.md'), '---\nid: hook\n---\nDo it.')
  const at = await living(first.home, {}, true)
  const signal = AbortSignal.timeout(20_000)
  await at.life.agent.until(
    (reader) => firedAt(reader, 'ana/late', Date.parse('2026-01-01T09:00Z')) !== undefined,
    signal,
  )
  await at.settle()
  const fired = await at.events('job-fired')
  const main = await at.life.log.read((reader) => mainOf(reader, 'ana'))
  expect(fired).toMatchObject([{ what: 'reminder', job: 'ana/late', branch: main }])
  expect(at.life.desk.shelf.jobs()).toEqual([])
  expect(leaks(await shown(at))).toEqual([])
  expect(
    (await shown(at)).some(({ who, text }) => who === 'ana' && text.includes(secret('ana', 'due'))),
  ).toBe(true)
})

test('[PEOPLE2] a guest has a time zone and a daily limit of their own', async () => {
  const ana = { timezone: 'Asia/Tokyo', costDayMax: '1 tokens' }
  const at = await household({ timezone: 'UTC', costDayWarn: 'none', guests: JSON.stringify({ ana }) })
  const added = async (who: Who): Promise<string> => {
    await at.call(who, 'add_reminder', { text: 'tea', when: 'tomorrow at 9:00' })
    const folder = who === 'owner' ? 'workspace' : join('people', who)
    const [file = ''] = readdirSync(join(at.home, folder, 'reminders'))
    return readFileSync(join(at.home, folder, 'reminders', file), 'utf8')
  }
  expect(await added('ben')).toMatch(/T09:00:00(?:Z|\+00:00)/)
  expect(await added('ana')).toMatch(/T09:00:00\+09:00/)
  for (const who of ['ana', 'ben'] as const) await at.say(who, '/timezone')
  const zones = (await at.events('command-run')).slice(-2).map(({ output }) => output)
  expect(zones[0]).toMatch(/^The time zone is Asia\/Tokyo\. .*ask the owner to change it\.$/s)
  expect(zones[1]).toMatch(/^The time zone is UTC\. /)
  const prompts = (await shown(at)).filter(({ event }) => event.kind === 'model-called')
  expect(prompts.findLast(({ who }) => who === 'ana')?.text).toMatch(
    /\[\d{4}-\d\d-\d\d \w{3} \d\d:\d\d (?:GMT\+9|JST|Asia\/Tokyo)/,
  )
  await at.say('ana', 'hello')
  await at.say('ben', 'hello')
  const [anas, bens] = ['ana', 'ben'].map((who) => prompts.filter((one) => one.who === who).length)
  const after = (await shown(at)).filter(({ event }) => event.kind === 'model-called')
  expect(after.filter(({ who }) => who === 'ana')).toHaveLength(anas ?? 0)
  expect(after.filter(({ who }) => who === 'ben')).toHaveLength((bens ?? 0) + 1)
})
