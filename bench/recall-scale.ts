import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { machine } from './report.ts'
import { scaleHome, type ScaleHome } from './recall-scale-data.ts'
import type { Lived } from './recall-scale-live.ts'
import type { Searched } from './recall-scale-search.ts'
import { drawn, isAllMet, rowsOf, type Scale } from './recall-scale-report.ts'

const HELP = `npm run bench:recall-scale -- [options]
  --size SIZE   100k, 1m or both (which is what it does without)
  --quick       20,000 messages: whether it runs at all
  --fresh       indexes again what an earlier run left, to measure how fast that goes
  --json        the figures as JSON`

const SIZES: Readonly<Record<string, readonly number[]>> = {
  '100k': [100_000],
  '1m': [1_000_000],
  both: [100_000, 1_000_000],
}
const QUICK = 20_000
const ROUNDS = 150
const WARM_UP = 30
const SECONDS = 10

process.exitCode = await main()

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      size: { type: 'string', default: 'both' },
      quick: { type: 'boolean', default: false },
      fresh: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const sizes = values.quick ? [QUICK] : SIZES[values.size]
  if (values.help || sizes === undefined) {
    process.stderr.write(`${HELP}\n`)
    return values.help ? 0 : 2
  }
  const scales: Scale[] = []
  for (const size of sizes) scales.push(await measure(await scaleHome(size, { isFresh: values.fresh })))
  if (values.json) process.stdout.write(`${JSON.stringify({ machine: machine(), scales }, undefined, 2)}\n`)
  else process.stdout.write(`${machine()}\n\n${scales.map((scale) => drawn(scale)).join('\n')}`)
  return scales.every((scale) => isAllMet(rowsOf(scale))) ? 0 : 1
}

async function measure({ home, built, isReused }: ScaleHome): Promise<Scale> {
  if (isReused) process.stderr.write(`${home} is of an earlier run: its rates are of that run (--fresh)\n`)
  process.stderr.write(`searching ${built.messages.toLocaleString('en')} messages\n`)
  const searched = await run<Searched>('recall-scale-search.ts', [home, `${ROUNDS}`, `${WARM_UP}`])
  process.stderr.write(`logging and indexing 500 messages a second, ${2 * SECONDS} seconds\n`)
  const copy = mkdtempSync(join(tmpdir(), 'mainstem-recall-live-'))
  try {
    cpSync(home, copy, { recursive: true })
    const lived = await run<Record<'quiet' | 'searched', Lived>>('recall-scale-live.ts', [copy, `${SECONDS}`])
    return { built, searched, lived, isReused }
  } finally {
    rmSync(copy, { recursive: true })
  }
}

/** In a process of its own, which has no memory of making the data. */
async function run<T>(program: string, args: readonly string[]): Promise<T> {
  const file = fileURLToPath(new URL(program, import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args], { maxBuffer: 1e8 })
  return JSON.parse(stdout) as T
}
