import { whenText } from '../base/time-text.ts'
import { budgetNow } from '../agent/ping/budget-now.ts'
import { pauseOf } from '../agent/state/jobs.ts'
import { openList, personPinged, pingAt } from '../agent/state/ledger.ts'
import { nextRefillAt, wholeTokens, type Budget } from '../agent/state/ping-budget.ts'
import type { AgentSettings } from '../agent/state/settings.ts'
import { counted } from '../base/words.ts'
import { clockText } from '../config/day-type.ts'
import type { Reader } from '../event/table.ts'
import { OWNER } from '../event/speaker.ts'
import { quietUntil } from '../schedule/quiet-hours.ts'

export interface PingsLook {
  readonly person: string
  readonly now: number
  readonly settings: Pick<AgentSettings, 'pings' | 'zone' | 'quietHours'>
}

/** Where more is told. */
export const WHY = 'why lists the last pings and refusals, with their reasons.'

/** What is left of a person's pings, and what keeps them back now. */
export function pingBudgetText(reader: Reader, look: PingsLook): string {
  const { person, now, settings } = look
  const budget = budgetNow(reader, person, look)
  const whose = person === OWNER ? '' : ` of ${person}`
  return [
    `Ping budget${whose}: ${leftText(budget)} available.`,
    refillText(budget, { now, zone: settings.zone }),
    `Today: ${budget.used} used, ${budget.critical} critical.`,
    quietText(look),
    ...pauseLines(reader, look),
    ...openLines(reader, person),
  ].join('\n')
}

/** `3/5`: only whole ones count. */
export function leftText({ available, capacity }: Pick<Budget, 'available' | 'capacity'>): string {
  return `${wholeTokens(available)}/${capacity}`
}

interface Times {
  readonly now: number
  readonly zone: string
}

function refillText(budget: Budget, { now, zone }: Times): string {
  const pace = `Refill: one every ${budget.refillMinutes} min`
  const next = nextRefillAt(budget)
  return next === undefined ? `${pace}; it is full.` : `${pace}; the next ${whenText(next, { now, zone })}.`
}

function quietText({ now, settings: { quietHours, zone } }: PingsLook): string {
  if (quietHours === null) return 'Quiet hours: none.'
  const hours = `Quiet hours: ${clockText(quietHours.from)}-${clockText(quietHours.to)}`
  const until = quietUntil(quietHours, zone, now)
  return until === null ? `${hours}.` : `${hours}; quiet now, until ${whenText(until, { now, zone })}.`
}

function pauseLines(reader: Reader, { now, settings: { zone } }: PingsLook): string[] {
  const pause = pauseOf(reader, null, now)
  if (pause === null) return []
  const until = pause.until === null ? '' : ` until ${whenText(pause.until, { now, zone })}`
  return [`Paused${until}: no pings come. /resume ends it.`]
}

/** Pings on their way or held. */
function openLines(reader: Reader, person: string): string[] {
  const open = openList(reader, 'pings')
    .map((position) => pingAt(reader, position))
    .filter((ping) => personPinged(reader, ping) === person)
  if (open.length === 0) return []
  const held = open.filter(({ verdict }) => verdict === 'held').length
  const onTheirWay = open.length - held
  const parts = [
    ...(onTheirWay === 0 ? [] : [`${counted(onTheirWay, 'ping')} on the way`]),
    ...(held === 0 ? [] : [`${counted(held, 'ping')} held`]),
  ]
  return [`Now: ${parts.join(', ')}.`]
}
