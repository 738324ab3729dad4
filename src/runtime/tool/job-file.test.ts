import { describe, expect, test } from 'vitest'
import { makeTree, settingsOf, skillParts } from '../../../test/fixtures/skills/skill-tree.ts'
import { FakeClock, stage, START, type Stage } from '../../../test/agent/stage.ts'
import { pingUserTool } from '../../agent/tools/ping.ts'
import { reportUpdatesTool } from '../../agent/tools/report-updates.ts'
import type { RunAsked } from '../../agent/run/run-act.ts'
import type { JsonObject } from '../../base/json.ts'
import type { JobRead } from '../../agent/run/run-act.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import { ModelError, type Model } from '../../model/contract/model.ts'
import { scriptedModel } from '../../model/scripted.ts'
import { systemSleep } from '../../model/contract/sleep.ts'
import { shelved } from '../../schedule/shelving.ts'
import { loadSkills } from '../../skill/load-skills.ts'
import { needsReadSkill, readSkillTool } from '../../skill/read-skill.ts'
import type { Skill, SkillContextMode } from '../../skill/skill.ts'
import { openWorkspace } from '../../tool/files/workspace.ts'
import { jobFor, jobIn, jobOf, jobReader } from './job-file.ts'
import type { JobParts } from './job-setup.ts'
import { systemText } from './system-text.ts'

function spec(name: string): ToolSpec {
  return { name, description: '', parameters: { type: 'object' } }
}

const TOOLS = [
  'slash',
  'report_updates',
  'ping_user',
  'send_embed',
  'help',
  'read',
  'write',
  'web_fetch',
].map(spec)

const SKILLS = {
  'git/SKILL.md': '---\nname: git\nallowed-tools: git_log, WebFetch\n---\nUse git.\n',
  'live/SKILL.md': '---\nname: live\n---\nNow: !`date`\n',
  'other/SKILL.md': '---\nname: other\n---\nSomething else.\n',
}

interface World {
  readonly mode?: SkillContextMode
  readonly scripts?: boolean
  readonly files?: Record<string, string>
}

async function partsOf({ mode = 'full', scripts = true, files = {} }: World = {}): Promise<JobParts> {
  const loaded = await loadSkills(settingsOf([makeTree(SKILLS)]), skillParts)
  const reader = readSkillTool(loaded.skills).spec
  const told = needsReadSkill(loaded.skills, { mode, allowScripts: scripts }) ? [reader, ...TOOLS] : TOOLS
  const root = makeTree({ 'AGENTS.md': 'You.', ...files })
  const workspace = openWorkspace(root)
  return {
    workspace: { root, read: (path) => workspace.read(path) },
    material: {
      mode: () => mode,
      scripts: () => scripts,
      loaded: () => loaded,
      told: () => told,
      callable: () => [reader, ...TOOLS],
      load: async ({ body }: Skill) => body.replaceAll(/!`[^`]*`/g, 'noon'),
      system: (skills) => systemText({ agents: 'You.', memory: '- likes tea', skills, mode }),
    },
    openModel: (name): Model => {
      if (name === 'offline') return scriptedModel([])
      throw new ModelError('unavailable', `${name}: no key is set`)
    },
    settings: () => ({ runTimeoutMs: 60_000 }),
    sleep: systemSleep,
    signal: new AbortController().signal,
  }
}

async function read(matter: string, world: World & { readonly file?: string } = {}): Promise<JobRead> {
  const text = `---\n${matter}\n---\nLook at the news.`
  return jobOf({ file: world.file ?? 'routines/brief.md', text }, await partsOf(world))
}

async function job(matter: string, world: World = {}): Promise<RunAsked> {
  const result = await read(matter, world)
  if ('problem' in result) throw new Error(result.problem)
  return result.job
}

function toolsOf({ setup }: RunAsked): string[] {
  return (JSON.parse(setup?.tools ?? '[]') as ToolSpec[]).map(({ name }) => name)
}

describe('a file started by hand', () => {
  test('is a routine of the background as it says, and begins as main does', async () => {
    const matter =
      'description: News\nmodel: offline\nthinking: 500\nupdate-main-session: always\nallow-ping: false'
    expect(await job(matter)).toEqual({
      tag: 'routine-bg',
      job: 'brief',
      file: 'routines/brief.md',
      title: 'News',
      body: 'Look at the news.',
      isolated: false,
      model: 'offline',
      thinking: 500,
      reporting: 'always',
      allowPing: false,
      tools: [],
      skills: [],
      timeoutMs: 60_000,
      setup: null,
    })
    expect(await job('id: x')).toMatchObject({
      title: 'Look at the news.',
      model: null,
      thinking: 'adaptive',
    })
  })

  test.each([
    ['routines/x.md', 'cron: 0 8 * * *', 'routine-bg'],
    ['reminders/x.md', 'run-at: 2027-01-01T09:00\nmax-chain: 2', 'reminder-bg'],
    ['webhooks/x.md', 'description: x', 'webhook'],
  ])('[JOB3] is the job that it is when it is due: %s', async (path, matter, tag) => {
    const text = `---\n${matter}\n---\nLook at {a}.`
    const byHand = await jobOf({ file: path, text }, await partsOf())
    expect(byHand).toMatchObject({ job: { tag, job: 'x', body: 'Look at {a}.' } })
    expect(byHand).not.toHaveProperty('job.chain')
    expect(byHand).not.toHaveProperty('job.before')
  })

  test('[SAFE2] a webhook without data was sent an empty object: all that it needs is missing', async () => {
    const file = 'webhooks/x.md'
    const fields = 'properties: {a: {type: string}, b: {type: number}}'
    const needed = `---\nfields: {type: object, ${fields}, required: [a, b]}\n---\nLook at {a}.`
    expect(await jobOf({ file, text: needed }, await partsOf())).toEqual({
      problem: "webhooks/x.md: The field 'a' is missing. The field 'b' is missing.",
    })
    const free = `---\nfields: {type: object, ${fields}}\n---\nLook at {a}.`
    const job = await jobOf({ file, text: free }, await partsOf())
    expect(job).toMatchObject({
      job: { tag: 'webhook', body: 'Look at the value of "a" in the data above.' },
    })
    expect(job).toHaveProperty('job.before', [expect.stringContaining('{}')])
  })

  test('may call what it and the skills it declares allow', async () => {
    expect((await job('allowed-tools: Read, grep\nskills: git')).tools).toEqual([
      'read',
      'grep',
      'git_log',
      'web_fetch',
    ])
  })

  test('[LEAVE1] gives addresses by what its own file names, where only a person changes it', async () => {
    const text = '---\nid: brief\nallowed-tools: [web_fetch(https://a.example/*), Read]\n---\nLook.'
    const named = async (file: string) => {
      const found = await jobIn(file, await partsOf({ files: { [file]: text } }))
      if ('problem' in found) throw new Error(found.problem)
      return [found.job.named, found.job.isByModel]
    }
    expect(await named('routines/brief.md')).toEqual([['web_fetch(https://a.example/*)'], undefined])
    for (const file of ['notes/brief.md', 'routines/old/brief.md', 'brief.md'])
      expect(await named(file)).toEqual([undefined, true])
    const twice = await jobIn('routines//brief.md', await partsOf({ files: { 'routines/brief.md': text } }))
    expect(twice).toHaveProperty('job.named')
    const files = { 'routines/x.md': text, 'notes/brief.md': text }
    expect(await jobIn('routines/../notes/brief.md', await partsOf({ files }))).toMatchObject({
      job: { isByModel: true },
    })
    expect(await jobOf({ file: 'brief.md', text }, await partsOf())).toHaveProperty('job.named')
  })

  test.each([
    [
      'cron: 0 8 * * *',
      ['When it is due it runs in the main session; started by hand, it runs in the background.'],
    ],
    ['run-at: 2026-08-01T09:00\nbackground: false', [expect.stringContaining('runs in the background')]],
    ['cron: 0 8 * * *\nbackground: true', []],
    ['id: x', []],
    ['session: persistent', [expect.stringContaining('it begins anew')]],
    ['fields: {a: {type: string}}', []],
    [
      'for: ana\nmodle: offline',
      [expect.stringContaining("did you mean 'model'?"), 'It is for ana; started by hand, it is yours.'],
    ],
  ])('says what holds only when it is due: %j', async (matter, notes) =>
    expect(await read(matter, { file: 'brief.md' })).toMatchObject({ warnings: notes }),
  )
})

async function due(file: string, matter: string, payload?: JsonObject): Promise<RunAsked> {
  const text = `---\n${matter}\n---\nLook at the news.`
  const found = await shelved({ file, text, changedAt: START })
  if ('problem' in found) throw new Error(found.problem.reason)
  const read = await jobFor(found.job, await partsOf(), payload)
  if ('problem' in read) throw new Error(read.problem)
  return read.job
}

describe('a job that is due', () => {
  test('is a run with the tag of its kind, and all that its file says', async () => {
    const matter =
      'cron: 0 8 * * *\nbackground: true\nfor: ana\nmodel: offline\nthinking: off\nskills: git\nallowed-tools: Read'
    expect(await due('routines/brief.md', matter)).toEqual({
      tag: 'routine-bg',
      job: 'brief',
      file: 'routines/brief.md',
      title: 'Look at the news.',
      body: 'Look at the news.',
      isolated: false,
      model: 'offline',
      thinking: 'off',
      reporting: 'on_ping',
      allowPing: true,
      tools: ['read', 'git_log', 'web_fetch'],
      skills: ['git'],
      skillsIn: 'system',
      timeoutMs: 60_000,
      person: 'ana',
      setup: null,
    })
  })

  test('goes on as its file says: in the session of its last run, or after itself', async () => {
    expect(await due('routines/a.md', 'cron: 0 8 * * *\nsession: persistent')).toMatchObject({
      session: 'persistent',
    })
    const chained = 'run-at: 2027-01-01T09:00\nbackground: true\nmax-chain: 3\nchain-depth: 1'
    const followed = await due('reminders/a.md', chained)
    expect(followed).toMatchObject({ tag: 'reminder-bg', chain: { max: 3, depth: 1, parent: 'a' } })
    expect(followed).not.toHaveProperty('session')
    const alone = await due('reminders/a.md', 'run-at: 2027-01-01T09:00\nbackground: true')
    const own = await due('reminders/a.md', 'run-at: 2027-01-01T09:00\nbackground: true\nset-by: model')
    expect([alone.isByModel, own.isByModel]).toEqual([undefined, true])
    expect(alone).not.toHaveProperty('chain')
    expect(alone).not.toHaveProperty('person')
  })

  test('of a webhook has what was sent before its task, by hand too', async () => {
    const fields = 'fields: {repo: {type: string}}'
    const hooked = await due('webhooks/push.md', fields, { repo: 'mainstem' })
    expect(hooked).toMatchObject({ tag: 'webhook', job: 'push', title: 'Look at the news.' })
    expect(hooked.before?.join('\n')).toContain('mainstem')
    expect(hooked.body).toContain('Look at the news.')
    const text = `---\n${fields}\n---\nLook at the news.`
    const byHand = await jobOf({ file: 'webhooks/push.md', text }, await partsOf(), { repo: 'mainstem' })
    expect(byHand).toEqual({ job: hooked, warnings: [] })
  })

  test('that cannot work says why, with its file', async () => {
    await expect(due('routines/a.md', 'cron: 0 8 * * *\nskills: nosuch')).rejects.toThrow(
      "routines/a.md: it needs the skill 'nosuch'",
    )
  })
})

describe('nothing starts', () => {
  test.each([
    ['isolated: maybe', "routines/brief.md, line 2: isolated is 'maybe'. Write true or false."],
    ['model: openai/x', 'routines/brief.md: its model cannot be used: openai/x: no key is set.'],
    [
      'skills: gti',
      "routines/brief.md: it needs the skill 'gti', and there is none of that name; did you mean 'git'? /skills lists them.",
    ],
  ])('from %j', async (matter, problem) => expect(await read(matter)).toEqual({ problem }))

  test('from a skill that is not loaded, and it is said why', async () => {
    const parts = await partsOf()
    const { skills } = parts.material.loaded()
    const reports = [
      { name: 'pdf', directory: '/x', state: 'disabled', because: 'skills.disabled names it', warnings: [] },
    ] as const
    const without = { ...parts, material: { ...parts.material, loaded: () => ({ skills, reports }) } }
    const text = '---\nskills: pdf\n---\nDo it.'
    expect(await jobOf({ file: 'a.md', text }, without)).toEqual({
      problem: "a.md: it needs the skill 'pdf', which is not loaded: skills.disabled names it.",
    })
  })

  test('from what is not in the workspace', async () => {
    const parts = await partsOf({ files: { 'routines/brief.md': 'Do it.', 'notes.txt': 'x' } })
    const problemOf = async (path: string) => {
      const result = await jobIn(path, parts)
      return 'problem' in result ? result.problem : 'none'
    }
    expect(await problemOf('routines/brief.md')).toBe('none')
    expect(await problemOf('./routines/brief.md')).toBe('none')
    expect(await problemOf('brief.md')).toBe(
      `There is no file brief.md in the workspace, ${parts.workspace.root}.`,
    )
    expect(await problemOf('../brief.md')).toContain('lies outside of the workspace')
    expect(await problemOf('notes.txt')).toContain('does not end in .md')
    expect(await problemOf('routines')).toContain('does not end in .md')
  })
})

describe('the prompts of a run', () => {
  test('of an isolated one begin with AGENTS.md, the memory and the skills it declares, and tell of what it is offered', async () => {
    const asked = await job('isolated: true\nskills: [live, git]\nallowed-tools: write')
    expect(asked.setup?.system).toBe(
      'You.\n\n- likes tea\n\nYou have access to the following skills. Use them when relevant.\n\n## live\nNow: noon\n\n## git\nUse git.\n\n',
    )
    expect(asked.skillsIn).toBe('system')
    expect(toolsOf(asked)).toEqual([
      'read_skill',
      'report_updates',
      'ping_user',
      'send_embed',
      'help',
      'read',
      'write',
      'web_fetch',
    ])
  })

  test('of an isolated one only name its skills where skills are read on demand', async () => {
    const asked = await job('isolated: true\nskills: live\nallow-ping: false', { mode: 'readOnDemand' })
    expect(asked.setup?.system).toContain('- **live**: ')
    expect(asked.setup?.system).not.toMatch(/noon|!`|other/)
    expect(asked.skillsIn).toBeUndefined()
    expect(toolsOf(asked)).toEqual(['read_skill', 'report_updates', 'help', 'read'])
    expect(toolsOf(await job('isolated: true', { mode: 'readOnDemand' }))).not.toContain('read_skill')
  })

  test('of a forked one begin as those of main do, and its skills stand there if main shows them', async () => {
    const full = await job('skills: [git, other]')
    expect({ setup: full.setup, skillsIn: full.skillsIn }).toEqual({ setup: null, skillsIn: 'system' })
    const demand = await job('skills: [git, live]', { mode: 'readOnDemand' })
    expect({ setup: demand.setup, skillsIn: demand.skillsIn }).toEqual({ setup: null, skillsIn: undefined })
    expect(await job('id: a')).not.toHaveProperty('skillsIn')
  })

  test('of a forked one tell of read_skill, as those of main do, where a skill says something else each time', async () => {
    const asked = await job('skills: live')
    expect(asked.skillsIn).toBeUndefined()
    expect(asked.setup).toBeNull()
    const { material } = await partsOf()
    expect(material.told().map(({ name }) => name)).toEqual(['read_skill', ...TOOLS.map(({ name }) => name)])
  })

  test('of a forked one tell of read_skill where it declares skills, also if main does not need it', async () => {
    for (const matter of ['skills: live', 'skills: git']) {
      const asked = await job(matter, { scripts: false })
      expect(toolsOf(asked)).toEqual(['read_skill', ...TOOLS.map(({ name }) => name)])
      expect(asked.skillsIn).toBe('system')
    }
    expect((await job('id: a', { scripts: false })).setup).toBeNull()
  })

  test('of one that must not report tell of all but that', async () => {
    const forked = await job('update-main-session: blocked', { scripts: false })
    expect(toolsOf(forked)).toEqual(TOOLS.map(({ name }) => name).filter((name) => name !== 'report_updates'))
    expect(forked.setup?.system).toContain('Something else.')
    expect(toolsOf(await job('update-main-session: blocked\nisolated: true'))).not.toContain('report_updates')
  })
})

describe('commands in the skills of an isolated run', () => {
  const text = '---\nisolated: true\nskills: live\n---\nLook.'

  /** A command that goes on until it is stopped. */
  async function hanging() {
    const [parts, clock, stops] = [await partsOf(), new FakeClock(START), [] as string[]]
    const load = ({ name }: Skill, signal: AbortSignal): Promise<string> =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          stops.push(name)
          resolve('Now: (failed: date: stopped)')
        })
      })
    const reader = jobReader({ ...parts, material: { ...parts.material, load }, sleep: clock.sleep })
    return { read: reader.of({ file: 'a.md', text }), clock, stops, reader }
  }

  test('have ten seconds in all; then they are stopped, and the person and the run are told', async () => {
    const { read, clock, stops } = await hanging()
    while (clock.sleepers === 0) await Promise.resolve()
    await clock.pass(9_999)
    expect(stops).toEqual([])
    await clock.pass(1)
    expect(await read).toMatchObject({
      job: { setup: { system: expect.stringContaining('(failed: date: stopped)') } },
      warnings: [
        'The commands in its skills took longer than 10 s and were stopped; the run sees a note instead.',
      ],
    })
    expect(stops).toEqual(['live'])
  })

  test('are stopped when the process closes, and nothing starts', async () => {
    const { read, clock, stops, reader } = await hanging()
    while (clock.sleepers === 0) await Promise.resolve()
    await reader.close()
    expect(await read).toEqual({ problem: 'a.md: not started, because mainstem is shutting down.' })
    expect({ stops, sleepers: clock.sleepers }).toEqual({ stops: ['live'], sleepers: 0 })
  })
})

async function stageFor(file: string, steps: Parameters<typeof scriptedModel>[0]) {
  const parts = await partsOf({ files: { 'routines/brief.md': file } })
  const found = await jobIn('routines/brief.md', parts)
  const model = scriptedModel(steps)
  const here: Stage = await stage({
    jobIn: (path) => (path === 'routines/brief.md' ? found : { problem: `There is no file ${path}.` }),
    models: { scripted: model },
    settings: { model: 'scripted' },
    tools: [reportUpdatesTool, pingUserTool],
    system: 'Main.',
  })
  return { here, model }
}

describe('/run', () => {
  test('works in the background from the file, and says what came of it', async () => {
    const { here, model } = await stageFor('---\ncron: 0 8 * * *\nskills: git\n---\nLook at the news.', [
      { calls: [{ tool: 'ping_user', args: { message: 'News!' } }] },
      { calls: [{ tool: 'report_updates', args: { message: 'There is news.' } }] },
      { reply: { text: 'Done.' } },
    ])
    const [started, ping] = await here.say('/run routines/brief.md')
    expect(started).toMatch(
      /^Started routine brief as \w{6}\. \/agents shows it\.\nWhen it is due it runs in the main session/,
    )
    expect(ping).toBe('News!')
    const opening = model.prompts[0]?.messages.at(-1)?.text ?? ''
    expect(model.prompts[0]?.system).toBe('Main.')
    expect(opening).toMatch(/^\[routine-bg:brief\]\n/)
    expect(opening).toContain('TOOLS: you may call report_updates, ping_user. Refused in this run: slash.')
    expect(opening).toContain(
      'REQUIRED SKILLS: git. Their instructions are in your system text: follow each.',
    )
    expect(opening).toMatch(/Look at the news\.$/)
    expect(await here.events('branch-ended')).toMatchObject([{ reason: 'finished' }])
    expect((await here.say('/updates')).join()).toContain('There is news.')
    await here.close()
  })

  test('of an isolated file begins with a prompt of its own, and knows nothing of main', async () => {
    const { here, model } = await stageFor('---\nisolated: true\nskills: live\n---\nLook.', [
      { reply: { text: 'Hello.' } },
      { reply: { text: 'Done.' } },
    ])
    await here.say('hi')
    await here.say('/run routines/brief.md')
    const prompt = model.prompts[1]
    expect(prompt?.system).toContain('Now: noon')
    expect(prompt?.messages).toHaveLength(1)
    expect(prompt?.tools.map(({ name }) => name)).toContain('read_skill')
    await here.close()
  })

  test('of a file that cannot be run is refused, and nothing starts', async () => {
    const { here } = await stageFor('---\nskills: nosuch\n---\nLook.', [])
    expect(await here.say('/run routines/brief.md')).toEqual([
      "routines/brief.md: it needs the skill 'nosuch', and there is none of that name. /skills lists them.",
    ])
    expect(await here.say('/run nosuch.md')).toEqual(['There is no file nosuch.md.'])
    expect(await here.events('run-started')).toEqual([])
    await here.close()
  })
})
