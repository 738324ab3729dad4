import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { BranchId, TurnId } from '../../event/id.ts'
import { fileTools } from '../../tool/files/file-tools.ts'
import { openWorkspace } from '../../tool/files/workspace.ts'
import { isProtectedIn } from './protected-files.ts'

function workspace(): string {
  const home = mkdtempSync(join(tmpdir(), 'mainstem-protected-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  mkdirSync(join(home, 'workspace'))
  return join(home, 'workspace')
}

/** What a write to the place did: `proposed` or `written`. */
async function wrote(root: string, place: string, directories: readonly string[]): Promise<string> {
  const proposed: string[] = []
  const [, write] = fileTools({
    workspace: openWorkspace(root),
    isProtected: isProtectedIn(root, () => directories),
    propose: async (_, { path }) => proposed.push(path),
  })
  const before = existsSync(join(root, place)) ? readFileSync(join(root, place), 'utf8') : undefined
  const { signal } = new AbortController()
  const call = { branch: 'b' as BranchId, turn: 't' as TurnId, signal }
  await write?.run({ path: place, content: 'all rights' }, call)
  const after = existsSync(join(root, place)) ? readFileSync(join(root, place), 'utf8') : undefined
  expect(after === before).toBe(proposed.length === 1)
  return proposed.length === 1 ? 'proposed' : 'written'
}

function linked(root: string, links: Readonly<Record<string, string>>): void {
  for (const [from, to] of Object.entries(links)) {
    mkdirSync(dirname(join(root, from)), { recursive: true })
    symlinkSync(join(root, to), join(root, from))
  }
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

describe('a link that begins where nobody lists it', () => {
  test.each([
    ['a SKILL.md of the home', { '../skills/linked/SKILL.md': 'notes/x.md' }, 'notes/x.md'],
    ['a SKILL.md that is not there yet', { '../skills/linked/SKILL.md': 'new/x.md' }, 'new/x.md'],
    ['by way of a link in the workspace', { '../skills/l/SKILL.md': 'alias', alias: 'new/x.md' }, 'new/x.md'],
    ['the folder of a skill', { '../skills/deck': 'deck' }, 'deck/reference.md'],
    ['the folder of a skill that is not there yet', { '../skills/deck': 'later' }, 'later/more/a.md'],
    ['the tools of a skill', { '../skills/deck/tools.json': 'notes/x.md' }, 'notes/x.md'],
    ['the scripts of a skill', { '../skills/deck/scripts': 'deck' }, 'deck/run.md'],
    ['a text of a skill', { '../skills/deck/texts/more/a.md': 'notes/x.md' }, 'notes/x.md'],
    ['a text behind a folder', { '../skills/deck': 'deck', 'deck/in': 'notes' }, 'notes/x.md'],
    ['a SKILL.md in a hidden directory', { '.skills/x/SKILL.md': 'notes/x.md' }, 'notes/x.md'],
    ['the rules', { 'AGENTS.md': 'notes/x.md' }, 'notes/x.md'],
    ['the memory, which is not there yet', { 'memory.md': 'new/x.md' }, 'new/x.md'],
  ])('[SAFE4] leaves no way to write %s', async (_, links, place) => {
    const root = workspace()
    const directories = [join(root, '..', 'skills'), join(root, '.skills')]
    for (const folder of ['notes', 'deck']) mkdirSync(join(root, folder))
    for (const file of ['notes/x.md', 'deck/SKILL.md', 'deck/reference.md'])
      writeFileSync(join(root, file), 'mine')
    linked(root, links)
    // By the real place alone: the list of a workspace has a bound, and knows no hidden folder.
    expect(isProtectedIn(root, () => directories)(place)).toBe(true)
    expect(await wrote(root, place, directories)).toBe('proposed')
    expect(await wrote(root, 'notes/free.md', [])).toBe('written')
  })

  test('[SAFE4] holds what it leads to and no neighbour, and no longer than it is there', async () => {
    const root = workspace()
    const skills = join(root, '..', 'skills')
    linked(root, { '../skills/deck': 'deck', '../skills/circle/self': '../skills/circle/self' })
    const isProtected = isProtectedIn(root, () => [skills])
    expect(['deck/a.md', 'DECK/A.md'].map(isProtected)).toEqual([true, true])
    expect(['deck-2/a.md', 'decka.md', 'a.md'].map(isProtected)).toEqual([false, false, false])
    rmSync(join(skills, 'deck'))
    expect(isProtected('deck/a.md')).toBe(false)
  })

  test('[SAFE4] is found among any number of skills, and beside a folder that is full', () => {
    const root = workspace()
    const skills = join(root, '..', 'skills')
    for (let n = 0; n < 2_100; n++) mkdirSync(join(skills, 'a', `f${n}`), { recursive: true })
    for (let n = 0; n < 100; n++) mkdirSync(join(skills, `s${n}`), { recursive: true })
    linked(root, { '../skills/z/SKILL.md': 'notes/x.md' })
    const isProtected = isProtectedIn(root, () => [skills])
    expect(isProtected('notes/x.md')).toBe(true)
    expect(isProtected('notes/y.md')).toBe(false)
  })
})
