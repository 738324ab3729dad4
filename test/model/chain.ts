import fc from 'fast-check'
import { NEWEST, type Inherited, type Operation } from './operations.ts'

/** Operations that nest hundreds of summaries in main, and look back through them to old marks. */
export function chainOf(linksMax: number): fc.Arbitrary<readonly Operation[]> {
  return fc.array(link, { maxLength: linksMax, size: 'max' }).map((all) => all.flat())
}

const name = fc.nat(14).map((number) => `m${number}`)
const afterMark = name.map((mark): Inherited => ({ afterMark: mark }))
const turn = (branch: number): Operation => ({ do: 'turn', branch, steps: 0 })
const fork = (inherit: Inherited): Operation => ({ do: 'fork', any: 0, inherit, goal: true, mode: 'fork' })
const compactions = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.constantFrom(1, 2, 3))
  .map(([count, keep]) => {
    return Array.from({ length: count }, () => [turn(0), { do: 'compact', branch: 0, keep } as const]).flat()
  })
const rewind = fc
  .tuple(name, fc.constantFrom(0, 3, 20), fc.boolean())
  .map(([mark, messagesMin, stands]): readonly Operation[] => {
    const act: Operation = { do: 'rewind', branch: 0, name: mark, messagesMin }
    return stands ? [act] : [act, { do: 'undo', branch: 0 }]
  })
const excursion = fc
  .boolean()
  .map((compacts): readonly Operation[] => [
    fork('everything'),
    turn(NEWEST),
    turn(NEWEST),
    ...(compacts ? [{ do: 'compact', branch: NEWEST, keep: 1 } as const] : []),
    { do: 'save', any: NEWEST },
  ])

const link: fc.Arbitrary<readonly Operation[]> = fc.oneof(
  { weight: 8, arbitrary: compactions },
  { weight: 6, arbitrary: name.map((mark) => [{ do: 'mark', branch: 0, name: mark } as const]) },
  { weight: 3, arbitrary: rewind },
  { weight: 1, arbitrary: afterMark.map((inherit) => [fork(inherit), turn(NEWEST)]) },
  { weight: 1, arbitrary: excursion },
  { weight: 1, arbitrary: fc.nat(9).map((any) => [{ do: 'save', any } as const]) },
  { weight: 1, arbitrary: fc.constant([{ do: 'expand', branch: 0 } as const]) },
  { weight: 1, arbitrary: fc.constantFrom('undo', 'redo').map((act) => [{ do: act, branch: 0 } as const]) },
)
