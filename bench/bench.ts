import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureAppend } from './append.ts'
import { measureBox } from './box.ts'
import { buildMeasures, prepareData, type Data, type Size } from './data.ts'
import { measureEcho } from './echo.ts'
import { measureForks } from './forks.ts'
import { measureJobs } from './jobs.ts'
import { measureOpen } from './open.ts'
import { measureOperations } from './operations.ts'
import { measurePages } from './pages.ts'
import { measureRiver } from './river.ts'
import { measureRuns } from './runs.ts'
import { measureServe } from './serve.ts'
import { measureStart } from './start.ts'
import { measureStreams } from './streams.ts'
import { measureTelegram } from './telegram.ts'
import { measureTurns } from './turns.ts'
import { measureV1 } from './v1.ts'
import { groups, isMet, machine, table, type Group, type Measure } from './report.ts'

const HELP = `npm run bench -- [options]
  --quick       logs of up to 100,000 messages instead of 1,000,000
  --only GROUP  one of ${groups.join(', ')}; may be given several times
  --json        the table as JSON
  --keep DIR    makes the data in DIR and leaves it there, or uses what is there`

const SIZES: readonly Size[] = [1_000, 100_000, 1_000_000]
const QUICK_SIZES: readonly Size[] = [1_000, 100_000]

const measuring: Record<Group, (data: Data) => Promise<Measure[]>> = {
  build: async (data) => buildMeasures(data),
  append: measureAppend,
  operations: measureOperations,
  open: measureOpen,
  forks: measureForks,
  turns: measureTurns,
  v1: measureV1,
  telegram: measureTelegram,
  runs: measureRuns,
  jobs: measureJobs,
  start: measureStart,
  serve: measureServe,
  echo: measureEcho,
  box: measureBox,
  streams: measureStreams,
  river: measureRiver,
  pages: measurePages,
}

await main()

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [...groups] },
      json: { type: 'boolean', default: false },
      keep: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const unknown = values.only.find((name) => !groups.includes(name as Group))
  if (values.help || unknown !== undefined) {
    console.error(unknown === undefined ? HELP : `there is no group '${unknown}'\n${HELP}`)
    process.exitCode = values.help ? 0 : 1
    return
  }
  const wanted = groups.filter((group) => values.only.includes(group))
  const measures = await inDirectory(values.keep, (directory) =>
    measure(directory, { sizes: values.quick ? QUICK_SIZES : SIZES, wanted }),
  )
  if (values.json)
    console.log(JSON.stringify({ machine: machine(), measures: measures.map(withMet) }, null, 2))
  else console.log(`${machine()}\n\n${table(measures)}`)
}

async function measure(
  directory: string,
  { sizes, wanted }: { sizes: readonly Size[]; wanted: readonly Group[] },
): Promise<Measure[]> {
  // These have logs of their own.
  const isSpared = wanted.every((group) => group === 'river' || group === 'pages')
  const data = isSpared ? ({ directory, sizes } as Data) : await prepareData(directory, sizes)
  const measures: Measure[] = []
  for (const group of wanted) {
    process.stderr.write(`measuring: ${group}\n`)
    measures.push(...(await measuring[group](data)))
  }
  return measures
}

async function inDirectory<T>(keep: string | undefined, use: (directory: string) => Promise<T>): Promise<T> {
  if (keep !== undefined) return use(keep)
  const directory = mkdtempSync(join(tmpdir(), 'mainstem-bench-'))
  const removeAll = () => rmSync(directory, { recursive: true, force: true })
  process.once('SIGINT', () => {
    removeAll()
    process.exit(130)
  })
  try {
    return await use(directory)
  } finally {
    removeAll()
  }
}

function withMet(measure: Measure): Measure & { met: boolean | null } {
  return { ...measure, met: isMet(measure) ?? null }
}
