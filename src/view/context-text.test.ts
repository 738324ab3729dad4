import { expect, test } from 'vitest'
import { ruled } from '../../test/agent/rig.ts'
import { startRun } from '../../test/agent/run-rig.ts'
import { memoryWorkspace } from '../../test/agent/stage.ts'
import type { BranchId } from '../event/id.ts'
import { systemText } from '../runtime/tool/system-text.ts'
import type { SkillContextMode } from '../skill/skill.ts'
import { contextText } from './context-text.ts'
import { contextView } from './context.ts'

const MEMORY = '# Memory\n\n- likes   tea\n'
const git = { name: 'git', description: 'History.', body: 'Use git.' }
const system = (memory: string, skills: (typeof git)[], mode: SkillContextMode = 'full') =>
  systemText({ agents: 'You.', memory, skills, mode }).system

/** Of a main with this, and of an isolated run that was given `own`. */
async function systemLines(text: string, own: string): Promise<string[]> {
  const workspace = memoryWorkspace(new Map([['memory.md', MEMORY]]))
  const at = await ruled(() => ({ text: 'ok' }), { system: text, workspace })
  const run = await startRun(at, { isolated: true, setup: { system: own, tools: '[]' } })
  const lineOf = (branch: BranchId) =>
    at.read((reader) => {
      const shown = contextText(
        contextView(reader, { branch, settings: at.settings, tokensMax: 1_000, price: undefined }),
      )
      return /^ {2}system +\d+ {2}(.*), \d+ characters$/m.exec(shown)?.[1] ?? ''
    })
  const lines = [await lineOf(await at.branch()), await lineOf(run)]
  await at.close()
  return lines
}

test('the system text is said to be made of what it is made of, in main and in an isolated run', async () => {
  expect(await systemLines(system('', []), system('', []))).toEqual(['AGENTS.md', 'AGENTS.md'])
  expect(await systemLines(system(MEMORY, [git]), system(MEMORY, []))).toEqual([
    'AGENTS.md, memory and skills',
    'AGENTS.md and memory',
  ])
  expect(await systemLines(system('', [git]), system(MEMORY, [git], 'readOnDemand'))).toEqual([
    'AGENTS.md and skills',
    "AGENTS.md, memory and the job's skills",
  ])
})
