import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { homeSkills, shippedSkills, skillDirectories } from './skill-places.ts'

test('the home comes first, then skills.directory, then skills.extraDirs in their order', () => {
  const named = { skills: { directory: '/a', extraDirs: ['/c', '/b'] } }
  expect(skillDirectories('/home/me/.mainstem', named)).toEqual([
    '/home/me/.mainstem/skills',
    '/a',
    '/c',
    '/b',
  ])
  const none = { skills: { directory: null, extraDirs: [] } }
  expect(skillDirectories('/h', none)).toEqual([homeSkills('/h')])
})

test('a tilde is the folder of whoever runs it, and only at the beginning', () => {
  const tildes = { skills: { directory: '~/mine', extraDirs: ['~', '/x/~/y', '/~z'] } }
  expect(skillDirectories('/h', tildes).slice(1)).toEqual([
    join(homedir(), 'mine'),
    homedir(),
    '/x/~/y',
    '/~z',
  ])
})

test('three skills come along, each with a description', () => {
  expect(shippedSkills().map(({ name }) => name)).toEqual(['feeds', 'git', 'notes'])
  for (const { description } of shippedSkills()) expect(description).toMatch(/^[A-Z].{20,200}\.$/)
})
