/**
 * Runs the commands in the guides and the README, each page in a new home, and fails where a page shows something else
 * than what comes out. `--write` writes the blocks that differ, `--write --all` also those that differ in times, ids and
 * sizes only. File names choose pages. CONTRIBUTING.md says how blocks are marked.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lineDifference } from '../src/base/line-difference.ts'
import { elided, isSame, masked } from './guides/compare.ts'
import type { Recorded } from './guides/play.ts'
import { readPage } from './guides/steps.ts'

const root = join(import.meta.dirname, '..')
const args = process.argv.slice(2)
const isWriting = args.includes('--write')
const isExact = args.includes('--all')
const chosen = args.filter((arg) => !arg.startsWith('--'))
const pages = ['README.md', ...globSync('docs/guides/*.md', { cwd: root }).toSorted()].filter(
  (page) => chosen.length === 0 || chosen.some((part) => page.includes(part)),
)
const AT_ONCE = 2
const PATIENCE_MS = 300_000

async function recordingsOf(page: string): Promise<readonly Recorded[]> {
  const world = join(root, 'scripts/guides/world.ts')
  const player = fork(join(root, 'scripts/guides/play.ts'), [join(root, page)], {
    execArgv: ['--no-warnings', '--import', world],
    timeout: PATIENCE_MS,
  })
  let recorded: readonly Recorded[] | undefined
  player.on('message', (message) => (recorded = message as readonly Recorded[]))
  const [code] = (await once(player, 'close')) as [number | null]
  if (recorded === undefined || code !== 0) throw new Error('it could not be played to its end')
  return recorded
}

/** Whether the page was right, or is now. */
async function checked(page: string): Promise<boolean> {
  const markdown = readFileSync(join(root, page), 'utf8')
  const { notRun } = readPage(markdown)
  const recorded = await recordingsOf(page)
  const lines = markdown.split('\n')
  const wrong = recorded.flatMap(({ kind, from, to, text }) => {
    const shown = lines.slice(from, to).join('\n')
    const now = elided(shown, text)
    const isRight = isExact ? shown === now : isSame(shown, text, kind === 'chat' ? 'words' : 'lines')
    return isRight ? [] : [{ from, to, shown, text: now }]
  })
  const verdict = wrong.length === 0 ? 'ok     ' : isWriting ? 'written' : 'DIFFERS'
  console.log(`${verdict} ${page}: ${recorded.length} blocks run, ${notRun.length} not`)
  if (wrong.length === 0) return true
  if (!isWriting) {
    for (const { from, shown, text } of wrong)
      console.log(
        [
          `  line ${from}:`,
          ...lineDifference(masked(shown), masked(text), 40).map((line) => `    ${line}`),
        ].join('\n'),
      )
    return false
  }
  for (const { from, to, text } of wrong.toReversed()) lines.splice(from, to - from, ...text.split('\n'))
  writeFileSync(join(root, page), lines.join('\n'))
  return true
}

function failed(page: string, { message }: Error): boolean {
  console.log(`FAILED  ${page}: ${message}`)
  return false
}

// The longest first, so that no core waits for it at the end.
const lengthOf = (page: string): number => readFileSync(join(root, page), 'utf8').length
const waiting = pages.toSorted((a, b) => lengthOf(b) - lengthOf(a))
const results: boolean[] = []
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let page = waiting.shift(); page !== undefined; page = waiting.shift())
      results.push(await checked(page).catch((error: Error) => failed(page, error)))
  }),
)
if (pages.length === 0) console.log(`There is no page for ${chosen.join(' ')}.`)
if (results.includes(false)) console.log("'npm run guides -- --write' records what a page shows.")
if (pages.length === 0 || results.includes(false)) process.exitCode = 1
