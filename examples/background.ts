/**
 * Two days with five jobs: `routines/`, `reminders/` and `webhooks/` beside this file are copied into a new home, the
 * real scheduler fires them, and what came of it is checked. The clock is one for tests, so nobody waits, and the model
 * does what `background/replies.ts` says. It needs no key and no network.
 */
import { strict as assert } from 'node:assert'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { getBranch, listOf, show, type BranchId } from '../src/index.ts'
import { example, newFolder, openDays, startClock } from './background/agent.ts'
import { build, friday, PASSPORT, payload, REVIEW, TABLET, thursday } from './background/replies.ts'

startClock(7, '07:00')
const { home, ...folder } = newFolder()
const todos = ['Hand in the passport form before 11:00', 'Put the bins out']
folder.put('todo.md', todos.map((text) => `- [ ] ${text}\n`).join(''))
for (const name of ['morning-brief', 'deadline-watch', 'weekly-review'])
  folder.put(`routines/${name}.md`, example(`routines/${name}.md`))
folder.put('webhooks/build-watch.md', example('webhooks/build-watch.md'))
/** A reminder is for once: its file goes when it is done. */
const remindAt = (time: string): void =>
  folder.put('reminders/medication.md', example('reminders/medication.md').replace('2030-01-07T08:00', time))

const days = await openDays(home, folder.model('days', [...thursday, ...friday]))
const { say, until, events } = days
const texts = (): string[] => days.news().map(({ text }) => text)
const runsOf = async (job: string): Promise<BranchId[]> =>
  (await events('run-started')).filter((run) => run.job === job).map(({ branch }) => branch)
const reportsOf = async (source: string): Promise<number> =>
  (await events('update-reported')).filter((update) => update.source === source).length
const saw = (branch: BranchId): Promise<string> =>
  days.life.log.read((reader) =>
    show(reader, listOf(reader, getBranch(reader, branch)))
      .map((shown) => (shown.kind === 'message' ? shown.event.message.text : shown.summary.text))
      .join('\n'),
  )

try {
  await say('Good morning.')
  assert.deepEqual(texts(), ['Good morning.'])

  await until(7, '07:45')
  assert.deepEqual(texts(), [PASSPORT], 'the brief writes once, although it tried twice')
  assert.equal(await reportsOf('routine morning-brief'), 1, 'it reports')
  const verdicts = (await events('ping-decided')).map(({ verdict, because }) => `${verdict} ${because}`)
  assert.deepEqual(verdicts, ['sent allowed', 'refused one-per-run'])

  remindAt('2027-01-07T08:00')
  await until(7, '08:55')
  assert.equal(texts().length, 4, 'a chain with three follow-ups asks four times')
  assert.deepEqual(folder.list('reminders'), [], 'a chain that is over leaves no file')

  await until(7, '10:00')
  assert.deepEqual(texts(), [], 'no deadline is near, so the watch is silent')
  assert.equal(await reportsOf('routine deadline-watch'), 0)
  folder.put('notes/taxes.md', 'The tax return is due on 2027-01-08.\n')
  await until(7, '19:00')
  assert.equal(texts().length, 1, 'a deadline that is near is told once')
  const watches = await runsOf('deadline-watch')
  assert.deepEqual([watches.length, new Set(watches).size], [4, 1], 'it goes on where it ended')

  days.sleep(11)
  remindAt('2027-01-08T08:00')
  await until(8, '08:05')
  assert.deepEqual(texts(), [TABLET], 'a brief without anything urgent does not write')
  await say('I took my tablet.')
  assert.equal(texts().at(-1), 'Well done.')
  await until(8, '08:55')
  assert.deepEqual(texts(), [], 'a chain ends when it has its answer')
  const [, check] = await runsOf('medication-check-2')
  assert.ok(check !== undefined && (await saw(check)).includes('I took my tablet.'))

  remindAt('2027-01-08T10:00')
  await until(8, '10:05')
  const [last] = days.news()
  assert.deepEqual(folder.list('reminders'), ['medication-check-2.md'])
  await say(`/done ${last?.number}`)
  assert.deepEqual(folder.list('reminders'), [], 'who is done is not asked again')
  await until(8, '11:55')
  assert.equal(days.news().length, 1)

  await until(8, '17:05')
  const answers = days.news().filter(({ form }) => form === 'answer')
  assert.deepEqual(
    answers.map(({ text }) => text),
    [REVIEW],
  )
  assert.deepEqual(await runsOf('weekly-review'), [], 'the review is a turn of the main session')
} finally {
  await days.close()
}

// By hand; `webhook.ts` sends data over HTTP. The model expects to see it within its fence.
const words = ['webhook', 'run', 'build-watch', '--data', JSON.stringify(payload)]
const options = ['--model', folder.model('build', build), '--home', home]
const ran = spawnSync(
  process.execPath,
  [join(import.meta.dirname, '../bin/mainstem.js'), ...words, ...options],
  { encoding: 'utf8', env: { ...process.env, MAINSTEM_HOOK_BUILD_WATCH: randomUUID() } },
)
assert.equal(ran.status, 0, ran.stdout + ran.stderr)
assert.match(ran.stdout, /^#\d+ Build 412 of acme\/shop failed on main/m, 'a broken build is worth a ping')
assert.deepEqual(folder.list('reminders'), [], 'what comes from outside sets no reminder')
assert.deepEqual(folder.list('notes'), ['taxes.md'], 'and writes no file')

folder.remove()
console.log(`morning-brief: two mornings, one ping
medication: asked four times; the next day until it was answered, or done
deadline-watch: looked seven times, wrote once
weekly-review: answered in the main session
build-watch: wrote once, and did nothing that its data said`)
