import { isoIn } from '../../base/time-text.ts'
import { budgetNow } from '../../agent/ping/budget-now.ts'
import { mainOfPerson } from '../../agent/state/jobs.ts'
import { budgetOf, jobOfPing, ledgerOf, type LedgerEntry } from '../../agent/state/ledger.ts'
import type { Budget } from '../../agent/state/ping-budget.ts'
import { systemClock } from '../../base/clock.ts'
import { pingBudgetText, WHY, type PingsLook } from '../../view/ping-budget-text.ts'
import { isReplied, lastPings, pingLedgerText, REASONS } from '../../view/ping-ledger-text.ts'
import { handleOf } from '../../event/id.ts'
import { jobText } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import { OWNER } from '../../event/speaker.ts'
import {
  CommandError,
  isSet,
  textOption,
  UsageError,
  type Command,
  type CommandCall,
} from '../frame/command.ts'
import { configCommand } from '../store/config.ts'
import { openLog, settingsOf, withLog } from '../frame/home.ts'

export const pingBudgetCommand: Command = {
  name: 'ping-budget',
  summary: 'how often jobs may write to you unasked',
  usage: '[why | capacity N | refill MINUTES] [--for PERSON] [--json]',
  details: `Shows how many pings are left, when the next one comes back, what was used today, and what keeps
pings back now: quiet hours, a pause.

  why               the last 20 pings and refusals, the newest first: when, which job, what became of
                    each and why; then the jobs that nobody reacts to
  capacity N        how many pings there can be at once; raising it grants none
  refill MINUTES    in how many minutes one comes back

  --for PERSON      the budget of somebody else than the owner
  --json            the budget as one JSON object, or 'why' as one JSON array

Works while another process writes to the log. In a conversation, /ping-budget does the same, and
/done, /snooze and /less answer a ping.`,
  options: { for: { type: 'string' }, json: { type: 'boolean' } },
  argumentsMin: 0,
  argumentsMax: 2,
  run: runPingBudget,
}

async function runPingBudget(call: CommandCall): Promise<number> {
  const [act, value] = call.words
  if ((act === 'capacity' || act === 'refill') && value !== undefined) return set(call, act, value)
  if (act !== undefined && (act !== 'why' || value !== undefined)) throw notUnderstood(call.words)
  const settings = settingsOf(call)
  const person = textOption(call, 'for') ?? OWNER
  const look = { person, now: systemClock(), settings, isJson: isSet(call, 'json') }
  const text = await read(call, look, act === 'why' ? ledgerShown : budgetShown)
  await call.out.line(call.out.safe(text))
  return 0
}

function notUnderstood(words: readonly string[]): UsageError {
  const [act] = words
  const usage = `Usage: mainstem ping-budget ${pingBudgetCommand.usage}`
  if (act === 'more')
    return new UsageError(
      `'more' is for a conversation: mainstem -p "/ping-budget ${words.join(' ').replaceAll('"', '')}"`,
    )
  return new UsageError(`'mainstem ping-budget' cannot ${JSON.stringify(words.join(' '))}. ${usage}`)
}

const KEYS = { capacity: 'pingCapacity', refill: 'pingRefillMinutes' } as const

function set(call: CommandCall, act: 'capacity' | 'refill', value: string): Promise<number> {
  return configCommand.run({ ...call, words: ['set', KEYS[act], value] })
}

type Look = PingsLook & { readonly isJson: boolean }

async function read(
  call: CommandCall,
  look: Look,
  show: (reader: Reader, look: Look) => string,
): Promise<string> {
  return withLog(openLog(call.home), (log) =>
    log.read((reader) => {
      const { person } = look
      if (!isKnown(reader, person))
        throw new CommandError(`Nobody called '${person}' has written here or was pinged yet`)
      return show(reader, look)
    }),
  )
}

function isKnown(reader: Reader, person: string): boolean {
  if (person === OWNER || budgetOf(reader, person) !== undefined) return true
  return mainOfPerson(reader, person) !== undefined || ledgerOf(reader, person, 1).length > 0
}

function budgetShown(reader: Reader, look: Look): string {
  if (!look.isJson)
    return `${pingBudgetText(reader, look)}
mainstem ping-budget ${WHY}`
  return JSON.stringify(budgetJson(budgetNow(reader, look.person, look), look.settings.zone), undefined, 2)
}

/** The names and their order are a contract with programs that read it. */
function budgetJson({ at, day, ...budget }: Budget, zone: string): object {
  return {
    capacity: budget.capacity,
    available: budget.available,
    refill_rate_minutes: budget.refillMinutes,
    last_refill: isoIn(at, zone).replace(/\.\d+/, ''),
    critical_used: budget.critical,
    critical_reset_date: day,
    daily_used: budget.used,
    daily_used_reset: day,
  }
}

function ledgerShown(reader: Reader, look: Look): string {
  if (!look.isJson) return pingLedgerText(reader, look)
  const { zone } = look.settings
  const lines = lastPings(reader, look.person).map((entry) => pingJson(reader, entry, zone))
  return JSON.stringify(lines, undefined, 2)
}

function pingJson(reader: Reader, entry: LedgerEntry, zone: string): object {
  const { decision, state, answer } = entry
  const { position, at, text, verdict, because, isCritical } = decision
  const job = jobOfPing(reader, decision)
  return {
    ts: isoIn(at, zone),
    position,
    job: job === undefined ? null : jobText(job),
    from: handleOf(decision.branch),
    text,
    critical: isCritical,
    verdict,
    because,
    reason: REASONS[because],
    state,
    answer: answer ?? (isReplied(reader, entry) ? 'replied' : null),
  }
}
