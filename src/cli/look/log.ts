import { isOwners } from '../../agent/state/person.ts'
import { turnNumber } from '../../agent/state/turn-number.ts'
import { minuteText } from '../../base/time-text.ts'
import { systemZone } from '../../base/environment.ts'
import { systemClock } from '../../base/clock.ts'
import { branchNames } from '../../context/naming.ts'
import { harmlessJson } from '../../channel/terminal/text/neutral.ts'
import { kinds, type Event, type Kind } from '../../event/event.ts'
import type { TurnId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { matches, type Log, type Query } from '../../log/log.ts'
import { openForReading } from '../../runtime/home/open-log.ts'
import type { Command, CommandCall } from '../frame/command.ts'
import { withLog } from '../frame/home.ts'
import type { Output } from '../frame/output.ts'
import { excerpt } from '../../view/excerpt.ts'
import { containing, kindNamed, shownAs } from '../../view/log.ts'
import { branchAsked } from '../../view/named.ts'
import { terminalAddress } from '../../runtime/terminal/place.ts'
import type { Style } from '../../base/style.ts'
import { padTo, shorten } from '../../base/width.ts'

export const logCommand: Command = {
  name: 'log',
  summary: 'what happened, event by event',
  usage: '[--branch B] [--kind K] [--since T] [--grep TEXT] [--json] [--follow]',
  details: `Prints one line for each event: its position, local time, branch, kind, and what happened.

  --branch B    only of this branch: 'main', a handle, three or more characters of one, or an id
  --kind K      only of this kind: ${kinds.join(', ')}
  --since T     only since then: 30m, 2h, 3d, 1w ago, or 2025-11-15, or 2025-11-15T08:30
  --grep TEXT   only those that contain this text, in upper or lower case
  --json        as JSON, one event a line
  --follow      goes on with what is added, until Ctrl-C

Of what guests and groups say and do, it shows only when, where and which kind of event it was.
Works while another process writes to the log.`,
  run: runLog,
}

async function runLog(call: CommandCall): Promise<number> {
  const kind = kindNamed(call.text('kind'))
  const since = call.time('since', { zone: systemZone(), now: systemClock(), edge: 'start' })
  return withLog(openForReading(call.home), async (log) => {
    const word = call.text('branch')
    const branch =
      word === undefined ? undefined : await log.read((reader) => branchAsked(reader, word, terminalAddress))
    const query: Query = { branch, kind, since }
    await (call.isSet('follow') ? follow(log, query, call) : printAll(log, query, call))
    return 0
  })
}

/** Prints all events so far; returns the position up to which it has read. */
async function printAll(log: Log, query: Query, call: CommandCall): Promise<number> {
  const line = await lineFor(log, call)
  let looked = await log.read(({ end }) => end)
  for await (const event of log.events(query)) {
    looked = Math.max(looked, event.position)
    const waiting = line(event)
    if (waiting !== undefined) await waiting
  }
  return looked
}

async function follow(log: Log, query: Query, call: CommandCall): Promise<void> {
  const stopped = new AbortController()
  const stop = () => stopped.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  try {
    const looked = await printAll(log, query, call)
    await call.out.flush()
    for await (const event of log.follow(looked, stopped.signal)) {
      if (!matches(event, query)) continue
      // A second main session changes what the first one is called.
      const line = await lineFor(log, call)
      await line(event)
      await call.out.flush()
    }
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}

/** Prints the line of an event, if `--grep` lets it through. */
async function lineFor(log: Log, call: CommandCall): Promise<(event: Event) => Promise<void> | void> {
  const grep = call.text('grep')
  const isWanted = containing(grep)
  return log.read((reader) => {
    const line = lineFormat(call.out, reader)
    return (event) => {
      const isOwn = isOwners(reader, event.branch)
      if (isOwn ? !isWanted(event) : grep !== undefined) return undefined
      const json = call.isSet('json') && harmlessJson(JSON.stringify(shownAs(event, { isOwn })))
      return call.out.line(json || line(event, { isOwn }))
    }
  })
}

const BRANCH_WIDTH = 6
const KIND_WIDTH = Math.max(...kinds.map((kind) => kind.length))
/** Used where there is no terminal with a width. */
const COLUMNS = 120

function lineFormat(out: Output, reader: Reader): (event: Event, whose: { isOwn: boolean }) => string {
  const { style } = out
  const nameOf = branchNames(reader, 'all')
  const numberOf = (turn: TurnId): number | undefined => turnNumber(reader, turn)
  const zone = systemZone()
  const positionWidth = Math.max(4, String(reader.end).length)
  const columns = Math.max(80, out.columns ?? COLUMNS)
  const room = columns - positionWidth - BRANCH_WIDTH - KIND_WIDTH - '2025-11-15 05:02'.length - 4
  return (event, { isOwn }) =>
    [
      style.dim(String(event.position).padStart(positionWidth)),
      style.dim(minuteText(event.at, zone)),
      style.cyan(padTo(nameOf(event.branch), BRANCH_WIDTH)),
      tint(style, event.kind)(event.kind.padEnd(KIND_WIDTH)),
      isOwn ? shorten(excerpt(event, nameOf, numberOf), room) : '',
    ]
      .join(' ')
      .trimEnd()
}

function tint(style: Style, kind: Kind): (text: string) => string {
  if (kind === 'message-added') return (text) => text
  if (kind === 'mark-set') return style.yellow
  return kind.startsWith('context-') ? style.green : style.dim
}
