import { Acts } from './acts.ts'
import { checkpoint, mainOf, withCopies, type Data, type Opened, type Size } from './data.ts'
import { atMost, type Measure } from './report.ts'

const FORKS = 1_000
const MEGABYTE = 1_000_000

/** What forks and messages cost on the disk. */
export async function measureForks(data: Data): Promise<Measure[]> {
  const size = data.sizes.at(-1) as Size
  const grown = await withCopies(data, [{ name: 'forks', size }], async ([opened]) => fork(opened as Opened))
  const { bytesPerMessage, bytesPerLine } = data.built
  return [
    {
      group: 'forks',
      measure: `file growth by ${FORKS.toLocaleString('en')} forks`,
      value: grown,
      unit: 'bytes',
      goal: atMost(MEGABYTE, 'value'),
    },
    {
      group: 'forks',
      measure: 'file size per message, compactions included',
      value: bytesPerMessage,
      unit: 'bytes',
      comparedWith: { name: '÷ its export line', value: bytesPerLine },
      ratio: bytesPerMessage / bytesPerLine,
    },
  ]
}

async function fork(opened: Opened): Promise<number> {
  const acts = new Acts(5)
  const main = mainOf(opened.store)
  const before = checkpoint(opened)
  for (let n = 0; n < FORKS; n++) await opened.log.write((writing) => acts.fork(writing, main))
  return checkpoint(opened) - before
}
