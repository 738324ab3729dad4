import { contentOf } from '../../agent/state/setup.ts'
import { rebuildPrompt, type Recorded } from '../../agent/turn/call-prompt.ts'
import { branchNames } from '../../context/naming.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { LookError, turnNamed, type CalledTurn } from '../named.ts'
import { promptDifference } from './prompt-difference.ts'
import { promptParts, shownTail } from './prompt-text.ts'

export interface PromptLook {
  /** Its number in the branch, its id or the end of it, or `last`. */
  readonly turn: string
  /** The number of a model call of it; left out: its last. */
  readonly call?: string | undefined
  /** Where a number counts. */
  readonly branch: () => BranchId
}

export type LookedPrompt = ReturnType<typeof lookAtPrompt>

export function lookAtPrompt(reader: Reader, { turn: word, call, branch }: PromptLook) {
  const turn = turnNamed(reader, word, branch)
  const recorded = callMeant(turn, call)
  const rebuilt = rebuildPrompt(reader, recorded)
  const tail = recorded.tail && { ...recorded.tail, text: contentOf(reader, recorded.tail.text) }
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
  throw new LookError('missing', `The turn ${started.turn} has no call ${word}. Its calls are: ${known}`)
}

/** Programs rely on the names. */
export function promptView({ number, calls, recorded, branch, prompt, tail, isSame }: LookedPrompt) {
  const { turn, call, at, prompt: hash } = recorded
  return {
    turn,
    number,
    branch,
    call,
    calls: calls.length,
    at: new Date(at).toISOString(),
    hash,
    /** False only if something is broken: the hash is that of what was sent. */
    isSame,
    parts: promptParts(prompt, tail),
    recall: tail?.recalled.pieces ?? [],
    prompt,
  }
}

export function promptDifferenceView(before: LookedPrompt, after: LookedPrompt) {
  const of = ({ recorded: { turn, call } }: LookedPrompt) => ({ turn, call })
  return { from: of(before), to: of(after), ...promptDifference(before.prompt, after.prompt) }
}
