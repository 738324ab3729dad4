import { whenText } from '../../base/time-text.ts'
import { PathError } from '../../tool/files/path.ts'
import type { JobKind } from '../../event/job.ts'
import { jobText } from '../../event/job.ts'
import { nameOf } from '../../agent/state/job-schedule.ts'
import { jobDetails, jobsView, nextTime } from '../../view/jobs.ts'
import { jobDetailsText, jobsText } from '../../view/jobs-text.ts'
import { readText } from '../../skill/read-text.ts'
import { join } from 'node:path'
import { addJob } from './job-add.ts'
import { jobNamed, withJobs } from './job-home.ts'
import {
  CommandError,
  isSet,
  UsageError,
  type Command,
  type CommandCall,
  type Options,
} from '../frame/command.ts'
import { jobWords } from './job-help.ts'
import { orderJob, pauseLine, runJob } from './job-order.ts'

const EVERY: Options = {
  id: 'text',
  description: 'text',
  for: 'text',
  isolated: 'flag',
  'no-ping': 'flag',
  update: 'text',
  tools: 'text',
  skills: 'text',
  model: 'text',
  thinking: 'text',
}

/** Of `add`, by the kind of the job. */
const ADDING: Readonly<Record<JobKind, Options>> = {
  routine: {
    ...EVERY,
    cron: 'text',
    background: 'flag',
    session: 'text',
    'catch-up': 'text',
    timezone: 'text',
  },
  reminder: { ...EVERY, at: 'text', background: 'flag', 'max-chain': 'text', timezone: 'text' },
  webhook: { ...EVERY, fields: 'text', 'secret-env': 'text' },
}

export const routineCommand = jobCommand('routine')
export const reminderCommand = jobCommand('reminder')
export const webhookCommand = jobCommand('webhook')

function runningOptions(kind: JobKind): Options {
  return { wait: 'flag', model: 'text', ...(kind === 'webhook' && { data: 'text' }) }
}

function jobCommand(kind: JobKind): Command {
  return {
    name: kind,
    ...jobWords[kind],
    options: { ...ADDING[kind], ...runningOptions(kind), json: 'flag' },
    argumentsMax: Number.POSITIVE_INFINITY,
    run: (call) => runVerb(call, kind),
  }
}

interface Verb {
  readonly takes: string
  readonly wordsMin: number
  readonly wordsMax: number
  /** Besides --json. */
  readonly options: (kind: JobKind) => readonly string[]
  readonly run: (call: CommandCall, kind: JobKind, words: readonly string[]) => Promise<number>
}

const NO_OPTIONS = (): readonly string[] => []
const ANY = Number.POSITIVE_INFINITY

const verbs: Readonly<Record<string, Verb>> = {
  list: { takes: '', wordsMin: 0, wordsMax: 0, options: NO_OPTIONS, run: listJobs },
  add: {
    takes: 'TEXT',
    wordsMin: 1,
    wordsMax: ANY,
    options: (kind) => Object.keys(ADDING[kind]),
    run: addJob,
  },
  show: { ...ofOne(), run: (call, kind, [id = '']) => showJob(call, kind, id) },
  run: {
    ...ofOne(),
    options: (kind) => Object.keys(runningOptions(kind)),
    run: (call, kind, [id = '']) => runJob(call, kind, id),
  },
  pause: {
    ...ofOne(),
    takes: 'ID [TIME]',
    wordsMax: ANY,
    run: async (call, kind, words) => orderJob(call, await pauseLine(call, kind, words)),
  },
  resume: { ...ofOne(), run: (call, kind, [id = '']) => orderJob(call, `/resume ${kind} ${plainId(id)}`) },
  cancel: { ...ofOne(), run: (call, kind, [id = '']) => cancelJob(call, kind, id) },
}

function ofOne(): Omit<Verb, 'run'> {
  return { takes: 'ID', wordsMin: 1, wordsMax: 1, options: NO_OPTIONS }
}

/** What has a blank in it is no id, and would be read as something else. */
function plainId(word: string): string {
  if (/^\S+$/u.test(word)) return word
  throw new UsageError(`${JSON.stringify(word)} is not a job id`)
}

function runVerb(call: CommandCall, kind: JobKind): Promise<number> {
  const [word = 'list', ...words] = call.words
  const verb = Object.hasOwn(verbs, word) ? verbs[word] : undefined
  if (verb === undefined) throw new UsageError(`'mainstem ${kind}' has no '${word}'. ${expected(kind)}`)
  const { wordsMin, wordsMax, takes } = verb
  if (words.length < wordsMin || words.length > wordsMax)
    throw new UsageError(`Usage: ${`mainstem ${kind} ${word} ${takes}`.trimEnd()}. ${expected(kind)}`)
  const known = new Set([...verb.options(kind), 'json', 'home', 'help'])
  const stray = Object.keys(call.values).find((name) => !known.has(name))
  if (stray !== undefined)
    throw new UsageError(
      `--${stray} does not go with '${word}'. 'mainstem help ${kind}' says which options go with what`,
    )
  return verb.run(call, kind, words)
}

function expected(kind: JobKind): string {
  const ways = Object.entries(verbs).map(([name, { takes }]) => `${name} ${takes}`.trimEnd())
  return `There are ${ways.join(', ')}; 'mainstem help ${kind}' says more`
}

/** All jobs of one kind, the next one first, and the files that cannot be used. */
function listJobs(call: CommandCall, kind: JobKind): Promise<number> {
  return withJobs(call, 'look', async ({ log, shelf, when }) => {
    const view = await log.read((reader) => jobsView(reader, { shelf, when, kind }))
    const text = jobsText(view, { kind, when, face: 'terminal' })
    return print(call, isSet(call, 'json') ? JSON.stringify(view, undefined, 2) : text)
  })
}

function showJob(call: CommandCall, kind: JobKind, word: string): Promise<number> {
  return withJobs(call, 'look', async (here) => {
    const { log, when } = here
    const job = jobNamed(here, kind, word)
    const details = await jobDetails(log, job, when)
    if (isSet(call, 'json')) return print(call, JSON.stringify(details, undefined, 2))
    const read = readText(join(call.home, 'workspace', job.file))
    const text = 'text' in read ? read.text : job.definition.body
    return print(call, jobDetailsText(details, { text, when }))
  })
}

async function print({ out }: CommandCall, text: string): Promise<number> {
  for (const line of text.split('\n')) await out.line(out.safe(line))
  return 0
}

/** Takes its file away. A run that has begun goes on. */
function cancelJob(call: CommandCall, kind: JobKind, word: string): Promise<number> {
  return withJobs(call, 'look', async (here) => {
    const { definition, file } = jobNamed(here, kind, word)
    const { when, log, shelf } = here
    const next = await log.read((reader) => nextTime(reader, definition, when))
    try {
      if (!(await shelf.remove(file))) throw new CommandError(`${file} is gone already`)
    } catch (error) {
      if (error instanceof PathError) throw new CommandError(`Nothing was cancelled: ${error.message}`)
      throw error
    }
    const name = jobText(nameOf(definition))
    const due = next === null ? '' : `, ${kind === 'reminder' ? 'due' : 'next due'} ${whenText(next, when)}`
    const text = isSet(call, 'json')
      ? JSON.stringify({ kind, id: definition.id, file, cancelled: true })
      : `Cancelled ${name}${due} (${file}).`
    return print(call, text)
  })
}
