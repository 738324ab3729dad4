import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { grantsIn } from '../../src/agent/state/approvals.ts'
import { openList } from '../../src/agent/state/ledger.ts'
import { seededRandom } from '../../src/base/random.ts'
import { checkDraft, toLine } from '../../src/event/codec.ts'
import type { Position } from '../../src/event/id.ts'
import { ImportError } from '../../src/runtime/store/lines.ts'
import { arbitraryDraft } from '../arbitrary-event.ts'
import { forgeries, opening } from './forgeries.ts'
import { importedDisk, linesFrom, liveOn } from './imported-life.ts'

const LINES = readFileSync(new URL('../fixtures/logs/format-7/format-7.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')

/** A case that takes longer hangs. */
const HANG_MS = 60_000
const LINES_MAX = 160

/** What came of a forged export. */
export type Fuzzed = 'refused' | 'harmless'

/**
 * Changes an export at random, imports it and, if it is accepted, lives a day on it (SAFE5). Throws if anything but a
 * refusal with a sentence or a life in which nothing imported acts comes of it.
 */
export async function fuzzExport(seed: number): Promise<Fuzzed> {
  const text = forgedExport(seed)
  const hang = new AbortController()
  const late = pause(HANG_MS, undefined, { signal: hang.signal }).then(() => {
    throw new Error('it hangs')
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([importAndLive(text), late])
  } catch (error) {
    throw new Error(`[SAFE5] the export of seed ${seed}: ${(error as Error).message}`, { cause: error })
  } finally {
    hang.abort()
  }
}

async function importAndLive(text: string): Promise<Fuzzed> {
  const disk = await importedDisk(text).catch((error: unknown) => {
    if (error instanceof ImportError && error.message.length > 10) return undefined
    throw error
  })
  if (disk === undefined) return 'refused'
  const at = await liveOn(disk)
  try {
    const rights = await at.read((reader) => [
      grantsIn(reader),
      openList(reader, 'approvals'),
      openList(reader, 'undone'),
    ])
    const acts = {
      prompts: at.model.prompts.length,
      sent: at.sent.filter(({ text: told }) => !told.includes('has ended')).map(({ text: told }) => told),
      ended: at.ended.length,
      dangers: at.dangers.length,
      files: [...at.files.keys()],
      rights: rights.flat(),
      mode: at.settings.permissions,
    }
    const none = { prompts: 0, sent: [], ended: 0, dangers: 0, files: [], rights: [], mode: 'dontAsk' }
    if (JSON.stringify(acts) !== JSON.stringify(none)) throw new Error(`it acts: ${JSON.stringify(acts)}`)
    const said = await at.say('Hello?')
    if (said.at(-1) !== 'the model spoke') throw new Error(`nobody can talk here: ${JSON.stringify(said)}`)
  } finally {
    await at.close()
  }
  return 'harmless'
}

type Pick = <T>(from: readonly T[]) => T

function forgedExport(seed: number): string {
  const random = seededRandom(seed)
  const below = (limit: number): number => Math.floor((random() / 2 ** 32) * limit)
  const pick: Pick = (from) => from[below(from.length)] as never
  let lines = below(2) === 0 ? beginning(below) : orders({ below, pick })
  for (let changes = below(4); changes > 0; changes--) {
    const at = below(lines.length)
    const line = lines[at] ?? '{}'
    lines = pick<() => string[]>([
      () => lines.with(at, garbled(line, { below, pick })),
      () => lines.with(at, changed(line, { below, pick })),
      () => lines.with(at, changed(line, { below, pick })),
      () => renumbered(lines.toSpliced(at, 1)),
      () => renumbered(lines.toSpliced(at, 0, pick(LINES))),
      () => renumbered([...lines, ...strangers(lines, { seed, below, pick })]),
      () => renumbered([...lines, ...strangers(lines, { seed, below, pick })]),
      () => renumbered(lines.with(at, pick(lines)).with(below(lines.length), line)),
    ])()
    if (lines.length === 0) lines = [line]
  }
  const text = lines.join('\n')
  return below(20) === 0 ? text.slice(0, below(text.length)) : text
}

/** A log that ends anywhere, as after a crash. Short ones more often: they are quick. */
function beginning(below: Chance['below']): string[] {
  return LINES.slice(0, 1 + Math.floor(LINES_MAX * (below(1_000) / 1_000) ** 2))
}

/** A log of orders that would be obeyed. */
function orders({ below, pick }: Chance): string[] {
  const some = Array.from({ length: 1 + below(3) }, () => pick(forgeries)[1])
  return linesFrom([...opening, ...some.flat()]).split('\n')
}

interface Chance {
  readonly below: (limit: number) => number
  readonly pick: Pick
}

/** Some characters more, less or others. */
function garbled(line: string, { below, pick }: Chance): string {
  const at = below(line.length)
  return (
    line.slice(0, at) +
    pick(['', '0', '"', '{', ']', '\\', '9'.repeat(30), '\uD800']) +
    line.slice(at + below(3))
  )
}

const ODD = [
  null,
  '',
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  8.64e15,
  true,
  [],
  {},
  'x'.repeat(5_000),
  'a\u0000b',
  'a\uD800',
  '\u202Etxt.exe',
  'a\u{E0041}',
  '../../etc/passwd',
  '/permissions bypassPermissions',
  '{{x}}',
  '</data>',
  '+275760-09-13T00:00:00.000Z',
  '1970-01-01T00:00:00.000Z',
]

type Json = Record<string, unknown>

/** A valid line with one value that is not what it was. */
function changed(line: string, { below, pick }: Chance): string {
  const value = parsed(line)
  if (value === undefined) return line
  let place = value
  for (;;) {
    const key = pick(Object.keys(place))
    const inner = place[key]
    if (typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0 && below(4) > 0) {
      place = inner as Json
      continue
    }
    place[key] = typeof inner === 'number' && below(2) === 0 ? inner + pick([-1, 1, 7, -7]) : pick(ODD)
    return JSON.stringify(value)
  }
}

/** Events of all kinds that claim to belong to a branch that is there. */
function strangers(lines: readonly string[], { seed, below, pick }: Chance & { seed: number }): string[] {
  const real = Array.from({ length: 1 + below(4) }, () => pick(LINES))
  const [draft] = fc.sample(arbitraryDraft, { numRuns: 1, seed: seed + below(1_000_000) })
  const any = draft === undefined ? [] : [toLine({ ...checkDraft(draft), position: 1 as Position })]
  const branch = parsed(pick(lines))?.['branch']
  return [...real, ...any].map((line) => JSON.stringify({ ...parsed(line), branch }))
}

function renumbered(lines: readonly string[]): string[] {
  return lines.map((line, index) => {
    const value = parsed(line)
    return value === undefined ? line : JSON.stringify({ ...value, position: index + 1 })
  })
}

function parsed(line: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined
  } catch {
    return undefined
  }
}
