import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { stage } from '../../../test/agent/stage.ts'
import { rightValues } from '../../config/config.ts'
import type { TurnId } from '../../event/id.ts'
import type { CallContext, Tool } from '../../tool/tool.ts'
import { Toolbox } from './toolbox.ts'
import { prepareHome } from '../home/workspace.ts'

const ROUTINE = '---\ncron: 0 8 * * *\nallowed-tools: mcp__mail__send\n---\nLook at the news.\n'

/** The tools of a home, and what they proposed. */
async function tools(flags: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'mainstem-guard-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  prepareHome(home)
  const at = await stage()
  onTestFinished(() => at.close())
  const proposed: unknown[] = []
  const toolbox = new Toolbox({
    home,
    log: at.log,
    values: () => rightValues({ home, environment: {}, flags }),
    environment: {},
    own: [],
    propose: async (_, proposal) => proposed.push(proposal),
    warn: () => undefined,
    now: () => at.clock.now(),
    sleep: at.clock.sleep,
  })
  onTestFinished(() => toolbox.close())
  await toolbox.read('files')
  const write = toolbox.tools().find(({ spec }) => spec.name === 'write') as Tool
  const call: CallContext = {
    branch: await at.branch(),
    turn: 't' as TurnId,
    signal: new AbortController().signal,
  }
  return { home, proposed, write: (path: string, content: string) => write.run({ path, content }, call) }
}

test('[SAFE4] the tools of a home propose a job with rights that nobody gave', async () => {
  const { home, proposed, write } = await tools()
  const { text } = await write('routines/brief.md', ROUTINE)
  expect(text).toContain('it may call mcp__mail__send')
  const why = 'asks for more than this session may do without asking: it may call mcp__mail__send'
  expect(proposed).toEqual([
    { kind: 'file', path: 'routines/brief.md', before: undefined, after: ROUTINE, why },
  ])
  expect(existsSync(join(home, 'workspace/routines/brief.md'))).toBe(false)
})

test('the tools of a home write a job at once where main may do what it does', async () => {
  const { home, proposed, write } = await tools()
  await write('routines/brief.md', ROUTINE.replace('mcp__mail__send', 'web_fetch, write'))
  expect(proposed).toEqual([])
  expect(existsSync(join(home, 'workspace/routines/brief.md'))).toBe(true)
})

test('[SAFE4] the mode of permissions counts as it is configured', async () => {
  const { proposed, write } = await tools({ permissions: 'bypassPermissions' })
  await write('routines/brief.md', ROUTINE)
  expect(proposed).toEqual([])
})
