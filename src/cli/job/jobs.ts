import { jsonText } from '../frame/output.ts'
import { whenText } from '../../base/time-text.ts'
import { PathError } from '../../tool/files/path.ts'
import type { JobKind } from '../../event/job.ts'
import { jobText } from '../../event/job.ts'
import { nameOf } from '../../agent/state/jobs.ts'
import { jobDetails, jobsView, nextTime } from '../../view/jobs.ts'
import { jobDetailsText, jobsText } from '../../view/jobs-text.ts'
import { readText } from '../../base/regular-file.ts'
import { join } from 'node:path'
import { addJob } from './job-add.ts'
import { jobNamed, withJobs } from './job-home.ts'
import { CommandError, optionsIn, UsageError, type Command, type CommandCall } from '../frame/command.ts'
import { jobWords } from './job-help.ts'
import { showUrl } from './webhook-url.ts'
import { orderJob, pauseLine, runJob } from './job-order.ts'

export const routineCommand = jobCommand('routine')
export const reminderCommand = jobCommand('reminder')
export const webhookCommand = jobCommand('webhook')

function jobCommand(kind: JobKind): Command {
  return { name: kind, ...jobWords[kind], verbs: verbsOf(kind) }
}

function verbsOf(kind: JobKind): NonNullable<Command['verbs']> {
  const ofOne = { takes: 'ID', options: [] }
  const adding = Object.keys(optionsIn(jobWords[kind].details)).filter((name) => name !== 'data')
  return {
    list: { takes: '', options: [], run: (call) => listJobs(call, kind) },
    add: { takes: 'TEXT…', options: adding, run: (call) => addJob(call, kind) },
    show: { ...ofOne, run: (call, [id = '']) => showJob(call, kind, id) },
    run: {
      ...ofOne,
      options: ['model', 'data'],
      run: (call, [id = '']) => runJob(call, kind, id),
    },
    pause: {
      ...ofOne,
      takes: 'ID [TIME…]',
      run: async (call, words) => orderJob(call, await pauseLine(call, kind, words)),
    },
    resume: { ...ofOne, run: (call, [id = '']) => orderJob(call, `/resume ${kind} ${plainId(id)}`) },
    cancel: { ...ofOne, run: (call, [id = '']) => cancelJob(call, kind, id) },
    ...(kind === 'webhook' && { url: { ...ofOne, run: (call, [id = '']) => showUrl(call, id) } }),
  }
}

/** A word with a space is not an id, and would be read as something else. */
function plainId(word: string): string {
  if (/^\S+$/u.test(word)) return word
  throw new UsageError(`${JSON.stringify(word)} is not a job id`)
}

/** All jobs of one kind, the next one first, and the files that cannot be used. */
function listJobs(call: CommandCall, kind: JobKind): Promise<number> {
  return withJobs(call, 'look', async ({ log, shelf, when }) => {
    const view = await log.read((reader) => jobsView(reader, { shelf, when, kind }))
    return call.print(view, () => jobsText(view, { kind, when, face: 'terminal' }))
  })
}

function showJob(call: CommandCall, kind: JobKind, word: string): Promise<number> {
  return withJobs(call, 'look', async (here) => {
    const { log, when } = here
    const job = jobNamed(here, kind, word)
    const details = await jobDetails(log, job, when)
    const read = readText(join(call.home, 'workspace', job.file))
    const text = 'text' in read ? read.text : job.definition.body
    return call.print(details, () => jobDetailsText(details, { text, when }))
  })
}

/** Deletes its file. A run that has begun continues. */
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
    const text = call.isSet('json')
      ? jsonText({ kind, id: definition.id, file, cancelled: true })
      : `Cancelled ${name}${due} (${file}).`
    return call.say(text)
  })
}
