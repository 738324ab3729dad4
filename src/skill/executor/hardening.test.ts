import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { call, openGitFolder, shipped } from '../../../test/fixtures/skills/git-folder.ts'
import type { JsonObject } from '../../base/json.ts'
import { runProgram } from '../../tool/process/run-program.ts'
import type { ToolResult } from '../../tool/tool.ts'
import { hardened } from './hardening.ts'
import type { ExecutorParts } from './load-tools.ts'

const { folder, gitIn, makeRepository, ran, toolsOf, trap, trapped, workspace } = openGitFolder()

function setTraps(place: string): void {
  const settings = {
    'core.fsmonitor': trap,
    'core.hooksPath': folder,
    'core.pager': trap,
    'diff.external': trap,
    'diff.y.command': trap,
    'diff.y.textconv': trap,
    'filter.x.clean': trap,
    'filter.x.smudge': trap,
    'filter.x.required': 'true',
    'gpg.program': trap,
    'log.showSignature': 'true',
  }
  for (const [key, value] of Object.entries(settings)) gitIn(place, 'config', key, value)
}

const ARGS: Readonly<Record<string, JsonObject>> = {
  git_status: {},
  git_log: { count: 1 },
  git_diff: {},
  git_show: { revision: 'HEAD' },
  git_branches: {},
}

/** The output of each bundled tool in this folder. */
async function lookAround(
  place: string,
  more: Partial<ExecutorParts> = {},
): Promise<Map<string, ToolResult>> {
  const results = new Map<string, ToolResult>()
  for (const tool of await toolsOf(shipped, more))
    results.set(tool.spec.name, await tool.run({ ...ARGS[tool.spec.name], directory: place }, call))
  return results
}

describe('[SAFE3] what a repository tells git to run is not run by the tools that come along', () => {
  test('by its settings: hooks, pagers, filters, drivers of differences', async () => {
    const place = makeRepository(workspace)
    setTraps(place)
    gitIn(place, 'status', '--short')
    gitIn(place, 'diff')
    expect(trapped(), 'the trap works for who does not mind').not.toBe('')
    rmSync(ran)
    writeFileSync(join(place, 'a.md'), 'three\n')
    for (const [name, result] of await lookAround(place))
      expect([name, result]).toMatchObject([name, { isError: false }])
    expect(trapped()).toBe('')
    const diff = (await lookAround(place)).get('git_diff')?.text
    expect(diff).toContain('+three')
  })

  test('by settings that it takes in from another file', async () => {
    const place = makeRepository(workspace)
    writeFileSync(
      join(place, '.git/more'),
      `[filter "x"]\n clean = ${trap}\n[diff "y"]\n textconv = ${trap}\n`,
    )
    gitIn(place, 'config', 'include.path', 'more')
    for (const { isError } of (await lookAround(place)).values()) expect(isError).toBe(false)
    expect(trapped()).toBe('')
  })

  test('by more settings than can be looked through', async () => {
    const place = makeRepository(workspace)
    gitIn(place, 'config', 'filter.x.clean', trap)
    const many = Array.from({ length: 40_000 }, (_, index) => `k${index} = 1\n`)
    writeFileSync(join(place, '.git/config'), `[many]\n${many.join('')}`, { flag: 'a' })
    for (const { text } of (await lookAround(place)).values())
      expect(text).toContain('the settings of this repository cannot be read')
    expect(trapped()).toBe('')
  })

  test('by a folder among its files that is laid out as a repository', async () => {
    const place = makeRepository(workspace)
    const evil = join(place, 'evil')
    cpSync(join(place, '.git'), evil, { recursive: true })
    mkdirSync(join(evil, 'hooks'), { recursive: true })
    cpSync(trap, join(evil, 'hooks/post-index-change'))
    const settings = `[core]\n repositoryformatversion = 0\n bare = false\n worktree = ${place}\n fsmonitor = ${trap}\n[filter "x"]\n clean = ${trap}\n`
    writeFileSync(join(evil, 'config'), settings)
    gitIn(evil, 'status', '--short')
    expect(trapped(), 'the trap works for who does not mind').not.toBe('')
    rmSync(ran)
    for (const [name, { text, isError }] of await lookAround(evil)) {
      expect([name, isError]).toEqual([name, true])
      expect(text).toContain('safe.bareRepository')
    }
    expect(trapped()).toBe('')
  })

  test('by the settings of a repository inside of it', async () => {
    const place = makeRepository(workspace)
    setTraps(makeRepository(join(place, 'inner')))
    const commit = gitIn(join(place, 'inner'), 'rev-parse', 'HEAD').trim()
    gitIn(place, 'update-index', '--add', '--cacheinfo', `160000,${commit},inner`)
    writeFileSync(
      join(place, '.gitmodules'),
      '[submodule "inner"]\n path = inner\n url = ./inner\n ignore = none\n',
    )
    gitIn(place, 'commit', '--quiet', '-m', 'second')
    gitIn(place, 'status')
    expect(trapped(), 'the trap works for who does not mind').not.toBe('')
    rmSync(ran)
    writeFileSync(join(place, 'inner/a.md'), 'four\n')
    for (const { isError } of (await lookAround(place)).values()) expect(isError).toBe(false)
    expect(trapped()).toBe('')
  })

  test('by what it lacks and would have to fetch', async () => {
    const place = makeRepository(workspace)
    const other = makeRepository(join(workspace, 'other'))
    gitIn(place, 'remote', 'add', 'origin', other)
    gitIn(place, 'config', 'remote.origin.promisor', 'true')
    gitIn(place, 'config', 'remote.origin.uploadpack', `echo fetched >> ${ran}; false`)
    gitIn(place, 'config', 'core.repositoryFormatVersion', '1')
    gitIn(place, 'config', 'extensions.partialClone', 'origin')
    const blob = gitIn(place, 'rev-parse', 'HEAD:a.md').trim()
    rmSync(join(place, '.git/objects', blob.slice(0, 2), blob.slice(2)))
    expect(() => gitIn(place, 'show', 'HEAD:a.md')).toThrow(/./)
    expect(trapped(), 'the trap works for who does not mind').not.toBe('')
    rmSync(ran)
    expect(await shown(place)).toMatchObject({ isError: true })
    expect(trapped()).toBe('')
  })

  test('by a driver of differences, though the words of the tool do not forbid it', async () => {
    const place = makeRepository(workspace)
    gitIn(place, 'config', 'diff.y.textconv', trap)
    const text = JSON.stringify({
      tools: [{ name: 'plain_diff' }],
      allowlist: { git: ['diff'] },
      execution: [{ tool: 'plain_diff', binary: 'git', subcommand: 'diff' }],
    })
    const [tool] = await toolsOf(text)
    await tool?.run({}, call)
    expect(trapped()).toBe('')
  })
})

/** A file as of HEAD. */
async function shown(place: string, more: Partial<ExecutorParts> = {}): Promise<ToolResult | undefined> {
  const show = (await toolsOf(shipped, more)).find(({ spec }) => spec.name === 'git_show')
  return show?.run({ revision: 'HEAD:a.md', directory: place }, call)
}

describe('[SAFE3] git does not leave its roots', () => {
  test('to a repository that begins above them', async () => {
    makeRepository(join(folder, 'above'))
    mkdirSync(workspace, { recursive: true })
    expect(await shown(workspace)).toMatchObject({
      isError: true,
      text: expect.stringContaining('not a git repository'),
    })
    const root = join(folder, 'above/code')
    mkdirSync(join(root, 'deep'), { recursive: true })
    const roots = { others: [root] }
    for (const place of [root, join(root, 'deep')])
      expect(await shown(place, { roots })).toMatchObject({ isError: true })
    expect(await shown(join(folder, 'above'), { roots: { others: [join(folder, 'above')] } })).toMatchObject({
      isError: false,
      text: expect.stringContaining('one'),
    })
  })

  test('to a repository that a file names', async () => {
    const other = makeRepository(join(folder, 'other'))
    writeFileSync(join(workspace, '.git'), `gitdir: ${other}/.git\n`)
    expect(await shown(workspace)).toMatchObject({
      isError: true,
      text: expect.stringContaining('its git repository leaves the workspace'),
    })
  })

  test('to a working tree that a setting names', async () => {
    const place = makeRepository(join(workspace, 'clone'))
    mkdirSync(join(folder, 'private'), { recursive: true })
    writeFileSync(join(folder, 'private/a.md'), 'secret\n')
    gitIn(place, 'config', 'core.worktree', folder)
    const results = [...(await lookAround(place)).values()]
    for (const { isError } of results) expect(isError).toBe(true)
    gitIn(place, 'config', 'core.worktree', join(folder, 'private'))
    for (const { isError } of (await lookAround(place)).values()) expect(isError).toBe(true)
  })
})

function borrow(place: string, objects: string): void {
  writeFileSync(join(place, '.git/objects/info/alternates'), `# there\n${objects}\n`)
}

describe('[SAFE3] git reads nothing outside of its roots', () => {
  const secret = join(folder, 'secret')
  writeFileSync(secret, 'secret-line one\n')

  test.each([
    'shallow',
    'packed-refs',
    'config',
    'index',
    'HEAD',
    'objects/info/alternates',
    'objects/pack/pack-1.pack',
    'info/attributes',
    'info/grafts',
    'refs/heads/other',
    'logs/HEAD',
  ])('through a link at .git/%s', async (name) => {
    const place = makeRepository(workspace)
    rmSync(join(place, '.git', name), { force: true })
    symlinkSync(secret, join(place, '.git', name))
    for (const { text } of (await lookAround(place)).values()) {
      expect(text).toMatch(/leaves the workspace|cannot be read|not a git repository/)
      expect(text).not.toContain('secret-line')
    }
  })

  test('through a link to a folder, also behind another one', async () => {
    const place = makeRepository(workspace)
    const near = join(place, 'near')
    mkdirSync(near)
    symlinkSync(near, join(place, '.git/info/near'))
    expect(await shown(place)).toMatchObject({ isError: false })
    symlinkSync(folder, join(near, 'far'))
    expect(await shown(place)).toMatchObject({
      isError: true,
      text: expect.stringContaining('its git repository leaves the workspace'),
    })
  })

  test('because objects are borrowed, but within its roots they may be', async () => {
    const place = makeRepository(join(workspace, 'one'))
    const near = makeRepository(join(workspace, 'two'))
    const far = makeRepository(join(folder, 'far'))
    borrow(place, join(near, '.git/objects'))
    expect(await shown(place)).toMatchObject({ isError: false })
    borrow(near, join(far, '.git/objects'))
    const outside = { isError: true, text: expect.stringContaining('leaves the workspace') }
    expect(await shown(place)).toMatchObject(outside)
    borrow(place, join(far, '.git/objects'))
    expect(await shown(place)).toMatchObject(outside)
    borrow(place, '../../../../../far/.git/objects')
    expect(await shown(place)).toMatchObject(outside)
    borrow(place, `# ${'x'.repeat(64 * 1024)}`)
    expect(await shown(place)).toMatchObject(outside)
  })

  test('because its settings take in others', async () => {
    const place = makeRepository(workspace)
    writeFileSync(join(folder, 'far.ini'), '[user]\nname = B\n')
    gitIn(place, 'config', 'include.path', join(folder, 'far.ini'))
    expect(await shown(place)).toMatchObject({
      isError: true,
      text: expect.stringContaining('its git repository leaves the workspace'),
    })
  })

  test('because .gitmodules is a link', async () => {
    const place = makeRepository(workspace)
    symlinkSync(secret, join(place, '.gitmodules'))
    expect(await shown(place)).toMatchObject({ isError: true, text: expect.stringContaining('leaves') })
  })

  test('and hooks may be links, for they are not run', async () => {
    const place = makeRepository(workspace)
    rmSync(join(place, '.git/hooks'), { recursive: true, force: true })
    symlinkSync(folder, join(place, '.git/hooks'))
    expect(await shown(place)).toMatchObject({ isError: false })
  })

  test('and an error repeats no line of a file, when a link is put there behind the check', async () => {
    const place = makeRepository(workspace)
    for (const name of ['shallow', 'packed-refs', 'objects/info/alternates', 'info/grafts']) {
      const file = join(place, '.git', name)
      const run: typeof runProgram = (order) => {
        if (!['rev-parse', 'config'].includes(order.argv[0] ?? '')) symlinkSync(secret, file)
        return runProgram(order)
      }
      const text = (await shown(place, { run }))?.text
      expect([name, text]).toEqual([name, expect.stringMatching(/(?:line|line in|directory|data) …/)])
      expect(text).not.toContain('secret-line')
      rmSync(file)
    }
  })

  test.each([
    ['blame.ignoreRevsFile', 'blame', 'a.md'],
    ['fsck.skipList', 'fsck', '--no-progress'],
  ])('and an error repeats no line of the file that %s names', async (setting, subcommand, value) => {
    const place = makeRepository(workspace)
    gitIn(place, 'config', setting, secret)
    const [tool] = await toolsOf(
      JSON.stringify({
        tools: [{ name: 'any_git' }],
        allowlist: { git: [subcommand] },
        execution: [{ tool: 'any_git', binary: 'git', subcommand, args: [{ kind: 'literal', value }] }],
      }),
    )
    const text = (await tool?.run({}, call))?.text
    expect(text).toContain('invalid object name …')
    expect(text).not.toContain('secret-line')
  })
})

test('other programs get the environment as it is', () => {
  expect(hardened('cal', { PATH: '/bin' })).toEqual({ PATH: '/bin' })
  expect(hardened('git', { PATH: '/bin' }, { workspace: '/no/where' })).toMatchObject({
    PATH: '/bin',
    GIT_CONFIG_KEY_0: 'core.fsmonitor',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_CEILING_DIRECTORIES: '/no',
  })
  expect(hardened('constructor', {})).toEqual({})
})
