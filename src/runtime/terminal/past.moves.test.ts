import { expect, test } from 'vitest'
import { forking } from '../../../test/agent/forking.ts'
import { child, idOf } from '../../../test/agent/rig.ts'
import type { Stage } from '../../../test/agent/stage.ts'
import type { BranchId } from '../../event/id.ts'
import { moverOf } from './past.ts'

async function inFork(): Promise<{ at: Stage; main: BranchId; fork: BranchId }> {
  const at = await forking()
  const main = await at.branch()
  await at.say('/fork --enter')
  return { at, main, fork: await idOf(at, await child(at)) }
}

const mover = (at: Stage, left: BranchId): Promise<'person' | 'other'> =>
  at.read((reader) => moverOf(reader, left))

test.each(['/switch main', '/exit', '/report Tulips.'])('who types %s has moved', async (line) => {
  const { at, main, fork } = await inFork()
  expect(await mover(at, main)).toBe('person')
  await at.say('hello')
  await at.say(line)
  expect(await mover(at, fork)).toBe('person')
})

test('who has killed the branch where they talk has moved', async () => {
  const at = await forking()
  await at.say('/fork -- one')
  const kid = await child(at)
  await at.say(`/switch ${kid}`)
  await at.say(`/kill ${kid}`)
  expect(await mover(at, await idOf(at, kid))).toBe('person')
})

test('nobody who is idle has moved', async () => {
  const { at, fork } = await inFork()
  await at.say('The train to Lisbon leaves on Friday at ten.')
  await at.clock.pass(40 * 60_000)
  await at.settle()
  expect(await mover(at, fork)).toBe('other')
})
