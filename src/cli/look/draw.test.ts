import { describe, expect, test } from 'vitest'
import { tellStory } from '../../../scripts/fixture-story.ts'
import { branchesByHandle, getBranch } from '../../context/branch.ts'
import { createBranch } from '../../context/fork.ts'
import { flatten } from '../../context/list.ts'
import { branchNames } from '../../context/naming.ts'
import { listOf } from '../../context/version.ts'
import { addMessage } from '../../context/step.ts'
import { seededRandom } from '../../base/random.ts'
import { makeBranchId } from '../../event/id.ts'
import { isSummary } from '../../event/item.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { openMemoryLog } from '../../log/memory.ts'
import { contextProjections } from '../../context/fold.ts'
import { describeList, drawLists } from './draw.ts'
import { styleFor } from '../../base/style.ts'

const style = styleFor('plain')

async function told(story: (writing: Writing) => void, look: (reader: Reader) => void): Promise<void> {
  const log = openMemoryLog({ projections: contextProjections })
  await log.write(story)
  await log.read(look)
}

describe('the picture of a list', () => {
  test('has a sign for each event and a bracket for each range', () => {
    const main = makeBranchId(0, seededRandom(1))
    const story = (writing: Writing) => {
      const author = { by: 'person' } as const
      writing.append(createBranch({ child: main, mode: 'main', title: null, at: 0, author }).draft)
      for (const text of ['a', 'b', 'c']) {
        const added = addMessage(writing, { branch: main, at: 0, message: { role: 'user', text }, tokens: 1 })
        if ('draft' in added) writing.append(added.draft)
      }
    }
    return told(story, (reader) => {
      const drawing = { viewers: [main], nameOf: () => 'main', style }
      expect(drawLists(reader, drawing)).toEqual([
        'position      1',
        'main          ┌─●─●─●',
        ' main shows     ╰─1─╯',
      ])
      expect(describeList(reader, main, () => 'main')).toBe('main shows 3 messages: [1] 3')
    })
  })

  test('every item of every list has its bracket under the messages it shows', () =>
    told(tellStory, (reader) => {
      const nameOf = branchNames(reader)
      for (const viewer of branchesByHandle(reader, '', 100)) {
        const lines = drawLists(reader, { viewers: [viewer], nameOf, style })
        const items = listOf(reader, getBranch(reader, viewer))
        expect(items.length).toBeGreaterThan(0)
        for (const [index, item] of items.entries()) {
          const [ends, single] = isSummary(item) ? ['╚╝', 'Σ'] : ['╰╯', String(index + 1)]
          for (const { src, from, to } of flatten(reader, item)) {
            const lane = lines.findIndex((line) => line.startsWith(nameOf(src)))
            const bracket = lines[lane + 1] ?? ''
            // A position takes two columns, behind a label of 14.
            const drawn = `${bracket[12 + 2 * from]}${bracket[12 + 2 * to]}`
            expect(drawn).toBe(from === to ? single.repeat(2) : ends)
          }
        }
      }
    }))
})
