import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/random.ts'
import { branchesByHandle, getBranch } from '../../src/context/branch.ts'
import { ModelError } from '../../src/model/contract/model.ts'
import { gate, type Gate } from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { children, stopped } from './rig.ts'
import { breathe } from './stage.ts'
import { expectNothingLost, keepFacts, talk, type Talk } from './talk.ts'
import { seeds } from '../rounds.ts'

const ACTS = 40

const LINES = [
  'hello',
  'hello again',
  'and one more thing',
  'word '.repeat(40),
  '/note remember',
  '/mark A',
  '/mark B',
  '/rewind A',
  '/rewind B',
  '/clear',
  '/undo',
  '/undo',
  '/redo',
  '/compact',
  '/compact this',
  '/expand',
  '/expand',
  '/fork',
  '/fork -- dig',
  '/switch main',
  '/context policy explicit',
  '/context policy managed',
  '/stop',
] as const

/** A summariser that is quick, slow, broken or silent as chance has it; slow ones wait at these gates. */
async function moody(seed: number): Promise<{ at: Talk; chance: (max: number) => number; gates: Gate[] }> {
  const random = seededRandom(seed)
  const chance = (max: number): number => random() % max
  const gates: Gate[] = []
  const at = await talk({
    seed,
    contextTokens: 2_000,
    summarise: async (prompt, signal) => {
      const mood = chance(5)
      if (mood === 0) throw new ModelError('rejected', 'not in the mood')
      if (mood === 1) return { text: '' }
      if (mood === 2) {
        const slow = gate()
        gates.push(slow)
        await Promise.race([slow.opened, stopped(signal)])
      }
      return keepFacts(prompt)
    },
  })
  return { at, chance, gates }
}

async function live(seed: number): Promise<void> {
  const { at, chance, gates } = await moody(seed)
  for (let act = 0; act < ACTS; act++) {
    const line = chance(2) === 0 ? 'hello' : (LINES[chance(LINES.length)] ?? 'hello')
    const handles = await children(at)
    const other = handles[chance(handles.length + 1)]
    await at.type(chance(20) === 0 && other !== undefined ? `/switch ${other}` : line)
    if (chance(3) > 0) await breathe()
    if (chance(4) === 0) gates.shift()?.open()
  }
  for (let quiet = false; !quiet;) {
    for (const one of gates.splice(0)) one.open()
    await at.clock.pass(60_000)
    quiet = gates.length === 0
  }
  await at.settle()
  await expectLawful(at)
  await expectEmpty(at.log)
  const branches = await at.read((reader) =>
    branchesByHandle(reader, '', Number.MAX_SAFE_INTEGER).filter((id) => getBranch(reader, id) !== undefined),
  )
  for (const branch of branches) await expectNothingLost(at, branch)
  await at.close()
}

describe('[CTX3] [CTX9] whatever people type while contexts are summed up, nothing is lost and every prompt is whole', () => {
  test.each(seeds(40))('seed %i', async (seed) => {
    await live(seed)
    expect(seed).toBeGreaterThan(0)
  })
})
