import type { AgentSettings } from '../agent/state/settings.ts'
import { spentBy, spentOn } from '../agent/state/spent.ts'
import { newest } from '../agent/state/newest.ts'
import type { Sums } from '../agent/state/tables.ts'
import { branchNames } from '../context/naming.ts'
import type { BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { moneyWords, tokenWords } from './words.ts'

/** What was spent on the person's day (`2026-03-01`), by whom, and how much of the day's limit is left. */
export function costText(
  reader: Reader,
  { branch, day, settings }: { branch: BranchId; day: string; settings: AgentSettings },
): string {
  const { all, background } = spentOn(reader, day)
  const name = branchNames(reader)(branch)
  return [
    `Today (${day}): ${sumsWords(all)}`,
    ...(background.calls === 0 ? [] : [`In the background: ${sumsWords(background)}`]),
    `In ${name}, in total: ${sumsWords(spentBy(reader, branch))}`,
    limitWords(reader, { day, limit: settings.dayLimit, all }),
  ].join('\n')
}

function limitWords(
  reader: Reader,
  { day, limit, all }: { day: string; limit: AgentSettings['dayLimit']; all: Sums },
): string {
  if (limit === null) return 'No daily limit. Set one with costDayMax.'
  const spent = limit.unit === 'money' ? all.cost : all.tokensIn + all.tokensOut
  const max = limit.unit === 'money' ? moneyWords(limit.max) : `${tokenWords(limit.max)} tokens`
  const share = limit.max === 0 ? 100 : Math.round((spent / limit.max) * 100)
  const isAgreed = newest(reader, 'agreed', day) !== undefined
  return `Daily limit: ${max}, ${share} % used.${isAgreed ? ' You lifted it for today.' : ''}`
}

function sumsWords({ calls, tokensIn, tokensOut, tokensCached, cost, isPriced }: Sums): string {
  if (calls === 0) return 'no calls'
  const money = isPriced ? `${moneyWords(cost)}, ` : ''
  const cached = tokensCached > 0 ? ` (${tokenWords(tokensCached)} cached)` : ''
  const count = calls === 1 ? '1 call' : `${calls} calls`
  return `${money}${count}, ${tokenWords(tokensIn)} tokens in${cached}, ${tokenWords(tokensOut)} out`
}
