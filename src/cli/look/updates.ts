import { momentText, isoIn } from '../../base/time-text.ts'
import { updateKeyTable } from '../../agent/state/tables.ts'
import {
  BY_HOST,
  isByHost,
  mainAbove,
  pendingUpdates,
  reporterName,
  tellingOf,
  updateAt,
  updatesOf,
  type Telling,
  type Update,
} from '../../agent/state/updates.ts'
import { systemClock } from '../../base/clock.ts'
import { systemZone } from '../../base/environment.ts'
import { ageText, counted } from '../../base/words.ts'
import { lineFrom, prefixed, unpainted, wrap } from '../../channel/terminal/wrap.ts'
import { boundBranch, mainBranch } from '../../agent/branch/binding.ts'
import { waitWord } from '../../view/updates-text.ts'
import { readConfig } from '../../config/config.ts'
import { handleOf, type BranchId, type Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { LogError } from '../../log/log.ts'
import { listHandedIn, type HandedIn } from '../../runtime/life/handed-in.ts'
import { agentSettings } from '../../runtime/home/live-config.ts'
import { openForReading } from '../../runtime/home/open-log.ts'
import { terminalAddress } from '../../runtime/terminal/place.ts'
import { isSet, type Command, type CommandCall } from '../frame/command.ts'
import type { Output } from '../frame/output.ts'

export const updatesCommand: Command = {
  name: 'updates',
  summary: 'what forks, runs and other agents reported to main',
  usage: '[--all] [--json]',
  details: `Shows what waits for main's next turn, the newest last: when it was reported, by whom, and its whole
text. Nothing is taken by looking. What another program handed in and nobody has taken in yet is
shown too.

  --all         also what main was told before, and with what: at which position of the log a message
                of main shows it or leaves it out as one of too many, or which fork that
                shows it was saved
  --json        the same as one JSON array

Works while another process writes to the log.`,
  options: { all: { type: 'boolean' }, json: { type: 'boolean' } },
  argumentsMin: 0,
  argumentsMax: 0,
  run: runUpdates,
}

/** Something that was reported, in the log or on its way there. */
interface Reported extends Pick<Update, 'at' | 'text'> {
  readonly source: string
  readonly position: Position | null
  readonly from: BranchId | null
  readonly isByHost: boolean
  /** Null: it waits. */
  readonly telling: Telling | null
}

async function runUpdates(call: CommandCall): Promise<number> {
  const { zone } = agentSettings(readConfig(call).values, systemZone())
  const handedIn = await listHandedIn(call.home).catch(() => [])
  const reported = await readReported(call, handedIn)
  if (isSet(call, 'json')) {
    const all = reported.map((one) => jsonOf(one, zone))
    await call.out.line(JSON.stringify(all, undefined, 2))
  } else await print(call, reported, zone)
  return 0
}

/** What was handed in before there was a log waits as well. */
async function readReported(call: CommandCall, handedIn: readonly HandedIn[]): Promise<readonly Reported[]> {
  try {
    const log = openForReading(call.home)
    try {
      return await log.read((reader) => [
        ...inLog(reader, isSet(call, 'all') ? 'all' : 'pending'),
        // A file may still be there a moment after the log has it.
        ...handedIn.filter(({ name }) => reader.row(updateKeyTable, [name]) === undefined).map(onItsWay),
      ])
    } finally {
      await log.close()
    }
  } catch (error) {
    const isMissing = error instanceof LogError && error.code === 'missing'
    if (!isMissing || handedIn.length === 0) throw error
    return handedIn.map(onItsWay)
  }
}

function inLog(reader: Reader, which: 'all' | 'pending'): Reported[] {
  const here = boundBranch(reader, terminalAddress) ?? mainBranch(reader)
  const main = here === undefined ? undefined : mainAbove(reader, here)
  if (main === undefined) return []
  const states =
    which === 'all'
      ? updatesOf(reader, main)
      : pendingUpdates(reader, main).map((position) => ({ position, settled: null }))
  return states.map((state) => {
    const update = updateAt(reader, state.position)
    const { at, text, source, from, position } = update
    const telling = tellingOf(reader, state)
    return { at, text, source, position, from, isByHost: isByHost(update), telling }
  })
}

function onItsWay({ at, text, source }: HandedIn): Reported {
  return { at, text, source, position: null, from: null, isByHost: false, telling: null }
}

async function print(call: CommandCall, reported: readonly Reported[], zone: string): Promise<void> {
  const { out } = call
  const isAll = isSet(call, 'all')
  const look = { zone, now: systemClock(), isAll, out }
  const waiting = reported.filter(({ telling }) => telling === null).length
  await out.line(heading({ all: reported.length, waiting, isAll }))
  for (const one of reported) {
    await out.line()
    for (const line of linesOf(one, look)) await out.line(line)
  }
}

function heading({ all, waiting, isAll }: { all: number; waiting: number; isAll: boolean }): string {
  const waits = `${waitWord(waiting)} for main's next turn`
  if (all === 0)
    return isAll
      ? 'Nothing was ever reported to main.'
      : 'Nothing waits for main. --all shows what it was told before.'
  if (!isAll) return `${counted(waiting, 'update')} ${waits}:`
  return `${counted(all, 'update')}; ${waiting === 0 ? `none waits for main's next turn` : `${waiting.toLocaleString('en')} ${waits}`}:`
}

interface Look {
  readonly zone: string
  readonly now: number
  readonly isAll: boolean
  readonly out: Output
}

const INDENT = '  '

/** In a terminal wrapped to its width; for a program that reads them, the lines stay as they were written. */
function linesOf(one: Reported, { zone, now, isAll, out }: Look): string[] {
  const { style } = out
  const columns = Math.max(40, out.columns ?? Infinity)
  const by = one.isByHost ? `${BY_HOST}, ` : ''
  const head = `${by}${momentText(one.at, zone)} (${ageText(now - one.at)} ago), ${reporterName(one)}`
  const state = stateWords(one, { zone, isAll })
  const shown = [
    { text: head, paint: style.dim },
    ...(state === '' ? [] : [{ text: `, ${state}`, paint: one.telling === null ? style.yellow : style.dim }]),
  ]
  const text = wrap([{ text: one.text, paint: unpainted }], columns - INDENT.length)
  const indented = prefixed(text, lineFrom(INDENT), lineFrom(INDENT))
  return [...wrap(shown, columns), ...indented].map((line) => line.text.trimEnd())
}

/** Without --all everything waits, and need not say so. */
function stateWords({ telling, position }: Reported, { zone, isAll }: Pick<Look, 'zone' | 'isAll'>): string {
  if (telling !== null) return tellingWords(telling, zone)
  if (position === null) return 'handed in, not in the log yet'
  return isAll ? 'waits' : ''
}

/** `told 2026-03-01 Sun 09:42 at 123` */
function tellingWords({ by, at, position, saved }: Telling, zone: string): string {
  const place = `${momentText(at, zone)} at ${position}`
  if (by === 'count') return `left out ${place}`
  return saved === null ? `told ${place}` : `saved with ${handleOf(saved)} ${place}`
}

const STATES = { message: 'told', count: 'counted', save: 'saved' } as const

function jsonOf({ at, text, source, telling, position, ...who }: Reported, zone: string): object {
  return {
    ts: isoIn(at, zone),
    message: text,
    source,
    state: telling === null ? (position === null ? 'handed-in' : 'pending') : STATES[telling.by],
    position,
    from: who.from === null ? null : handleOf(who.from),
    byHost: who.isByHost,
    told: telling && {
      ts: isoIn(telling.at, zone),
      position: telling.position,
      saved: telling.saved === null ? null : handleOf(telling.saved),
    },
  }
}
