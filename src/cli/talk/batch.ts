import { EventError } from '../../event/codec.ts'
import type { Life } from '../../runtime/life/life.ts'
import { Conversation } from './conversation.ts'
import { Inputs } from './input-lines.ts'
import { reminderFiles, sayRemindersLeft } from './jobs-left.ts'
import { live, type TalkCall } from './live.ts'
import type { Output } from '../frame/output.ts'
import { jsonPrinter, textPrinter, type Printer, answerPrinter } from './printer.ts'
import { startNotices } from './start-notices.ts'
import { counted } from '../../base/words.ts'

const WAIT_MS = 10_000

/** Each line of the standard input is a message or a command; the answers go to the standard output. */
export function batch(call: TalkCall): Promise<number> {
  const printer = call.form === 'json' ? jsonPrinter(call) : textPrinter(call)
  return converse(call, { command: 'mainstem', printer, schedules: true }, async (conversation, signal) => {
    const inputs = new Inputs(call.input, signal)
    let code = 0
    while (!conversation.hasLeft && !signal.aborted) {
      const input = await inputs.next()
      if (input === undefined) break
      if (!(await areFine(conversation, inputs, { input, printer, signal }))) code = 1
    }
    if (conversation.hasLeft && !signal.aborted) await sayUnread(call.err, await inputs.countLeft())
    await lingered(conversation, { waitMs: call.waitMs ?? WAIT_MS, err: call.err, signal })
    return code
  })
}

const SERVERS_MS = 3_500

/** Opens a life, and a conversation in it that has nothing left to do from before. */
export function converse(
  call: TalkCall,
  { printer, ...how }: { command: string; printer: Printer; schedules?: boolean },
  work: (conversation: Conversation, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  let conversation: Conversation
  return live(
    call,
    (fail) => {
      conversation = new Conversation(printer, fail)
      const { channel, leave } = conversation
      return {
        ...how,
        channels: [channel],
        leave,
        // What is asked here is asked once: it should find the tools there.
        serversMs: SERVERS_MS,
        warn: (text) => void tell(call.err, `Warning: ${text}`),
        close: () => conversation.close(),
      }
    },
    async (life, signal) => {
      await sayStart(call, life)
      await conversation.open(life, signal)
      // Whoever asks one thing is told of what came of that; the others of all that now nobody watches.
      const known = how.schedules === true ? new Set<string>() : reminderFiles(life)
      const code = await work(conversation, signal)
      if (!signal.aborted) await sayRemindersLeft(life, { err: call.err, known })
      return code
    },
  )
}

async function sayStart({ home, err }: TalkCall, life: Life): Promise<void> {
  for (const notice of startNotices(life, { home, way: 'command' })) await tell(err, notice)
}

interface Saying {
  readonly input: string
  readonly printer: Printer
  readonly signal: AbortSignal
}

/** Says an input, and the next one already meanwhile if that is to stop the work on it. */
async function areFine(conversation: Conversation, inputs: Inputs, saying: Saying): Promise<boolean> {
  const over = new AbortController()
  const first = isFine(conversation, saying).finally(() => over.abort())
  // Awaited below; it may fail while the next line is waited for.
  first.catch(() => undefined)
  const urgent = await inputs.urgent(over.signal)
  const isUrgentFine = urgent === undefined || (await isFine(conversation, { ...saying, input: urgent }))
  return (await first) && isUrgentFine
}

/** An input that is too long for the log is refused, and the next one may fit. */
async function isFine(conversation: Conversation, { input, printer, signal }: Saying): Promise<boolean> {
  try {
    const outcome = await conversation.say(input, signal)
    return outcome?.isFailed !== true
  } catch (error) {
    if (!(error instanceof EventError)) throw error
    await printer.refused(input, error.message)
    return false
  }
}

export async function lingered(
  conversation: Conversation,
  { waitMs, err, signal }: { waitMs: number; err: Output; signal: AbortSignal },
): Promise<void> {
  const left = await conversation.linger(waitMs, signal)
  await conversation.compacted(signal)
  await conversation.flush()
  if (!signal.aborted) await sayLeft(err, left)
}

/** Nothing is lost when the program ends, but nothing is done either. */
export async function sayLeft(err: Output, branches: number): Promise<void> {
  if (branches === 0) return
  const what = counted(branches, 'branch', 'branches')
  await tell(err, `Still working: ${what}. This continues when mainstem runs again.`)
}

async function sayUnread(err: Output, lines: number): Promise<void> {
  if (lines === 0) return
  const were = lines === 1 ? 'was' : 'were'
  await tell(err, `/exit ended it: ${counted(lines, 'more line')} of the input ${were} not read.`)
}

async function tell(err: Output, text: string): Promise<void> {
  void err.line(err.safe(`mainstem: ${text}`))
  await err.flush()
}

/** Asks one question and prints the answer. */
export function ask(call: TalkCall, question: string): Promise<number> {
  const printer = call.form === 'json' ? jsonPrinter(call) : answerPrinter(call)
  return converse(call, { command: 'mainstem -p', printer }, async (conversation, signal) => {
    const outcome = await conversation.say(question, signal)
    // Who asks one question waits for its answer only, unless told otherwise.
    await lingered(conversation, { waitMs: call.waitMs ?? 0, err: call.err, signal })
    return outcome?.isFailed === false ? 0 : 1
  })
}
