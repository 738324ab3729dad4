import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { skillsCommand } from '../src/cli/store/skills.ts'
import type { Prompt } from '../src/event/prompt.ts'
import type { StepInput } from '../src/model/scripted.ts'
import { builtInNames } from '../src/runtime/home/home-skills.ts'
import { run, runHere, tempFolder } from './cli/run.ts'
import { addShipped, programs, put, putSkill } from './skills/folders.ts'
import { call, newHome, promptOf, reply, resultsIn, talkIn, type TalkOptions } from './skills/talk.ts'

const modes = ['full', 'readOnDemand'] as const
type Mode = (typeof modes)[number]

/** In this mode a model reads a skill before it uses it. */
function readFirst(mode: Mode, ...names: readonly string[]): StepInput[] {
  return mode === 'full' ? [] : names.map((name) => call('read_skill', { skill_name: name }))
}

function inMode(mode: Mode, options: TalkOptions): TalkOptions {
  return { ...options, set: { ...options.set, 'skills.contextMode': mode } }
}

function shippedBody(name: string): string {
  const text = readFileSync(new URL(`../skills/${name}/SKILL.md`, import.meta.url), 'utf8')
  return text.slice(text.indexOf('\n---\n') + 5).trim()
}

function noteIn(home: string): string {
  return readFileSync(join(home, 'workspace', NOTE), 'utf8')
}

const NOTE = 'notes/daily/2026-03-01.md'
const BUILT_IN = builtInNames.filter((name) => name !== 'web_search')

describe.each(modes)('with the skills in mode %s', (mode) => {
  test('a daily note is made, added to, and one line of it changed, without touching the others', async () => {
    const home = newHome()
    await addShipped(home, 'notes')
    const plumber = '- 09:30 call the plumber'
    const talk = await talkIn(
      home,
      inMode(mode, {
        steps: [
          ...readFirst(mode, 'notes'),
          call('read', { path: NOTE }),
          call('write', { path: NOTE, content: `# 2026-03-01\n\n${plumber}\n` }),
          reply(`Noted in ${NOTE}.`),
          call('read', { path: NOTE }),
          call('edit', { path: NOTE, old: plumber, new: `${plumber}\n- 10:15 buy milk` }),
          reply('Added the milk.'),
          call('edit', { path: NOTE, old: plumber, new: '- 09:30 call the plumber on Tuesday' }),
          reply('Changed the plumber.'),
        ],
      }),
    )

    const made = await talk.say('Note for today: call the plumber')
    expect(made).toMatchObject({ texts: [`Noted in ${NOTE}.`], isFailed: false })
    const results = await resultsIn(home, made.turn)
    expect(results.slice(-2)).toEqual([
      { tool: 'read', error: expect.stringContaining(`There is no file '${NOTE}'.`) },
      { tool: 'write', text: `Made ${NOTE} (39 bytes).` },
    ])
    expect(results.slice(0, -2)).toEqual(
      mode === 'full' ? [] : [{ tool: 'read_skill', text: shippedBody('notes') }],
    )
    expect(noteIn(home)).toBe(`# 2026-03-01\n\n${plumber}\n`)

    const added = await talk.say('And: buy milk')
    expect(added.texts).toEqual(['Added the milk.'])
    expect(await resultsIn(home, added.turn)).toEqual([
      { tool: 'read', text: `<data source="file:${NOTE}">\n# 2026-03-01\n\n${plumber}\n\n</data>` },
      { tool: 'edit', text: expect.stringContaining(`Changed ${NOTE}`) },
    ])
    expect(noteIn(home)).toBe(`# 2026-03-01\n\n${plumber}\n- 10:15 buy milk\n`)

    const changed = await talk.say('The plumber is on Tuesday')
    expect(changed.texts).toEqual(['Changed the plumber.'])
    expect(noteIn(home)).toBe('# 2026-03-01\n\n- 09:30 call the plumber on Tuesday\n- 10:15 buy milk\n')
  })

  test('a question that needs no tool is answered by one call that runs none', async () => {
    const home = newHome()
    await addShipped(home, 'notes', 'git', 'feeds')
    const talk = await talkIn(home, inMode(mode, { steps: [reply('Paris.')] }))
    const told = await talk.say('What is the capital of France?')
    expect(told).toMatchObject({ texts: ['Paris.'], isFailed: false })
    const kinds = (await talk.events()).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'model-called')).toHaveLength(1)
    expect(kinds).not.toContain('call-decided')
    const { system, tools } = await promptOf(home, told.turn)
    expect(system.includes(shippedBody('notes'))).toBe(mode === 'full')
    expect(tools.map(({ name }) => name)).toEqual([
      ...(mode === 'full' ? [] : ['read_skill']),
      ...BUILT_IN,
      'git_status',
      'git_log',
      'git_diff',
      'git_show',
      'git_branches',
    ])
  })

  test('of sixty tools the one that is called runs, with its words in the order that its skill gives them', async () => {
    const home = newHome()
    const path = officeSkills(home)
    const talk = await talkIn(
      home,
      inMode(mode, {
        path,
        steps: [
          ...readFirst(mode, 'calendar'),
          call('calendar_7', { when: 'Tue 9:00; rm -rf /', count: 3, title: '$(date) & more', quiet: true }),
          reply('It is moved.'),
          call('calendar_9', { title: 'a', wrong: 1 }),
          call('mail_2', { title: 'hello' }),
          call('calender_7', { title: 'x' }),
          reply('I cannot.'),
        ],
      }),
    )
    expect((await talk.say('/skills allow calendar')).texts[0]).toMatch(/^Allowed: calendar_0, calendar_1, /)

    const moved = await talk.say('Move the review to Tuesday')
    expect(moved.texts).toEqual(['It is moved.'])
    const ran = (await resultsIn(home, moved.turn)).at(-1)
    expect(JSON.parse(fenced(ran?.text))).toEqual({
      argv: ['calendar', '7', '--quiet', '-n', '3', '--when', 'Tue 9:00; rm -rf /', '--', '$(date) & more'],
      cwd: join(home, 'workspace'),
    })
    const { tools } = await promptOf(home, moved.turn)
    const names = tools.map(({ name }) => name)
    const own = FIELDS.flatMap((field) => Array.from({ length: 12 }, (_, one) => `${field}_${one}`))
    expect(names).toEqual([...(mode === 'full' ? [] : ['read_skill']), ...BUILT_IN, ...own])

    const wrong = await talk.say('And the mail')
    expect(wrong.texts).toEqual([
      'mail_2 (skill mail) was refused: nobody has allowed it yet. /allow mail_2 allows it.',
      'I cannot.',
    ])
    const errors = (await resultsIn(home, wrong.turn)).map(({ error }) => error)
    expect(errors).toEqual([
      'unknown parameter: wrong (it takes title, when, count, quiet)',
      expect.stringMatching(/^'mail_2' \(skill mail\) was not run: .* \/allow mail_2/),
      expect.stringMatching(/^There is no tool 'calender_7'\. You can call /),
    ])
    const [, told = ''] = / You can call (.*)\.$/.exec(errors[2] ?? '') ?? []
    const offered = told.split(', ')
    expect(offered).toEqual(names.filter((name) => offered.includes(name)))
    expect(offered).toContain('mail_2')
  })

  test('[SAFE3] [SAFE4] after a missing file, a good call and forbidden paths the turn ends with an answer', async () => {
    const home = newHome()
    await addShipped(home, 'notes')
    put(join(home, 'workspace', 'notes', 'garden.md'), '# Garden\n- roses\n')
    const outside = put(join(home, 'secret.md'), 'do not read\n')
    const talk = await talkIn(
      home,
      inMode(mode, {
        steps: [
          ...readFirst(mode, 'notes'),
          call('read', { path: 'notes/gardn.md' }),
          call('read', { path: 'notes/garden.md' }),
          {
            calls: [
              { tool: 'read', args: { path: '../secret.md' } },
              { tool: 'write', args: { path: outside, content: 'mine' } },
              { tool: 'write', args: { path: 'notes/../../config.json', content: '{}' } },
            ],
          },
          call('edit', { path: 'AGENTS.md', old: '# You', new: '# You may do anything' }),
          reply('There are roses; the rest I may not do.'),
        ],
      }),
    )
    const agents = readFileSync(join(home, 'workspace', 'AGENTS.md'), 'utf8')
    const told = await talk.say('What is in the garden?')
    const results = (await resultsIn(home, told.turn)).slice(mode === 'full' ? 0 : 1)
    expect(results).toEqual([
      { tool: 'read', error: expect.stringContaining("There is no file 'notes/gardn.md'. glob ") },
      { tool: 'read', text: '<data source="file:notes/garden.md">\n# Garden\n- roses\n\n</data>' },
      { tool: 'read', error: expect.stringContaining("'../secret.md' lies outside of the workspace.") },
      { tool: 'write', error: expect.stringContaining('lies outside of the workspace.') },
      { tool: 'write', error: expect.stringContaining('lies outside of the workspace.') },
      {
        tool: 'edit',
        text: expect.stringMatching(/^AGENTS\.md is only changed by the person\. .*not done yet\.$/),
      },
    ])
    expect(told.isFailed).toBe(false)
    expect(told.texts).toEqual([
      expect.stringMatching(
        /^Change AGENTS\.md\? \(approval 1\)\n[^]*- # You\n\+ # You may do anything\n[^]*\/approve 1 writes it, \/deny 1 does not\.$/,
      ),
      'There are roses; the rest I may not do.',
    ])
    expect(readFileSync(outside, 'utf8')).toBe('do not read\n')
    expect(existsSync(join(home, 'workspace', 'config.json'))).toBe(false)
    expect(readFileSync(join(home, 'workspace', 'AGENTS.md'), 'utf8')).toBe(agents)

    expect((await talk.say('/approve')).texts).toEqual(['Wrote AGENTS.md.'])
    const written = readFileSync(join(home, 'workspace', 'AGENTS.md'), 'utf8')
    expect(written).toBe(agents.replace('# You\n', '# You may do anything\n'))
  })
})

const FIELDS = ['calendar', 'contacts', 'mail', 'music', 'travel']

/** Five skills with twelve tools each, all of one program that says how it was called; the folder it is in. */
function officeSkills(home: string): string {
  for (const field of FIELDS) {
    const names = Array.from({ length: 12 }, (_, one) => `${field}_${one}`)
    putSkill(join(home, 'skills'), field, {
      tools: {
        tools: names.map((name) => ({
          name,
          description: `Does ${name}`,
          parameters: {
            type: 'object',
            properties: {
              title: { type: 'string' },
              when: { type: 'string' },
              count: { type: 'integer' },
              quiet: { type: 'boolean' },
            },
            required: ['title'],
          },
        })),
        allowlist: { office: names.map((name) => name.replace('_', ' ')) },
        execution: names.map((name) => ({
          tool: name,
          binary: 'office',
          subcommand: name.replace('_', ' '),
          endOfOptions: true,
          args: [
            { param: 'quiet', kind: 'flagifboolean', flagIfTrue: '--quiet' },
            { param: 'count', kind: 'flag', flag: 'n' },
            { param: 'when', kind: 'flag' },
            { param: 'title', kind: 'positional' },
          ],
        })),
      },
    })
  }
  const office = 'console.log(JSON.stringify({ argv: process.argv.slice(2), cwd: process.cwd() }))'
  return programs({ office })
}

/** What stands between the lines of a fence. */
function fenced(text = ''): string {
  return /^<data [^>]*>\n([^]*)\n<\/data>$/.exec(text)?.[1] ?? `not fenced: ${text}`
}

test('the tools of a skill run in the process that is started after `mainstem skills allow`', async () => {
  const home = newHome()
  await addShipped(home, 'git')
  expect(await runHere(skillsCommand, home, ['allow', 'git'])).toMatchObject({ code: 0 })
  const talk = await talkIn(home, { steps: [call('git_status'), reply('No repository.')] })
  const told = await talk.say('Is there anything to commit?')
  expect(told.texts).toEqual(['No repository.'])
  expect(await resultsIn(home, told.turn)).toEqual([
    { tool: 'git_status', error: expect.stringContaining('git status failed: exit code 128') },
  ])
})

test.each(modes)(
  '[CTX6] in a process of its own, in mode %s, a note is written and the prompt is rebuilt to the byte',
  async (mode) => {
    const home = newHome()
    await addShipped(home, 'notes')
    const steps = [
      ...readFirst(mode, 'notes'),
      call('write', { path: NOTE, content: '# 2026-03-01\n' }),
      reply('Noted.'),
    ]
    const script = put(join(tempFolder(), 'script.json'), JSON.stringify(steps))
    const words = ['--model', `scripted:${script}`, '--set', `skills.contextMode=${mode}`]
    const { code, out, err } = await run([...words, '-p', 'A note for today, please'], { home })
    expect({ code, out }).toEqual({ code: 0, out: 'Noted.\n' })
    expect(err).not.toContain('refused')
    expect(noteIn(home)).toBe('# 2026-03-01\n')

    const [raw, shown] = await Promise.all([
      run(['context', '--turn', 'last', '--raw'], { home }),
      run(['context', '--turn', 'last', '--json'], { home }),
    ])
    const { hash, isSame } = JSON.parse(shown.out) as { hash: string; isSame: boolean }
    expect({ hash, isSame }).toEqual({
      hash: createHash('sha256').update(raw.out).digest('hex'),
      isSame: true,
    })
    const { system, tools } = JSON.parse(raw.out) as Prompt
    expect(tools[0]?.name).toBe(mode === 'full' ? 'slash' : 'read_skill')
    expect(system.endsWith(mode === 'full' ? `${shippedBody('notes')}\n\n` : ' in the workspace.\n')).toBe(
      true,
    )
  },
)
