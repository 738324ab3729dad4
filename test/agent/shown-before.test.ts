import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileTools } from '../../src/tool/files/file-tools.ts'
import { openWorkspace } from '../../src/tool/files/workspace.ts'
import type { Said } from './doubles.ts'
import { ruled } from './rig.ts'

function write(id: string, path: string) {
  return { id, tool: 'write', args: { path, content: '- bread\n- milk\n' } }
}

test('[PERM1] a yes counts for what was shown: a file that was saved meanwhile is not replaced', async () => {
  const root = mkdtempSync(join(tmpdir(), 'shown-'))
  const pathOf = (name: string) => join(root, name)
  writeFileSync(pathOf('list.md'), '- bread\n')
  writeFileSync(pathOf('same.md'), '- bread\n')
  const steps: Said[] = [
    { calls: [write('a', 'diary.md'), write('b', 'list.md'), write('c', 'same.md')] },
    { text: 'done' },
  ]
  const at = await ruled(() => steps.shift() ?? { text: 'done' }, {
    settings: { permissions: 'default' },
    tools: fileTools({ workspace: openWorkspace(root), isProtected: () => false, propose: async () => 1 }),
  })
  await at.type('note the milk')
  await expect.poll(() => at.sent.length).toBe(3)
  writeFileSync(pathOf('diary.md'), 'Ten years of diary\n')
  writeFileSync(pathOf('list.md'), '- bread\n- eggs\n')
  for (let n = 0; n < 3; n++) await at.type('y')
  await at.settle()
  const texts = ['diary.md', 'list.md', 'same.md'].map((name) => readFileSync(pathOf(name), 'utf8'))
  expect(texts).toEqual(['Ten years of diary\n', '- bread\n- eggs\n', '- bread\n- milk\n'])
  const results = (await at.events('message-added')).flatMap(({ message }) =>
    message.role === 'tool' ? [message.isError] : [],
  )
  expect(results).toEqual([true, true, false])
})
