import { expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import { buildArgv } from './argv.ts'
import { parseDescriptor } from './parse-descriptor.ts'

const parameters = {
  properties: {
    q: { type: 'string' },
    n: { type: 'integer' },
    any: {},
    on: { type: 'boolean' },
    p: { type: 'string' },
    long_name: { type: 'string' },
    constructor: { type: 'string' },
  },
}

/** The command line of a call of one tool with this execution. */
function built(execution: JsonObject, args: JsonObject, resolved?: ReadonlyMap<number, string>) {
  const parsed = parseDescriptor(
    JSON.stringify({
      tools: [{ name: 't', parameters }],
      allowlist: { git: [] },
      execution: [{ tool: 't', binary: 'git', ...execution }],
    }),
  )
  if ('problem' in parsed) throw new Error(parsed.problem)
  const [only] = parsed.descriptor.executions
  return buildArgv(only!, args, resolved)
}

const q = { param: 'q' }
const OPTION = 'a value that starts with - would be taken for an option; give one that does not'

test.for<[string, JsonObject, JsonObject, readonly string[]]>([
  ['a subcommand is the first word', { subcommand: 'log', args: [q] }, { q: 'x' }, ['log', 'x']],
  ['a subcommand with blanks is several words', { subcommand: 'list --json' }, {}, ['list', '--json']],
  ['without a subcommand the arguments come first', { args: [q] }, { q: 'x' }, ['x']],
  [
    'the order of args is the order of words, whatever the order of the call',
    { args: [{ param: 'p' }, q, { param: 'n', kind: 'flag' }] },
    { n: 1, q: 'b', p: 'a' },
    ['a', 'b', '-n', '1'],
  ],
  [
    'the kind is written in any case',
    { args: [{ ...q, kind: 'FLAG', flag: 'query' }] },
    { q: 'x' },
    ['--query', 'x'],
  ],
  [
    'a flag may have its dashes',
    { args: [{ ...q, kind: 'flag', flag: '--query' }] },
    { q: 'x' },
    ['--query', 'x'],
  ],
  [
    'a flag of one letter gets one dash',
    { args: [{ ...q, kind: 'flag', flag: 'm' }] },
    { q: 'x' },
    ['-m', 'x'],
  ],
  [
    'a longer flag gets two',
    { args: [{ ...q, kind: 'flag', flag: 'message' }] },
    { q: 'x' },
    ['--message', 'x'],
  ],
  [
    'dashes that were given are kept',
    {
      args: [
        { ...q, kind: 'flag', flag: '-name' },
        { ...q, kind: 'flag', flag: '--m' },
      ],
    },
    { q: 'x' },
    ['-name', 'x', '--m', 'x'],
  ],
  [
    'without a flag the parameter gives its name',
    { args: [{ param: 'long_name', kind: 'flag' }] },
    { long_name: 'x' },
    ['--long_name', 'x'],
  ],
  ['a missing flag is left out', { args: [{ ...q, kind: 'flag' }] }, {}, []],
  ['null counts as missing', { args: [{ ...q, kind: 'flag' }] }, { q: null }, []],
  [
    'an optional positional may be missing',
    { args: [{ ...q, optional: true }, { param: 'p' }] },
    { p: 'x' },
    ['x'],
  ],
  ['an empty text is a word', { args: [q] }, { q: '' }, ['']],
  [
    'true pushes flagIfTrue',
    { args: [{ param: 'on', kind: 'flagIfBoolean', flagIfTrue: '--yes', flagIfFalse: '--no' }] },
    { on: true },
    ['--yes'],
  ],
  [
    'false pushes flagIfFalse',
    { args: [{ param: 'on', kind: 'flagifboolean', flagIfTrue: '--yes', flagIfFalse: '--no' }] },
    { on: false },
    ['--no'],
  ],
  [
    'absent counts as false',
    { args: [{ param: 'on', kind: 'flagifboolean', flagIfTrue: '--yes', flagIfFalse: '--no' }] },
    {},
    ['--no'],
  ],
  [
    'either of the two may be missing',
    { args: [{ param: 'on', kind: 'flagifboolean', flagIfTrue: '--yes' }] },
    { on: false },
    [],
  ],
  [
    'a literal stands as it is',
    { args: [{ kind: 'literal', value: '--a b' }, q] },
    { q: 'x' },
    ['--a b', 'x'],
  ],
  ['numbers become text', { args: [{ param: 'any' }] }, { any: 1.5 }, ['1.5']],
  ['booleans become text', { args: [{ param: 'any' }] }, { any: false }, ['false']],
  ['a word is one word, whatever is in it', { args: [q] }, { q: '$(id) `id`; * "x"' }, ['$(id) `id`; * "x"']],
  ['escapes stay as they are', { args: [q] }, { q: 'a\\nb' }, ['a\\nb']],
  [
    'escapes become characters where that is declared',
    { args: [{ ...q, normalizeNewlines: true }] },
    { q: 'a\\nb\\tc' },
    ['a\nb\tc'],
  ],
  [
    'a negative number may follow its flag',
    { args: [{ param: 'n', kind: 'flag' }] },
    { n: -5 },
    ['-n', '-5'],
  ],
  [
    '-- stands before the first positional',
    { endOfOptions: true, args: [{ param: 'n', kind: 'flag' }, q, { param: 'p' }] },
    { n: 1, q: '-x', p: '--y' },
    ['-n', '1', '--', '-x', '--y'],
  ],
  [
    '-- stands before the first that is there',
    { endOfOptions: true, args: [{ ...q, optional: true }, { param: 'p' }] },
    { p: '-x' },
    ['--', '-x'],
  ],
  ['-- is left out without a positional', { endOfOptions: true, args: [{ ...q, optional: true }] }, {}, []],
  ['a path is made plain', { args: [{ param: 'p', path: true }] }, { p: 'a/.//b/../c' }, ['a/c']],
  [
    'a path that is named with ./ does not become an option',
    { args: [{ param: 'p', readPath: true }] },
    { p: './-x' },
    ['./-x'],
  ],
])('%s', ([, execution, args, argv]) => expect(built(execution, args)).toMatchObject({ argv }))

test.for<[string, JsonObject, JsonObject, string]>([
  ['a missing positional', { args: [q] }, {}, 'missing parameter: q'],
  ['a positional that is null', { args: [q] }, { q: null }, 'missing parameter: q'],
  [
    'a positional that only an inherited property would give',
    { args: [{ param: 'constructor' }] },
    {},
    'missing parameter: constructor',
  ],
  [
    'an array',
    { args: [{ param: 'any' }] },
    { any: ['x'] },
    'parameter any: a text, a number, true or false is expected',
  ],
  [
    'an object',
    { args: [{ param: 'any', kind: 'flag' }] },
    { any: {} },
    'parameter any: a text, a number, true or false is expected',
  ],
  [
    'a text for a boolean',
    { args: [{ param: 'on', kind: 'flagifboolean', flagIfTrue: '--yes' }] },
    { on: 'true' },
    'parameter on: true or false is expected',
  ],
  ['a positional that looks like an option', { args: [q] }, { q: '--exec=x' }, `parameter q: ${OPTION}`],
  ['a positional that is a dash', { args: [q] }, { q: '-' }, `parameter q: ${OPTION}`],
  ['a negative number as a positional', { args: [{ param: 'n' }] }, { n: -5 }, `parameter n: ${OPTION}`],
  [
    'a flag whose value looks like an option',
    { args: [{ ...q, kind: 'flag' }] },
    { q: '-x' },
    `parameter q: ${OPTION}`,
  ],
  [
    'a number that the schema does not promise',
    { args: [{ param: 'any', kind: 'flag' }] },
    { any: -5 },
    `parameter any: ${OPTION}`,
  ],
  [
    'a flag behind which -- would come too late',
    { endOfOptions: true, args: [{ ...q, kind: 'flag' }] },
    { q: '-x' },
    `parameter q: ${OPTION}`,
  ],
  [
    'a path that looks like an option',
    { args: [{ param: 'p', path: true }] },
    { p: '-x' },
    `parameter p: ${OPTION}`,
  ],
  [
    'a path that becomes an option when made plain',
    { args: [{ param: 'p', path: true }] },
    { p: '-a/../-x' },
    `parameter p: ${OPTION}`,
  ],
  ['an empty path', { args: [{ param: 'p', path: true }] }, { p: '' }, 'parameter p: the path is empty'],
  ['a NUL', { args: [q] }, { q: 'a\0b' }, 'parameter q: it holds a NUL character'],
  [
    'a value of 128 KiB, which no program can be given,',
    { args: [{ ...q, kind: 'stdin' }] },
    { q: 'é'.repeat(65_536) },
    'parameter q: it is too long: 131072 bytes, of 131071 at most',
  ],
])('%s is refused', ([, execution, args, problem]) => expect(built(execution, args)).toEqual({ problem }))

test('what goes to the input or says where to run is no word', () =>
  expect(
    built(
      {
        args: [
          { ...q, kind: 'stdin' },
          { param: 'p', kind: 'workingdir' },
        ],
      },
      { q: '-text', p: 'a/../b' },
    ),
  ).toEqual({ argv: [], stdin: '-text', workingDir: 'b', paths: [] }))

test('without them there is no input and no place', () =>
  expect(
    built(
      {
        args: [
          { ...q, kind: 'stdin' },
          { param: 'p', kind: 'workingdir' },
        ],
      },
      {},
    ),
  ).toEqual({
    argv: [],
    stdin: null,
    workingDir: null,
    paths: [],
  }))

test.each(['writePath', 'readPath', 'path'])('a value declared as %s is known as a path', (field) =>
  expect(built({ args: [{ param: 'p', [field]: true }] }, { p: 'x' })).toMatchObject({
    paths: [{ param: 'p', path: 'x' }],
  }),
)

test('a resolved value replaces the given one and keeps every rule', () => {
  const args = [{ param: 'p', path: true, resolveCommand: { binary: 'git' } }]
  expect(built({ args }, { p: 'x' }, new Map([[0, 'a/../b']]))).toMatchObject({ argv: ['b'] })
  expect(built({ args }, { p: 'x' }, new Map([[0, '-rf']]))).toEqual({ problem: `parameter p: ${OPTION}` })
})
