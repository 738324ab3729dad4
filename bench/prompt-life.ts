import { rebuildPrompt, tailPlace, type Recorded } from '../src/agent/turn/call-prompt.ts'
import { contentOf } from '../src/agent/state/setup.ts'
import { compactSessionTool } from '../src/agent/tools/compact-session.ts'
import { enterForkTool, exitForkTool, saveContextTool } from '../src/agent/tools/fork-tools.ts'
import { makeHelpTool } from '../src/agent/tools/help.ts'
import { pingUserTool, sendEmbedTool } from '../src/agent/tools/ping.ts'
import { readLogTool } from '../src/agent/tools/read-log.ts'
import { reportUpdatesTool } from '../src/agent/tools/report-updates.ts'
import { waitTool } from '../src/agent/tools/wait.ts'
import { settings, type Config, type FlatConfig } from '../src/config/table/settings.ts'
import type { Event } from '../src/event/event.ts'
import type { Prompt } from '../src/event/prompt.ts'
import type { Reader } from '../src/event/table.ts'
import { agentsTemplate } from '../src/runtime/home/workspace.ts'
import { agentSettings } from '../src/runtime/home/live-config.ts'
import { stage, type Stage, type ToolParts } from '../test/agent/stage.ts'
import { BRIEF, startBackground } from './prompt-background.ts'
import { letterModel, lookTool } from './prompt-model.ts'
import { loadConversations } from './summary-fixtures.ts'

/** A call of a model, with the prompt that it was given. */
export interface CalledPrompt {
  readonly recorded: Recorded
  readonly prompt: Prompt
  /** The same without its tail. */
  readonly bare: Prompt
  readonly tailAt: number | undefined
  /** Whether it is, rebuilt from the log, what was given. */
  readonly isSame: boolean
}

/** A branch that took over all that its parent showed. */
export interface Forked {
  readonly first: CalledPrompt
  /** What the parent showed then. */
  readonly inherited: Prompt
  /** The parent's last prompt before, if its context was not changed since. */
  readonly parent: Prompt | undefined
}

export interface PromptLife {
  readonly turns: number
  /** How many updates were reported to main. */
  readonly reported: number
  readonly calls: readonly CalledPrompt[]
  readonly forks: readonly Forked[]
  readonly events: readonly Event[]
}

/** Stands for a message of the person. */
const TALK = ''

/** Stand for something that is reported, and for a time in which nobody talks and much is. */
const NEWS = 'news'
const AWAY = 'away'

/**
 * What happens besides the turns, spread over them evenly. Children and mails to itself leave notes of unread mail in
 * the tails that follow; forks and runs look at the updates that wait.
 */
const ACTS: readonly (readonly string[])[] = [
  ['/mark START'],
  ['/fork -- Sum up what is still open'],
  ['/send main "Remember the seeds"'],
  ['/rewind START', TALK, '/undo', '/redo', TALK],
  [NEWS, '/fork', TALK, TALK, NEWS, TALK, '/exit'],
  ['/reload'],
  ['/compact', TALK, '/expand'],
  ['/send main "Call the plumber"'],
  ['/fork -- Write the list of what to buy'],
  ['/clear', TALK, '/undo'],
  [NEWS, '/run brief.md', TALK],
  ['/model second'],
  ['/mark END'],
  [NEWS, '/fork', TALK, NEWS, TALK, '/save', TALK],
  [AWAY, '/run brief.md'],
  ['/send main "The parcel came"'],
  ['/rewind END'],
  ['/model first'],
  ['/clear'],
]

export interface LifeOptions {
  readonly turns: number
  /** Whether anything is reported to main; whatever else happens is the same. */
  readonly updates?: 'some' | 'none'
  /** What is set; all else is as by default, but for `compactionShare`, which is 0. */
  readonly values?: Readonly<Partial<FlatConfig>>
}

/** A person talks so many turns with the real agent; models answer at once. */
export async function livePrompts({
  turns,
  updates = 'some',
  values = {},
}: LifeOptions): Promise<PromptLife> {
  const lines = loadConversations('dev').flatMap(({ messages }) => messages)
  const typed = lines.filter(({ who }) => who === 'user').map(({ text }) => text)
  const at = await openStage(
    lines.map(({ text }) => text),
    values,
  )
  const news = updates === 'none' ? [] : lines.filter(({ who }) => who !== 'user').map(({ text }) => text)
  const background = startBackground(at, news)
  const acts = ACTS.map((act, index) => ({
    act,
    after: Math.floor(((index + 1) * turns) / (ACTS.length + 1)),
  }))
  const person = startPerson(at, typed)
  const doNext = (line: string): Promise<unknown> => {
    if (line === NEWS || line === AWAY) return background.report(line === NEWS ? NEWS_COUNT : AWAY_COUNT)
    return line === TALK ? person.talk() : at.say(line)
  }
  while (person.turns() < turns) {
    const isTime = person.turns() >= (acts[0]?.after ?? Infinity)
    for (const line of (isTime ? acts.shift()?.act : undefined) ?? []) await doNext(line)
    if (person.turns() % REPORT_EVERY === 0) await background.report(1 + (person.turns() % 3))
    await person.talk()
  }
  const events = await at.all()
  const facts = { turns: person.turns(), reported: background.reported(), events }
  const life = await at.read((reader) => ({ ...facts, ...readLife(reader, events) }))
  await at.close()
  return life
}

function startPerson(at: Stage, lines: readonly string[]): { turns(): number; talk(): Promise<void> } {
  let turns = 0
  return {
    turns: () => turns,
    talk: async () => {
      await at.say(lines[turns++ % lines.length] ?? '')
      await at.clock.pass(MINUTE_MS)
    },
  }
}

const MINUTE_MS = 60_000
/** Every so many turns something was reported; and so much while nobody talked. */
const REPORT_EVERY = 4
const NEWS_COUNT = 2
const AWAY_COUNT = 23

async function openStage(lines: readonly string[], values: Readonly<Partial<FlatConfig>>): Promise<Stage> {
  const models = { first: letterModel('first', lines), second: letterModel('second', lines) }
  const flat = Object.fromEntries(Object.entries(settings).map(([key, { default: value }]) => [key, value]))
  // By the count alone: else hardly anything is summed up in so short a life.
  const defaults = { ...flat, pings: { to: null }, web: { openHosts: [] }, compactionShare: 0, ...values }
  let readings = 0
  return stage({
    models,
    // With a model of its own, every summary would be a line of chatter.
    settings: {
      ...agentSettings({ values: defaults as unknown as Config, sourceOf: byDefault }, 'Europe/Berlin'),
      model: 'first',
      modelFrom: 'bench',
      compactionModel: 'offline',
    },
    tools: (parts) => productTools(parts, lines),
    jobIn: () => ({ job: BRIEF, warnings: [] }),
    // Read at the start and at every /reload, which finds that the person has added something.
    get system() {
      return agentsTemplate + '\nThe person has a garden.\n'.repeat(readings++)
    },
  })
}

function productTools({ log, clock, recall, agent }: ToolParts, lines: readonly string[]) {
  return [
    readLogTool({ log, recall, recentMax: () => settings.recentMsgLimit.default }),
    waitTool({
      log,
      now: () => clock.now(),
      sleep: clock.sleep,
      until: (holds, signal) => agent().until(holds, signal),
      whileWaiting: (branch, work) => agent().whileWaiting(branch, work),
    }),
    compactSessionTool({ compact: (wish, signal) => agent().compact(wish, signal), fail }),
    makeHelpTool({ guides: () => [], reports: async () => true }),
    reportUpdatesTool,
    pingUserTool,
    sendEmbedTool,
    enterForkTool,
    saveContextTool,
    exitForkTool,
    lookTool(lines),
  ]
}

function fail(error: unknown): never {
  throw error
}

function readLife(reader: Reader, events: readonly Event[]): Pick<PromptLife, 'calls' | 'forks'> {
  const calls: CalledPrompt[] = []
  const forks: Forked[] = []
  const born = new Map<string, Omit<Forked, 'first'>>()
  for (const event of events) {
    if (event.kind === 'branch-created' && event.base.from === 'parent') {
      const { version, head } = event.base
      const last = calls.findLast(({ recorded }) => recorded.branch === event.parent)
      if (last === undefined) continue
      const { prompt } = rebuildPrompt(reader, { ...last.recorded, version, head, tail: null })
      const parent = last.recorded.version === version ? last.bare : undefined
      born.set(event.branch, { inherited: prompt, parent })
    }
    if (event.kind !== 'model-called') continue
    const first = calledPrompt(reader, event)
    calls.push(first)
    const fork = born.get(event.branch)
    if (fork !== undefined) forks.push({ ...fork, first })
    born.delete(event.branch)
  }
  return { calls, forks }
}

function calledPrompt(reader: Reader, recorded: Recorded): CalledPrompt {
  const { prompt, isSame } = rebuildPrompt(reader, recorded)
  const { tail } = recorded
  if (tail === null) return { recorded, prompt, bare: prompt, tailAt: undefined, isSame }
  const { prompt: bare } = rebuildPrompt(reader, { ...recorded, tail: null })
  const tailAt = tailPlace(prompt, { text: contentOf(reader, tail.text), after: tail.after })
  return { recorded, prompt, bare, tailAt, isSame }
}

function byDefault() {
  return { kind: 'default' } as const
}
