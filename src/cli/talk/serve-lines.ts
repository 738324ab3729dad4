import { systemClock } from '../../base/clock.ts'
import { isoIn, timeText } from '../../base/time-text.ts'
import { oneLine, shorten } from '../../base/width.ts'
import { capital, counted } from '../../base/words.ts'
import { senderName } from '../../agent/branch/reply-act.ts'
import { boundTo, isOwners } from '../../agent/state/person.ts'
import type { ChannelState } from '../../channel/channel.ts'
import { harmlessJson } from '../../channel/terminal/text/neutral.ts'
import type { Config } from '../../config/table/settings.ts'
import type { Place } from '../../config/table/source.ts'
import type { EventOf } from '../../event/event.ts'
import type { Reader } from '../../event/table.ts'
import type { Life } from '../../runtime/life/life.ts'
import type { ServerLog } from '../../server/contract/route.ts'
import { jobsView } from '../../view/jobs.ts'
import type { Output } from '../frame/output.ts'
import type { OwnLife } from './own-life.ts'

/** Where `serve` says what happens. */
export interface Teller {
  info(text: string): void
  warn(text: string): void
}

/** A line with the time for each. */
export function textTeller(out: Output, zone: string): Teller {
  const say = (text: string): void => {
    const time = isoIn(systemClock(), zone).slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' ')
    printed(out, `${time} ${text}`)
  }
  return { info: say, warn: say }
}

/** A JSON object for each, without secrets. */
export async function jsonTeller(out: Output, values: Config, place: Place): Promise<ServerLog> {
  const { knownSecrets, openServerLog } = await import('../../server/log.ts')
  const write = (line: string): void => printed(out, harmlessJson(line.trimEnd()))
  return openServerLog({ level: values.logLevel, write, secrets: knownSecrets(values, place) })
}

/** Nobody has to read it: a reader that is gone, or a full disk, ends nothing. */
function printed(out: Output, line: string): void {
  out.now(line).catch(() => undefined)
}

/** Says that a channel is connected, that it is not, or that it is again: once for each. */
export function channelTeller(teller: Teller): (channel: string, state: ChannelState) => void {
  const told = new Map<string, string>()
  return (channel, state) => {
    if (state.kind === 'connecting') return
    const text = `${capital(channel)}: ${state.kind === 'up' ? (state.as ?? 'connected') : state.why}`
    if (told.get(channel) === text) return
    told.set(channel, text)
    if (state.kind === 'up') teller.info(text)
    else teller.warn(text)
  }
}

const TEXT_COLUMNS_MAX = 300

/** Tells what nobody asked for, such as messages of jobs: often nobody looks when they are sent. */
export async function tellUnasked(
  { log, begunAfter }: Life,
  teller: Teller,
  signal: AbortSignal,
): Promise<void> {
  for await (const event of log.follow(begunAfter, signal)) {
    if (event.kind !== 'delivery-intended') continue
    const line = await log.read((reader) => unaskedLine(reader, event))
    if (line !== undefined) teller.info(line)
  }
}

function unaskedLine(reader: Reader, intent: EventOf<'delivery-intended'>): string | undefined {
  const { cause, number, text, branch, to } = intent
  // For a guest, or a stranger.
  if (!isOwners(reader, branch) || boundTo(reader, to) === undefined) return undefined
  const entry = cause === undefined ? undefined : reader.event(cause)
  const source = entry?.kind === 'inbound-admitted' ? entry.source : undefined
  if (number === undefined && source?.from === 'person') return undefined
  const named = source?.from === 'host' && source.id !== undefined ? `${source.tag} ${source.id}` : undefined
  const from = number === undefined ? named : `#${number} from ${senderName(reader, branch)}`
  return shorten(oneLine(from === undefined ? text : `${from}: ${text}`), TEXT_COLUMNS_MAX)
}

const LOOK_MS = 1_000

/** One line that says how it is, drawn anew when that changes; the returned function removes it. */
export function showStatus(own: OwnLife, out: Output, url: string): () => void {
  const look = async (): Promise<void> => {
    const next = await nextJob(own.life)
    const { length: turns } = own.life.agent.busy
    const { chats } = own.seats
    const parts = [
      turns === 0 ? '● ready' : '● answering',
      url,
      ...(chats === 0 ? [] : [counted(chats, 'chat')]),
      ...(next === undefined ? [] : [`next: ${next}`]),
    ]
    if (timer !== undefined) out.bottom(parts.join(' · '))
  }
  let timer: NodeJS.Timeout | undefined = setInterval(() => void look(), LOOK_MS).unref()
  void look()
  return () => {
    clearInterval(timer)
    timer = undefined
    out.bottom('')
  }
}

/** `brief 09:00` */
async function nextJob({ desk, log }: Life): Promise<string | undefined> {
  const when = { now: desk.now(), zone: desk.settings().zone }
  const { jobs, paused } = await log.read((reader) => jobsView(reader, { shelf: desk.shelf, when }))
  const next = jobs.find((job) => job.next !== null && job.paused === false)
  if (next?.next == null || paused !== false) return undefined
  return `${next.id} ${timeText(Date.parse(next.next), when)}`
}
