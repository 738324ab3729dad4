import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isProtectedIn } from './protected-files.ts'

function workspace(): string {
  const home = mkdtempSync(join(tmpdir(), 'mainstem-protected-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  mkdirSync(join(home, 'workspace'))
  return join(home, 'workspace')
}

test('[SAFE4] what says who the agent is, what it knows and how skills work is protected, in any case of letters', () => {
  const isProtected = isProtectedIn(workspace(), () => [])
  const held = ['AGENTS.md', 'agents.md', 'Agents.MD', 'memory.md', 'MEMORY.md', 'SKILL.md', 'a/b/skill.md']
  expect(held.filter((path) => !isProtected(path))).toEqual([])
  const free = ['notes/agents.md', 'notes/memory.md', 'agents.md.md', 'skill.md/x.md', 'my-skill.md']
  expect(free.filter(isProtected)).toEqual([])
})

test('[SAFE4] a directory of skills in the workspace is protected with all in it, and its neighbours are not', () => {
  const root = workspace()
  const isProtected = isProtectedIn(root, () => [join(root, 'My', 'Skills')])
  expect(['my/skills/x/reference.md', 'MY/SKILLS/y.md'].every(isProtected)).toBe(true)
  expect(['my/skills-2/x.md', 'my/x.md', 'skills/x.md'].some(isProtected)).toBe(false)
})

test('[SAFE4] a directory of skills that leads into the workspace by a link is protected where it really is', () => {
  const root = workspace()
  mkdirSync(join(root, 'real'))
  symlinkSync(join(root, 'real'), join(root, '..', 'skills'))
  const isProtected = isProtectedIn(root, () => [join(root, '..', 'skills'), '/nowhere/at/all'])
  expect(isProtected('real/x/reference.md')).toBe(true)
  expect(isProtected('other/x.md')).toBe(false)
})

test('[SAFE4] where the workspace itself is a directory of skills, all of it is protected; asked anew each time', () => {
  const root = workspace()
  let directories: string[] = []
  const isProtected = isProtectedIn(root, () => directories)
  expect(isProtected('notes/a.md')).toBe(false)
  directories = [root]
  expect(isProtected('notes/a.md')).toBe(true)
})
