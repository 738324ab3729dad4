import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type { BranchId, TurnId } from '../../event/id.ts'
import { findBinary } from '../../tool/process/find-binary.ts'
import { minimalEnvironment } from '../../tool/process/minimal-environment.ts'
import { hardened } from './hardening.ts'
import { loadTools } from './load-tools.ts'

const folder = mkdtempSync(join(tmpdir(), 'mainstem-hardening-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const workspace = join(folder, 'workspace')
mkdirSync(workspace)
const trap = join(folder, 'trap')
const ran = join(folder, 'ran')
writeFileSync(trap, `#!/bin/sh\necho "$0 $@" >> ${ran}\ncat 2>/dev/null\nexit 0\n`)
chmodSync(trap, 0o755)

const environment = minimalEnvironment(process.env)
const git = (...words: string[]): string =>
  execFileSync('git', words, { cwd: workspace, env: { ...environment, HOME: folder }, encoding: 'utf8' })

function makeTrappedRepository(): void {
  git('init', '--quiet', '--initial-branch=main')
  git('config', 'user.email', 'a@example.com')
  git('config', 'user.name', 'A')
  writeFileSync(join(workspace, 'a.md'), 'one\n')
  git('add', '.')
  git('commit', '--quiet', '-m', 'first')
  writeFileSync(join(workspace, 'a.md'), 'two\n')
  git('config', 'core.fsmonitor', trap)
  git('config', 'diff.external', trap)
  git('config', 'core.pager', trap)
  git('config', 'log.showSignature', 'true')
  git('config', 'gpg.program', trap)
  git('config', 'core.hooksPath', folder)
}

test('[SAFE3] what a repository tells git to run is not run by the tools that come along', async () => {
  makeTrappedRepository()
  git('status', '--short')
  expect(existsSync(ran), 'the trap works for who does not mind').toBe(true)
  rmSync(ran)

  const directory = fileURLToPath(new URL('../../../skills/git/', import.meta.url))
  const text = readFileSync(join(directory, 'tools.json'), 'utf8')
  const find = (name: string): string | undefined => findBinary(name, environment['PATH'] ?? '')
  const file = { text, skill: 'git', directory }
  const parts = {
    allowScripts: false,
    workspace,
    environment: { ...environment, HOME: folder },
    findBinary: find,
  }
  const loaded = await loadTools(file, parts)
  if ('problem' in loaded) throw new Error(loaded.problem)
  const call = {
    branch: 'br_0n5f8k2q1k3f9ab' as BranchId,
    turn: 'tn_0n5f8k2q1k3f9ab' as TurnId,
    signal: new AbortController().signal,
  }
  const args = {
    git_status: {},
    git_log: { count: 1 },
    git_diff: {},
    git_show: { revision: 'HEAD' },
    git_branches: {},
  }
  for (const { spec, run } of loaded.tools) {
    const result = await run(args[spec.name as keyof typeof args], call)
    expect([spec.name, result.isError]).toEqual([spec.name, false])
  }
  expect(existsSync(ran), existsSync(ran) ? readFileSync(ran, 'utf8') : '').toBe(false)
})

test('other programs get the environment as it is', () => {
  expect(hardened('cal', { PATH: '/bin' })).toEqual({ PATH: '/bin' })
  expect(hardened('git', { PATH: '/bin' })).toMatchObject({
    PATH: '/bin',
    GIT_CONFIG_KEY_0: 'core.fsmonitor',
  })
  expect(hardened('constructor', {})).toEqual({})
})
