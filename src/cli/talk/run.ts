import { existsSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { spentBy } from '../../agent/state/spent.ts'
import { systemClock } from '../../base/clock.ts'
import { systemRandom } from '../../base/random.ts'
import { readText } from '../../base/regular-file.ts'
import { getBranch } from '../../context/branch.ts'
import { handleOf, makeBranchId, type BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Log } from '../../log/log.ts'
import { openForReading } from '../../runtime/home/open-log.ts'
import type { RunWish } from '../../runtime/terminal/asked-run.ts'
import { isInside } from '../../base/regular-file.ts'
import { CommandError, type Command, type CommandCall } from '../frame/command.ts'
import { jsonText } from '../frame/output.ts'
import { Lines } from './lines.ts'
import { untilEnded } from './live.ts'
import { jsonPrinter, textPrinter, type Printer } from './printer.ts'
import { endLine, RunView, type RunEnd, type RunLine } from './run-lines.ts'

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

Exit codes: 0 finished, 1 failed, out of time or not started.`,
  run: (call) => runDefinition(call, fileMeant(call)),
}

/** A job file, and the data for a webhook. */
export type FileToRun = Pick<RunWish, 'file' | 'text' | 'payload'>

/** Runs the job where the log is open, and shows its steps until it ends. */
export function runDefinition(call: CommandCall, file: FileToRun): Promise<number> {
  const { home, input, err } = call
  return untilEnded(input, async (ending) => {
    const { signal, onEnd } = ending
    const shown: Shown = {}
    const { origin } = call
    const options = { command: 'mainstem run', origin, printer: printerFor(call, shown), sits: true }
    const lines = new Lines({ ...call, flags: {} }, options, ending)
    await lines.open()
    const wish = { ...file, run: makeBranchId(systemClock(), systemRandom), model: call.text('model') }
    const log = openForReading(home)
    onEnd(() => log.close())
    const after = await log.read((reader) => reader.end)
    const show = (branch: BranchId): void => {
      shown.view = new RunView(branch)
      shown.print = printing(call, log, { view: shown.view, after })
    }
    show(wish.run)
    const { run, warnings } = await lines.at((place) => place.begin(wish))
    // A persistent session has its branch already.
    if (run !== wish.run) show(run)
    let hasEnded = false
    onEnd(async () => void (hasEnded || (await sayStopped(call, lines, { run, signal }))))
    for (const warning of warnings) await err.now(`mainstem: ${warning}`)
    while (!hasEnded && !signal.aborted) {
      hasEnded = await log.read((reader) => isOver(reader, run))
      await shown.print?.()
      if (!hasEnded) await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined)
    }
    if (!hasEnded) return 1
    await lines.at((place) => place.flush())
    return showRunEnd(call, log, run)
  })
}

const LOOK_MS = 100

/** The view of the run, once it is there. */
interface Shown {
  view?: RunView
  /** Prints the steps that are in the log and were not printed yet. */
  print?: () => Promise<void>
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
  return { file: word.replaceAll(sep, '/'), text: read.text }
}

/** Messages of the run are printed in log order, after the step that sends them. */
function printerFor(call: CommandCall, shown: Shown): Printer {
  const printer = call.isSet('json') ? jsonPrinter(call) : textPrinter(call)
  return {
    ...printer,
    said: async (said) => {
      await shown.print?.()
      if (said.number === undefined || shown.view?.numbers.has(said.number) !== true) await printer.said(said)
    },
  }
}

/** Prints how the run ended; resolves with the exit code. */
async function showRunEnd(call: CommandCall, log: Log, run: BranchId): Promise<number> {
  const end = await log.read((reader) => runEndOf(reader, run))
  await showRunLine(call, endLine(end))
  return end.reason === 'finished' ? 0 : 1
}

function isOver(reader: Reader, run: BranchId): boolean {
  return getBranch(reader, run).state.kind === 'ended'
}

/** Returns a function that prints the run's new events. Calls print one after the other, in log order. */
function printing(
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

async function showRunLine(call: CommandCall, { text, paint, json }: RunLine): Promise<void> {
  const { out } = call
  if (call.isSet('json')) return out.now(jsonText(json))
  if (text !== undefined) await out.now(paint === undefined ? text : out.style[paint](text))
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

/** Ctrl-C stops the run: otherwise it would go on. */
async function sayStopped(
  { err }: CommandCall,
  lines: Lines,
  { run, signal }: { run: BranchId; signal: AbortSignal },
): Promise<void> {
  const text = await lines.at(async (place) => {
    const { owner } = place
    const name = handleOf(run)
    if (signal.reason !== 'SIGINT')
      return `${name} is not finished. It continues ${owner === undefined ? 'when mainstem runs again' : `in '${owner.command}'`}.`
    return (await place.kill(run))
      ? `Stopped: ${name} has ended, and the log keeps what it did.`
      : `${name} had just ended.`
  })
  await err.now(`mainstem: ${text}`)
}
