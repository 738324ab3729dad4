import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import type { BranchId, TurnId } from '../../event/id.ts'
import { findBinary } from '../../tool/process/find-binary.ts'
import { minimalEnvironment } from '../../tool/process/minimal-environment.ts'
import type { ToolResult } from '../../tool/tool.ts'
import { hardened } from './hardening.ts'
import { type ExecutorParts, loadTools } from './load-tools.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mainstem-hardening-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const workspace = join(folder, 'above/workspace')
const trap = join(folder, 'trap')
const ran = join(folder, 'ran')
writeFileSync(trap, `#!/bin/sh\necho "$0 $@" >> ${ran}\ncat 2>/dev/null\nexit 0\n`)
chmodSync(trap, 0o755)

const environment: Readonly<Record<string, string>> = { ...minimalEnvironment(process.env), HOME: folder }

function gitIn(cwd: string, ...words: string[]): string {
  return execFileSync('git', words, { cwd, env: environment, encoding: 'utf8', stdio: 'pipe' })
}

/** A repository with one commit and one file changed since. */
function makeRepository(place: string): string {
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  gitIn(place, 'init', '--quiet', '--initial-branch=main')
  gitIn(place, 'config', 'user.email', 'a@example.com')
  gitIn(place, 'config', 'user.name', 'A')
  writeFileSync(join(place, 'a.md'), 'one\n')
  writeFileSync(join(place, '.gitattributes'), '*.md filter=x diff=y\n')
  gitIn(place, 'add', '.')
  gitIn(place, 'commit', '--quiet', '-m', 'first')
  writeFileSync(join(place, 'a.md'), 'two\n')
  return place
}

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

const directory = fileURLToPath(new URL('../../../skills/git/', import.meta.url))
const shipped = readFileSync(join(directory, 'tools.json'), 'utf8')

async function toolsOf(text: string, more: Partial<ExecutorParts> = {}) {
  const find = (name: string): string | undefined => findBinary(name, environment['PATH'] ?? '')
  const parts = { allowScripts: false, workspace, environment, findBinary: find, ...more }
  const loaded = await loadTools({ text, skill: 'git', directory }, parts)
  if ('problem' in loaded) throw new Error(loaded.problem)
  return loaded.tools
}

const call = {
  branch: 'br_0n5f8k2q1k3f9ab' as BranchId,
  turn: 'tn_0n5f8k2q1k3f9ab' as TurnId,
  signal: new AbortController().signal,
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

function trapped(): string {
  return existsSync(ran) ? readFileSync(ran, 'utf8') : ''
}

beforeEach(() => {
  rmSync(join(folder, 'above'), { recursive: true, force: true })
  mkdirSync(workspace, { recursive: true })
  rmSync(ran, { force: true })
})

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

test('other programs get the environment as it is', () => {
  expect(hardened('cal', { PATH: '/bin' })).toEqual({ PATH: '/bin' })
  expect(hardened('git', { PATH: '/bin' }, { workspace: '/no/where' })).toMatchObject({
    PATH: '/bin',
    GIT_CONFIG_KEY_0: 'core.fsmonitor',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_CEILING_DIRECTORIES: '/no',
    GIT_NO_LAZY_FETCH: '1',
  })
  expect(hardened('constructor', {})).toEqual({})
})
