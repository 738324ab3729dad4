import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { specialFile } from '../../base/regular-file.ts'
import { counted } from '../../base/words.ts'
import type { SocketOrigin } from '../../client/socket.ts'
import { CommandError } from '../frame/command.ts'
import type { Output } from '../frame/output.ts'
import type { Inputs } from './input-lines.ts'
import { Lines } from './lines.ts'
import { untilEnded, type TalkCall } from './live.ts'
import { withPiped } from './piped.ts'
import { jsonPrinter, liveAnswerPrinter, textPrinter, type Printer } from './printer.ts'

const WAIT_MS = 10_000
/** How long a single question waits for a model that fails, if the person names no time. */
const TIMEOUT_MS = 120_000

/** Each line of the standard input is a message or a command; the answers go to the standard output. */
export function batch(call: TalkCall): Promise<number> {
  const { err, input } = call
  const printer = call.form === 'json' ? jsonPrinter(call) : textPrinter(call)
  const left = new AbortController()
  const exit = (): void => left.abort()
  return untilEnded(input, async (ending) => {
    const { signal } = ending
    const lines = new Lines(
      call,
      {
        command: 'mainstem',
        origin: originOf(call),
        printer,
        schedules: true,
        sits: true,
        exit,
        timeoutMs: call.timeoutMs,
      },
      ending,
    )
    await lines.open()
    const { Inputs } = await import('./input-lines.ts')
    const inputs = new Inputs(input, signal)
    let code = 0
    while (!left.signal.aborted && !signal.aborted) {
      const line = await inputs.next()
      if (line === undefined) break
      if (!(await areFine(lines, inputs, { input: line, printer }))) code = 1
    }
    if (left.signal.aborted && !signal.aborted) await sayUnread(err, await inputs.countLeft())
    await lines.at((place) => place.rest(call.waitMs ?? WAIT_MS))
    return code
  })
}

/** A writer into the input of a program must not decide what the agent may do (RIGHT1). */
function originOf({ isSure }: TalkCall): SocketOrigin {
  return isSure ? 'program --yes' : 'program'
}

interface Saying {
  readonly input: string
  readonly printer: Printer
  /** The line that is printed first. */
  readonly before?: Promise<unknown>
}

/** Says an input, and also the next one at once if that is meant to stop this one. */
async function areFine(lines: Lines, inputs: Inputs, saying: Saying): Promise<boolean> {
  const over = new AbortController()
  const first = isFine(lines, saying).finally(() => over.abort())
  // Awaited below; it may fail while the next line is waited for.
  first.catch(() => undefined)
  const urgent = await inputs.urgent(over.signal)
  const before = first.catch(() => undefined)
  const isUrgentFine = urgent === undefined || (await isFine(lines, { ...saying, input: urgent, before }))
  return (await first) && isUrgentFine
}

/** An input that is too long for the log is refused, and the next one may be fine. */
async function isFine(lines: Lines, saying: Saying): Promise<boolean> {
  const { input: text, printer, before } = saying
  try {
    const told = await lines.say(text)
    await before
    if (told !== undefined) await printer.outcome(text, told)
    return told?.isFailed !== true
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    await printer.refused(text, error.message)
    return false
  }
}

async function sayUnread(err: Output, lines: number): Promise<void> {
  if (lines === 0) return
  const were = lines === 1 ? 'was' : 'were'
  await err.now(
    `mainstem: /exit ended the conversation; ${counted(lines, 'more input line')} ${were} not read.`,
  )
}

/** Asks one question and prints the answer. */
export async function ask(call: TalkCall, question: string): Promise<number> {
  const { files } = call
  for (const file of files) requireFile(file)
  const printer = call.form === 'json' ? jsonPrinter(call) : liveAnswerPrinter(call)
  const { timeoutMs, input } = call
  const isLimited = timeoutMs !== undefined
  return untilEnded(input, async (ending) => {
    const over = isLimited ? AbortSignal.timeout(timeoutMs) : undefined
    const opening = over && { opening: over }
    const lines = new Lines(
      call,
      { command: 'mainstem -p', origin: originOf(call), printer, timeoutMs, ...opening },
      ending,
    )
    await lines.open()
    const text = await withPiped(question, call)
    const patience = { ms: timeoutMs ?? TIMEOUT_MS, with: isLimited ? 'answer' : 'failures' } as const
    const told = await lines.say(text, { patience, files: files.map((file) => resolve(file)) })
    if (told !== undefined) await printer.outcome(text, told)
    // A script would take the beginning of an answer for all of it.
    const isStopped = told?.isStopped === true
    if (isStopped) await call.err.now('mainstem: The answer was stopped before its end.')
    // By default a single question only waits for its answer.
    await lines.at((place) => place.rest(call.waitMs ?? 0))
    return told?.isFailed === false && !isStopped ? 0 : 1
  })
}

function requireFile(file: string): void {
  const problem = existsSync(file) ? specialFile(file) : 'does not exist'
  if (problem !== undefined) throw new CommandError(`--file: ${file} ${problem}. Nothing was asked`)
}
