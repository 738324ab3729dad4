import { oneLine, shorten } from '../../base/width.ts'
import type { Position } from '../../event/id.ts'
import type { Choice, Embed } from '../../event/work.ts'
import type { Writing } from '../../event/table.ts'
import { budgetNow, noteSizes } from './budget-now.ts'
import type { PingAccount } from './ping-account.ts'
import type { PingDecided } from '../state/ledger.ts'
import type { AgentSettings } from '../state/settings.ts'

/** The content of a ping, and the answers it offers. */
export interface PingContent {
  readonly text: string
  readonly embed?: Embed
  readonly choices?: readonly Choice[]
}

/** A decision about a ping, as the ledger records it. Without a `budget`, it is counted on the person's, unless they asked. */
export interface PingLine extends Omit<
  PingDecided,
  'position' | 'kind' | 'v' | 'branch' | 'run' | 'text' | 'job' | 'held'
> {
  readonly account: PingAccount
  readonly settings: AgentSettings
  readonly content: PingContent
}

const LEDGER_CHARS = 200

/** Writes the ledger line that every ping has, whatever happens to it (PING4). It also takes the token from the budget. */
export function writePing(writing: Writing, line: PingLine): Position {
  const { account, at, turn, what, isCritical, verdict, because, content, before, delivery, of } = line
  const { branch, run, job } = account
  const budget = line.budget ?? (because === 'asked' ? undefined : countedOn(writing, line))
  return writing.append({
    kind: 'ping-decided',
    branch,
    at,
    turn,
    run: run?.branch ?? null,
    what,
    isCritical,
    verdict,
    because,
    text: shorten(oneLine(content.text), LEDGER_CHARS),
    before,
    delivery,
    ...(budget !== undefined && { budget }),
    ...(job !== undefined && { job }),
    ...(verdict === 'held' && { held: heldOf(content) }),
    ...(of !== undefined && { of }),
  })
}

function heldOf({ text, embed, choices = [] }: PingContent): NonNullable<PingDecided['held']> {
  return {
    text,
    ...(embed !== undefined && { embed }),
    ...(choices.length > 0 && { choices: [...choices] }),
  }
}

/** The budget at this moment, in the size that is configured by now. */
function countedOn(
  writing: Writing,
  { account: { person, branch }, at: now, settings }: PingLine,
): NonNullable<PingDecided['budget']> {
  noteSizes(writing, { branch, now, settings })
  const { capacity, refillMinutes, available, day } = budgetNow(writing, person, { now, settings })
  return { person, capacity, refillMinutes, available, day }
}
