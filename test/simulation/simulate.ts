import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { stopwatchMs } from '../../src/base/clock.ts'
import { AgentHappenings } from './agent/agent-happenings.ts'
import { killAgentOnce } from './agent/agent-kill.ts'
import { reportAgent, simulateAgent } from './agent/agent-simulation.ts'
import { fuzzExport } from './export-fuzz.ts'
import { Happenings } from './happenings.ts'
import { killOnce } from './kill.ts'
import { killOwners } from './owners.ts'
import { fuzzReplies } from './replies.ts'
import { report, simulate } from './simulation.ts'
import { killOnTelegram, KILLS_PER_SEED } from './telegram.ts'

const USAGE = `npm run simulate -- [--seeds N] [--from S]   run N seeds (1,000) from S on (a fresh one): logs, and agents on them;
                                             then end N/10 real processes of each kind with kill -9,
                                             and run N/1,000 of the rounds of every random test,
                                             import 10 N forged exports, send 20 N odd replies of models,
                                             and end N/10 owners of a log with chats attached,
                                             and N/10 processes that answer people on Telegram
npm run simulate -- --seed S                 replay one seed and tell its story
npm run simulate -- --kill [--kills N]       only the real processes: N kills (100) of each kind
npm run simulate -- --exports N [--from S]   only the forged exports: N of them (--seeds with it: everything, and N)
npm run simulate -- --owners N [--from S]    only the owners: N kills (--seeds with it: everything, and N)
npm run simulate -- --telegram N [--from S]  only Telegram: N kills (--seeds with it: everything, and N)
npm run simulate -- --replies N [--from S]   only the odd replies: N of them (--seeds with it: everything, and N)`

/** With fewer seeds, something may never happen by chance. */
const SEEDS_FOR_ALL = 300
/** A randomized test. */
const RANDOM = /from '(?:fast-check|.*\/rounds\.ts)'/

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    kills: { type: 'string' },
    replies: { type: 'string' },
    owners: { type: 'string' },
    telegram: { type: 'string' },
    seed: { type: 'string' },
    from: { type: 'string' },
    exports: { type: 'string' },
    kill: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const count = Number(values.seeds ?? 1_000)
const exports = Number(values.exports ?? count * 10)
const replies = Number(values.replies ?? count * 20)
const kills = Number(values.kills ?? (values.kill ? 100 : count / 10))
const owners = Number(values.owners ?? count / 10)
const telegram = Number(values.telegram ?? count / 10)
const first = Number(values.from ?? randomInt(1, 1_000_000))
if (values.help) console.log(USAGE)
else if (values.kill) await killMany(kills, first)
else if (values.seed !== undefined) await runMany(1, Number(values.seed))
else if (values.exports !== undefined && values.seeds === undefined) await importMany(exports, first)
else if (values.replies !== undefined && values.seeds === undefined) await sendMany(replies, first)
else if (values.owners !== undefined && values.seeds === undefined) await killManyOwners(owners, first)
else if (values.telegram !== undefined && values.seeds === undefined)
  await killManyOnTelegram(telegram, first)
else await everything()

async function everything(): Promise<void> {
  console.log(`From seed ${first} on; again: npm run simulate -- --seeds ${count} --from ${first}`)
  if ((await runMany(count, first)) > 0) return
  await killMany(kills, first)
  if (process.exitCode === 0) await importMany(exports, first)
  if (process.exitCode === 0) await sendMany(replies, first)
  if (process.exitCode === 0) await killManyOwners(owners, first)
  if (process.exitCode === 0) await killManyOnTelegram(telegram, first)
  if (process.exitCode === 0) tryRandomTests()
}

/** Imports forged exports, and lives a day on those that are accepted. */
async function importMany(cases: number, from: number): Promise<void> {
  const startedAt = stopwatchMs()
  const sum = { refused: 0, harmless: 0 }
  for (let seed = from; seed < from + cases; seed++) {
    try {
      sum[await fuzzExport(seed)]++
    } catch (error) {
      console.log(error)
      return finish(`again: npm run simulate -- --exports 1 --from ${seed}`, 1)
    }
    progress(seed - from + 1, cases, startedAt)
  }
  finish(
    `${cases} forged exports: ${sum.refused} refused, ${sum.harmless} imported, and nothing in them acted`,
    0,
  )
}

/** Returns the number of failed seeds, plus events that never occurred though enough seeds ran. */
async function runMany(seeds: number, from: number): Promise<number> {
  const startedAt = stopwatchMs()
  const happenings = new Happenings()
  const agentHappenings = new AgentHappenings()
  let failures = 0
  for (let seed = from; seed < from + seeds && failures === 0; seed++) {
    const failure = await simulate(seed, happenings)
    const agent = await simulateAgent(seed, agentHappenings)
    const told = seeds === 1 ? Infinity : undefined
    if (failure !== undefined) console.log(`\n${report(failure)}`)
    if (agent.failure !== undefined) console.log(`\n${reportAgent(agent.failure, told)}`)
    else if (seeds === 1) console.log(agent.story.join('\n'))
    failures += [failure, agent.failure].filter((one) => one !== undefined).length
    progress(seed - from + 1, seeds, startedAt)
  }
  const rare =
    seeds < SEEDS_FOR_ALL
      ? []
      : [...happenings.rarerThan(seeds / 5), ...agentHappenings.rarerThan(seeds / 100)]
  const counts = [happenings, agentHappenings].map(String).join('\n\n')
  const untried = rare.length === 0 ? '' : `\nhardly tried: ${rare.join(', ')}`
  finish(`${seeds} seeds, ${failures} failures\n${counts}${untried}`, failures + rare.length)
  return failures + rare.length
}

/** Sends odd replies of every provider to agents. */
async function sendMany(count: number, from: number): Promise<void> {
  const startedAt = stopwatchMs()
  const sent = await fuzzReplies({ from, count }, (done) => progress(done, count, startedAt))
  const { replies, errors, failure } = sent
  if (failure !== undefined)
    return finish(
      `${failure}\nagain: npm run simulate -- --telegram N [--from S]  only Telegram: N kills (--seeds with it: everything, and N)
npm run simulate -- --replies 100 --from SEED`,
      1,
    )
  finish(`${count} odd answers of models: ${replies} replies and ${errors} errors, and none did harm`, 0)
}

/** Runs the randomized tests of `npm test` with more rounds and another seed. */
function tryRandomTests(): void {
  const files = globSync('{src,test}/**/*.test.ts').filter(
    (file) => !file.includes('simulation') && RANDOM.test(readFileSync(file, 'utf8')),
  )
  const share = Math.min(1, count / 1_000)
  const env = { ...process.env, TEST_SHARE: String(share), TEST_SEED: String(first) }
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', ...files]
  const { status } = spawnSync(process.execPath, vitest, { stdio: 'inherit', env })
  const again = `again: TEST_SHARE=${share} TEST_SEED=${first} npx vitest run FILE`
  finish(status === 0 ? 'all random tests passed' : `random tests failed; ${again}`, status === 0 ? 0 : 1)
}

/** Kills logs and agents, each seed twice. */
async function killMany(kills: number, from: number): Promise<void> {
  const startedAt = stopwatchMs()
  const sum = {
    acknowledged: 0,
    kills: 0,
    turns: 0,
    interrupted: 0,
    runs: 0,
    forks: 0,
    updates: 0,
    firings: 0,
  }
  for (let seed = from; sum.kills < kills; seed++) {
    try {
      sum.acknowledged += (await killOnce(seed)).acknowledged
      const survived = await killAgentOnce(seed)
      for (const what of ['kills', 'turns', 'interrupted', 'runs', 'forks', 'updates', 'firings'] as const)
        sum[what] += survived[what]
    } catch (error) {
      console.log(error)
      return finish(`seed ${seed} failed; try again: npm run simulate -- --kill --kills 20 --from ${seed}`, 1)
    }
    progress(sum.kills, kills, startedAt)
  }
  const { acknowledged, turns, interrupted, runs, forks, updates, firings } = sum
  finish(
    `${sum.kills} kills of each kind: ${acknowledged} acknowledged events, all there; ${turns} turns, ${interrupted} interrupted, all brought to their end; ${runs} runs, ${forks} forks, ${updates} updates, ${firings} firings of jobs, each told or done once`,
    0,
  )
}

/** Kills owners of a log while people type on the chats that are attached to them. */
async function killManyOwners(kills: number, from: number): Promise<void> {
  const startedAt = stopwatchMs()
  const sum = { kills: 0, typed: 0, backMs: 0 }
  for (let seed = from; sum.kills < kills; seed++) {
    try {
      const outlived = await killOwners(seed)
      sum.kills += outlived.kills
      sum.typed += outlived.typed
      sum.backMs = Math.max(sum.backMs, outlived.backMs)
    } catch (error) {
      console.log(error)
      return finish(`again: npm run simulate -- --owners 4 --from ${seed}`, 1)
    }
    progress(sum.kills, kills, startedAt)
  }
  const back = `others could go on after ${Math.round(sum.backMs)} ms at most`
  finish(`${sum.kills} kills of owners: ${sum.typed} lines typed, each done and shown once; ${back}`, 0)
}

/** Kills the process that answers people on Telegram. */
async function killManyOnTelegram(kills: number, from: number): Promise<void> {
  const startedAt = stopwatchMs()
  const sum = { kills: 0, asked: 0, repeats: 0, unseen: 0 }
  let done = 0
  const onKill = (): void => progress(++done, kills, startedAt)
  for (let seed = from; sum.kills < kills; seed++) {
    try {
      const survived = await killOnTelegram(seed, {
        kills: Math.min(KILLS_PER_SEED, kills - sum.kills),
        onKill,
      })
      sum.kills += survived.kills
      sum.asked += survived.asked
      sum.repeats += survived.repeats
      sum.unseen += survived.unseen
    } catch (error) {
      console.log(error)
      return finish(`again: npm run simulate -- --telegram ${KILLS_PER_SEED} --from ${seed}`, 1)
    }
  }
  const repeats = `${sum.repeats} sent again with a mark, as nobody could know whether they had arrived`
  const unseen = `${sum.unseen} marks for what was killed on its way there`
  finish(
    `${sum.kills} kills on Telegram: ${sum.asked} messages, each answered once; ${repeats}; ${unseen}`,
    0,
  )
}

function progress(done: number, all: number, startedAt: number): void {
  const seconds = ((stopwatchMs() - startedAt) / 1_000).toFixed(0)
  if (process.stdout.isTTY) process.stdout.write(`\r${done} of ${all}, ${seconds} s`)
  else if (done % Math.min(100, all / 10) === 0) console.log(`${done} of ${all}, ${seconds} s`)
}

function finish(text: string, failures: number): void {
  console.log(process.stdout.isTTY ? `\r${text}      ` : text)
  process.exitCode = failures > 0 ? 1 : 0
}
