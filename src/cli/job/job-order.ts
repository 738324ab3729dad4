import { join } from 'node:path'
import { isJsonObject, type JsonObject } from '../../base/json.ts'
import type { JobKind } from '../../event/job.ts'
import type { Definition } from '../../schedule/definition.ts'
import type { LoadedJob } from '../../schedule/job-shelf.ts'
import { checkPayload } from '../../schedule/payload-check.ts'
import { readText } from '../../base/regular-file.ts'
import { CommandError, UsageError, type CommandCall } from '../frame/command.ts'
import { Lines } from '../talk/lines.ts'
import { untilEnded } from '../talk/live.ts'
import { answerPrinter, jsonPrinter, type Printer } from '../talk/printer.ts'
import { runDefinition } from '../talk/run.ts'
import { jobNamed, withJobs } from './job-home.ts'

/** Runs a job now, and shows its steps. */
export async function runJob(call: CommandCall, kind: JobKind, word: string): Promise<number> {
  const { file, definition } = await found(call, kind, word)
  const payload = await dataFor(call, definition)
  const path = join(call.home, 'workspace', file)
  const read = readText(path)
  if ('problem' in read) throw new CommandError(`${path} ${read.problem}`)
  return runDefinition(call, { file, text: read.text, payload })
}

const PAUSE_CHARS_MAX = 1_000

/** Pauses or resumes one job with a slash command. */
export async function orderJob(call: CommandCall, line: string): Promise<number> {
  if (line.length > PAUSE_CHARS_MAX)
    throw new UsageError(`This is longer than ${PAUSE_CHARS_MAX} characters. Give an id and a time`)
  const printer = call.isSet('json') ? jsonPrinter(call) : shellPrinter(answerPrinter(call))
  const [verb = '', kind = ''] = line.slice(1).split(' ')
  return untilEnded(call.input, async (ending) => {
    const lines = new Lines(
      { ...call, flags: {} },
      { command: `mainstem ${kind} ${verb}`, origin: call.origin, printer },
      ending,
    )
    await lines.open()
    const told = await lines.say(line)
    if (told !== undefined) await printer.outcome(line, told)
    await lines.at((place) => place.flush())
    return told?.isFailed === false ? 0 : 1
  })
}

/** `/pause routine brief 2h`. Resuming needs no such check: the file may be gone by then. */
export async function pauseLine(call: CommandCall, kind: JobKind, words: readonly string[]): Promise<string> {
  const [word = '', ...time] = words
  const { definition } = await found(call, kind, word)
  return ['/pause', kind, definition.id, ...time].join(' ').replaceAll(/\s+/g, ' ').trim()
}

function found(call: CommandCall, kind: JobKind, word: string): Promise<LoadedJob> {
  return withJobs(call, 'look', async (here) => jobNamed(here, kind, word))
}

/** `--data '{"title": "…"}'`, or `--data @FILE`. */
async function dataFor(call: CommandCall, definition: Definition): Promise<JsonObject | undefined> {
  if (definition.kind !== 'webhook') return undefined
  const given = call.text('data') ?? '{}'
  const data = jsonIn(given.startsWith('@') ? fileText(given.slice(1)) : given)
  if (!isJsonObject(data))
    throw new CommandError('--data is not a JSON object. Write --data \'{"title": "…"}\', or --data @FILE')
  const checked = await checkPayload(definition, data)
  if ('problems' in checked)
    throw new CommandError(
      `Nothing was started. ${checked.problems.join(' ')} Its data is given with --data JSON`,
    )
  return checked.payload
}

function fileText(path: string): string {
  const read = readText(path)
  if ('problem' in read) throw new CommandError(`--data: ${path} ${read.problem}`)
  return read.text
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CommandError(`--data is not JSON: ${(error as Error).message}`)
  }
}

/** The output of a slash command, with its hints rewritten as shell commands. */
export function shellText(text: string, line: string): string {
  const [verb, kind = '', id] = line.split(' ')
  const isOfOne = (verb === '/pause' || verb === '/resume') && id !== undefined
  const own = isOfOne ? text.replaceAll(`/resume ${id}`, `'mainstem ${kind} resume ${id}'`) : text
  return own
    .replaceAll(/(?<=^|\s)(\/(?:resume|pause \w+))(?= (?:ends|pauses))/g, '$1 in a conversation')
    .replaceAll(/(?<=^|\s)\/(?=(?:pair|people)\b)/g, 'mainstem ')
}

/** A printer that does the same, and prints failures to standard error. */
function shellPrinter(printer: Printer): Printer {
  return {
    ...printer,
    outcome: async (line, outcome) => {
      if (outcome.isFailed) {
        for (const { text } of outcome.results)
          await printer.refused(line, `mainstem: ${shellText(text, line)}`)
        return
      }
      const results = outcome.results.map((one) => ({ ...one, text: shellText(one.text, line) }))
      await printer.outcome(line, { ...outcome, results })
    },
  }
}
