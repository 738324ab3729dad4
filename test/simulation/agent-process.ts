/** A process with an agent on a real log, told what people type and reporting what they see; killed at any moment. */
import { mkdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { systemClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { Channel, Inbound } from '../../src/channel/channel.ts'
import { receive, type Received } from '../../src/command/door/reception.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import { ModelError, type Model } from '../../src/model/contract/model.ts'
import { offlineModel } from '../../src/model/offline/offline.ts'
import { systemSleep } from '../../src/model/contract/sleep.ts'
import { openHomeJobs } from '../../src/runtime/home/home-jobs.ts'
import { openHomeRecall } from '../../src/runtime/home/home-recall.ts'
import { openLife } from '../../src/runtime/life/life.ts'
import { openForWriting } from '../../src/runtime/home/open-log.ts'
import type { Scheduler } from '../../src/agent/job/scheduler.ts'
import { takeLeftOver } from '../../src/runtime/life/left-over.ts'
import { openWorkspace } from '../../src/tool/files/workspace.ts'
import { usualValues } from '../recall-life/talk.ts'
import { Chance } from './agent/chance.ts'
import { CHANNEL } from './agent/diary.ts'
import { joinAgent, makeChannel, settingsWith } from './agent/join.ts'
import type { Said, Told } from './agent/real-process.ts'
import { SimConfig } from './agent/sim-config.ts'
import { dueJob, someJob } from './agent/sim-jobs.ts'
import { simModel } from './agent/sim-model.ts'
import { simTools, type Run, type ToolParts } from './agent/sim-tools.ts'
import type { Known } from './agent/tree.ts'

const [home = '', kind = 'offline', seed = '1'] = process.argv.slice(2)
const SLOW_MS = 25
/** Long enough that a kill often comes in the middle. */
const TOOL_MS = 120
const RUN_MS = 600_000
const NUMBERS_PER_LIFE = 1_000_000
const chance = new Chance(seededRandom(Number(seed)))
const state = { isCalm: false, numbers: Number(seed) * NUMBERS_PER_LIFE, known: new Set<string>() }
const number = (): number => ++state.numbers

mkdirSync(home, { recursive: true })
const { take, close } = kind === 'offline' ? await liveOffline() : await liveAtRandom()
tell({ said: 'ready' })
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as Told
  if (order.told === 'rest') state.isCalm = true
  if (order.told === 'close') break
  if (order.told === 'typed')
    take(order).then(
      ({ kind: heard }) => tell({ said: 'heard', index: order.index, heard }),
      (error: unknown) => fail(error),
    )
}
await close()
process.exit(0)

type Taken = Extract<Told, { told: 'typed' }>
interface Alive {
  readonly take: (typed: Taken) => Promise<Received>
  readonly close: () => Promise<void>
}

/** The product as it is, with the offline model. */
async function liveOffline(): Promise<Alive> {
  const life = await openLife({
    home,
    command: 'kill test',
    environment: {},
    flags: { model: 'offline' },
    channels: [makeChannel(send)],
    conversation: { channel: CHANNEL, conversation: 'desk' },
    warn: (text) => fail(new Error(text)),
    fail,
    schedules: true,
  })
  return { take: (typed) => life.receive(inbound(typed)), close: () => life.close() }
}

/** The same parts with a random model, and tools that keep count. */
async function liveAtRandom(): Promise<Alive> {
  const log = openForWriting({ home, command: 'kill test' })
  const permissions = chance.pick(['dontAsk', 'default', 'acceptEdits', 'bypassPermissions'] as const)
  const limits = { roundsMax: 4, childRoundsMax: 3, depthMax: 3, childrenMax: 3, runningMax: 2, runsMax: 2 }
  const warn = (text: string): void => fail(new Error(text))
  const recall = openHomeRecall({ home, log, values: usualValues, warn, fail })
  const workspace = workspaceIn(join(home, 'workspace'))
  const held: { scheduler?: Scheduler } = {}
  const files = { root: workspace.root, now: systemClock, secrets: () => undefined, warn, fail, watch: true }
  const shelf = await openHomeJobs({ ...files, onChange: () => held.scheduler?.look() })
  const { desk, agent, scheduler } = await joinAgent({
    log,
    recall,
    now: systemClock,
    random: chance.random,
    sleep: systemSleep,
    policy: {
      retriesMax: 1,
      retryBackoffMs: [0, 5],
      circuit: { threshold: 3, backoffMs: [10, 30], resetMs: 1_000 },
    },
    config: new SimConfig(settingsWith({ model: 'sim', retryMs: 20, recentMin: 2, permissions, ...limits })),
    model,
    tools: (parts) => simTools({ versions: { ship: Number(seed), far: 1 }, run }, parts),
    equipped: () => undefined,
    workspace,
    shelf,
    jobFor: async (job) => dueJob(job, RUN_MS),
    warn,
    jobIn: async (path) => someJob({ chance, number }, path),
    send,
    fail,
    hear: () => undefined,
    starting: () => undefined,
  })
  held.scheduler = scheduler
  const conversation = { channel: CHANNEL, conversation: 'desk' }
  const take = (typed: Inbound): Promise<unknown> => receive(desk, typed)
  const leftOver = { home, log, now: systemClock, conversation, receive: take, warn }
  let taking = takeLeftOver(leftOver)
  const timer = setInterval(() => {
    taking = taking.then(() => takeLeftOver(leftOver))
    taking.catch(fail)
  }, 20)
  return {
    take: (typed) => receive(desk, inbound(typed)),
    close: async () => {
      clearInterval(timer)
      await Promise.all([scheduler.close(), taking])
      await agent.close()
      await shelf.close()
      await recall.close()
      await log.close()
    },
  }
}

function inbound({ conversation, key: messageId, text }: Taken) {
  return { channel: CHANNEL, conversation, origin: 'terminal' as const, person: 'owner', messageId, text }
}

function model(name: string): Model {
  if (name === 'offline') return offlineModel
  if (name !== 'sim' && name !== 'other') throw new ModelError('unavailable', `there is no model '${name}'`)
  const inner = simModel({
    name,
    chance,
    sleep: systemSleep,
    known,
    number,
    slowMs: SLOW_MS,
    waitSeconds: 1,
    diary: { forbid: (cut) => tell({ said: 'forbidden', number: cut }) },
    isCalm: () => state.isCalm,
    isDown: () => false,
    risk: async () => undefined,
  })
  const call: Model['call'] = (prompt, options) => {
    learn(prompt)
    return inner.call(prompt, options)
  }
  return { ...inner, call }
}

function known(): Known {
  return { all: [...state.known], living: [...state.known], running: [], runs: [...state.known] }
}

/** The prompt tells the model which branches exist. */
function learn({ messages }: Prompt): void {
  for (const { text } of messages)
    for (const [, handle = ''] of text.matchAll(/(?:Child:|fork) (\w{6})\b/g)) state.known.add(handle)
}

async function run({ number, tool, call: { signal } }: Run): Promise<void> {
  tell({ said: 'ran', number, tool })
  if (tool.name === 'slow' || tool.name === 'broken') await systemSleep(chance.below(TOOL_MS), signal)
}

function workspaceIn(root: string): ToolParts['workspace'] {
  mkdirSync(root, { recursive: true })
  return { root, ...openWorkspace(root) }
}

async function send(message: Parameters<Channel['send']>[0]): Promise<null> {
  tell({ said: 'shown', message })
  if (chance.oneIn(3)) await systemSleep(chance.below(10), new AbortController().signal)
  return null
}

function fail(error: unknown): void {
  tell({ said: 'failed', why: error instanceof Error ? (error.stack ?? error.message) : String(error) })
}

/** Written to the pipe in one piece, so that the reader never takes half a line for a whole one. */
function tell(what: Said): void {
  writeSync(1, `${JSON.stringify(what)}\n`)
}
