import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../base/json.ts'
import type { BranchId, TurnId } from '../../event/id.ts'
import { findBinary } from '../../tool/process/find-binary.ts'
import { type ProgramOrder, type Ran, runProgram } from '../../tool/process/run-program.ts'
import { loadTools } from './load-tools.ts'
import { isWholeRun, rounds } from '../../../test/rounds.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'executor-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const [workspace, outside, bin, skill] = [
  join(folder, 'workspace'),
  join(folder, 'outside'),
  join(folder, 'bin'),
  join(folder, 'skill'),
]
for (const path of [join(workspace, 'in/deep'), join(outside, 'there'), bin, skill])
  mkdirSync(path, { recursive: true })
symlinkSync(outside, join(workspace, 'out'))
symlinkSync('../../outside/there', join(workspace, 'in/out'))
symlinkSync('../..', join(workspace, 'in/deep/up'))
symlinkSync('in', join(workspace, 'link'))
symlinkSync('../outside/new', join(workspace, 'dangling'))
symlinkSync('dangling', join(workspace, 'twice'))

/** Every program here records its name and words. */
const NOTES = join(folder, 'notes')
const DECLARED = ['alpha', 'beta']
const SPIES = [
  ...DECLARED,
  'gamma',
  'sh',
  'bash',
  'dash',
  'zsh',
  'env',
  'node',
  'python3',
  'id',
  'touch',
  'cat',
  'git',
]
for (const name of SPIES)
  writeFileSync(
    join(bin, name),
    `#!${process.execPath}\nrequire('node:fs').appendFileSync(${JSON.stringify(NOTES)}, JSON.stringify([${JSON.stringify(name)}, ...process.argv.slice(2)]) + '\\n')\n`,
    { mode: 0o755 },
  )

const PARAMS = ['p0', 'p1', 'p2', 'p3']

const hostile = fc.oneof(
  fc.constantFrom(
    ...'; touch x|$(touch x)|`touch x`|&& id|> x|a b|"|*|~|$HOME|%PATH%|sh|bash|beta|/bin/sh|../bin/sh'.split(
      '|',
    ),
    ...'- -- -c -e --exec=sh -rf --output=/etc/x -o \\n-x ./-x -a/../-x a/../-x'.split(' '),
    '| sh',
    '\n id',
    "'",
    ' -x',
    'a\0b',
    '',
  ),
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const step = fc.constantFrom(
  'in',
  'deep',
  'out',
  'up',
  'link',
  'dangling',
  'twice',
  'there',
  'new',
  'x',
  '..',
  '.',
  '',
  '-x',
  'note.md',
)
const path = fc
  .tuple(
    fc.constantFrom('', '/', `${workspace}/`, `${outside}/`, './', '~/'),
    fc.array(step, { maxLength: 6 }),
  )
  .map(([start, steps]) => `${start}${steps.join('/')}`)
const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('x', 'in/x', 'in', 'word') },
  { weight: 4, arbitrary: hostile },
  { weight: 4, arbitrary: fc.constantFrom('-x', '--exec=sh', '-', '-c', './-x') },
  { weight: 5, arbitrary: path },
  { weight: 2, arbitrary: fc.integer() },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constantFrom<Json>(null, [], {}, ['-x'], { a: 1 }) },
)

const resolveCommand = fc.record({
  binary: fc.constant('beta'),
  subcommand: fc.constantFrom('', 'get'),
  args: fc.subarray(['$param', '--for', 'now']),
})
const arg: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constantFrom<JsonObject>({ kind: 'literal', value: '--fixed' }, { kind: 'literal', value: 'word' }),
  fc.record({
    param: fc.constant('on'),
    kind: fc.constant('flagIfBoolean'),
    flagIfTrue: fc.constant('--yes'),
    flagIfFalse: fc.constant('--no'),
  }),
  fc.record(
    {
      param: fc.constantFrom(...PARAMS),
      kind: fc.constantFrom('positional', 'positional', 'flag', 'flag', 'stdin', 'workingdir'),
      optional: fc.boolean(),
      path: fc.boolean(),
      normalizeNewlines: fc.boolean(),
      resolveCommand,
    },
    { requiredKeys: ['param', 'kind', 'optional'] },
  ),
)

const type: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('string', 'integer', 'number', 'boolean') }) },
)
interface Scene {
  readonly types: readonly JsonObject[]
  readonly binary: string
  readonly subcommand: string
  readonly args: readonly JsonObject[]
  readonly endOfOptions: boolean
  /** Every value is a path. */
  readonly isOfPaths: boolean
  /** The output of the resolving program. */
  readonly said: string
  readonly calls: readonly JsonObject[]
}

const sound: fc.Arbitrary<Scene> = fc.record({
  types: fc.tuple(type, type, type, type),
  binary: fc.constant('alpha'),
  subcommand: fc.constantFrom('', 'do', 'do it'),
  args: fc.array(arg, { maxLength: 4 }),
  endOfOptions: fc.boolean(),
  isOfPaths: fc.boolean(),
  said: fc.oneof(hostile, path),
  calls: fc.array(
    fc
      .tuple(fc.tuple(value, value, value, value), fc.option(fc.boolean()))
      .map(([given, on]): JsonObject => ({
        ...Object.fromEntries(PARAMS.map((param, at) => [param, given[at] ?? null])),
        on,
      })),
    { minLength: 1, maxLength: 6 },
  ),
})

/** Mostly valid files, and some that must be refused. */
const scene: fc.Arbitrary<Scene> = fc.oneof(
  { weight: 8, arbitrary: sound.map(arranged) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        sound,
        fc.constantFrom('gamma', 'sh', '/bin/sh', 'node', 'git'),
        fc.constantFrom('', 'do', 'else'),
      )
      .map(([scene, binary, subcommand]) => ({ ...scene, binary, subcommand })),
  },
)

/** One input, one working directory, and options before the place of `--`. */
function arranged(scene: Scene): Scene {
  const singles = scene.args.filter(
    ({ kind }, at, all) =>
      (kind !== 'stdin' && kind !== 'workingdir') || all.findIndex((arg) => arg['kind'] === kind) === at,
  )
  const marked = singles.map((arg) => (scene.isOfPaths && 'optional' in arg ? { ...arg, path: true } : arg))
  const args = scene.endOfOptions ? marked.toSorted((one, other) => rankOf(one) - rankOf(other)) : marked
  return { ...scene, args }
}

function rankOf({ kind }: JsonObject): number {
  return kind === 'positional' ? 1 : 0
}

function descriptorOf({ types, binary, subcommand, args, endOfOptions }: Scene): string {
  const properties = Object.fromEntries([
    ...PARAMS.map((param, index) => [param, types[index] ?? {}]),
    ['on', { type: 'boolean' }],
  ])
  return JSON.stringify({
    tools: [{ name: 't', parameters: { properties } }],
    allowlist: { alpha: ['', 'do', 'do it'], beta: ['', 'get'] },
    execution: [{ tool: 't', binary, subcommand, args, endOfOptions }],
  })
}

type Runner = (order: ProgramOrder) => Promise<Ran>

/** Loads the scene and makes its calls, with `run` in place of the system. */
async function play(scene: Scene, run: Runner): Promise<void> {
  const made = await loadTools(
    { text: descriptorOf(scene), skill: 's', directory: skill },
    {
      allowScripts: false,
      workspace,
      environment: { PATH: bin },
      findBinary: (name) => findBinary(name, bin),
      run,
    },
  )
  if ('problem' in made) return
  const signal = new AbortController().signal
  for (const args of scene.calls)
    await made.tools[0]?.run(args, { branch: 'b' as BranchId, turn: 't' as TurnId, signal })
}

function exited(stdout: string): Ran {
  return { kind: 'exited', code: 0, signal: null, stdout, stderr: '', wasCut: false }
}

function everything(): string {
  return readdirSync(outside, { recursive: true, encoding: 'utf8' }).join('\n')
}

const FIXED = new Set([
  ...PARAMS.map((param) => `--${param}`),
  '--fixed',
  '--yes',
  '--no',
  '--for',
  'word',
  'do',
  'it',
])

/** Words that a program could take for an option and that no file put there. */
function strayOptions({ argv }: ProgramOrder, { endOfOptions, args }: Scene): string[] {
  const end = endOfOptions ? argv.indexOf('--') : -1
  const open = end < 0 ? argv : argv.slice(0, end)
  const flags = new Set(
    args.flatMap(({ kind, param }) => (kind === 'flag' && typeof param === 'string' ? `--${param}` : [])),
  )
  return open.filter(
    (word, at) =>
      word.startsWith('-') &&
      !FIXED.has(word) &&
      !(/^-[\d.e+-]+$/.test(word) && flags.has(open[at - 1] ?? '')),
  )
}

test('[SAFE3] whatever a file declares and a model gives, only declared programs run, no value becomes an option, and nothing outside is reached', async () => {
  const before = everything()
  const seen = { alpha: 0, beta: 0, paths: 0, ended: 0 }
  await fc.assert(
    fc.asyncProperty(scene, async (scene) => {
      await play(scene, (order) => {
        const name = basename(order.file)
        expect(DECLARED).toContain(name)
        expect(order.file).toBe(join(bin, name))
        seen[name === 'alpha' ? 'alpha' : 'beta']++
        expect(strayOptions(order, name === 'alpha' ? scene : { ...scene, endOfOptions: false })).toEqual([])
        expect(order.argv.join('')).not.toContain('\0')
        expect(order.env).toEqual({ PATH: bin })
        const where = existsSync(order.cwd) ? realpathSync(order.cwd) : order.cwd
        expect(`${where}/`.startsWith(`${workspace}/`)).toBe(true)
        if (name !== 'alpha') return Promise.resolve(exited(scene.said))
        if (order.argv.includes('--')) seen.ended++
        if (scene.isOfPaths && order.argv.length > 0) {
          seen.paths++
          reach(order)
        }
        return Promise.resolve(exited(''))
      })
      expect(everything()).toBe(before)
    }),
    { numRuns: rounds(400) },
  )
  if (isWholeRun) for (const count of Object.values(seen)) expect(count).toBeGreaterThan(10)
})

/** Does with every word what a file-writing program would, through all links. */
function reach({ argv, cwd }: ProgramOrder): void {
  for (const word of argv.filter((word) => word !== '--' && !FIXED.has(word))) {
    const target = resolve(cwd, word)
    if (existsSync(target)) expect(`${realpathSync(target)}/`.startsWith(`${workspace}/`)).toBe(true)
    else writeThrough(target)
  }
}

function writeThrough(target: string): void {
  try {
    writeFileSync(target, '')
  } catch {
    // A missing folder, or a file in its place: the program would fail.
    return
  }
  const real = realpathSync(target)
  expect(`${real}/`.startsWith(`${workspace}/`)).toBe(true)
  rmSync(real)
}

test('[SAFE3] with real processes and a spy for every shell on PATH, exactly the planned program runs', async () => {
  let runs = 0
  await fc.assert(
    fc.asyncProperty(scene, async (scene) => {
      const planned: string[][] = []
      rmSync(NOTES, { force: true })
      await play(scene, async (order) => {
        const ran = await runProgram(order)
        // Only a missing folder keeps a program from starting.
        if (existsSync(order.cwd)) planned.push([basename(order.file), ...order.argv])
        return ran
      })
      const noted = existsSync(NOTES) ? readFileSync(NOTES, 'utf8').trim().split('\n') : []
      expect(noted.map((line) => JSON.parse(line) as string[])).toEqual(
        planned.map((words) => words.map((word) => word.toWellFormed())),
      )
      for (const [name] of planned) expect(DECLARED).toContain(name)
      runs += noted.length
    }),
    { numRuns: rounds(25) },
  )
  if (isWholeRun) expect(runs).toBeGreaterThan(5)
})
