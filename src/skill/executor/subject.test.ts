import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import { loadTools } from './load-tools.ts'

const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'subject-')))
afterAll(() => rmSync(workspace, { recursive: true, force: true }))
mkdirSync(join(workspace, 'in/deep'), { recursive: true })
symlinkSync('in', join(workspace, 'link-in'))

/** The subjects of calls of one tool with this execution. */
async function subjects(execution: JsonObject): Promise<(args: JsonObject) => string | undefined> {
  const properties = { q: {}, p: {}, dir: {}, text: {} }
  const text = JSON.stringify({
    tools: [{ name: 't', parameters: { properties } }],
    allowlist: { tell: ['', 'all'], act: ['run'] },
    execution: [{ tool: 't', binary: 'tell', ...execution }],
  })
  const parts = {
    allowScripts: false,
    workspace,
    environment: {},
    findBinary: (name: string) => `/bin/${name}`,
  }
  const loaded = await loadTools({ text, skill: 's', directory: '/nowhere' }, parts)
  if ('problem' in loaded) throw new Error(loaded.problem)
  const nature = loaded.tools[0]?.nature
  return (args) => nature?.subjectOf?.(args)
}

describe('a subject', () => {
  const execution = {
    args: [{ param: 'q' }, { param: 'text', kind: 'stdin' }, { param: 'dir', kind: 'workingdir' }],
    subcommand: 'all',
  }

  test.each<[JsonObject, string]>([
    [{ q: 'x' }, 'all x'],
    [{ q: 'x', dir: '.' }, 'all x'],
    [{ q: 'x', dir: 'link-in/deep' }, `all x in ${join(workspace, 'in/deep')}`],
    [{ q: 'x', text: 'rm "all"\n' }, String.raw`all x < "rm \"all\"\n"`],
    [{ q: 'x', text: '' }, 'all x < ""'],
    [{ q: 'x', text: 'y', dir: 'in' }, `all x in ${join(workspace, 'in')} < "y"`],
    [{ q: 'in' }, 'all "in"'],
    [{ q: '<' }, 'all "<"'],
    [{ q: 'x', text: 'y'.repeat(5_000) }, `all x < "${'y'.repeat(5_000)}"`],
  ])('[PERM1] says all that a person approves: %j', async (args, subject) =>
    expect((await subjects(execution))(args)).toBe(subject),
  )

  test('[PERM1] says the folder that was given where another is made of it', async () => {
    const resolveCommand = { binary: 'act', subcommand: 'run', args: ['0', '$param'] }
    const moved = { args: [{ param: 'dir', kind: 'workingdir', resolveCommand }] }
    expect((await subjects(moved))({ dir: 'the desk' })).toBe('in "the desk"')
  })

  test('[PERM1] is the same for no two calls that differ', async () => {
    const subjectOf = await subjects({ ...execution, args: [...execution.args, { param: 'p' }] })
    const calls = [
      { q: 'x', p: 'in', dir: 'in' },
      { q: 'x', p: 'in' },
      { q: 'x', p: `in ${workspace}/in` },
      { q: 'x in', p: `${workspace}/in` },
      { q: 'x', p: '< "y"' },
      { q: 'x', p: '<', text: 'y' },
      { q: 'x <', p: 'y' },
    ]
    expect(new Set(calls.map((args) => subjectOf(args))).size).toBe(calls.length)
  })
})
