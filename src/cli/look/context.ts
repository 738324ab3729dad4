import { priceOf } from '../../agent/contract/world.ts'
import { minuteText } from '../../base/time-text.ts'
import { systemClock } from '../../base/clock.ts'
import { systemZone } from '../../base/environment.ts'
import { contextTokensOf } from '../../command/commands/settings-commands.ts'
import { contextText } from '../../view/context-text.ts'
import { contextView, modelIn, type ContextView } from '../../view/context.ts'
import { branchAsked } from '../../view/named.ts'
import { readConfig } from '../../config/config.ts'
import { withLog } from '../frame/home.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { systemSleep } from '../../model/contract/sleep.ts'
import { agentSettings } from '../../runtime/home/live-config.ts'
import { modelShelf } from '../../runtime/home/model-shelf.ts'
import { openForReading } from '../../runtime/home/open-log.ts'
import { terminalAddress } from '../../runtime/terminal/place.ts'
import { UsageError, type Command, type CommandCall } from '../frame/command.ts'
import { differenceLines } from '../../view/prompt/prompt-difference.ts'
import { partLines, promptLines, promptParts, settingsLine } from '../../view/prompt/prompt-text.ts'
import {
  lookAtPrompt,
  promptDifferenceView,
  promptView,
  type LookedPrompt,
  type PromptLook,
} from '../../view/prompt/prompt.ts'
import { counted } from '../../base/words.ts'

export const contextCommand: Command = {
  name: 'context',
  summary: 'what the model sees now, or saw in any turn',
  usage: '[--branch B] [--turn N [--call N] [--diff N]] [--json | --raw]',
  details: `Without --turn, what the next prompt is made of, as /context has it: how large each part is,
which ranges of the log, which marks. With --turn, also what recall brought into that prompt: from
which positions of the log, who said it and when.

  --branch B    of this branch; otherwise of the one that the terminal talks to
  --turn N      the prompt of a turn, rebuilt from the log: its number in the branch (412), its id
                or six or more characters of the end of it, or 'last'
  --call N      of the turn's Nth model call; otherwise of its last
  --diff N      what changed from that turn's prompt to this one's (to that of the last turn)
  --json        the same as JSON, with whole texts
  --raw         exactly the bytes that were handed to the model, as canonical JSON without a newline;
                their SHA-256 is the hash that the log has of it

Works while another process writes to the log.`,
  run: runContext,
}

async function runContext(call: CommandCall): Promise<number> {
  const diff = call.text('diff')
  const turn = call.text('turn') ?? (diff === undefined ? undefined : 'last')
  refuseMixtures(call, { turn, diff })
  return withLog(openForReading(call.home), async (log) => {
    if (turn === undefined) {
      const view = await log.read((reader) => lookNow(call, reader))
      return call.print(view, () => contextText(view))
    }
    const number = call.text('call')
    const promptOf = (meant: Omit<PromptLook, 'branch'>) =>
      log.read((reader) => lookAtPrompt(reader, { ...meant, branch: () => branchOf(call, reader) }))
    const shown = await promptOf({ turn, call: number })
    if (diff === undefined) return printPrompt(call, shown)
    const before = await promptOf({ turn: diff })
    return printDifference(call, before, shown)
  })
}

function refuseMixtures(
  call: CommandCall,
  { turn, diff }: { turn: string | undefined; diff: string | undefined },
): void {
  if (call.isSet('json') && call.isSet('raw')) throw new UsageError('--json and --raw do not go together')
  if (call.isSet('raw') && diff !== undefined) throw new UsageError('--raw and --diff do not go together')
  if (turn !== undefined) return
  if (call.isSet('raw') || call.text('call') !== undefined)
    throw new UsageError('--raw and --call are about a turn: name it with --turn N, or --turn last')
}

function branchOf(call: CommandCall, reader: Reader): BranchId {
  return branchAsked(reader, call.text('branch'), terminalAddress)
}

function lookNow(call: CommandCall, reader: Reader): ContextView {
  const config = readConfig(call)
  const settings = agentSettings(config)
  const openModel = modelShelf(config, { now: systemClock, sleep: systemSleep })
  const branch = branchOf(call, reader)
  const model = modelIn(reader, branch, settings)
  const tokensMax = contextTokensOf({ openModel, settings: () => settings }, model)
  return contextView(reader, { branch, settings, tokensMax, price: priceOf({ model: openModel }, model) })
}

async function printPrompt(call: CommandCall, shown: LookedPrompt): Promise<number> {
  if (call.isSet('raw')) await call.out.text(shown.text)
  else await call.print(promptView(shown), () => shownLines(shown))
  return shown.isSame ? 0 : notTheSame(call, shown)
}

function shownLines(shown: LookedPrompt): string[] {
  const { number, started, calls, recorded, branch, prompt, pieces, tail, isSame } = shown
  const of = calls.length === 1 ? 'its only call' : `call ${recorded.call} of ${calls.length}`
  return [
    `Turn ${number} in ${branch} (${started.turn}), ${minuteText(started.at, systemZone())}: ${of}`,
    `hash      ${recorded.prompt}${isSame ? '' : '; this prompt does NOT match'}`,
    settingsLine(prompt),
    '',
    ...partLines(promptParts(pieces), tail),
    '',
    ...promptLines(prompt, tail),
  ]
}

/** Only happens if something is broken. A program that relies on the bytes must know at once. */
function notTheSame(call: CommandCall, { recorded }: LookedPrompt): number {
  void call.err.line(
    `mainstem: This prompt differs from the one that was sent: its hash is not the logged ${recorded.prompt}. 'mainstem doctor' checks the log.`,
  )
  return 1
}

async function printDifference(
  call: CommandCall,
  before: LookedPrompt,
  after: LookedPrompt,
): Promise<number> {
  const difference = promptDifferenceView(before, after)
  const sizes = [before, after].map(({ prompt }) => counted(prompt.messages.length, 'message'))
  await call.print(difference, () => [
    `From turn ${before.number} (${sizes[0]}) to turn ${after.number} (${sizes[1]}):`,
    ...differenceLines(difference),
  ])
  const wrong = [before, after].find(({ isSame }) => !isSame)
  return wrong === undefined ? 0 : notTheSame(call, wrong)
}
