import { budgetOf, ledgerOf } from '../../agent/state/ledger.ts'
import { systemClock } from '../../base/clock.ts'
import { pingBudgetText, pingLedgerText, WHY } from '../../view/pings-text.ts'
import { budgetView, pingsView, type PingsLook } from '../../view/pings.ts'
import type { Reader } from '../../event/table.ts'
import { CommandError, runCommand, UsageError, type Command, type CommandCall } from '../frame/command.ts'
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

  --for PERSON      the budget of somebody else than the owner, without what they were told
  --json            the budget as one JSON object, or 'why' as one JSON array

Works while another process writes to the log. In a conversation, /ping-budget does the same, and
/done, /snooze and /less answer a ping.`,
  run: (call) =>
    show(call, budgetView, (...look) => `${pingBudgetText(...look)}\nmainstem ping-budget ${WHY}`),
  verbs: {
    why: { takes: '', run: (call) => show(ofOwner(call), pingsView, pingLedgerText) },
    capacity: { takes: 'N', run: (call, [value = '']) => set(call, 'pingCapacity', value) },
    more: {
      takes: '…',
      run: ({ words }) => {
        const typed = words.join(' ').replaceAll('"', '')
        throw new UsageError(`'more' is for a conversation: mainstem -p "/ping-budget ${typed}"`)
      },
    },
    refill: { takes: 'MINUTES', run: (call, [value = '']) => set(call, 'pingRefillMinutes', value) },
  },
}

/** What others are told is theirs (PEOPLE2). */
function ofOwner(call: CommandCall): CommandCall {
  if ((call.text('for') ?? OWNER) === OWNER) return call
  throw new UsageError("'why' shows your own pings: it takes no --for")
}

function set(call: CommandCall, key: string, value: string): Promise<number> {
  return runCommand(configCommand, { ...call, words: ['set', key, value] })
}

async function show(
  call: CommandCall,
  view: (reader: Reader, look: PingsLook) => unknown,
  text: (reader: Reader, look: PingsLook) => string,
): Promise<number> {
  const person = call.text('for') ?? OWNER
  const look = { person, now: systemClock(), settings: settingsOf(call) }
  return withLog(openLog(call.home), async (log) => {
    const shown = await log.read((reader) => {
      if (!isKnown(reader, person))
        throw new CommandError(`Nobody called '${person}' has written here or was pinged yet`)
      return { view: view(reader, look), text: text(reader, look) }
    })
    return call.print(shown.view, () => shown.text)
  })
}

function isKnown(reader: Reader, person: string): boolean {
  if (person === OWNER || budgetOf(reader, person) !== undefined) return true
  return mainOf(reader, person) !== undefined || ledgerOf(reader, person, { limit: 1 }).length > 0
}
