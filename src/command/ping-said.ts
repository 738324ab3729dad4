import { pingsIn } from '../agent/ledger.ts'
import type { EventOf } from '../event/event.ts'
import type { Reader } from '../event/table.ts'
import { readDuration } from '../schedule/duration.ts'
import { readWhen } from '../schedule/when.ts'
import type { ParsedCommand } from './catalogue.ts'
import type { Desk } from './desk.ts'
import { readPingWords } from './ping-words.ts'

export type PingCommand = Extract<ParsedCommand, { name: 'done' | 'snooze' | 'less' }>

/**
 * The command that a reply to a ping means, if its words are only that. What the ping itself offers to be answered goes
 * to whoever wrote it.
 */
export async function commandMeant(
  desk: Pick<Desk, 'log' | 'now' | 'settings'>,
  text: string,
  find: (reader: Reader) => EventOf<'delivery-intended'> | undefined,
): Promise<PingCommand | undefined> {
  const words = readPingWords(text)
  if (words === undefined) return undefined
  const message = await desk.log.read((reader) => {
    const found = find(reader)
    return found === undefined || pingsIn(reader, found.position).length === 0 ? undefined : found
  })
  const { number, choices = [] } = message ?? {}
  if (number === undefined || choices.some(({ command }) => isSame(command, text))) return undefined
  if (words.answer !== 'snooze') return { name: words.answer, number }
  const { when } = words
  const end = await snoozeEnd(when, { now: desk.now(), zone: desk.settings().zone })
  return 'at' in end ? { name: 'snooze', number, when } : undefined
}

function isSame(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase()
}

const SNOOZE_MS = 3_600_000
const SECOND_MS = 1_000

/** When a snooze ends, in whole seconds; without a time, after an hour. */
export async function snoozeEnd(
  when: string | null,
  look: { readonly now: number; readonly zone: string },
): Promise<{ readonly at: number } | { readonly problem: string }> {
  const ms = when === null ? SNOOZE_MS : readDuration(when)
  if (ms !== undefined) return { at: wholeSeconds(look.now + ms) }
  const read = await readWhen(/^tomorrow$/i.test(when ?? '') ? 'tomorrow 9:00' : (when ?? ''), look)
  return 'problem' in read ? read : { at: wholeSeconds(read.at) }
}

function wholeSeconds(at: number): number {
  return Math.ceil(at / SECOND_MS) * SECOND_MS
}
