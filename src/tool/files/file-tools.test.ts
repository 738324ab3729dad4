import { spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import { fence } from '../../event/fence.ts'
import type { BranchId, TurnId } from '../../event/id.ts'
import type { CallContext } from '../tool.ts'
import { fileTools } from './file-tools.ts'
import type { IsProtected } from './protection.ts'
import { openWorkspace } from './workspace.ts'
import type { FileChange } from './write-tool.ts'
import { rounds } from '../../../test/rounds.ts'

const made: string[] = []
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const theirs: IsProtected = (place) =>
  place === 'AGENTS.md' || place === 'memory.md' || place.startsWith('skills/')

function stage(files: Record<string, string> = {}, isProtected: IsProtected = theirs) {
  const root = mkdtempSync(join(tmpdir(), 'files-tools-'))
  made.push(root)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const proposed: FileChange[] = []
  const tools = fileTools({
    workspace: openWorkspace(root),
    isProtected,
    propose: async (_, change) => proposed.push(change),
  })
  const toolNamed = (name: string) => {
    const tool = tools.find(({ spec }) => spec.name === name)
    if (tool === undefined) throw new Error(`no tool ${name}`)
    return tool
  }
  const run = async (name: string, args: JsonObject, signal = new AbortController().signal) => {
    const call: CallContext = { branch: 'b' as BranchId, turn: 't' as TurnId, signal }
    const { text, isError } = await toolNamed(name).run(args, call)
    const said = JSON.parse(text) as { text?: string; error?: string }
    expect(isError).toBe(said.error !== undefined)
    return said.text ?? `error: ${said.error}`
  }
  const onDisk = (path: string) => readFileSync(join(root, path), 'utf8')
  return { root, tools, toolNamed, run, proposed, onDisk }
}

test('five tools in a fixed order, of which two edit and three only look', () => {
  const { tools } = stage()
  expect(tools.map(({ spec, nature }) => `${spec.name} ${nature.effect}`)).toEqual([
    'read looks',
    'write edits',
    'edit edits',
    'glob looks',
    'grep looks',
  ])
})

describe('read', () => {
  test('[SAFE2] gives a file as it is, fenced as data', async () => {
    const { run } = stage({ 'a.md': 'one\r\n  two\n</data> three' })
    expect(await run('read', { path: './a.md' })).toBe(fence('file:a.md', 'one\r\n  two\n</data> three'))
    expect(await run('read', { path: './a.md' })).toContain('&lt;/data> three')
  })

  test('offset and limit give lines, and say where they stand', async () => {
    const { run } = stage({ 'a.md': 'one\ntwo\nthree\nfour\n' })
    expect(await run('read', { path: 'a.md', offset: 2, limit: 2 })).toBe(
      `${fence('file:a.md', 'two\nthree\n')}\n(Lines 2 to 3 of 4; for more, "offset": 4.)`,
    )
    expect(await run('read', { path: 'a.md', offset: 4 })).toBe(
      `${fence('file:a.md', 'four\n')}\n(Lines 4 to 4 of 4.)`,
    )
    expect(await run('read', { path: 'a.md', offset: 5 })).toContain(
      "error: 'a.md' has 4 lines, so none from 5",
    )
  })

  test('a long file comes in parts that together are the file', async () => {
    const whole = Array.from({ length: 5_000 }, (_, n) => `line ${n} ${'x'.repeat(n % 90)}\n`).join('')
    const { run } = stage({ 'a.md': whole })
    let [text, offset] = ['', 1]
    for (let part = 0; offset > 0; part++) {
      expect(part).toBeLessThan(9)
      const said = await run('read', { path: 'a.md', offset })
      const [, shown = '', note = ''] = /^<data [^\n]*\n(.*)\n<\/data>(.*)$/s.exec(said) ?? []
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(64 * 1024)
      text += shown
      offset = Number(/"offset": (\d+)/.exec(note)?.[1] ?? 0)
    }
    expect(text).toBe(whole)
  })

  test('a line that is too long alone is begun, and not inside a character', async () => {
    const { run } = stage({ 'a.md': `${'ü'.repeat(40_000)}\nnext` })
    const said = await run('read', { path: 'a.md' })
    expect(said).toContain(`\n${'ü'.repeat(32 * 1024)}\n</data>`)
    expect(said).toContain('Line 1 of 2 is longer than 65536 bytes; only its beginning is shown.')
    expect(said).toContain('"offset": 2')
  })

  test('what is missing, empty or refused is said plainly', async () => {
    const { run } = stage({ 'empty.md': '' })
    expect(await run('read', { path: 'empty.md' })).toBe('empty.md is empty.')
    expect(await run('read', { path: 'no.md' })).toContain("error: There is no file 'no.md'. glob")
    expect(await run('read', { path: '../x.md' })).toContain(
      "error: '../x.md' lies outside of the workspace.",
    )
    expect(await run('read', {})).toContain('Usage: read {')
  })
})

describe('write', () => {
  test('makes and replaces, with folders, and says which', async () => {
    const { run, onDisk } = stage()
    expect(await run('write', { path: './new/a.md', content: 'grüß' })).toBe('Made new/a.md (6 bytes).')
    expect(await run('write', { path: 'new/a.md', content: 'b' })).toBe('Replaced new/a.md (1 bytes).')
    expect(await run('write', { path: 'new/a.md', content: 'b' })).toBe('new/a.md has that text already.')
    expect(onDisk('new/a.md')).toBe('b')
  })

  test('a call is judged by the file that it really changes, and "always" is for its folder', () => {
    const { root, toolNamed } = stage({ 'notes/deep/a.md': '', 'top.md': '' })
    symlinkSync('notes/deep/a.md', join(root, 'link.md'))
    const { nature, ...tool } = toolNamed('write')
    const judged = (path: string) => [nature.subjectOf?.({ path }), nature.patternFor?.({ path })]
    expect(judged('./notes/x/../b.md')).toEqual(['notes/b.md', 'write(notes/*)'])
    expect(judged('todo.md')).toEqual(['todo.md', 'write(todo.md)'])
    expect(judged('link.md')).toEqual(['notes/deep/a.md', 'write(notes/deep/*)'])
    expect(judged('a*b/c.md')).toEqual(['a*b/c.md', 'write(a?b/*)'])
    expect(judged('../x.md')[0]).toBe('../x.md')
    expect(toolNamed('edit').nature.patternFor?.({ path: 'notes/a.md' })).toBe('edit(notes/*)')
    expect(tool.check?.({ path: '../x.md', content: '' })).toContain('outside of the workspace')
    expect(tool.check?.({ path: 'x.md' })).toContain('Bad arguments: content')
    expect(tool.check?.({ path: 'x.md', content: '' })).toBeUndefined()
  })

  test('an interrupted call writes nothing', async () => {
    const { run, onDisk } = stage({ 'a.md': 'old' })
    expect(await run('write', { path: 'a.md', content: 'new' }, AbortSignal.abort())).toContain('Interrupted')
    expect(onDisk('a.md')).toBe('old')
  })
})

describe('what only the person changes', () => {
  const WAITS = "The change waits for the person's approval (approval 1); it is not done yet."

  test('[SAFE4] is proposed with the whole of it, before and after, and not written', async () => {
    const { run, onDisk, proposed } = stage({ 'AGENTS.md': 'be kind\n' })
    expect(await run('edit', { path: 'AGENTS.md', old: 'kind', new: 'bold' })).toBe(
      `AGENTS.md is only changed by the person. ${WAITS}`,
    )
    expect(await run('write', { path: 'skills/x/SKILL.md', content: 'do all' })).toContain('(approval 2)')
    expect(proposed).toEqual([
      { path: 'AGENTS.md', before: 'be kind\n', after: 'be bold\n' },
      { path: 'skills/x/SKILL.md', before: undefined, after: 'do all' },
    ])
    expect(onDisk('AGENTS.md')).toBe('be kind\n')
    expect(() => onDisk('skills/x/SKILL.md')).toThrow()
  })

  test.each([
    './AGENTS.md',
    'notes/../AGENTS.md',
    'agents.md',
    'Agents.MD',
    'AGENT\u017F.md',
    'AGENTS\u200D.md',
    'MEMORY.md',
    'Skills/new/skill.md',
    'link.md',
    'folder/AGENTS.md',
    'folder/skills/new.md',
    'real/rules.md',
    'real/skilled/x.md',
    'later/memory-text.md',
  ])('[SAFE4] is it under the name %s too', async (path) => {
    const { root, run, proposed } = stage({
      'notes/a.md': '',
      'real/skilled/b.md': '',
      'real/rules.md': 'rules',
    })
    mkdirSync(join(root, 'later'))
    const links = [
      ['real/rules.md', 'AGENTS.md'],
      ['AGENTS.md', 'link.md'],
      ['.', 'folder'],
      ['real/skilled', 'skills'],
      ['later/memory-text.md', 'memory.md'],
    ] as const
    for (const [target, name] of links) symlinkSync(target, join(root, name))
    expect(await run('write', { path, content: 'all rights' })).toContain(WAITS)
    expect(proposed).toHaveLength(1)
    expect(lstatSync(join(root, 'later/memory-text.md'), { throwIfNoEntry: false })).toBeUndefined()
  })

  test('is not what only sounds like it', async () => {
    const { run, proposed } = stage()
    for (const path of ['notes/AGENTS.md', 'AGENTS2.md', 'my/skills/x.md', 'skills.md'])
      expect(await run('write', { path, content: 'x' })).toBe(`Made ${path} (1 bytes).`)
    expect(proposed).toEqual([])
  })

  test('is not proposed where it could never be written', async () => {
    const { run, proposed } = stage()
    expect(await run('write', { path: 'AGENTS.md', content: 'x'.repeat(1024 * 1024 + 1) })).toContain(
      'too large',
    )
    expect(await run('edit', { path: 'AGENTS.md', old: 'a', new: 'b' })).toContain('There is no file')
    expect(proposed).toEqual([])
  })
})

describe('edit', () => {
  test('replaces what occurs once, to the letter', async () => {
    const { run, onDisk } = stage({ 'a.md': 'one\ntwo $& (x)\nthree\n' })
    expect(await run('edit', { path: 'a.md', old: 'two $& (x)', new: '$1 $& \\n' })).toBe(
      'Changed a.md, in line 2.',
    )
    expect(onDisk('a.md')).toBe('one\n$1 $& \\n\nthree\n')
    expect(await run('edit', { path: 'a.md', old: 'one\n', new: '' })).toBe('Changed a.md, in line 1.')
    expect(onDisk('a.md')).toBe('$1 $& \\n\nthree\n')
  })

  test('what occurs more often is changed only where all is asked for', async () => {
    const { run, onDisk } = stage({ 'a.md': 'x\ny\nx x\n' })
    expect(await run('edit', { path: 'a.md', old: 'x', new: 'z' })).toContain(
      'old occurs 3 times, in lines 1, 3, 3.',
    )
    expect(onDisk('a.md')).toBe('x\ny\nx x\n')
    expect(await run('edit', { path: 'a.md', old: 'x', new: 'xx', all: true })).toBe(
      'Changed a.md, in lines 1, 3, 3.',
    )
    expect(onDisk('a.md')).toBe('xx\ny\nxx xx\n')
  })

  test('what does not occur is answered with what is near', async () => {
    const { run } = stage({ 'a.md': '# Plan\r\n\tbuy  milk and bread\r\nsleep\r\n' })
    const edit = (old: string) => run('edit', { path: 'a.md', old, new: '' })
    expect(await edit('buy milk and bread\nsleep')).toContain(
      `differs in white space or line ends only:\n${fence('near', '2: "\\tbuy  milk and bread\\r"')}`,
    )
    expect(await edit('buy milk and bread\nwork')).toContain('This begins like it:\n<data')
    expect(await edit('buy milk and eggs')).toContain(
      'These lines are similar:\n<data source="near">\n2: "\\tbuy  milk',
    )
    expect(await edit('zebra')).toContain('Nothing in it is similar')
    expect(await edit('&lt;data')).toContain('read shows the < of a data tag as &lt;')
  })

  test('edits at the same time are all done', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `<${n}>`)
    const { run, onDisk } = stage({ 'a.md': names.join('\n') })
    await Promise.all(
      names.map((old, n) => run('edit', { path: n % 2 ? 'a.md' : './a.md', old, new: `done ${n}` })),
    )
    expect(onDisk('a.md')).toBe(names.map((_, n) => `done ${n}`).join('\n'))
  })

  test('empty or equal texts are refused', async () => {
    const { run } = stage({ 'a.md': 'x' })
    expect(await run('edit', { path: 'a.md', old: '', new: 'x' })).toContain('old: it is empty. Usage: edit')
    expect(await run('edit', { path: 'a.md', old: 'x', new: 'x' })).toContain('old and new are the same')
  })
})

describe('glob', () => {
  const tree = {
    'b.md': '',
    'a.md': '',
    'notes/c.md': '',
    'notes/deep/d.md': '',
    'notes/e.txt': '',
    '.x/f.md': '',
  }

  test.each([
    ['*.md', 'a.md b.md'],
    ['./*.md', 'a.md b.md'],
    ['**/*.md', 'a.md b.md notes/c.md notes/deep/d.md'],
    ['notes/**', 'notes/c.md notes/deep/d.md'],
    ['**', 'a.md b.md notes/c.md notes/deep/d.md'],
    ['notes/*', 'notes/c.md'],
    ['**/deep/**/*.md', 'notes/deep/d.md'],
    ['?.md', 'a.md b.md'],
    ['{a,notes/{c,deep/d}}.md', 'a.md notes/c.md notes/deep/d.md'],
    ['*', 'a.md b.md'],
    ['notes/c.md', 'notes/c.md'],
  ])('%s finds %s', async (pattern, places) => {
    const said = await stage(tree).run('glob', { pattern })
    expect(said).toBe(fence('glob', places.split(' ').join('\n')))
  })

  test.each(['*.txt', '.x/*', '../*.md', '[ab].md', '{a.md', 'notes'])(
    '%s finds nothing',
    async (pattern) => {
      expect(await stage(tree).run('glob', { pattern })).toContain('No Markdown file fits')
    },
  )

  test('more than 500 are cut, and hostile patterns take no time', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 501 }, (_, n) => [`n/${'a'.repeat(100)}${n}.md`, '']),
    )
    const { run } = stage(many)
    expect(await run('glob', { pattern: 'n/*' })).toContain('(500 of 501; narrow the pattern.)')
    expect(await run('glob', { pattern: `n/${'*a'.repeat(400)}b` })).toContain('No Markdown file fits')
    expect(await run('glob', { pattern: '**/'.repeat(300) })).toContain('n/')
    expect(await run('glob', { pattern: '{a,b}'.repeat(100) })).toContain(
      'error: The braces stand for more than 64',
    )
  })
})

describe('grep', () => {
  const tree = { 'a.md': 'Milk\nbread (2)\r\n', 'notes/b.md': 'no milk\n\nend', 'notes/c.md': 'x' }
  const grep = (args: JsonObject) => stage(tree).run('grep', args)

  test('finds lines by an expression, or by words where it is none', async () => {
    expect(await grep({ pattern: 'milk' })).toBe(fence('grep', 'notes/b.md:1: no milk'))
    expect(await grep({ pattern: '^m.lk$', ignore_case: true })).toBe(fence('grep', 'a.md:1: Milk'))
    expect(await grep({ pattern: 'bread (' })).toBe(fence('grep', 'a.md:2: bread (2)'))
    expect(await grep({ pattern: '\\p{Lu}' })).toBe(fence('grep', 'a.md:1: Milk'))
    expect(await grep({ pattern: '\\-|end' })).toBe(fence('grep', 'notes/b.md:3: end'))
    expect(await grep({ pattern: 'zebra' })).toBe("No line fits 'zebra'.")
  })

  test('path is a file or a folder', async () => {
    expect(await grep({ pattern: '.', path: './notes/' })).toBe(
      fence('grep', 'notes/b.md:1: no milk\nnotes/b.md:3: end\nnotes/c.md:1: x'),
    )
    expect(await grep({ pattern: '.', path: 'notes/c.md' })).toBe(fence('grep', 'notes/c.md:1: x'))
    expect(await grep({ pattern: '.', path: 'note' })).toContain(
      "error: There is no Markdown file at 'note'.",
    )
    expect(await grep({ pattern: '.', path: '../' })).toContain('error: ')
  })

  test('what is cut, unread or too much is told', async () => {
    const { root, run } = stage({
      'a.md': `${'x'.repeat(2_500)}needle\n`,
      'b.md': 'y\n'.repeat(300),
      'c.md': `z${'w'.repeat(400)}`,
    })
    writeFileSync(join(root, 'd.md'), Buffer.from([0xff]))
    expect(await run('grep', { pattern: 'needle' })).toBe(
      "No line fits 'needle'.\n(Lines were searched up to 2000 characters.)\n(Files that cannot be read and were not searched: 1.)",
    )
    const many = await run('grep', { pattern: 'y' })
    expect(many.match(/^b\.md:/gm)).toHaveLength(200)
    expect(many).toContain('these are the first 200')
    expect(await run('grep', { pattern: 'z' })).toContain(`c.md:1: z${'w'.repeat(298)}…`)
  })

  test('a file with several names is searched once', async () => {
    const { root, run } = stage(tree)
    symlinkSync('notes', join(root, 'also'))
    expect(await run('grep', { pattern: 'end' })).toBe(fence('grep', 'notes/b.md:3: end'))
    expect(await run('grep', { pattern: 'end', path: 'also' })).toBe(fence('grep', 'also/b.md:3: end'))
  })

  test('[TOOL2] an expression that would take for ever is given up, and nothing waits for it', async () => {
    const { run } = stage({ 'b.md': `${'a'.repeat(60)}!\n` })
    let ticks = 0
    const ticking = setInterval(() => ticks++, 20)
    expect(await run('grep', { pattern: '(a|a)*b' })).toContain('so far. (Stopped after 2 s;')
    clearInterval(ticking)
    expect(ticks).toBeGreaterThan(0)
  })

  test('an interruption ends it at once', async () => {
    const { run } = stage({ 'b.md': `${'a'.repeat(60)}!\n` })
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 100)
    expect(await run('grep', { pattern: '(a+)+$' }, stop.signal)).toContain('error: ')
  })
})

test('no arguments make a tool throw, and what it says is JSON', async () => {
  const { root, run, onDisk } = stage({ 'a.md': 'text', 'AGENTS.md': 'rules' })
  symlinkSync(dirname(root), join(root, 'up'))
  const word = fc.oneof(
    fc.constantFrom('a.md', 'AGENTS.md', 'up/x.md', '**', 'text', ''),
    fc.string({ unit: 'binary' }),
  )
  const value = fc.oneof(word, fc.jsonValue(), fc.integer({ min: -1, max: 5 }), fc.boolean())
  const args = fc.record(
    { path: word, content: value, old: value, new: value, all: value, offset: value, limit: value },
    { requiredKeys: [] },
  )
  const call = fc.tuple(fc.constantFrom('read', 'write', 'edit', 'glob'), fc.oneof(args, fc.object()))
  await fc.assert(
    fc.asyncProperty(call, async ([name, given]) => {
      expect(typeof (await run(name, given as JsonObject))).toBe('string')
    }),
    { numRuns: rounds(400) },
  )
  expect(onDisk('AGENTS.md')).toBe('rules')
})

test('the search runs in its thread from sources and from compiled files alike', () => {
  const compiled = mkdtempSync(join(tmpdir(), 'files-built-'))
  made.push(compiled)
  const source = join(import.meta.dirname, 'line-search.ts')
  const tsc = join(import.meta.dirname, '../../../node_modules/.bin/tsc')
  const flags = [
    '--ignoreConfig',
    '--module',
    'nodenext',
    '--target',
    'esnext',
    '--types',
    'node',
    '--typeRoots',
  ]
  const more = ['--skipLibCheck', '--rewriteRelativeImportExtensions']
  const src = join(import.meta.dirname, '../..')
  const types = join(import.meta.dirname, '../../../node_modules/@types')
  const build = spawnSync(tsc, [source, ...flags, types, ...more, '--rootDir', src, '--outDir', compiled], {
    encoding: 'utf8',
  })
  expect(build.stdout).toBe('')
  writeFileSync(join(compiled, 'package.json'), '{"type":"module"}')
  for (const file of [source, join(compiled, 'tool/files/line-search.js')]) {
    const code = `
      import { searchLines } from ${JSON.stringify(file)}
      const { signal } = new AbortController()
      const search = searchLines({ pattern: 'b.d', ignoreCase: false, timeoutMs: 30_000, now: () => 0, signal })
      console.log(JSON.stringify(await search.search(['abed', 'abd', 'x'])))
      await search.close()`
    const ran = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' })
    expect(ran.stderr).toBe('')
    expect(JSON.parse(ran.stdout)).toEqual([
      { hits: [{ line: 1, text: 'abed' }], isCut: false },
      { hits: [], isCut: false },
      { hits: [], isCut: false },
    ])
  }
})
