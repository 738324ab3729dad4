import { jsonText } from '../frame/output.ts'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isJsonObject, type JsonObject } from '../../base/json.ts'
import type { EventOf } from '../../event/event.ts'
import type { Position } from '../../event/id.ts'
import type { JobKind } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import { LogError, type Log } from '../../log/log.ts'
import type { Definition } from '../../schedule/definition.ts'
import type { LoadedJob } from '../../schedule/job-shelf.ts'
import { checkPayload } from '../../schedule/payload-check.ts'
import { ORDER_CHARS_MAX, leaveOrder } from '../../runtime/life/order-door.ts'
import { readText } from '../../base/regular-file.ts'
import { converse } from '../talk/batch.ts'
import { CommandError, UsageError, type CommandCall } from '../frame/command.ts'
import { withLog } from '../frame/home.ts'
import { jobNamed, withJobs } from './job-home.ts'
import { answerPrinter, jsonPrinter, type Printer } from '../talk/printer.ts'
import { RunView } from '../talk/run-lines.ts'
import { isOver, printing, runDefinition, showRunEnd } from '../talk/run.ts'
import { admittedBefore } from '../../agent/state/inbox.ts'
import { systemClock } from '../../base/clock.ts'
import { newKey } from '../../base/random.ts'
import { holderOf } from '../../log/writer-lock.ts'
import { logFile } from '../../runtime/home/home.ts'
import { openForReading } from '../../runtime/home/open-log.ts'
import { terminalAddress } from '../../runtime/terminal/place.ts'

/** Runs a job now: here, or in the process that holds the log. */
export async function runJob(call: CommandCall, kind: JobKind, word: string): Promise<number> {
  const { file, definition } = await found(call, kind, word)
  const payload = await dataFor(call, definition)
  const path = join(call.home, 'workspace', file)
  const read = readText(path)
  if ('problem' in read) throw new CommandError(`${path} ${read.problem}`)
  try {
    return await runDefinition(call, { path, file, text: read.text, ...(payload && { payload }) })
  } catch (error) {
    if (!isInUse(error)) throw error
    const line = payload === undefined ? `/run ${file}` : `/run ${file} ${JSON.stringify(payload)}`
    if (call.text('model') !== undefined)
      throw new LogError('in-use', `--model needs the log for itself: ${error.message}`, error)
    if (line.length > ORDER_CHARS_MAX)
      throw new LogError(
        'in-use',
        `Data of more than ${ORDER_CHARS_MAX} characters cannot be handed over: ${error.message}`,
        error,
      )
    return handOver(call, line, async (log, ordered) =>
      call.isSet('wait') ? watched(call, log, ordered) : 0,
    )
  }
}

const PAUSE_CHARS_MAX = 1_000

/** Pauses or resumes one job with a slash command, here or in the process that holds the log. */
export async function orderJob(call: CommandCall, line: string): Promise<number> {
  if (line.length > PAUSE_CHARS_MAX)
    throw new UsageError(`This is longer than ${PAUSE_CHARS_MAX} characters. Give an id and a time`)
  const none = { question: undefined, model: undefined, flags: {}, isSure: false }
  const talk = { ...call, ...none, waitMs: 0, timeoutMs: 0 }
  const form = call.isSet('json') ? 'json' : 'text'
  const printer = form === 'json' ? jsonPrinter(call) : shellPrinter(answerPrinter(call))
  const [verb = '', kind = ''] = line.slice(1).split(' ')
  const command = `mainstem ${kind} ${verb}`
  try {
    return await converse({ ...talk, form }, { command, printer }, async (conversation, signal) => {
      const outcome = await conversation.say({ text: line, key: newKey(), signal })
      if (outcome !== undefined) await printer.outcome(line, outcome)
      await conversation.flush()
      return outcome?.isFailed === false ? 0 : 1
    })
  } catch (error) {
    if (!isInUse(error)) throw error
    return handOver(call, line)
  }
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

function isInUse(error: unknown): error is LogError {
  return error instanceof LogError && error.code === 'in-use'
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

/** Shows what the run does in the other process, until it has ended. */
async function watched(call: CommandCall, log: Log, ordered: EventOf<'command-run'>): Promise<number> {
  const started = await log.read((reader) => startedBefore(reader, ordered.position))
  if (started === undefined) return 0
  const { branch, position } = started
  const print = printing(call, log, { view: new RunView(branch), after: position - 1 })
  for (;;) {
    const hasEnded = await log.read((reader) => isOver(reader, branch))
    await print()
    if (hasEnded) return showRunEnd(call, log, branch)
    await sleep(LOOK_MS)
  }
}

/** At most this many events are between the start of a run and its command, in one transaction. */
const NEAR = 20

function startedBefore(reader: Reader, position: Position): EventOf<'run-started'> | undefined {
  for (let at = position - 1; at >= Math.max(1, position - NEAR); at--) {
    const event = reader.event(at as Position)
    if (event.kind === 'run-started') return event
  }
  return undefined
}

const WAIT_MS = 10_000
const LOOK_MS = 100

/** The command's event in the other process; undefined if it has not run yet. */
type Ordered = EventOf<'command-run'> | undefined

/** Hands a command to the process that holds the log, and prints the answer. `more` continues from there. */
async function handOver(
  call: CommandCall,
  line: string,
  more: (log: Log, ordered: EventOf<'command-run'>) => Promise<number> = async () => 0,
): Promise<number> {
  const key = await leaveOrder(call.home, line)
  return withLog(openForReading(call.home), async (log) => {
    const ordered = await answered(log, key)
    await say(call, line, ordered)
    if (ordered === undefined) return 0
    return ordered.isError ? 1 : more(log, ordered)
  })
}

async function answered(log: Log, key: string): Promise<Ordered> {
  const end = systemClock() + WAIT_MS
  for (;;) {
    const ordered = await log.read((reader) => runOf(reader, key))
    if (ordered !== undefined || systemClock() >= end) return ordered
    await sleep(LOOK_MS)
  }
}

function runOf(reader: Reader, key: string): Ordered {
  const position = admittedBefore(reader, terminalAddress, key)
  const event = position === undefined ? undefined : reader.event(position)
  return event?.kind === 'command-run' ? event : undefined
}

async function say(call: CommandCall, line: string, ordered: Ordered): Promise<void> {
  const { out, err, home } = call
  const holder = holderOf(logFile(home))
  const who = holder === undefined ? 'the running process' : `'${holder.command}' (process ${holder.pid})`
  const output = ordered?.output ?? `Handed to ${who}, which has not run it yet: ${line}`
  const isDone = ordered !== undefined
  const isError = ordered?.isError === true
  const json = { input: line, output, isDone, ...(isError && { error: true }) }
  const text = shellText(output, line)
  if (call.isSet('json')) await out.line(jsonText(json))
  else await (isError ? err.line(`mainstem: ${text}`) : out.line(text))
  await out.flush()
}

/** The output of a slash command, with its hints rewritten as shell commands. */
export function shellText(text: string, line: string): string {
  const [verb, kind = '', id] = line.split(' ')
  const isOfOne = (verb === '/pause' || verb === '/resume') && id !== undefined
  const own = isOfOne ? text.replaceAll(`/resume ${id}`, `'mainstem ${kind} resume ${id}'`) : text
  return own
    .replaceAll(/\/agents(?= shows)/g, "'mainstem agents'")
    .replaceAll(/(?<=^|\s)(\/(?:resume|kill \w+|pause \w+))(?= (?:ends|pauses))/g, '$1 in a conversation')
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
