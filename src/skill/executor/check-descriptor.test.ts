import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import { type ExecutorParts, loadTools } from './load-tools.ts'

const parts: ExecutorParts = {
  allowScripts: false,
  workspace: '/nowhere',
  environment: {},
  findBinary: (name) => (name === 'missing' ? undefined : `/programs/${name}`),
}

async function load(text: string, more: Partial<ExecutorParts> = {}) {
  return loadTools({ text, skill: 's', directory: '/nowhere/s' }, { ...parts, ...more })
}

/** A valid file, with these changes. */
function file(changes: { [part: string]: unknown } = {}, execution: JsonObject = {}): string {
  return JSON.stringify({
    tools: [{ name: 'find_it', parameters: { properties: { q: { type: 'string' }, where: {} } } }],
    allowlist: { git: ['log', ''], node: ['x.js', '-e', ''], notes: [], dates: [''] },
    execution: [{ tool: 'find_it', binary: 'git', subcommand: 'log', args: [{ param: 'q' }], ...execution }],
    ...changes,
  })
}

async function problemOf(text: string, more: Partial<ExecutorParts> = {}): Promise<string> {
  const loaded = await load(text, more)
  return 'problem' in loaded ? loaded.problem : 'none'
}

describe('a sound file', () => {
  test('is loaded without a warning', async () =>
    expect(await load(file())).toMatchObject({
      tools: [
        {
          spec: {
            name: 'find_it',
            description: '',
            parameters: { type: 'object', properties: { q: { type: 'string' }, where: {} } },
          },
          nature: { origin: { kind: 'skill', skill: 's' }, effect: 'runs' },
        },
      ],
      warnings: [],
    }))

  test.each([
    ['no subcommand with an empty list', { binary: 'notes', subcommand: '' }],
    ["no subcommand with '' in the list", { binary: 'dates', subcommand: '' }],
  ])('may have %s', async (_, execution) => expect(await problemOf(file({}, execution))).toBe('none'))

  test('may hold no tools, and begin with a byte order mark', async () =>
    expect(await load('\u{FEFF}{}')).toMatchObject({ tools: [], warnings: [] }))

  test('may have fields nobody knows, with a warning for each', async () => {
    const args = [{ param: 'q', colour: 1, resolveCommand: { binary: 'git', subcommand: 'log', speed: 2 } }]
    const loaded = await load(file({ author: 'x' }, { args, mood: 'good' }))
    expect(loaded).toMatchObject({
      warnings: [
        'tools.json: execution[0].args[0].colour is unknown and ignored',
        'tools.json: execution[0].args[0].resolveCommand.speed is unknown and ignored',
        'tools.json: execution[0].mood is unknown and ignored',
        'tools.json: author is unknown and ignored',
      ],
    })
  })

  test('warns of a value that looks like a path and is none', async () => {
    const parameters = { properties: { q: {}, file_path: {} } }
    const loaded = await load(
      file({ tools: [{ name: 'find_it', parameters }] }, { args: [{ param: 'file_path' }] }),
    )
    expect(loaded).toMatchObject({ warnings: [expect.stringContaining('file_path may be a path')] })
  })

  test('warns of a word that only looks as if it were replaced', async () => {
    const resolveCommand = { binary: 'git', subcommand: 'log', args: ['$param', '--x=$param', '$where'] }
    const loaded = await load(file({}, { args: [{ param: 'q', resolveCommand }] }))
    expect('warnings' in loaded && loaded.warnings).toEqual([
      expect.stringContaining('"--x=$param" is passed on as it is'),
      expect.stringContaining('"$where" is passed on as it is'),
    ])
  })
})

describe('no JSON', () => {
  test.each([
    ['{\n  "tools": [,]\n}', 'line 2, column 13: expected a value'],
    ['{\n  // note\n  "tools": [] }', 'line 2, column 3: a comment is not allowed here'],
    ['{"tools": []', 'line 1, column 13: expected a closing }'],
    ['{"tools": [],}', 'line 1, column 14: expected a name in double quotes'],
    ['', 'line 1, column 1: expected a value'],
    ['[]', 'tools.json must contain an object: { … }'],
    ['['.repeat(100_000), 'nested too deeply'],
    [`{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 'not nested too deeply'],
  ])('%.40s is refused with its place', async (text, problem) =>
    expect(await problemOf(text)).toContain(problem),
  )
})

const other = { name: 'other', parameters: {} }
const tool = { name: 'find_it', parameters: { properties: { q: {} } } }
const execution = { tool: 'find_it', binary: 'git', subcommand: 'log' }

/** Following these references never ends. */
const circles: [string, JsonObject][] = [
  ['itself', { q: { $ref: '#/properties/q' } }],
  ['a choice', { q: { anyOf: [{ $ref: '#/properties/q' }, { type: 'string' }] } }],
  ['a condition', { q: { if: { not: { $ref: '#/properties/q' } } } }],
  ['another', { q: { $ref: '#/properties/p' }, p: { allOf: [{ $ref: '#/properties/q' }] } }],
  ['the name of a keyword', { q: {}, default: { oneOf: [{ $ref: '#/properties/default' }] } }],
]

test('parameters may refer to themselves one step further in', async () => {
  const tree = { properties: { below: { items: { $ref: '#/$defs/tree' } } } }
  const parameters = { properties: { q: { $ref: '#/$defs/tree' } }, $defs: { tree } }
  expect(await problemOf(file({ tools: [{ name: 'find_it', parameters }] }))).toBe('none')
})

describe('parts that do not fit are refused by name:', () => {
  test.each<[string, string, string]>([
    ['two tools of one name', file({ tools: [tool, tool] }), 'two tools are named find_it'],
    ['a tool without execution', file({ tools: [tool, other] }), 'tool other has no execution'],
    [
      'an execution without tool',
      file({ execution: [execution, { ...execution, tool: 'else' }] }),
      'there is an execution for else, but no such tool',
    ],
    [
      'two executions of one tool',
      file({ execution: [execution, execution] }),
      'tool find_it has two executions',
    ],
    [
      'an undeclared parameter',
      file({}, { args: [{ param: 'toString' }] }),
      'tool find_it: its execution uses toString, which its parameters do not declare',
    ],
    [
      'a bad tool name',
      file({ tools: [{ ...tool, name: 'a b' }] }),
      'tools.json: tools[0].name has to be 1 to 64 letters, digits, _ or -',
    ],
    [
      'an unknown kind',
      file({}, { args: [{ param: 'q', kind: 'tempfile' }] }),
      'execution[0].args[0].kind has to be one of positional, flag',
    ],
    ['a missing param', file({}, { args: [{ kind: 'flag' }] }), 'execution[0].args[0] needs a param'],
    ['a literal without value', file({}, { args: [{ kind: 'literal' }] }), 'needs a value'],
    [
      'a flag with a blank',
      file({}, { args: [{ param: 'q', kind: 'flag', flag: 'a b' }] }),
      'is not the name of a flag',
    ],
    [
      'two inputs',
      file(
        {},
        {
          args: [
            { param: 'q', kind: 'stdin' },
            { param: 'where', kind: 'stdin' },
          ],
        },
      ),
      'only one argument may be of kind stdin',
    ],
    [
      'an option behind --',
      file({}, { endOfOptions: true, args: [{ param: 'q' }, { param: 'where', kind: 'flag' }] }),
      'with endOfOptions, --where must come before the first positional',
    ],
    [
      'parameters that are no object',
      file({ tools: [{ ...tool, parameters: { type: 'string' } }] }),
      'its parameters must be of type object',
    ],
    [
      'parameters that are no schema',
      file({ tools: [{ ...tool, parameters: { properties: { q: { type: 'strin' } } } }] }),
      'tool find_it: its parameters are not a usable JSON Schema',
    ],
    [
      'parameters from elsewhere',
      file({ tools: [{ ...tool, parameters: { properties: { q: { $ref: 'http://x/y' } } } }] }),
      'its parameters refer to "http://x/y": they may only refer to a part of themselves, such as "#/$defs/name"',
    ],
    ...circles.map(([how, properties]): [string, string, string] => [
      `parameters in a circle by ${how}`,
      file({ tools: [{ ...tool, parameters: { properties } }] }),
      'its parameters refer to themselves endlessly',
    ]),
    [
      'parameters with a base of their own',
      file({ tools: [{ ...tool, parameters: { properties: { q: { $id: 'http://x/' } } } }] }),
      'must not hold a schema with an $id of its own',
    ],
    [
      'a resolveCommand of nothing',
      file({}, { args: [{ param: 'q', resolveCommand: {} }] }),
      'needs a script or a binary',
    ],
    [
      'a resolveCommand of both',
      file({}, { args: [{ param: 'q', resolveCommand: { script: 'a', binary: 'git' } }] }),
      'needs a script or a binary',
    ],
    [
      'a script elsewhere',
      file({}, { args: [{ param: 'q', resolveCommand: { script: '../x' } }] }),
      'script "../x" has to be the name of a file in scripts/',
    ],
    [
      'a field that would keep a tool from something',
      file({}, { args: [{ param: 'q', denyPattern: 'main' }] }),
      'execution[0].args[0].denyPattern is not supported',
    ],
    ['a wrapper', file({}, { binaryWrapper: ['nix'] }), 'execution[0].binaryWrapper is not supported'],
  ])('%s', async (_, text, problem) => expect(await problemOf(text)).toContain(problem))

  test('all at once, up to five', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const problem = await problemOf(
      JSON.stringify({ tools: names.map((name) => ({ name, parameters: {} })) }),
    )
    expect(problem.split('; ')).toHaveLength(6)
    expect(problem).toMatch(/; and 2 more$/)
  })
})

describe('the allowlist', () => {
  test.each<[string, JsonObject, string]>([
    ['a binary it lacks', { binary: 'curl' }, 'binary not allowlisted: curl'],
    ['a binary of another case', { binary: 'Git' }, 'binary not allowlisted: Git'],
    ['a binary that every object has', { binary: 'constructor' }, 'binary not allowlisted: constructor'],
    ['a subcommand it lacks', { subcommand: 'push' }, 'subcommand not allowlisted: git push'],
    ['a longer subcommand', { subcommand: 'log --all' }, 'subcommand not allowlisted: git log --all'],
    ['a subcommand with more blanks', { subcommand: 'log ' }, 'subcommand not allowlisted: git log'],
    [
      'any subcommand where its list is empty',
      { binary: 'notes', subcommand: 'x' },
      'subcommand not allowlisted: notes x',
    ],
    [
      'no subcommand where it names some',
      { binary: 'node', subcommand: 'y.js' },
      'subcommand not allowlisted: node y.js',
    ],
    [
      'a resolving binary it lacks',
      { args: [{ param: 'q', resolveCommand: { binary: 'curl' } }] },
      'resolveCommand of q: binary not allowlisted: curl',
    ],
    [
      'a resolving subcommand it lacks',
      { args: [{ param: 'q', resolveCommand: { binary: 'git', subcommand: 'push' } }] },
      'subcommand not allowlisted: git push',
    ],
  ])('refuses %s', async (_, changes, problem) =>
    expect(await problemOf(file({}, changes))).toContain(problem),
  )
})

const positional = { param: 'q' }

function literal(...values: string[]): JsonObject[] {
  return values.map((value) => ({ kind: 'literal', value }))
}

describe('[SAFE3] a program that runs what it is told', () => {
  test.each(
    `sh bash zsh dash fish ksh csh env xargs sudo cmd powershell pwsh busybox npx ssh timeout nohup watch vim
    BASH bash5 bash.exe cmd.exe bash-static ksh93 vim.basic vim.tiny view fakeroot ld.so ld-linux-x86-64.so.2 run-parts
    sg newgrp prlimit setpriv ssh-agent start-stop-daemon socat`.split(/\s+/),
  )('is refused: %s', async (binary) =>
    expect(await problemOf(file({ allowlist: { [binary]: ['log'] } }, { binary }))).toContain(
      `binary ${binary} is a shell or starts other programs`,
    ),
  )

  test('is refused also where only the list, or a resolveCommand, names it', async () => {
    expect(await problemOf(file({ allowlist: { git: ['log'], sh: [] } }))).toContain('binary sh is a shell')
    const args = [{ param: 'q', resolveCommand: { binary: 'env' } }]
    expect(await problemOf(file({}, { args }))).toContain('resolveCommand of q: binary env is a shell')
  })

  test.each(['/bin/git', './git', '../git', 'a\\git', 'C:git', '..', ' git', ''])(
    'is not reached by a path: %j',
    async (binary) =>
      expect(await problemOf(file({ allowlist: { [binary]: ['log'] } }, { binary }))).toMatch(
        /has to be a bare name|expected string to have/,
      ),
  )

  test.each<[string, JsonObject]>([
    ['-c', { binary: 'python3', subcommand: '-c', args: [{ param: 'q' }] }],
    ['--eval', { binary: 'node', args: [{ param: 'q', kind: 'flag', flag: 'eval' }] }],
    ['its first word', { binary: 'python3', args: [{ param: 'q' }] }],
    ['its input', { binary: 'node', args: [{ param: 'q', kind: 'stdin' }] }],
    ['its input by a dash', { binary: 'python3.12', subcommand: '-', args: [{ param: 'q', kind: 'stdin' }] }],
    ['a literal -e', { binary: 'perl', args: [{ kind: 'literal', value: '-e' }, { param: 'q' }] }],
    [
      'a switch',
      {
        binary: 'ruby',
        args: [{ param: 'q', kind: 'flagifboolean', flagIfTrue: 'x.rb' }, { param: 'where' }],
      },
    ],
    ['an open module', { binary: 'python', subcommand: '-m', args: [{ param: 'q' }] }],
    ['deno eval', { binary: 'deno', subcommand: 'eval', args: [{ param: 'q' }] }],
    ['deno run', { binary: 'deno', subcommand: 'run', args: [{ param: 'q' }] }],
    ['awk', { binary: 'awk', args: [{ param: 'q' }] }],
    ['sed -e', { binary: 'sed', subcommand: 's/a/b/', args: [{ param: 'q', kind: 'flag', flag: 'e' }] }],
    ['find -exec', { binary: 'find', args: [{ param: 'q', kind: 'flag', flag: 'exec' }] }],
    [
      'a resolving -c',
      { args: [{ param: 'q', resolveCommand: { binary: 'python', subcommand: '-c', args: ['$param'] } }] },
    ],
  ])('takes no code from a model by %s', async (_, changes) => {
    const names = [
      'python',
      'python3',
      'python3.12',
      'node',
      'perl',
      'ruby',
      'deno',
      'awk',
      'sed',
      'find',
      'git',
    ]
    const all = ['', '-c', '-', '-m', 'eval', 'run', 's/a/b/', 'log']
    const allowlist = Object.fromEntries(names.map((name) => [name, all]))
    expect(await problemOf(file({ allowlist }, { subcommand: '', ...changes }))).toMatch(
      /runs the code it is given|takes code|starts other programs/,
    )
  })

  test.each<[string, JsonObject]>([
    ['perl5.36-x86_64-linux-gnu', { args: [...literal('-e'), positional] }],
    ['tar', { args: [...literal('-cf', 'x'), { param: 'q', kind: 'flag', flag: 'use-compress-program' }] }],
    ['tar', { args: [...literal('-cf', 'x', '--use-comp'), positional] }],
    ['tar', { args: [...literal('-cI'), positional] }],
    ['tar', { args: [{ param: 'q', kind: 'flag', flag: 'to-command' }] }],
    ['git', { args: [{ param: 'q', kind: 'flag', flag: 'c' }, ...literal('status')] }],
    ['git', { args: [...literal('-C'), positional, ...literal('log')] }],
    ['git', { args: [positional] }],
    ['git', { args: [...literal('config'), positional] }],
    ['git', { args: [...literal('rebase', '--exec'), positional] }],
    ['git', { args: [...literal('grep', '-O'), positional] }],
    ['git', { args: [...literal('fetch'), { param: 'q', kind: 'flag', flag: 'upload-pack' }] }],
    ['git', { args: [...literal('submodule', 'update')] }],
    ['git', { args: [...literal('remote-https', 'origin'), positional] }],
    ['git', { args: [...literal('http-fetch', '-a'), positional] }],
    ['make', { args: [...literal('-f', '-'), { param: 'q', kind: 'stdin' }] }],
    ['make', { args: [positional] }],
    ['make', { args: [{ param: 'q', kind: 'workingdir' }] }],
    ['sqlite3', { args: [{ param: 'q', kind: 'stdin' }] }],
    ['sqlite3', { args: [...literal('notes.db'), positional] }],
    ['m4', { args: [{ param: 'q', kind: 'stdin' }] }],
    ['rsync', { args: [{ param: 'q', kind: 'flag', flag: 'e' }] }],
    [
      'rsync',
      { args: [...literal('-e'), { param: 'where', kind: 'flagifboolean', flagIfTrue: '-v' }, positional] },
    ],
    ['scp', { args: [...literal('-o'), positional] }],
    ['sort', { args: [{ param: 'q', kind: 'flag', flag: '--compress-program' }] }],
    ['python3', { args: [...literal('-m', 'json.tool'), { param: 'q', kind: 'stdin' }] }],
    ['python3', { args: [...literal('run.py'), { param: 'q', kind: 'workingdir' }] }],
  ])('takes no code from a model: %s %j', async (binary, changes) => {
    const text = file({ allowlist: { [binary]: [] } }, { binary, subcommand: '', ...changes })
    expect(await problemOf(text)).toMatch(
      /runs (?:the )?co(?:de|mmands)|takes code|first word|(?:runs|starts) other programs/,
    )
  })

  test.each<[string, JsonObject]>([
    ['sqlite3', { binary: 'sqlite3', subcommand: '-safe', args: [{ param: 'q' }] }],
    ['make', { binary: 'make', subcommand: 'all', args: [] }],
    [
      'tar',
      {
        binary: 'tar',
        subcommand: '-c',
        args: [{ kind: 'literal', value: '-I' }, { kind: 'literal', value: 'zstd' }, { param: 'q' }],
      },
    ],
    [
      'awk',
      { binary: 'awk', subcommand: '', args: [{ kind: 'literal', value: '{ print $1 }' }, { param: 'q' }] },
    ],
  ])('may run what the file fixes: %s', async (name, changes) => {
    const allowlist = { [name]: ['-safe', 'all', '-c', ''] }
    expect(await problemOf(file({ allowlist }, changes))).toBe('none')
  })

  test.each([
    ['vim.basic', 'which is a shell or starts other programs'],
    ['prlimit', 'which is a shell or starts other programs'],
    ['python3.11', 'name the program itself'],
    ['sqlite3', 'name the program itself'],
  ])('is not found under another name: %s', async (name, problem) => {
    const folder = mkdtempSync(join(tmpdir(), 'programs-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, name), '')
    symlinkSync(name, join(folder, 'git'))
    const found = await problemOf(file(), { findBinary: (binary) => join(folder, binary) })
    expect(found).toContain(`git is ${name} under another name`)
    expect(found).toContain(problem)
  })

  test('may be many programs in one, where its name says which of them is meant', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'programs-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'busybox'), '')
    symlinkSync('busybox', join(folder, 'git'))
    expect(await problemOf(file(), { findBinary: (binary) => join(folder, binary) })).toBe('none')
  })

  test('is not found under another name', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'programs-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'bash'), '')
    symlinkSync('bash', join(folder, 'git'))
    expect(await problemOf(file(), { findBinary: (name) => join(folder, name) })).toBe(
      'binary git is bash under another name, which is a shell or starts other programs',
    )
  })
})

async function unknown(...given: Parameters<typeof file>): Promise<unknown> {
  const loaded = await load(file(...given))
  return 'problem' in loaded ? loaded : loaded.unknownPrograms
}

test('programs are named of which nobody knows that they do no harm', async () => {
  expect(await unknown()).toEqual([])
  expect(await unknown({ allowlist: { git: ['push'] } }, { subcommand: 'push' })).toEqual(['git'])
  expect(await unknown({}, { binary: 'notes', subcommand: '' })).toEqual(['notes'])
  expect(await unknown({ allowlist: { wc: [] } }, { binary: 'wc', subcommand: '' })).toEqual([])
  const resolveCommand = { binary: 'notes' }
  expect(await unknown({}, { args: [{ param: 'q', resolveCommand }] })).toEqual(['notes'])
})

test.each([
  ['missing', 'binary not found on PATH: missing'],
  ['git', 'binary git was found at bin/git, which is not an absolute path'],
])('%s, which is not on PATH, is refused', async (binary, problem) =>
  expect(
    await problemOf(file({ allowlist: { [binary]: ['log'] } }, { binary }), {
      findBinary: (name) => (name === 'missing' ? undefined : `bin/${name}`),
    }),
  ).toBe(problem),
)
