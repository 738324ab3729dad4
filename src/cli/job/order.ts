import { setTimeout as sleep } from 'node:timers/promises'
import { admittedBefore } from '../../agent/state/inbox.ts'
import { systemClock } from '../../base/clock.ts'
import type { EventOf } from '../../event/event.ts'
import type { Reader } from '../../event/table.ts'
import type { Log } from '../../log/log.ts'
import { holderOf } from '../../log/writer-lock.ts'
import { logFile } from '../../runtime/home/home.ts'
import { leaveOrder } from '../../runtime/life/order-door.ts'
import { openForReading } from '../../runtime/home/open-log.ts'
import { terminalAddress } from '../../runtime/terminal/place.ts'
import { isSet, type CommandCall } from '../frame/command.ts'
import { shellText } from '../talk/shell-words.ts'

const WAIT_MS = 10_000
export const LOOK_MS = 100

/** What became of a command in the process that runs; undefined: nothing so far. */
export type Ordered = EventOf<'command-run'> | undefined

/** Has the process that writes to the log run a command, and tells what it answered. `more` may go on from there. */
export async function handOver(
  call: CommandCall,
  line: string,
  more: (log: Log, ordered: EventOf<'command-run'>) => Promise<number> = async () => 0,
): Promise<number> {
  const key = await leaveOrder(call.home, line)
  const log = openForReading(call.home)
  try {
    const ordered = await answered(log, key)
    await say(call, line, ordered)
    if (ordered === undefined) return 0
    return ordered.isError ? 1 : await more(log, ordered)
  } finally {
    await log.close()
  }
}

async function answered(log: Log, key: string): Promise<Ordered> {
  const end = systemClock() + WAIT_MS
  for (;;) {
    const ordered = await log.read((reader) => runOf(reader, key))
    if (ordered !== undefined || systemClock() >= end) return ordered
    await sleep(LOOK_MS)
  }
}

function runOf(reader: Reader, key: string): Ordered {
  const position = admittedBefore(reader, terminalAddress, key)
  const event = position === undefined ? undefined : reader.event(position)
  return event?.kind === 'command-run' ? event : undefined
}

async function say(call: CommandCall, line: string, ordered: Ordered): Promise<void> {
  const { out, err, home } = call
  const holder = holderOf(logFile(home))
  const who = holder === undefined ? 'the process that runs' : `'${holder.command}' (process ${holder.pid})`
  const output = ordered?.output ?? `Handed over to ${who}, which has not done it yet: ${line}`
  const isDone = ordered !== undefined
  const isError = ordered?.isError === true
  const json = { input: line, output, isDone, ...(isError && { error: true }) }
  const text = shellText(output, line)
  if (isSet(call, 'json')) await out.line(JSON.stringify(json))
  else await (isError ? err.line(err.safe(`mainstem: ${text}`)) : out.line(out.safe(text)))
  await out.flush()
}
