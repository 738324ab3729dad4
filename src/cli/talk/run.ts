import { existsSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import type { RunAsked } from '../../agent/run/run-act.ts'
import { spentBy } from '../../agent/state/spent.ts'
import type { JsonObject } from '../../base/json.ts'
import { sentence } from '../../base/words.ts'
import { killRun, startRun } from '../../command/desk/start-run.ts'
import { getBranch } from '../../context/branch.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { LogError, type Log } from '../../log/log.ts'
import { modelProblem } from '../../runtime/tool/job-file.ts'
import type { Life } from '../../runtime/life/life.ts'
import { terminalAddress } from '../../runtime/terminal/place.ts'
import { readText, realPath } from '../../base/regular-file.ts'
import { isInside } from '../../tool/files/path.ts'
import { CommandError, type Command, type CommandCall } from '../frame/command.ts'
import { inConversation } from './batch.ts'
import type { Conversation } from '../../runtime/terminal/conversation.ts'
import { jsonPrinter, textPrinter, type Printer } from './printer.ts'
import { isEcho, jsonOf, paintOf, RunView, textOf, type RunEnd, type RunLine } from './run-lines.ts'

export const runCommand: Command = {
  name: 'run',
  summary: 'start a background run from a Markdown file and watch it',
  usage: 'FILE.md [--model NAME] [--json]',
  details: `The text of the file is the task. Lines of front matter before it, between two lines of ---, say
how it is run; all of them can be left out:

  id: morning-brief             its name; else that of the file
  description: News, briefly    for lists
  isolated: true                without what was said in the main session (false)
  model: offline                another model than that of main (inherit)
  thinking: false               or true, or a number of tokens (true)
  update-main-session: always   when it tells main: on_ping, always, freely or blocked (on_ping)
  allow-ping: false             whether it may write to you (true)
  allowed-tools: web_fetch      what it may call besides reading files (none)
  skills: weather               what it has to follow (none)

A FILE that is not found from here is looked for in the workspace.
Waits until the run has ended and prints its steps, what it writes to you and what it reports.
Ctrl-C stops the run. In a conversation, /run FILE does the same with a file of the workspace.

  --model NAME   the model for this time
  --json         one JSON object a line

Exit codes: 0 finished, 1 failed, out of time or not started, 3 the log is in use.`,
  options: { model: 'text', json: 'flag' },
  run: (call) => runDefinition(call, fileMeant(call)),
}

/** A job file, and the data for a webhook. */
export interface FileToRun {
  readonly path: string
  /** The name to show. */
  readonly file: string
  readonly text: string
  readonly payload?: JsonObject
}

/** The state of the run so far: a signal may come at any time. */
interface Started {
  life?: Life
  signal?: AbortSignal
  run?: BranchId
  hasEnded?: boolean
  view?: RunView
  /** Prints the steps that are in the log and were not printed yet. */
  print?: () => Promise<void>
  /** Resolves with whether the run was still there to stop. */
  stopping?: Promise<boolean>
}

/** Runs the job in its own life and shows its steps until it ends. */
export async function runDefinition(call: CommandCall, file: FileToRun): Promise<number> {
  const started: Started = {}
  const printer = printerFor(call, started)
  const how = { command: 'mainstem run', printer, close: () => stopIfAsked(started) }
  const code = await inConversation({ ...call, flags: {} }, how, async (conversation, life, signal) => {
    Object.assign(started, { life, signal })
    await conversation.catchUp(signal)
    const job = await readJob(call, life, file)
    return watchRun(call, { started, job, conversation })
  }).catch((error: unknown) => {
    throw withWayIn(error, call, file.path)
  })
  await sayStopped(call, started)
  return code
}

/** A path is relative to the current directory, or else to the workspace, as in /run. */
function fileMeant({ words: [word = ''], home }: CommandCall): FileToRun {
  const workspace = join(home, 'workspace')
  const isOutside = isAbsolute(word) || !isInside(relative(workspace, join(workspace, word)))
  const isHere = isOutside || existsSync(word)
  const path = isHere ? word : join(workspace, word)
  if (!isHere && !existsSync(path))
    throw new CommandError(`There is no file ${word} here or in the workspace, ${workspace}`)
  const read = readText(path)
  if ('problem' in read) throw new CommandError(`${path} ${read.problem}. Name a Markdown file`)
  return { path, file: word.replaceAll(sep, '/'), text: read.text }
}

/** Messages of the run are printed in log order, after the step that sends them. */
function printerFor(call: CommandCall, started: Started): Printer {
  const printer = call.isSet('json') ? jsonPrinter(call) : textPrinter(call)
  return {
    ...printer,
    said: async (said) => {
      await started.print?.()
      if (said.number === undefined || started.view?.numbers.has(said.number) !== true)
        await printer.said(said)
    },
  }
}

async function readJob(call: CommandCall, life: Life, given: FileToRun): Promise<RunAsked> {
  const { file, text, payload } = given
  const read = await life.jobOf({ file, text }, payload)
  if ('problem' in read) throw new CommandError(`Nothing was started. ${read.problem}`)
  for (const warning of read.warnings) await tell(call, warning)
  const model = call.text('model')
  if (model === undefined) return read.job
  const problem = modelProblem(model, life.desk)
  if (problem !== undefined) throw new CommandError(`Nothing was started: ${problem}`)
  return { ...read.job, model }
}

/** Starts the run, and prints its steps until it has ended and everything is sent. */
async function watchRun(
  call: CommandCall,
  { started, job, conversation }: { started: Started; job: RunAsked; conversation: Conversation },
): Promise<number> {
  const { life, signal } = started
  if (life === undefined || signal === undefined) return 1
  const after = await life.log.read(({ end }) => end)
  const said = await startRun(life.desk, terminalAddress, job)
  const { run } = said
  if (run === undefined) throw new CommandError(`Nothing was started. ${said.text}`)
  const view = new RunView(run)
  const print = printing(call, life.log, { view, after })
  Object.assign(started, { run, view, print })
  const stopWatching = life.agent.watch(
    ({ kind }) => void (kind === 'piece' || print().catch(() => undefined)),
  )
  // Events from before the watch began.
  await print()
  const hasEnded = await life.agent.until((reader) => isOver(reader, run), signal)
  stopWatching()
  await print()
  if (!hasEnded) return 1
  started.hasEnded = true
  await conversation.flush()
  return showRunEnd(call, life.log, run)
}

/** Prints how the run ended; resolves with the exit code. */
export async function showRunEnd(call: CommandCall, log: Log, run: BranchId): Promise<number> {
  const end = await log.read((reader) => runEndOf(reader, run))
  await showRunLine(call, { what: 'ended', ...end })
  return end.reason === 'finished' ? 0 : 1
}

export function isOver(reader: Reader, run: BranchId): boolean {
  return getBranch(reader, run).state.kind === 'ended'
}

/** Returns a function that prints the run's new events. Calls print one after the other, in log order. */
export function printing(
  call: CommandCall,
  log: Log,
  { view, after }: { view: RunView; after: number },
): () => Promise<void> {
  let [last, printed] = [after, Promise.resolve()]
  const printNew = async (): Promise<void> => {
    for await (const event of log.events({ after: last })) {
      last = event.position
      for (const line of view.linesOf(event)) await showRunLine(call, line)
    }
  }
  return () => {
    printed = printed.then(printNew)
    return printed
  }
}

async function showRunLine(call: CommandCall, line: RunLine): Promise<void> {
  const { out } = call
  if (call.isSet('json')) return out.now(jsonOf(line))
  if (isEcho(line)) return
  const paint = paintOf(line, out.style)
  await out.line(paint(textOf(line)))
  await out.flush()
}

function runEndOf(reader: Reader, run: BranchId): RunEnd {
  const { state, forkedAt } = getBranch(reader, run)
  if (state.kind !== 'ended') throw new TypeError(`${handleOf(run)} has not ended`)
  const { own, below } = spentBy(reader, run)
  const sums = [own, below]
  const total = (of: (sum: (typeof sums)[number]) => number): number =>
    sums.reduce((all, sum) => all + of(sum), 0)
  return {
    reason: state.reason,
    ms: reader.event(state.endedAt).at - reader.event(forkedAt).at,
    calls: total(({ calls }) => calls),
    tokens: total(({ tokensIn, tokensOut }) => tokensIn + tokensOut),
    cost: sums.some(({ isPriced }) => isPriced) ? total(({ cost }) => cost) : null,
  }
}

/** Called before the life is closed: otherwise the run would continue at the next start. */
function stopIfAsked(started: Started): void {
  const { life, signal, run, hasEnded } = started
  if (life === undefined || run === undefined || hasEnded || signal?.reason !== 'SIGINT') return
  started.stopping = killRun(life.desk, run)
}

async function sayStopped(call: CommandCall, { run, hasEnded, signal, stopping }: Started): Promise<void> {
  if (run === undefined || hasEnded || !signal?.aborted) return
  const name = handleOf(run)
  if (stopping === undefined)
    return tell(call, `${name} is not finished. It continues when mainstem runs again.`)
  const wasThere = await stopping
  await tell(
    call,
    wasThere ? `Stopped: ${name} has ended, and the log keeps what it did.` : `${name} had just ended.`,
  )
}

/** Adds to the error how to start it in the process that holds the log. */
function withWayIn(error: unknown, { home }: CommandCall, path: string): unknown {
  if (!(error instanceof LogError) || error.code !== 'in-use') return error
  const workspace = `${home}${sep}workspace`
  const way = relative(realPath(workspace), realPath(path))
  const inside = isInside(way) ? `type there: /run ${way.replaceAll(sep, '/')}` : undefined
  const words = inside ?? `put the file into ${workspace} and type there: /run NAME.md`
  return new LogError('in-use', `${sentence(error.message)} Or ${words}`, error)
}

async function tell({ err }: CommandCall, text: string): Promise<void> {
  await err.now(`mainstem: ${text}`)
}
