import { cpSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { call, openGitFolder } from '../../../test/fixtures/skills/git-folder.ts'
import { runProgram, type ProgramOrder } from '../../tool/process/run-program.ts'
import type { ToolResult } from '../../tool/tool.ts'
import { GIT_NAMES, GIT_SETTINGS, REPOSITORY_SETTINGS } from './hardening.ts'

const { folder, gitIn, makeRepository, toolsOf, trap, trapped, workspace } = openGitFolder()

/** What a repository would do without the setting. */
interface Scene {
  /** The repository's own settings. */
  readonly settings?: Readonly<Record<string, string>>
  readonly prepare?: (place: string) => void
  /** The words after git. */
  readonly argv: readonly string[]
  readonly stdin?: string
  /** The folder in the repository where git runs. */
  readonly directory?: string
  readonly check?: (result: ToolResult, place: string) => void
}

const outside = join(folder, 'outside')

/** A tool that runs these words, as somebody's tools.json may have it. */
async function runGit(
  place: string,
  { argv: [subcommand = '', ...words], stdin, directory = '.' }: Scene,
  run = runProgram,
): Promise<ToolResult> {
  const literals = words.map((value) => ({ kind: 'literal', value }))
  const properties = { input: { type: 'string' }, directory: { type: 'string' } }
  const args = [...literals, { param: 'input', kind: 'stdin' }, { param: 'directory', kind: 'workingdir' }]
  const text = JSON.stringify({
    tools: [{ name: 'any_git', parameters: { type: 'object', properties } }],
    allowlist: { git: [subcommand] },
    execution: [{ tool: 'any_git', binary: 'git', subcommand, args }],
  })
  const [tool] = await toolsOf(text, { run })
  if (tool === undefined) throw new Error('there is one tool')
  return tool.run({ directory: join(place, directory), ...(stdin !== undefined && { input: stdin }) }, call)
}

/** Adds a repository inside, as a submodule whose settings name a program. */
function addInner(place: string, ignore?: string): void {
  const inner = makeRepository(join(place, 'inner'))
  gitIn(inner, 'config', 'filter.x.clean', trap)
  gitIn(inner, 'config', 'diff.y.textconv', trap)
  const commit = gitIn(inner, 'rev-parse', 'HEAD').trim()
  gitIn(place, 'update-index', '--add', '--cacheinfo', `160000,${commit},inner`)
  gitIn(place, 'commit', '--quiet', '-m', 'second')
  if (ignore !== undefined)
    writeFileSync(
      join(place, '.gitmodules'),
      `[submodule "in.ner"]\n path = inner\n url = ./inner\n ignore = ${ignore}\n`,
    )
  // As long as what is committed, so that git has to read it.
  writeFileSync(join(inner, 'a.md'), 'six\n')
}

/** Makes the newest commit a signed one. */
function sign(place: string, kind: string): void {
  const [head = '', ...message] = gitIn(place, 'cat-file', 'commit', 'HEAD').split('\n\n')
  const signature = `gpgsig -----BEGIN ${kind}-----\n \n AAAA\n -----END ${kind}-----`
  writeFileSync(join(place, 'commit'), `${head}\n${signature}\n\n${message.join('\n\n')}`)
  gitIn(place, 'update-ref', 'HEAD', gitIn(place, 'hash-object', '-t', 'commit', '-w', 'commit').trim())
}

function outsideFile(text: string): string {
  writeFileSync(outside, text)
  return outside
}

const isFine = ({ text, isError }: ToolResult): void => {
  expect([isError, text]).toEqual([false, text])
  expect(text).not.toContain('secret')
}

const SETTINGS: Readonly<Record<string, Scene>> = {
  'core.fsmonitor': { settings: { 'core.fsmonitor': trap }, argv: ['status'] },
  'core.hooksPath': {
    prepare: (place) => cpSync(trap, join(place, '.git/hooks/pre-commit')),
    argv: ['commit', '--allow-empty', '-m', 'x'],
  },
  'diff.ignoreSubmodules': { prepare: (place) => addInner(place), argv: ['status'] },
  'log.showSignature': {
    settings: { 'log.showSignature': 'true' },
    prepare: (place) => sign(place, 'PGP SIGNATURE'),
    argv: ['log'],
    check: ({ text }) => expect(text).not.toMatch(/gpg|signature/),
  },
  'safe.bareRepository': {
    prepare: (place) => gitIn(place, 'init', '--quiet', '--bare', 'bare'),
    argv: ['log'],
    directory: 'bare',
    check: ({ text }) => expect(text).toContain('safe.bareRepository'),
  },
  'status.submoduleSummary': {
    settings: { 'status.submoduleSummary': 'true' },
    prepare: (place) => {
      addInner(place)
      gitIn(join(place, 'inner'), 'config', '--unset', 'filter.x.clean')
      gitIn(join(place, 'inner'), 'commit', '--quiet', '--allow-empty', '-m', 'secret subject')
    },
    argv: ['status'],
    check: ({ text }) => expect(text).not.toContain('secret subject'),
  },
  'submodule.recurse': {
    settings: { 'submodule.recurse': 'true', 'submodule.in.ner.active': 'true' },
    prepare: (place) => addInner(place, 'all'),
    argv: ['grep', 'six'],
    check: ({ text }) => expect(text).not.toContain('inner/a.md'),
  },
}

const NAMES: Readonly<Record<string, Scene>> = {
  GIT_ALLOW_PROTOCOL: {
    prepare: (place) => gitIn(place, 'remote', 'add', 'origin', makeRepository(join(folder, 'far'))),
    argv: ['ls-remote', 'origin'],
    check: ({ isError, text }) =>
      expect([isError, text]).toEqual([true, expect.stringContaining("'file' not allowed")]),
  },
  GIT_EDITOR: { settings: { 'core.editor': trap }, argv: ['commit', '--allow-empty'] },
  GIT_OPTIONAL_LOCKS: {
    prepare: (place) => utimesSync(join(place, '.gitattributes'), 1, 1),
    argv: ['status'],
    check: (_, place) => {
      const index = readFileSync(join(place, '.git/index'))
      gitIn(place, 'status')
      expect(readFileSync(join(place, '.git/index')).equals(index), 'git itself writes it').toBe(false)
    },
  },
  GIT_SEQUENCE_EDITOR: {
    settings: { 'sequence.editor': trap },
    prepare: (place) => gitIn(place, 'checkout', '--quiet', '--', '.'),
    argv: ['rebase', '--interactive', '--root'],
  },
}

const driver = (name: string): Scene => ({ settings: { [name]: trap }, argv: ['diff'] })

const REPOSITORY: Readonly<Record<string, Scene>> = {
  'alias.*': { settings: { 'alias.st': `!${trap}` }, argv: ['st'] },
  'commit.template': {
    settings: { 'commit.template': outside },
    prepare: () => outsideFile('secret\n'),
    argv: ['commit', '--allow-empty'],
    check: (_, place) =>
      expect(readFileSync(join(place, '.git/COMMIT_EDITMSG'), 'utf8')).not.toContain('secret'),
  },
  'core.alternaterefscommand': {
    settings: { 'core.alternateRefsCommand': trap },
    prepare: (place) => {
      const other = makeRepository(join(place, 'other'))
      writeFileSync(join(place, '.git/objects/info/alternates'), `${other}/.git/objects\n`)
    },
    argv: ['rev-list', '--alternate-refs'],
  },
  'core.attributesfile': {
    settings: { 'core.attributesFile': outside },
    prepare: () => outsideFile('*.md secret\n'),
    argv: ['check-attr', '-a', 'a.md'],
    check: isFine,
  },
  'core.excludesfile': {
    settings: { 'core.excludesFile': outside },
    prepare: () => outsideFile('secret*\n'),
    argv: ['check-ignore', '-v', 'secrets.md'],
    check: ({ text }) => expect(text).not.toContain('secret*'),
  },
  'diff.*.command': driver('diff.y.command'),
  'diff.*.textconv': driver('diff.y.textconv'),
  'diff.external': driver('diff.external'),
  'diff.orderfile': {
    settings: { 'diff.orderFile': outside },
    prepare: (place) => {
      outsideFile('b.md\n')
      writeFileSync(join(place, 'b.md'), 'b\n')
      gitIn(place, 'add', 'b.md')
    },
    argv: ['diff', 'HEAD', '--name-only'],
    check: ({ text }) => expect(text).toMatch(/a\.md.*b\.md/s),
  },
  'filter.*.clean': driver('filter.x.clean'),
  'filter.*.process': driver('filter.x.process'),
  'filter.*.required': {
    settings: { 'filter.x.required': 'true', 'filter.x.clean': trap },
    argv: ['diff'],
    check: isFine,
  },
  'filter.*.smudge': { settings: { 'filter.x.smudge': trap }, argv: ['checkout', '--', 'a.md'] },
  'format.signaturefile': {
    settings: { 'format.signatureFile': outside },
    prepare: () => outsideFile('secret\n'),
    argv: ['format-patch', '--stdout', '-1'],
    check: isFine,
  },
  'gpg.*.program': {
    settings: { 'gpg.x509.program': trap },
    prepare: (place) => sign(place, 'SIGNED MESSAGE'),
    argv: ['log', '--show-signature'],
  },
  'gpg.program': {
    settings: { 'gpg.program': trap },
    prepare: (place) => sign(place, 'PGP SIGNATURE'),
    argv: ['log', '--show-signature'],
  },
  'gpg.ssh.defaultkeycommand': {
    settings: { 'gpg.format': 'ssh', 'gpg.ssh.defaultKeyCommand': trap },
    argv: ['commit', '--allow-empty', '-S', '-m', 'x'],
  },
  'mailmap.file': {
    settings: { 'mailmap.file': outside },
    prepare: () => outsideFile('secret <a@example.com>\n'),
    argv: ['log', '--format=%aN'],
    check: isFine,
  },
  'merge.*.driver': {
    settings: { 'merge.z.driver': `${trap} %O %A %B` },
    prepare: (place) => {
      gitIn(place, 'commit', '--quiet', '-am', 'second')
      gitIn(place, 'checkout', '--quiet', '-b', 'other', 'HEAD~1')
      writeFileSync(join(place, 'a.md'), 'three\n')
      writeFileSync(join(place, '.gitattributes'), '*.md merge=z\n')
      gitIn(place, 'commit', '--quiet', '-am', 'third')
    },
    argv: ['merge', 'main'],
  },
  'submodule.*.ignore': { prepare: (place) => addInner(place, 'none'), argv: ['status'] },
  'tar.*.command': { settings: { 'tar.x.command': trap }, argv: ['archive', '--format=x', 'HEAD'] },
  'trailer.*.cmd': {
    settings: { 'trailer.k.cmd': trap },
    argv: ['interpret-trailers', '--trailer', 'k=v'],
    stdin: 'a subject\n',
  },
  'trailer.*.command': {
    settings: { 'trailer.k.command': trap },
    argv: ['interpret-trailers', '--trailer', 'k=v'],
    stdin: 'a subject\n',
  },
}

/** For these, what git would do cannot be shown with every git, so only what it is told is checked. */
const TOLD = { 'gc.recentobjectshook': '', 'gpg.ssh.allowedsignersfile': '/dev/null', 'hook.*': '' }

describe('[SAFE3] without one of its settings, git would do what a repository says', () => {
  test('so each of them is tried', () => {
    expect(Object.keys(SETTINGS)).toEqual(Object.keys(GIT_SETTINGS))
    expect(Object.keys(NAMES)).toEqual(Object.keys(GIT_NAMES))
    expect([...Object.keys(REPOSITORY), ...Object.keys(TOLD)].toSorted()).toEqual(
      Object.keys(REPOSITORY_SETTINGS).toSorted(),
    )
  })

  test.each(Object.entries({ ...SETTINGS, ...NAMES, ...REPOSITORY }))(
    '%s: nothing happens',
    async (_, scene) => {
      const place = makeRepository(workspace)
      scene.prepare?.(place)
      for (const [key, value] of Object.entries(scene.settings ?? {})) gitIn(place, 'config', key, value)
      const result = await runGit(place, scene)
      expect(trapped()).toBe('')
      scene.check?.(result, place)
    },
  )

  test.each(['index', 'commit'] as const)(
    'and submodules are not looked into that only its %s names',
    async (where) => {
      const place = makeRepository(workspace)
      addInner(place, 'none')
      gitIn(place, 'add', '.gitmodules')
      if (where === 'commit') {
        gitIn(place, 'commit', '--quiet', '-m', 'third')
        gitIn(place, 'rm', '--quiet', '--cached', '.gitmodules')
      }
      rmSync(join(place, '.gitmodules'))
      await runGit(place, { argv: ['status'] })
      expect(trapped()).toBe('')
    },
  )

  test.each(Object.entries(TOLD))('%s: git is told otherwise', async (form, told) => {
    const key = form.replace('*', 'x.command')
    const place = makeRepository(workspace)
    gitIn(place, 'config', key, trap)
    const orders: ProgramOrder[] = []
    await runGit(place, { argv: ['status'] }, (order) => {
      orders.push(order)
      return runProgram(order)
    })
    const { env = {} } = orders.at(-1) ?? {}
    const [name = ''] = Object.entries(env).find(([, value]) => value === key) ?? []
    expect(env[name.replace('KEY', 'VALUE')]).toBe(told)
  })
})
