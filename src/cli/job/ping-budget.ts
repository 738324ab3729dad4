import { budgetOf, ledgerOf } from '../../agent/state/ledger.ts'
import { systemClock } from '../../base/clock.ts'
import { pingBudgetText, pingLedgerText, WHY } from '../../view/pings-text.ts'
import { budgetView, pingsView, type PingsLook } from '../../view/pings.ts'
import type { Reader } from '../../event/table.ts'
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
import { mainOf } from '../../agent/state/person.ts'
import { OWNER } from '../../event/speaker.ts'

export const pingBudgetCommand: Command = {
  name: 'ping-budget',
  summary: 'how often jobs may write to you unasked',
  usage: '[why | capacity N | refill MINUTES] [--for PERSON] [--json]',
  details: `Shows how many pings are left, when the next one comes back, what was used today, and what keeps
pings back now: quiet hours, a pause.

  why               the last 20 pings and refusals, the newest first: when, which job, what became of
                    each and why; then jobs whose pings you ignore
  capacity N        how many pings there can be at once; raising it grants none
  refill MINUTES    in how many minutes one comes back

  --for PERSON      the budget of somebody else than the owner
  --json            the budget as one JSON object, or 'why' as one JSON array

Works while another process writes to the log. In a conversation, /ping-budget does the same, and
/done, /snooze and /less answer a ping.`,
  options: { for: 'text', json: 'flag' },
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
  return mainOf(reader, person) !== undefined || ledgerOf(reader, person, 1).length > 0
}

function budgetShown(reader: Reader, look: Look): string {
  if (look.isJson) return JSON.stringify(budgetView(reader, look), undefined, 2)
  return `${pingBudgetText(reader, look)}\nmainstem ping-budget ${WHY}`
}

function ledgerShown(reader: Reader, look: Look): string {
  return look.isJson ? JSON.stringify(pingsView(reader, look), undefined, 2) : pingLedgerText(reader, look)
}
