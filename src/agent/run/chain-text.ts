import type { Chain } from '../../event/run.ts'
import type { JobRights } from '../right/gating.ts'

type Means = Pick<JobRights, 'reporting' | 'allowPing'>

/** `CHAIN: this is check 2/4. …` Without `run` it is for the main session. Empty: there are no follow-ups. */
export function chainText({ max, depth }: Pick<Chain, 'max' | 'depth'>, run: Means | null = null): string {
  if (max === 0) return ''
  const isFinal = depth >= max
  const check = `this is check ${depth + 1}/${max + 1}`
  const parts = isFinal
    ? [`CHAIN: ${check}, the final one: follow_up_chain is not available.`, finalText(run)]
    : [`CHAIN: ${check}. ${moreText(max - depth)}`]
  return [...parts, ...(depth > 0 ? [acknowledgeText(run)] : [])].filter((part) => part !== '').join(' ')
}

function moreText(left: number): string {
  const more = left === 1 ? 'one more check' : `up to ${left} more checks`
  return `follow_up_chain(minutes_from_now) is available, for ${more}: call it if the matter is open and worth looking at again, else leave it.`
}

/** Nobody looks again after the final check: tell the person now, or let it go. */
function finalText(run: Means | null): string {
  const question = 'Ask yourself: would the user regret missing this?'
  if (run === null) return `${question} If it is unresolved and they would, say so plainly; else let it rest.`
  const otherwise = run.reporting === 'blocked' ? 'let it rest' : 'call report_updates'
  if (run.allowPing) return `${question} If it is unresolved and they would, ping now; else ${otherwise}.`
  return run.reporting === 'blocked' ? '' : 'If it is unresolved, say so with report_updates.'
}

/** A person who hears about something twice should know that it is intended. */
function acknowledgeText(run: Means | null): string {
  if (run === null) return 'Let your answer say that it is a follow-up ("checking in again").'
  return run.allowPing ? 'A ping has to say that it is a follow-up ("checking in again").' : ''
}
