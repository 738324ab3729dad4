import { changesRights } from '../../command/read/catalogue.ts'
import { parseInput } from '../../command/read/parse.ts'
import { EventError } from '../../event/codec.ts'
import type { Life } from '../../runtime/life/life.ts'
import { Conversation } from '../../runtime/terminal/conversation.ts'
import { newKey } from '../../base/random.ts'
import { Inputs, withPiped } from './input-lines.ts'
import { reminderFiles, sayRemindersLeft } from './jobs-left.ts'
import { live, type Company, type TalkCall } from './live.ts'
import { CommandError } from '../frame/command.ts'
import type { Output } from '../frame/output.ts'
import { jsonPrinter, textPrinter, type Printer, liveAnswerPrinter } from './printer.ts'
import { startNotices } from './start-notices.ts'
import { counted } from '../../base/words.ts'

const WAIT_MS = 10_000
/** How long a single question waits for a model that fails, if the person names no time. */
const TIMEOUT_MS = 120_000

/** Each line of the standard input is a message or a command; the answers go to the standard output. */
export function batch(call: TalkCall): Promise<number> {
  const printer = call.form === 'json' ? jsonPrinter(call) : textPrinter(call)
  const left = new AbortController()
  const exit = (): void => left.abort()
  const how = { command: 'mainstem', printer, schedules: true, exit }
  return converse(call, how, async (conversation, signal) => {
    const inputs = new Inputs(call.input, signal)
    let code = 0
    while (!left.signal.aborted && !signal.aborted) {
      const input = await inputs.next()
      if (input === undefined) break
      if (!(await areFine(conversation, inputs, { input, printer, signal, isSure: call.isSure }))) code = 1
    }
    if (left.signal.aborted && !signal.aborted) await sayUnread(call.err, await inputs.countLeft())
    await lingered(conversation, { waitMs: call.waitMs ?? WAIT_MS, err: call.err, signal })
    return code
  })
}

/** Time for MCP servers to connect: a single question should already have their tools. */
const SERVERS_MS = 3_500

/** Opens a life with a conversation that is printed. */
export function inConversation(
  call: Pick<TalkCall, 'home' | 'environment' | 'input' | 'flags' | 'err'>,
  { printer, close, exit, ...how }: ConversationOptions,
  work: (conversation: Conversation, life: Life, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  let conversation: Conversation | undefined
  const remark = (text: string): void => void call.err.now(`mainstem: ${text}`)
  return live(
    call,
    () => ({
      serversMs: SERVERS_MS,
      ...how,
      warn: remark,
      close: () => {
        close?.()
        conversation?.close()
      },
    }),
    async ({ life, seats }, signal) => {
      conversation = new Conversation({ life, seats, print: printer.said, remark, ...(exit && { exit }) })
      for (const notice of startNotices(life, { home: call.home, way: 'command' }))
        await call.err.now(`mainstem: ${notice}`)
      return work(conversation, life, signal)
    },
  )
}

interface ConversationOptions extends Pick<Company, 'command' | 'schedules' | 'serversMs'> {
  readonly printer: Printer
  /** Before anything else is closed. */
  readonly close?: () => void
  /** `/exit` was typed. */
  readonly exit?: () => void
}

/**
 * The same, after earlier work is finished, or `opening` gives up on it. At the end it says which reminders are waiting.
 */
export function converse(
  call: TalkCall,
  { opening, ...how }: ConversationOptions & { readonly opening?: () => AbortSignal },
  work: (conversation: Conversation, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  return inConversation(call, how, async (conversation, life, signal) => {
    await conversation.catchUp(opening === undefined ? signal : AbortSignal.any([signal, opening()]))
    // A single question mentions only the reminders it added; otherwise all of them.
    const known = how.schedules === true ? new Set<string>() : reminderFiles(life)
    const code = await work(conversation, signal)
    if (!signal.aborted) await sayRemindersLeft(life, { err: call.err, known })
    return code
  })
}

interface Saying extends Pick<TalkCall, 'isSure'> {
  readonly input: string
  readonly printer: Printer
  readonly signal: AbortSignal
  /** What is printed first. */
  readonly before?: Promise<unknown>
}

/** Says an input, and also the next one at once if that is meant to stop this one. */
async function areFine(conversation: Conversation, inputs: Inputs, saying: Saying): Promise<boolean> {
  const over = new AbortController()
  const first = isFine(conversation, saying).finally(() => over.abort())
  // Awaited below; it may fail while the next line is waited for.
  first.catch(() => undefined)
  const urgent = await inputs.urgent(over.signal)
  const before = first.catch(() => undefined)
  const isUrgentFine =
    urgent === undefined || (await isFine(conversation, { ...saying, input: urgent, before }))
  return (await first) && isUrgentFine
}

/** An input that is too long for the log or changes rights is refused, and the next one may be fine. */
async function isFine(conversation: Conversation, saying: Saying): Promise<boolean> {
  const { input: text, printer, signal, before } = saying
  try {
    requireSure(text, saying)
    const outcome = await conversation.say({ text, key: newKey(), signal })
    await before
    if (outcome !== undefined) await printer.outcome(text, outcome)
    return outcome?.isFailed !== true
  } catch (error) {
    if (!(error instanceof EventError) && !(error instanceof CommandError)) throw error
    await printer.refused(text, error.message)
    return false
  }
}

/** Whoever writes into the input of a program must not decide what the agent may do. */
function requireSure(input: string, { isSure }: Pick<TalkCall, 'isSure'>): void {
  const act = parseInput(input).find((part) => part.kind === 'command' && changesRights(part.command))
  if (isSure || act?.kind !== 'command') return
  throw new CommandError(
    `/${act.command.name} changes what the agent may do, so -p and pipes need --yes for it. Nothing was done`,
  )
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

/** Work that is left continues only when the program runs again. */
export async function sayLeft(err: Output, branches: number): Promise<void> {
  if (branches === 0) return
  const what = counted(branches, 'branch', 'branches')
  await err.now(`mainstem: Still working: ${what}. This continues when mainstem runs again.`)
}

async function sayUnread(err: Output, lines: number): Promise<void> {
  if (lines === 0) return
  const were = lines === 1 ? 'was' : 'were'
  await err.now(
    `mainstem: /exit ended the conversation; ${counted(lines, 'more input line')} ${were} not read.`,
  )
}

/** Asks one question and prints the answer. */
export function ask(call: TalkCall, question: string): Promise<number> {
  requireSure(question, call)
  const printer = call.form === 'json' ? jsonPrinter(call) : liveAnswerPrinter(call)
  const { timeoutMs: ms = TIMEOUT_MS } = call
  const isLimited = call.timeoutMs !== undefined
  let over: AbortSignal | undefined
  const limit = (): AbortSignal => (over ??= AbortSignal.timeout(ms))
  const how = { command: 'mainstem -p', printer, ...(isLimited && { opening: limit }) }
  return converse(call, how, async (conversation, signal) => {
    const text = await withPiped(question, call)
    const later = 'when mainstem runs again'
    const patience = { ms, over: limit(), with: isLimited ? 'answer' : 'failures', later } as const
    const outcome = await conversation.say({ text, key: newKey(), signal, patience })
    if (outcome !== undefined) await printer.outcome(text, outcome)
    // By default a single question only waits for its answer.
    await lingered(conversation, { waitMs: call.waitMs ?? 0, err: call.err, signal })
    return outcome?.isFailed === false ? 0 : 1
  })
}
