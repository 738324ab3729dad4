import { seededRandom } from '../../src/base/random.ts'
import type { BranchId, Position } from '../../src/event/id.ts'
import { documentKinds, type Document } from '../../src/recall/contract/document.ts'

const SEED = 7

/** The same documents in every process: the first of a longer list are those of a shorter one. */
export function madeUp(count: number): readonly Document[] {
  const random = seededRandom(SEED)
  return Array.from({ length: count }, (_, number) => ({
    position: (number + 1) as Position,
    part: 0,
    branch: `br_${random() % 5}` as BranchId,
    at: 1_700_000_000_000 + number * 600_000,
    kind: documentKinds[random() % documentKinds.length] as Document['kind'],
    speaker: `speaker ${random() % 4}`,
    text: Array.from({ length: random() % 20 }, () => `w${Math.floor(Math.sqrt(random() % 40_000))}x`).join(
      ' ',
    ),
  }))
}
