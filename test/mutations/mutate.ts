import { spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { parseSync } from 'oxc-parser'
import { stopwatchMs } from '../../src/base/clock.ts'
import { readTree } from '../tidy/tree.ts'
import { type Row, rowsOf } from './mutation.ts'
import { SECTIONS } from './sections.ts'

const USAGE = `npm run mutate:security -- [--only WORDS] [--jobs N]
  Removes each security guard in turn, in a copy of this tree; its test must fail.
  --only WORDS   only rows whose promise, guard, file or test contains these words; may be repeated
  --jobs N       run N at a time (2)`

/** For a test file without a mutation. */
const LIMIT_MS = 180_000
/** With a mutation it may take so much longer. After that it hangs, and a test that hangs without its guard fails. */
const SLOWER_MAX = 5
const LONGER_MS_MAX = 20_000

type Outcome = { readonly kind: 'killed' | 'survived' | 'broken'; readonly note: string }

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    jobs: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(USAGE)
else await mutateAll(rowsOf(SECTIONS).filter(isWanted))

function isWanted({ promise, guard, file, test }: Row): boolean {
  const { only: wanted } = values
  const text = [promise, guard, file, test].join('\n').toLowerCase()
  return wanted.length === 0 || wanted.some((words) => text.includes(words.toLowerCase()))
}

async function mutateAll(rows: readonly Row[]): Promise<void> {
  const startedAt = stopwatchMs()
  const base = mkdtempSync(join(tmpdir(), 'mutate-'))
  process.once('exit', () => rmSync(base, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  const jobs = Math.max(1, Math.min(Number(values.jobs), rows.length))
  const copies = Array.from({ length: jobs }, (_, index) => copyTree(join(base, String(index))))
  const tests = [...Map.groupBy(rows, ({ test }) => test)]
  console.log(`${rows.length} mutations. First, their ${tests.length} test files without any.`)
  const looks = await inParallel(copies, tests, lookAt)
  const known = new Map(tests.map(([test], index) => [test, looks[index]]))
  console.log(`${seconds(startedAt)}\n`)
  const outcomes = await inParallel(copies, rows, async (copy, row) => {
    const rowStartedAt = stopwatchMs()
    const look = known.get(row.test)
    const outcome = typeof look === 'object' ? await outcomeOf(copy, row, look) : broken(look ?? '')
    const note = outcome.note === '' ? '' : `\n         ${outcome.note}`
    const time = seconds(rowStartedAt).padStart(6)
    console.log(`${outcome.kind.padEnd(8)} ${time}  ${row.promise}: ${row.guard}${note}`)
    return outcome
  })
  const count = (kind: Outcome['kind']) => outcomes.filter((outcome) => outcome.kind === kind).length
  console.log(
    `\n${count('killed')} killed, ${count('survived')} survived, ${count('broken')} broken, in ${seconds(startedAt)}`,
  )
  process.exitCode = count('killed') === rows.length ? 0 : 1
}

/** Each copy takes the next item as soon as it is free. */
async function inParallel<Item, Result>(
  copies: readonly string[],
  items: readonly Item[],
  work: (copy: string, item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const left = items.entries()
  await Promise.all(
    copies.map(async (copy) => {
      for (const [index, item] of left) results[index] = await work(copy, item)
    }),
  )
  return results
}

function copyTree(place: string): string {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  for (const { path } of readTree(root)) {
    mkdirSync(dirname(join(place, path)), { recursive: true })
    copyFileSync(join(root, path), join(place, path))
  }
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'))
  mkdirSync(temporary(place))
  return place
}

/** For what a test leaves behind without its guard. Beside the copy, whose package.json would count in it. */
function temporary(copy: string): string {
  return `${copy}.tmp`
}

interface Look {
  readonly titles: readonly string[]
  readonly ms: number
}

/** The titles that pass in a file without any mutation and how long that takes, or why nothing can be said. */
async function lookAt(copy: string, [test, rows]: readonly [string, readonly Row[]]): Promise<Look | string> {
  const startedAt = stopwatchMs()
  const ran = await runTests(copy, { test, titles: rows.map(({ title }) => title), limitMs: LIMIT_MS })
  if (ran.kind === 'hung') return `${test} does not end without the mutation either`
  if (ran.failed.length > 0 || ran.passed.length === 0)
    return `${test} fails without the mutation: ${ran.failed[0] ?? ran.problem}`
  return { titles: ran.passed, ms: stopwatchMs() - startedAt }
}

async function outcomeOf(copy: string, row: Row, { titles, ms }: Look): Promise<Outcome> {
  const { test, title } = row
  if (!titles.some((one) => one.includes(title ?? ''))) return broken(`no test is called ${title}`)
  const file = join(copy, row.file)
  const text = readFileSync(file, 'utf8')
  const pieces = text.split(row.find)
  if (pieces.length !== 2) return broken(`the text to find occurs ${pieces.length - 1} times in ${row.file}`)
  const mutated = pieces.join(row.replace)
  const [error] = parseSync(row.file, mutated).errors
  if (error !== undefined) return broken(`${row.file} does not parse: ${error.message}`)
  writeFileSync(file, mutated)
  try {
    const limitMs = ms * SLOWER_MAX + LONGER_MS_MAX
    const ran = await runTests(copy, { test, titles: [title], limitMs })
    if (ran.kind === 'hung') return { kind: 'killed', note: 'by a test that does not end' }
    if (ran.failed.length > 0) return { kind: 'killed', note: '' }
    if (ran.problem === '') return { kind: 'killed', note: 'by a test whose process ended' }
    if (ran.passed.length === 0) return broken(ran.problem)
    return { kind: 'survived', note: `${row.file} without it passes ${test} ${title ?? ''}` }
  } finally {
    writeFileSync(file, text)
  }
}

function broken(note: string): Outcome {
  return { kind: 'broken', note }
}

type Ran =
  | { readonly kind: 'hung' }
  | {
      readonly kind: 'ended'
      readonly passed: readonly string[]
      readonly failed: readonly string[]
      /** Why no test ran, if none did; empty if there is no report, because the process of the tests ended. */
      readonly problem: string
    }

interface TestRun {
  readonly test: string
  /** Undefined stands for all tests of the file. */
  readonly titles: readonly (string | undefined)[]
  readonly limitMs: number
}

async function runTests(copy: string, { test, titles, limitMs }: TestRun): Promise<Ran> {
  const report = `${copy}.json`
  rmSync(report, { force: true })
  const parts = titles.map((title) => RegExp.escape(title ?? ''))
  const only = parts.includes('') ? [] : ['-t', parts.join('|')]
  const options = ['--maxWorkers=1', '--bail=1', '--silent', '--reporter=json', `--outputFile=${report}`]
  const child = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', test, ...options, ...only],
    {
      cwd: copy,
      env: { ...process.env, TMPDIR: temporary(copy) },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    },
  )
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-2_000)))
  const endGroup = () => child.pid !== undefined && killGroup(child.pid)
  process.once('exit', endGroup)
  const { promise: ended, resolve } = Promise.withResolvers<'ended' | 'hung'>()
  const timer = setTimeout(() => resolve('hung'), limitMs)
  child.once('exit', () => resolve('ended'))
  const kind = await ended
  clearTimeout(timer)
  endGroup()
  process.off('exit', endGroup)
  return kind === 'hung' ? { kind } : { kind, ...readReport(report, stderr) }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The whole group has ended.
  }
}

interface Report {
  readonly testResults: readonly {
    readonly message: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

function readReport(path: string, stderr: string) {
  if (!existsSync(path)) return { passed: [], failed: [], problem: '' }
  const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as Report
  const titles = (status: string) =>
    testResults.flatMap(({ assertionResults }) =>
      assertionResults.filter((one) => one.status === status).map(({ fullName }) => fullName),
    )
  const message = testResults.map((one) => one.message).join(' ')
  return { passed: titles('passed'), failed: titles('failed'), problem: `no test ran: ${message}${stderr}` }
}

function seconds(startedAt: number): string {
  return `${((stopwatchMs() - startedAt) / 1_000).toFixed(1)} s`
}
