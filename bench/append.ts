import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { stopwatchMs } from '../src/base/clock.ts'
import { checkDraft, toLine } from '../src/event/codec.ts'
import type { Draft } from '../src/event/event.ts'
import type { BranchId, Position } from '../src/event/id.ts'
import type { Log } from '../src/log/log.ts'
import { Acts } from './acts.ts'
import { mainOf, remove, withCopies, type Data, type Opened } from './data.ts'
import { interleave, median, type Case, type Samples } from './measure.ts'
import { atLeast, atMost, type Measure } from './report.ts'

const ROUNDS = { rounds: 150, perRound: 20 }
const APPENDERS = [1, 4, 16]
const APPENDS_PER_BURST = 480
const BURSTS = 25
const BARE = 'bare'
const SOME_POSITION = 1_000_000 as Position

/** One durable append against a bare insert of the same bytes, in logs of every size at once. */
export async function measureAppend(data: Data): Promise<Measure[]> {
  const sizes = [0 as const, ...data.sizes.filter((size) => size > 1_000)]
  const copies = sizes.map((size) => ({ name: nameOf(size), size }))
  return withCopies(data, copies, async (opened) => {
    const acts = new Acts(2)
    const [empty] = opened as [Opened]
    const main = await empty.log.write((writing) => acts.root(writing))
    const logs = opened.map(({ log, store }, index): Target => {
      return { name: nameOf(sizes[index] as number), log, main: mainOf(store) }
    })
    const single = await singleAppends(join(data.directory, 'bare.db'), logs, acts)
    return [...single, ...(await sharedCommits({ log: empty.log, main, acts }))]
  })
}

interface Target {
  readonly name: string
  readonly log: Log
  readonly main: BranchId
}

async function singleAppends(file: string, logs: readonly Target[], acts: Acts): Promise<Measure[]> {
  const bare = openBare(file)
  const [{ main }] = logs as [Target]
  const cases = [bareCase(bare, () => acts.draft(main)), ...logs.map((target) => appendCase(target, acts))]
  const samples = await interleave(cases, ROUNDS)
  bare.close()
  remove(file)
  const names = logs.map(({ name }) => name)
  return [
    ...names.map((name) => againstBare(samples, name)),
    ...names.slice(1).map((name) => againstNew(samples, name)),
  ]
}

function bareCase(db: DatabaseSync, draft: () => Draft): Case {
  const insert = db.prepare('INSERT INTO line(text) VALUES (?)')
  let line = ''
  return {
    name: BARE,
    prepare: async () => {
      line = toLine({ ...checkDraft(draft()), position: SOME_POSITION })
    },
    run: () => insert.run(line),
  }
}

function appendCase({ name, log, main }: Target, acts: Acts): Case {
  let draft = acts.draft(main)
  return {
    name,
    prepare: async () => {
      draft = acts.draft(main)
    },
    run: () => log.write((writing) => writing.append(draft)),
  }
}

function againstBare(samples: Samples, name: string): Measure {
  return {
    group: 'append',
    measure: `one message to ${name}`,
    value: samples.median(name),
    unit: 'ms',
    comparedWith: { name: 'bare insert ÷ ours', value: samples.median(BARE) },
    ratio: samples.ratio(BARE, name),
    goal: atLeast(0.8),
  }
}

function againstNew(samples: Samples, name: string): Measure {
  return {
    group: 'append',
    measure: `flat: ${name}`,
    value: samples.median(name),
    unit: 'ms',
    comparedWith: { name: `÷ ${nameOf(0)}`, value: samples.median(nameOf(0)) },
    ratio: samples.ratio(name, nameOf(0)),
    goal: atMost(1.15),
  }
}

function nameOf(size: number): string {
  return size === 0 ? 'a new log' : `a log of ${size.toLocaleString('en')}`
}

function openBare(file: string): DatabaseSync {
  remove(file)
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  db.exec('CREATE TABLE line(position INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT')
  return db
}

interface Busy {
  readonly log: Log
  readonly main: BranchId
  readonly acts: Acts
}

/** The rate of several appenders, each of which waits for its own append, against that of one. */
async function sharedCommits(busy: Busy): Promise<Measure[]> {
  const rates = new Map(APPENDERS.map((appenders) => [appenders, [] as number[]]))
  for (let burst = -1; burst < BURSTS; burst++) {
    for (const appenders of APPENDERS) {
      const rate = await burstOf(appenders, busy)
      if (burst >= 0) rates.get(appenders)?.push(rate)
    }
  }
  const alone = rates.get(1) as number[]
  return APPENDERS.map((appenders): Measure => {
    const mine = rates.get(appenders) as number[]
    const value = median(mine)
    const line = { group: 'append', measure: `${appenders} at once`, value, unit: '/s' } as const
    if (appenders === 1) return line
    const ratio = median(mine.map((rate, burst) => rate / (alone[burst] as number)))
    const goal = appenders === 16 ? { goal: atLeast(5) } : {}
    return { ...line, comparedWith: { name: '÷ 1 at once', value: median(alone) }, ratio, ...goal }
  })
}

async function burstOf(appenders: number, { log, main, acts }: Busy): Promise<number> {
  const drafts = Array.from({ length: APPENDS_PER_BURST }, () => acts.draft(main))
  const start = stopwatchMs()
  const appender = async () => {
    for (let draft = drafts.pop(); draft !== undefined; draft = drafts.pop()) {
      const own = draft
      await log.write((writing) => writing.append(own))
    }
  }
  await Promise.all(Array.from({ length: appenders }, appender))
  return (APPENDS_PER_BURST * 1_000) / (stopwatchMs() - start)
}
