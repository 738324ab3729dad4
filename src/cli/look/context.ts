import { minuteText } from '../../base/time-text.ts'
import { rebuildPrompt, type Recorded } from '../../agent/turn/call-prompt.ts'
import { systemClock } from '../../base/clock.ts'
import { systemZone } from '../../base/environment.ts'
import { boundBranch } from '../../agent/branch/binding.ts'
import { contextTokensOf } from '../../command/commands/settings-commands.ts'
import { contextText } from '../../view/context-text.ts'
import { contextView, modelIn, type ContextView } from '../../view/context.ts'
import { tailOf } from '../../view/recalled.ts'
import { readConfig } from '../../config/config.ts'
import { withLog } from '../frame/home.ts'
import { branchNames } from '../../context/naming.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { systemSleep } from '../../model/contract/sleep.ts'
import { agentSettings } from '../../runtime/home/live-config.ts'
import { modelShelf } from '../../runtime/home/model-shelf.ts'
import { openForReading } from '../../runtime/home/open-log.ts'
import { terminalAddress } from '../../runtime/terminal/place.ts'
import { findBranchByWord } from './branch-word.ts'
import { CommandError, UsageError, type Command, type CommandCall } from '../frame/command.ts'
import { differenceLines, promptDifference } from './prompt-difference.ts'
import { partLines, promptLines, promptParts, settingsLine, shownTail } from './prompt-text.ts'
import { findTurnByWord, type CalledTurn } from './turn-word.ts'
import { counted } from '../../base/words.ts'
import { oldestMain } from '../../agent/state/person.ts'

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
  options: { branch: 'text', turn: 'text', call: 'text', diff: 'text', json: 'flag', raw: 'flag' },
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
    const shown = await log.read((reader) => promptOf(call, reader, { turn, number }))
    if (diff === undefined) return printPrompt(call, shown)
    const before = await log.read((reader) => promptOf(call, reader, { turn: diff, number: undefined }))
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
  const word = call.text('branch')
  if (word !== undefined) return findBranchByWord(reader, word)
  const branch = boundBranch(reader, terminalAddress) ?? oldestMain(reader)
  if (branch === undefined)
    throw new CommandError("There is no branch in this log yet. 'mainstem' alone starts a conversation")
  return branch
}

function lookNow(call: CommandCall, reader: Reader): ContextView {
  const config = readConfig(call)
  const settings = agentSettings(config.values)
  const openModel = modelShelf(config, { now: systemClock, sleep: systemSleep })
  const branch = branchOf(call, reader)
  const model = modelIn(reader, branch, settings)
  const tokensMax = contextTokensOf({ openModel, settings: () => settings }, model)
  return contextView(reader, { branch, settings, tokensMax })
}

type ShownPrompt = ReturnType<typeof promptOf>

function promptOf(call: CommandCall, reader: Reader, meant: { turn: string; number: string | undefined }) {
  const turn = findTurnByWord(reader, meant.turn, () => branchOf(call, reader))
  const recorded = callMeant(turn, meant.number)
  const rebuilt = rebuildPrompt(reader, recorded)
  const text = tailOf(reader, recorded)
  const tail = recorded.tail && text !== undefined ? { text, after: recorded.tail.after } : null
  return {
    ...turn,
    recorded,
    branch: branchNames(reader)(recorded.branch),
    ...rebuilt,
    tail: shownTail(rebuilt.prompt, tail),
  }
}

function callMeant({ started, calls }: CalledTurn, word: string | undefined): Recorded {
  const found = word === undefined ? calls.at(-1) : calls.find(({ call }) => String(call) === word)
  if (found !== undefined) return found
  const known = calls.map(({ call }) => call).join(', ')
  throw new CommandError(`The turn ${started.turn} has no call ${word}. Its calls are: ${known}`)
}

async function printPrompt(call: CommandCall, shown: ShownPrompt): Promise<number> {
  if (call.isSet('raw')) await call.out.text(shown.text)
  else await call.print(factsOf(shown), () => shownLines(shown))
  return shown.isSame ? 0 : notTheSame(call, shown)
}

function factsOf({ number, calls, recorded, branch, prompt, tail, isSame }: ShownPrompt): object {
  const { turn, call, at, prompt: hash } = recorded
  return {
    turn,
    number,
    branch,
    call,
    calls: calls.length,
    at: new Date(at).toISOString(),
    hash,
    isSame,
    parts: promptParts(prompt, tail),
    recall: tail?.recalled.pieces ?? [],
    prompt,
  }
}

function shownLines(shown: ShownPrompt): string[] {
  const { number, started, calls, recorded, branch, prompt, tail, isSame } = shown
  const of = calls.length === 1 ? 'its only call' : `call ${recorded.call} of ${calls.length}`
  return [
    `Turn ${number} in ${branch} (${started.turn}), ${minuteText(started.at, systemZone())}: ${of}`,
    `hash      ${recorded.prompt}${isSame ? '' : '; this prompt does NOT match'}`,
    settingsLine(prompt),
    '',
    ...partLines(promptParts(prompt, tail), tail),
    '',
    ...promptLines(prompt, tail),
  ]
}

/** Only happens if something is broken. Whoever relies on the bytes must know at once. */
function notTheSame(call: CommandCall, { recorded }: ShownPrompt): number {
  void call.err.line(
    `mainstem: This prompt differs from the one that was sent: its hash is not the logged ${recorded.prompt}. 'mainstem doctor' checks the log.`,
  )
  return 1
}

async function printDifference(call: CommandCall, before: ShownPrompt, after: ShownPrompt): Promise<number> {
  const difference = promptDifference(before.prompt, after.prompt)
  const [from, to] = [before, after].map(({ recorded: { turn, call: number } }) => ({ turn, call: number }))
  const sizes = [before, after].map(({ prompt }) => counted(prompt.messages.length, 'message'))
  await call.print({ from, to, ...difference }, () => [
    `From turn ${before.number} (${sizes[0]}) to turn ${after.number} (${sizes[1]}):`,
    ...differenceLines(difference),
  ])
  const wrong = [before, after].find(({ isSame }) => !isSame)
  return wrong === undefined ? 0 : notTheSame(call, wrong)
}
