import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { skillsCommand } from '../src/cli/store/skills.ts'
import { openOtherWriter, run, runHere, runProcess, tempFolder } from './cli/run.ts'
import { addShipped, programs, put, putSkill, toolsOf } from './skills/folders.ts'
import { newHome, promptOf, reply, resultsIn, talkIn } from './skills/talk.ts'

const PUBLISHED = fileURLToPath(new URL('./fixtures/skills/published', import.meta.url))

function at(path: string): string {
  return readFileSync(join(PUBLISHED, path), 'utf8')
}

const skills = (home: string, ...args: readonly string[]) => runHere(skillsCommand, home, args)

async function printed(home: string, ...args: readonly string[]): Promise<string> {
  const { code, out, err, error } = await skills(home, ...args)
  expect({ code, err, error }).toEqual({ code: 0, err: '', error: undefined })
  return out
}

/** The words of the refusal. */
async function refused(home: string, ...args: readonly string[]): Promise<string> {
  const { code, out, error = '' } = await skills(home, ...args)
  expect({ code, out }).toEqual({ code: 1, out: '' })
  return error
}

const NONE = [
  'No skills are loaded.',
  'Bundled; add one with "mainstem skills add NAME" and /reload:',
  expect.stringMatching(/^ {2}feeds: /),
  expect.stringMatching(/^ {2}git: /),
  expect.stringMatching(/^ {2}notes: /),
  '',
]

describe('mainstem skills list', () => {
  test('without a skill names those that come along, and makes nothing', async () => {
    const home = newHome()
    expect((await printed(home)).split('\n')).toEqual(NONE)
    expect(await printed(home, 'list')).toBe(await printed(home))
    expect(existsSync(home)).toBe(false)
  })

  test('shows each skill that was found, with its tools and what is odd, and why one is not loaded', async () => {
    const home = newHome()
    const folder = join(home, 'skills')
    await addShipped(home, 'git')
    put(
      join(folder, 'odd', 'SKILL.md'),
      '---\nname: odd\ndescription: Odd one\nallowed-tools: Bash(ls:*)\n---\nx\n',
    )
    put(join(folder, 'broken', 'SKILL.md'), '---\nname: "unclosed\n---\nx\n')
    put(
      join(folder, 'needy', 'SKILL.md'),
      '---\nname: needy\nmetadata:\n  requires:\n    bins: [no-such-program-9]\n---\nx\n',
    )
    putSkill(folder, 'off')
    putSkill(folder, 'shell', { tools: toolsOf('bash', { run: [] }) })
    putSkill(folder, 'thief', { tools: toolsOf('git', { recall: [] }) })
    putSkill(folder, 'twin', { tools: toolsOf('git', { git_log: [] }) })
    put(join(home, 'config.json'), '{"skills": {"disabled": ["off"]}}')
    const lines = (await printed(home)).split('\n')
    expect(lines.slice(0, -4)).toEqual([
      'Skills:',
      expect.stringMatching(/^ {2}broken {2}refused: .*broken\/SKILL\.md, line \d+: /),
      '  git  loaded: Look at git repositories (status, history, changes, branches). It changes nothing.',
      '    tools: git_status, git_log, git_diff, git_show, git_branches',
      '  needy  refused: It needs no-such-program-9, not found in PATH: install what is missing.',
      expect.stringMatching(/^ {4}note: .*description/),
      '  odd  loaded: Odd one',
      expect.stringMatching(/^ {4}note: .*Bash/),
      '  off  disabled: skills.disabled names it; take it out of there to use it.',
      expect.stringMatching(/^ {2}shell {2}refused: .*tools\.json: .*binary bash is a shell/),
      expect.stringMatching(/^ {2}thief {2}refused: .*recall is a built-in tool already/),
      expect.stringMatching(
        /^ {2}twin {2}refused: The tool git_log is defined by the skill git and by the skill twin/,
      ),
    ])
    expect(lines.slice(-4).join('\n')).toMatch(/^Bundled.*\n {2}feeds: .*\n {2}notes: .*\n$/)
  })

  test('--json has all of it for programs', async () => {
    const home = newHome()
    await addShipped(home, 'git', 'notes')
    putSkill(join(home, 'skills'), 'shell', { tools: toolsOf('bash', { run: [] }) })
    const { skills: all, shipped } = JSON.parse(await printed(home, 'list', '--json')) as {
      skills: Record<string, unknown>[]
      shipped: { name: string }[]
    }
    expect(all.map(({ name, state }) => [name, state])).toEqual([
      ['git', 'loaded'],
      ['notes', 'loaded'],
      ['shell', 'refused'],
    ])
    expect(all[0]).toEqual({
      name: 'git',
      directory: expect.stringMatching(/\/home\/skills\/git$/),
      state: 'loaded',
      because: null,
      warnings: [],
      description: expect.stringContaining('It changes nothing.'),
      allowedTools: [],
      files: [],
      tools: ['git_status', 'git_log', 'git_diff', 'git_show', 'git_branches'],
    })
    expect(all[1]).toMatchObject({ allowedTools: ['read', 'write', 'edit', 'glob', 'grep'], tools: [] })
    expect(all[2]).toMatchObject({ because: expect.stringContaining('bash') })
    expect(shipped.map(({ name }) => name)).toEqual(['feeds', 'git', 'notes'])
  })
})

describe('mainstem skills show', () => {
  test('prints the folder, the tools, the files and the body of a skill', async () => {
    const home = newHome()
    putSkill(join(home, 'skills'), 'tea', {
      description: 'Makes tea',
      body: 'Boil water.\n\nWait.',
      files: { 'reference/green.md': '80 degrees' },
    })
    expect((await printed(home, 'show', 'tea')).split('\n')).toEqual([
      'tea: Makes tea',
      expect.stringMatching(/^folder: .*\/home\/skills\/tea$/),
      'files: reference/green.md',
      '',
      'Boil water.',
      '',
      'Wait.',
      '',
    ])
  })

  test('of a skill that is not there, not loaded or not added says so, and what to do', async () => {
    const home = newHome()
    put(join(home, 'skills', 'broken', 'SKILL.md'), '---\nname: "unclosed\n---\nx\n')
    expect(await refused(home, 'show', 'nope')).toBe(
      "CommandError: There is no skill 'nope'. 'mainstem skills' lists them",
    )
    expect(await refused(home, 'show', 'git')).toBe(
      "CommandError: There is no skill 'git'. 'mainstem skills add git' adds it",
    )
    expect(await refused(home, 'show', 'broken')).toMatch(
      /^CommandError: The skill 'broken' is not loaded: .*line \d/,
    )
  })
})

describe('mainstem skills check', () => {
  test('says of a folder whether it can be loaded, though it is disabled, with its tools and notes', async () => {
    const home = newHome()
    put(join(home, 'config.json'), '{"skills": {"disabled": ["pairs"]}}')
    const folder = putSkill(tempFolder(), 'pairs', { tools: toolsOf('git', { both: ['file'] }) })
    expect((await printed(home, 'check', folder)).split('\n')).toEqual([
      'pairs can be loaded: What pairs is for',
      '  tools: both',
      expect.stringMatching(/^ {2}note: tool both: file may be a path, .*"path": true/),
      '  note: git runs as you; look at its tools.json before you allow it',
      '',
    ])
  })

  test.each([
    [
      'no folder at all',
      () => join(tempFolder(), 'nothing'),
      /cannot be loaded: there is no folder with a SKILL\.md$/,
    ],
    ['no SKILL.md', () => tempFolder(), /cannot be loaded: there is no folder with a SKILL\.md$/],
    [
      'a tools.json that is not JSON',
      () => {
        const folder = putSkill(tempFolder(), 'x')
        put(join(folder, 'tools.json'), '{"tools": [')
        return folder
      },
      /tools\.json: .*JSON/,
    ],
    [
      'a tool without execution, and an execution without tool',
      () =>
        putSkill(tempFolder(), 'x', {
          tools: {
            tools: [{ name: 'one', description: '', parameters: { type: 'object' } }],
            allowlist: { git: ['log'] },
            execution: [{ tool: 'other', binary: 'git', subcommand: 'log', args: [] }],
          },
        }),
      /tool one has no execution; there is an execution for other, but no such tool/,
    ],
    [
      'a program that is not in its allowlist',
      () =>
        putSkill(tempFolder(), 'x', {
          tools: { ...(toolsOf('git', { log: [] }) as object), allowlist: { git: ['show'] } },
        }),
      /tool log: subcommand not allowlisted: git log/,
    ],
  ])('refuses %s', async (_, make, because) => {
    expect(await refused(newHome(), 'check', make())).toMatch(because)
  })
})

describe('mainstem skills add', () => {
  test('copies a skill that comes along into the home, byte for byte, and says how its tools are allowed', async () => {
    const home = newHome()
    const out = await printed(home, 'add', 'git')
    expect(out.split('\n')).toEqual([
      `Added git to ${join(home, 'skills', 'git')}. Takes effect after a restart or /reload.`,
      'Its tools run once you allow them: /allow git in a conversation, or mainstem skills allow git',
      '',
    ])
    const shipped = fileURLToPath(new URL('../skills/git/tools.json', import.meta.url))
    expect(readFileSync(join(home, 'skills', 'git', 'tools.json'))).toEqual(readFileSync(shipped))
    expect(await refused(home, 'add', 'git')).toMatch(
      /skills\/git already exists\. Move it away first to add it again$/,
    )
  })

  test('copies a folder under the name of its skill, links in it included as what they lead to', async () => {
    const home = newHome()
    const folder = putSkill(tempFolder(), 'given')
    put(join(folder, 'deep/far.md'), 'far away')
    symlinkSync('deep/far.md', join(folder, 'near.md'))
    symlinkSync('deep', join(folder, 'again'))
    expect(await printed(home, 'add', folder)).not.toContain('Its tools')
    rmSync(folder, { recursive: true })
    for (const path of ['near.md', 'again/far.md']) {
      const copied = join(home, 'skills', 'given', path)
      expect(readFileSync(copied, 'utf8')).toBe('far away')
      expect(lstatSync(copied).isFile()).toBe(true)
    }
    expect(readdirSync(join(home, 'skills'))).toEqual(['given'])
    expect(await printed(home)).toContain('  given  loaded: What given is for\n')
  })

  test.each<[string, (folder: string) => void, RegExp]>([
    [
      'a link to a file elsewhere',
      (folder) => symlinkSync('/etc/hostname', join(folder, 'host.md')),
      /host\.md is a link that leads out of it/,
    ],
    [
      'a link to a folder elsewhere',
      (folder) => symlinkSync('..', join(folder, 'up')),
      /up is a link that leads out of it/,
    ],
    [
      'a link to nothing',
      (folder) => symlinkSync('nothing', join(folder, 'x.md')),
      /x\.md is a link that leads out of it, or to nothing/,
    ],
    [
      'a circle',
      (folder) => {
        put(join(folder, 'deep/y.md'), '')
        symlinkSync('../deep', join(folder, 'deep/z'))
      },
      /deep\/z is a link that leads into a circle/,
    ],
    [
      'a pipe',
      (folder) => void execFileSync('mkfifo', [join(folder, 'pipe')]),
      /pipe is neither a file nor a folder/,
    ],
  ])('[SAFE3] refuses a folder that holds %s, and leaves nothing of it', async (_, prepare, problem) => {
    const home = newHome()
    const folder = putSkill(tempFolder(), 'given')
    prepare(folder)
    expect(await refused(home, 'add', folder)).toMatch(problem)
    expect(readdirSync(join(home, 'skills'))).toEqual([])
  })

  test('says of a program that nobody knows that it runs as the person, and so does allow', async () => {
    const home = newHome()
    vi.stubEnv('PATH', `${programs({ office: '' })}:${process.env['PATH'] ?? ''}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    const folder = putSkill(tempFolder(), 'desk', { tools: toolsOf('office', { file: [] }) })
    const said = 'office runs as you; look at its tools.json before you allow it\n'
    expect(await printed(home, 'check', folder)).toContain(`  note: ${said}`)
    expect(await printed(home, 'add', folder)).toContain(`allow desk\n${said}`)
    expect(await printed(home, 'allow', 'desk')).toContain(`${said}Allowed: file.`)
    expect(await printed(home, 'add', 'git')).not.toContain('runs as you')
  })

  test('refuses what cannot be loaded, and names those that come along', async () => {
    const home = newHome()
    expect(await refused(home, 'add', 'notse')).toBe(
      'CommandError: notse cannot be added: there is no folder with a SKILL.md. Bundled skills: feeds, git, notes',
    )
    const bad = putSkill(tempFolder(), 'x', { tools: toolsOf('sh', { run: [] }) })
    expect(await refused(home, 'add', bad)).toMatch(/x cannot be added: .*binary sh is a shell/)
    expect(existsSync(join(home, 'skills'))).toBe(false)
  })

  test('what the disk refuses is said, and leaves no half of a skill', async () => {
    const home = newHome()
    put(join(home, 'skills'), 'a file where the folder should be')
    expect(await refused(home, 'add', 'git')).toMatch(
      /^CommandError: .*\/skills\/git could not be copied to .*home\/skills\/git: /,
    )
  })
})

describe('mainstem skills allow', () => {
  test('writes one grant for each tool, with what it is now, and the next process runs it', async () => {
    const home = newHome()
    await addShipped(home, 'git')
    expect(await printed(home, 'allow', 'git')).toBe(
      'Allowed: git_status, git_log, git_diff, git_show, git_branches. In a conversation, /allow lists what is allowed and /disallow undoes it.\n',
    )
    const talk = await talkIn(home)
    const granted = (await talk.events()).filter((event) => event.kind === 'permission-granted')
    expect(granted).toHaveLength(5)
    for (const event of granted)
      expect(event).toMatchObject({
        author: { by: 'person' },
        fingerprint: expect.stringMatching(/^[\da-f]{64}$/),
      })
    expect((await talk.say('/allow')).texts[0]?.split('\n')).toEqual([
      'Allowed:',
      ...['git_branches', 'git_diff', 'git_log', 'git_show', 'git_status'].map(
        (name) => `  ${name} (skill git)`,
      ),
      '/disallow PATTERN undoes one.',
    ])
  })

  test('of a skill without tools there is nothing to allow', async () => {
    const home = newHome()
    await addShipped(home, 'notes')
    expect(await printed(home, 'allow', 'notes')).toBe('notes has no tools, so there is nothing to allow.\n')
    expect(existsSync(join(home, 'log.db'))).toBe(false)
    expect(await refused(home, 'allow', 'nope')).toMatch(/There is no skill 'nope'/)
  })

  test('while another process holds the log it is not done, and the exit code says so', async () => {
    const home = newHome()
    await addShipped(home, 'git')
    const other = await openOtherWriter(home)
    const { code, out, err } = await run(['skills', 'allow', 'git'], { home })
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err).toContain(String(other.pid))
    const listed = await run(['skills'], { home })
    expect(listed).toMatchObject({ code: 0, out: expect.stringContaining('  git  loaded: ') })
    await other.close()
    expect(await run(['skills', 'allow', 'git'], { home })).toMatchObject({ code: 0 })
  })
})

describe('mainstem skills dry-run', () => {
  test('prints the program and its words as a list, and the folder, and runs nothing', async () => {
    const home = newHome()
    await addShipped(home, 'git')
    put(join(home, 'workspace', 'repo', 'a.md'), 'x')
    const out = await printed(
      home,
      'dry-run',
      'git_log',
      '{"count": 3, "since": "2 weeks ago", "directory": "repo"}',
    )
    const [argv = '', place] = out.split('\n')
    expect(JSON.parse(argv)).toEqual([
      expect.stringMatching(/\/git$/),
      'log',
      '--no-color',
      '--date=iso-strict',
      '--format=%h %ad %an: %s',
      '-n',
      '3',
      '--since',
      '2 weeks ago',
    ])
    expect(place).toBe(`in ${join(home, 'workspace', 'repo')}`)
  })

  test('works in a home that nobody has talked in yet, and makes nothing there', async () => {
    const home = newHome()
    await addShipped(home, 'git')
    const out = await printed(home, 'dry-run', 'git_status', '{"directory": "repo"}')
    expect(out).toMatch(
      /\/git","status","--short","--branch","--ignore-submodules=all"\]\nin .*\/home\/workspace\/repo\n$/,
    )
    expect(existsSync(join(home, 'workspace'))).toBe(false)
    expect(await refused(home, 'dry-run', 'git_status', '{"directory": "../x"}')).toContain(
      'leaves the workspace',
    )
  })

  test('tells what would go to the standard input, and which command would make a value first', async () => {
    const home = newHome()
    const path = programs({ office: 'require("node:fs").writeFileSync("ran", "")' })
    vi.stubEnv('PATH', `${path}:${process.env['PATH'] ?? ''}`)
    put(join(home, 'workspace', 'a.md'), 'x')
    putSkill(join(home, 'skills'), 'post', {
      tools: {
        tools: [
          {
            name: 'send',
            description: 'Sends',
            parameters: { type: 'object', properties: { text: { type: 'string' }, to: { type: 'string' } } },
          },
        ],
        allowlist: { office: ['send', 'find'] },
        execution: [
          {
            tool: 'send',
            binary: 'office',
            subcommand: 'send',
            args: [
              { param: 'text', kind: 'stdin' },
              {
                param: 'to',
                kind: 'positional',
                resolveCommand: { binary: 'office', subcommand: 'find', args: ['$param'] },
              },
            ],
          },
        ],
      },
    })
    const out = await printed(home, 'dry-run', 'send', '{"text": "hello", "to": "Ann"}')
    vi.unstubAllEnvs()
    expect(out.split('\n')).toEqual([
      JSON.stringify([join(path, 'office'), 'send', 'Ann']),
      `in ${join(home, 'workspace')}`,
      'with 5 characters on its standard input',
      'first, to would be made by: office find Ann',
      '',
    ])
    expect(existsSync(join(home, 'workspace', 'ran'))).toBe(false)
  })

  test.each([
    [
      'a tool that no skill has',
      ['git_push', '{}'],
      'no loaded skill has this tool; loaded tools: git_status, ',
    ],
    ['a missing argument', ['git_log', '{}'], 'git_log would not run: missing parameter: count'],
    ['an argument of the wrong type', ['git_log', '{"count": "3"}'], 'parameter count: must be integer'],
    [
      'an argument that nobody declared',
      ['git_log', '{"count": 3, "all": true}'],
      'unknown parameter: all (it takes count, ',
    ],
    [
      'an option as a value',
      ['git_show', '{"revision": "--output=x"}'],
      'starts with - would be taken for an option',
    ],
    [
      'a folder outside',
      ['git_status', '{"directory": "../.."}'],
      'working directory: the path leaves the workspace',
    ],
  ])('refuses %s', async (_, words, because) => {
    const home = newHome()
    await addShipped(home, 'git')
    put(join(home, 'workspace', 'a.md'), 'x')
    expect(await refused(home, 'dry-run', ...words)).toContain(because)
  })

  test.each([
    ['{count: 3}', /^UsageError: The arguments are not JSON: .*Put them in single quotes/],
    ['[1]', /^UsageError: The arguments are not a JSON object: \[1\]/],
    ['null', /^UsageError: The arguments are not a JSON object: null/],
  ])('does not understand %s', async (json, error) => {
    expect((await skills(newHome(), 'dry-run', 'git_log', json)).error).toMatch(error)
  })
})

test.each([
  [['frobnicate'], "'mainstem skills' has no 'frobnicate'. Usage: mainstem skills [list"],
  [['constructor'], "'mainstem skills' has no 'constructor'. Usage: mainstem skills [list"],
  [['show'], 'Missing NAME. Usage: mainstem skills show NAME'],
  [['show', 'a', 'b'], `'mainstem skills show' does not take "b". Usage: mainstem skills show NAME`],
  [['list', 'x'], `'mainstem skills list' does not take "x". Usage: mainstem skills list`],
  [['dry-run', 'git_log'], 'Missing JSON. Usage: mainstem skills dry-run TOOL JSON'],
  [['add'], 'Missing NAME|DIR. Usage: mainstem skills add NAME|DIR'],
])('mainstem skills %j is not understood, and the usage is printed', async (words, said) => {
  const { error } = await skills(newHome(), ...words)
  expect(error).toContain(`UsageError: ${said}`)
})

test('in a process of its own, what cannot be done exits with 1, what is not understood with 2', async () => {
  const home = newHome()
  const [help, unknown, wrong, option] = await Promise.all([
    runProcess(['help', 'skills'], { home }),
    runProcess(['skills', 'show', 'nope'], { home }),
    runProcess(['skills', 'nope'], { home }),
    runProcess(['skills', '--jsn'], { home }),
  ])
  expect(help).toMatchObject({ code: 0, out: expect.stringContaining('dry-run TOOL JSON') })
  expect(unknown).toEqual({
    code: 1,
    out: '',
    err: "mainstem: There is no skill 'nope'. 'mainstem skills' lists them.\n",
  })
  expect(wrong).toMatchObject({ code: 2, out: '' })
  expect(option).toMatchObject({ code: 2, err: expect.stringContaining("did you mean '--json'?") })
})

describe('skills that others published', () => {
  const set = { 'skills.extraDirs': PUBLISHED }

  test('are loaded unchanged from their folder, and their texts are read by read_skill', async () => {
    const home = newHome()
    const talk = await talkIn(home, {
      set,
      steps: [
        {
          calls: [
            { tool: 'read_skill', args: { skill_name: 'pdf-forms', file: 'reference.md' } },
            {
              tool: 'read_skill',
              args: { skill_name: 'Brand Guidelines', file: './references/voice/tone.md' },
            },
            { tool: 'read_skill', args: { skill_name: 'changelog-writer', file: 'templates/entry.md' } },
            { tool: 'read_skill', args: { skill_name: 'pdf-forms', file: '../changelog-writer/SKILL.md' } },
            { tool: 'read_skill', args: {} },
            { tool: 'read_skill', args: { skill_name: 'pdf' } },
            { tool: 'read_skill', args: { skill_name: 'pdf-forms' } },
          ],
        },
        reply('Read.'),
      ],
    })
    const [list = ''] = (await talk.say('/skills')).texts
    expect(list).toContain('  Brand Guidelines  loaded: Colours, type and tone of Larkfield Bakery.')
    expect(list).toContain('  changelog-writer  loaded: Writes release notes from commits.')
    expect(list).toContain('  pdf-forms  loaded: Fill in PDF forms')

    const { turn } = await talk.say('Look at the skills')
    const results = await resultsIn(home, turn)
    expect(results.map(({ text, error }) => text ?? `error: ${error ?? ''}`)).toEqual([
      at('pdf-forms/reference.md'),
      at('brand-guidelines/references/voice/tone.md'),
      at('changelog-writer/templates/entry.md'),
      expect.stringMatching(/^error: unknown file: \.\.\/changelog-writer\/SKILL\.md\. Files of pdf-forms: /),
      'error: missing skill_name',
      'error: unknown skill: pdf',
      expect.stringMatching(/^# PDF forms\n[^]*\n\nFiles: .*reference\.md/),
    ])
    const { system, tools } = await promptOf(home, turn)
    expect(tools[0]?.name).toBe('read_skill')
    expect(system).toContain('## pdf-forms\nFill in PDF forms and check the result.')
    expect(system).toContain('Recent commits: !`git log --oneline -20`')
  })

  test('read on demand, they are three lines', async () => {
    const home = newHome()
    const talk = await talkIn(home, {
      set: { ...set, 'skills.contextMode': 'readOnDemand' },
      steps: [reply('Hm.')],
    })
    const { turn } = await talk.say('hello')
    const { system } = await promptOf(home, turn)
    expect(system.slice(system.indexOf('## Available skills')).trimEnd().split('\n').slice(2)).toEqual([
      expect.stringMatching(/^- \*\*Brand Guidelines\*\*: Colours, /),
      expect.stringMatching(/^- \*\*changelog-writer\*\*: Writes release notes from commits\. Use it when: /),
      expect.stringMatching(/^- \*\*pdf-forms\*\*: Fill in PDF forms/),
    ])
  })
})
