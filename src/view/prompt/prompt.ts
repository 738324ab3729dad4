import { reasonsFor, rebuildPrompt, type Recorded } from '../../agent/turn/call-prompt.ts'
import { isoAt } from '../../base/time-text.ts'
import { branchNames } from '../../context/naming.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { LookError, turnNamed, type CalledTurn } from '../named.ts'
import { promptDifference } from './prompt-difference.ts'
import { promptPieces } from './prompt-pieces.ts'
import { promptParts, shownTail } from './prompt-text.ts'

export interface PromptLook {
  /** Its number in the branch, its id or the end of it, or `last`. */
  readonly turn: string
  /** The number of a model call of it; left out: its last. */
  readonly call?: string | undefined
  /** The branch whose turns are numbered. */
  readonly branch: () => BranchId
}

export type LookedPrompt = ReturnType<typeof lookAtPrompt>

export function lookAtPrompt(reader: Reader, { turn: word, call, branch }: PromptLook) {
  const turn = turnNamed(reader, word, branch)
  const recorded = callMeant(turn, call)
  const rebuilt = rebuildPrompt(reader, recorded)
  return {
    ...turn,
    recorded,
    branch: branchNames(reader)(recorded.branch),
    ...rebuilt,
    pieces: promptPieces(reader, rebuilt, recorded),
    tail: shownTail(rebuilt, reasonsFor(reader, recorded) ?? null),
  }
}

function callMeant({ started, calls }: CalledTurn, word: string | undefined): Recorded {
  const found = word === undefined ? calls.at(-1) : calls.find(({ call }) => String(call) === word)
  if (found !== undefined) return found
  const known = calls.map(({ call }) => call).join(', ')
  throw new LookError('missing', `The turn ${started.turn} has no call ${word}. Its calls are: ${known}`)
}

/** Programs rely on the names. */
export function promptView(looked: LookedPrompt) {
  const { number, calls, recorded, branch, prompt, pieces, tail, isSame } = looked
  const { turn, call, at, prompt: hash } = recorded
  return {
    turn,
    number,
    branch,
    call,
    calls: calls.length,
    at: isoAt(at),
    hash,
    /** False only if something is broken: the hash is that of what was sent. */
    isSame,
    parts: promptParts(pieces),
    recall: (tail?.recalled.pieces ?? []).map((piece, index) => ({
      ...piece,
      why: tail?.why?.[index] ?? null,
    })),
    prompt,
  }
}

export function promptDifferenceView(before: LookedPrompt, after: LookedPrompt) {
  const of = ({ recorded: { turn, call } }: LookedPrompt) => ({ turn, call })
  return { from: of(before), to: of(after), ...promptDifference(before.prompt, after.prompt) }
}
