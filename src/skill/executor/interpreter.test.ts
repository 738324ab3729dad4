import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import type { BranchId, TurnId } from '../../event/id.ts'
import { minimalEnvironment } from '../../tool/process/minimal-environment.ts'
import { type ExecutorParts, loadTools } from './load-tools.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'interpreter-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const [workspace, skill] = [join(folder, 'workspace'), join(folder, 'skill')]
mkdirSync(workspace)
mkdirSync(join(skill, 'scripts'), { recursive: true })
symlinkSync(process.execPath, join(folder, 'node'))
writeFileSync(join(folder, 'elsewhere.js'), '')
const file = join(skill, 'scripts/count.js')

function write(code: string): void {
  writeFileSync(file, code)
}

function made(more: JsonObject = {}, parts: Partial<ExecutorParts> = {}) {
  const subcommands = ['count.js', 'scripts/count.js', 'missing.js', 'linked.js', '/etc/x.js', '../x.js']
  const text = JSON.stringify({
    tools: [{ name: 't', parameters: { properties: { q: { type: 'string' }, dir: { type: 'string' } } } }],
    allowlist: { node: subcommands },
    execution: [{ tool: 't', binary: 'node', subcommand: 'count.js', args: [{ param: 'q' }], ...more }],
  })
  return loadTools(
    { text, skill: 'notes', directory: skill },
    {
      allowScripts: true,
      workspace,
      environment: minimalEnvironment(process.env),
      findBinary: () => join(folder, 'node'),
      ...parts,
    },
  )
}

const call = { branch: 'b' as BranchId, turn: 't' as TurnId, signal: new AbortController().signal }

describe('[SAFE3] an interpreter', () => {
  test.each(['count.js', 'scripts/count.js'])(
    'runs %s of the skill, by its whole path',
    async (subcommand) => {
      write('console.log("mine", process.argv[2])')
      writeFileSync(join(workspace, 'count.js'), 'console.log("planted")')
      const tools = await made({ subcommand })
      if ('problem' in tools) throw new Error(tools.problem)
      expect(tools.plan('t', { q: 'x' })).toMatchObject({ argv: [file, 'x'] })
      expect((await tools.tools[0]?.run({ q: 'x' }, call))?.text).toContain('mine x')
    },
  )

  test('runs it as it was when it was allowed, and no other', async () => {
    write('1')
    const [before, after] = [await made(), (write('2'), await made())]
    if ('problem' in before || 'problem' in after) throw new Error('not loaded')
    expect(before.tools[0]?.nature.fingerprint).not.toBe(after.tools[0]?.nature.fingerprint)
    expect(before.tools[0]?.check?.({ q: 'x' })).toContain('scripts/count.js of the skill notes has changed')
  })

  test.for<[string, JsonObject, Partial<ExecutorParts>, string]>([
    ['while scripts are off', {}, { allowScripts: false }, 'scripts of skills are off'],
    ['without that file', { subcommand: 'missing.js' }, {}, 'there is no file scripts/missing.js'],
    ['through a link out of it', { subcommand: 'linked.js' }, {}, 'leads out of scripts/'],
    ['elsewhere', { subcommand: '/etc/x.js' }, {}, 'has to be fixed and name a file'],
    ['above', { subcommand: '../x.js' }, {}, 'has to be fixed and name a file'],
    [
      'in a folder that a model chooses',
      { args: [{ param: 'dir', kind: 'workingdir' }] },
      {},
      'working directory',
    ],
    [
      'for a value that it resolves',
      {
        args: [{ param: 'q', resolveCommand: { binary: 'node', subcommand: 'count.js', args: ['$param'] } }],
      },
      {},
      'use a script of the skill instead',
    ],
  ])('is refused %s', async ([, more, parts, problem]) => {
    write('1')
    rmSync(join(skill, 'scripts/linked.js'), { force: true })
    symlinkSync(join(folder, 'elsewhere.js'), join(skill, 'scripts/linked.js'))
    expect(await made(more, parts)).toEqual({ problem: expect.stringContaining(problem) })
  })
})
