/**
 * Makes a home with half a year in it, to look at and to test with: `page-story.ts HOME`. With `--serve PORT` it goes on
 * from there as `mainstem serve` does, with a model that answers slowly; a home that has the story already is served as
 * it is. `--empty` tells nothing and serves a home without a past; `--pace MS` is how long a piece of an answer takes;
 * `--lent` ends it with its standard input, and removes the home.
 * `MAINSTEM_HOME=HOME mainstem open` prints a link that signs in a browser.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openProvider, speakSlowly } from './page-story/model.ts'
import { summaryOn } from './page-story/summaries.ts'
import { END, prepareAnswers, tell } from './page-story/tale.ts'
import { storyInstant, Teller, ZONE } from './page-story/teller.ts'
import { letTimeRun, stopTime } from './page-story/world.ts'

/** Makes the home in an empty folder. Time stands still afterwards. */
export async function tellPageStory(home: string): Promise<void> {
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'config.json'), `${JSON.stringify(CONFIG, undefined, 2)}\n`)
  writeFileSync(join(home, '.env'), 'ANTHROPIC_API_KEY=sk-the-story\n', { mode: 0o600 })
  putSkill(home)
  const at = new Teller(home)
  await at.begin('2026-05-18 19:42')
  await tell(at)
  await at.end()
}

/** A skill with one tool, which prints a timetable. */
function putSkill(home: string): void {
  const folder = join(home, 'skills', 'ferries')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), FERRIES)
  const text = 'GNV Genoa-Palermo: Tue Thu Sat 22:30. Grimaldi Livorno-Palermo: Wed 20:00.'
  const parameters = { type: 'object', properties: { from: { type: 'string' } }, required: ['from'] }
  const tools = [{ name: 'ferry_times', description: 'When ferries leave a port', parameters }]
  const args = [
    { kind: 'literal', value: text },
    { kind: 'positional', param: 'from' },
  ]
  const execution = [{ tool: 'ferry_times', binary: 'echo', args }]
  writeFileSync(
    join(folder, 'tools.json'),
    JSON.stringify({ tools, allowlist: { echo: [] }, execution }, undefined, 2),
  )
}

const FERRIES = `---
name: ferries
description: Timetables of ferries in the Mediterranean.
---

Call \`ferry_times\` with the port, and answer with days and times only.
`

const CONFIG = {
  model: 'anthropic/claude-sonnet-4-6',
  timezone: ZONE,
  quietHours: '21:00-07:00',
  compactionThreshold: 60,
  truncationLimit: 200,
  compactionShare: 0,
  forkIdleTimeout: 86_400,
}

function otherwise(text: string): readonly string[] {
  if (/At most \d+ tokens\.$/.test(text)) return [summaryOn(new Date().toISOString().slice(0, 10))]
  if (process.env['STORY_DEBUG'] !== undefined) console.log('No answer is written for:', text.slice(-300))
  return [ANSWER]
}

const ANSWER = `Here is what I know, **in short**:

1. The train leaves Berlin on Saturday at 06:29, and you are in Genoa at 19:37
2. The ferry leaves at 22:30; boarding closes at 21:30
3. Palermo is there on Sunday at 19:30

| part | when | costs |
|---|---|---|
| train | Sat 06:29–19:37 | €89 |
| ferry | Sat 22:30–Sun 19:30 | €164 |

\`\`\`sh
mainstem recall ferry
\`\`\`

Shall I put the check-in on your list?`

if (import.meta.main) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      serve: { type: 'string' },
      empty: { type: 'boolean', default: false },
      pace: { type: 'string', default: '25' },
      lent: { type: 'boolean', default: false },
    },
  })
  const [home] = positionals
  if (home === undefined) throw new Error('Missing HOME. Usage: page-story.ts HOME [--serve PORT]')
  openProvider(otherwise)
  if (!values.empty && !existsSync(join(home, 'log.db'))) await tellPageStory(home)
  if (values.serve !== undefined) {
    stopTime(storyInstant(END))
    letTimeRun()
    prepareAnswers()
    speakSlowly(Number(values.pace))
    process.env['MAINSTEM_HOME'] = home
    process.env['ANTHROPIC_API_KEY'] = 'sk-the-story'
    const { main } = await import('../src/cli/main.ts')
    if (values.lent) process.stdin.resume().once('end', () => process.kill(process.pid, 'SIGTERM'))
    process.exitCode = await main(['serve', '--port', values.serve])
    if (values.lent) rmSync(home, { recursive: true, force: true, maxRetries: 20 })
  }
}
