import type { Fate } from '../../src/recall/scope/fate.ts'
import { messagesUnder, withoutSentinel, type Entry, type NaiveMessage } from './entry.ts'
import type { Act, Change, NaiveBranch, NaiveWorld } from './naive.ts'
import { saveTarget } from './naive-save.ts'
import { MARKS } from './operations.ts'

/** The naive answer to recall's questions: goes through everything that ever happened in a branch and still stands. */
export function fateIn(
  world: NaiveWorld,
  { name, writer, isGivenUp }: { name: string; writer: number; isGivenUp: (branch: number) => boolean },
): Fate {
  const places = [writer, ...targetsOf(world, writer)].map((number) => {
    return { number, fate: fatesOf(world.get(number)).get(name), ended: world.get(number).ended }
  })
  const [own, ...saved] = places
  const living = places.find(({ fate, ended }) => isThere(fate) && !ended)
  if (living?.fate !== undefined) return living.fate
  if (own?.fate === undefined || !isThere(own.fate)) return own?.fate ?? 'other'
  const above = saved.find(({ fate }) => fate !== undefined)
  if (above?.fate === undefined) return isGivenUp(writer) ? 'discarded' : own.fate
  return isThere(above.fate) && isGivenUp(above.number) ? 'discarded' : above.fate
}

/** Names of the messages that may be recalled automatically. */
export function scopeIn(
  world: NaiveWorld,
  { number, acrossClear, isIsolated }: { number: number; acrossClear: boolean; isIsolated: boolean },
): readonly string[] {
  const branch = world.get(number)
  if (branch.mode === 'child' || isIsolated) return []
  const wanted = acrossClear ? ['summarised', 'cleared'] : ['summarised']
  return [...fatesOf(branch)].filter(([, fate]) => wanted.includes(fate)).map(([name]) => name)
}

type Placed = Exclude<Fate, 'discarded' | 'other'>

/** Branches are never changed, only replaced. */
const known = new WeakMap<NaiveBranch, ReadonlyMap<string, Placed>>()

/** The fate of every message that was ever in the branch, by name. */
function fatesOf(branch: NaiveBranch): ReadonlyMap<string, Placed> {
  const fates = known.get(branch) ?? replayed(branch)
  known.set(branch, fates)
  return fates
}

function replayed(branch: NaiveBranch): ReadonlyMap<string, Placed> {
  const fates = new Map<string, Placed>()
  let entries = branch.base
  for (const act of branch.journal) {
    const after = done(entries, act)
    if (act.kind === 'change') {
      const kept = new Set(messagesUnder(after))
      const left = messagesUnder(entries).filter((message) => !kept.has(message))
      for (const { id } of left) fates.set(id, isRewind(act) ? 'rewound' : 'cleared')
    }
    entries = after
  }
  for (const { id } of messagesUnder(entries)) fates.set(id, 'summarised')
  for (const entry of entries) if (entry.kind === 'said') fates.set(entry.message.id, 'shown')
  return fates
}

function done(entries: readonly Entry[], act: Act): readonly Entry[] {
  switch (act.kind) {
    case 'add':
      return [...entries, ...act.messages.map((message): Entry => ({ kind: 'said', message, joined: null }))]
    case 'place':
      return [...withoutSentinel(entries, act.name), { kind: 'sentinel', name: act.name }]
    case 'remove':
      return withoutSentinel(entries, act.name)
    case 'change':
      return act.apply(entries)
  }
}

const PROBE: NaiveMessage = { id: ' probe', src: 0, role: 'note', calls: [], turn: null, tokens: 1 }
const NAMES = [...MARKS, ...Array.from({ length: 15 }, (_, number) => `m${number}`)]

/** A rewind keeps everything before a mark; a clear keeps nothing of it. */
function isRewind({ apply }: Change): boolean {
  const marks = NAMES.map((name): Entry => ({ kind: 'sentinel', name }))
  const kept = apply([{ kind: 'said', message: PROBE, joined: null }, ...marks])
  return messagesUnder(kept).includes(PROBE)
}

function targetsOf(world: NaiveWorld, number: number): readonly number[] {
  const target = saveTarget(world, number)
  return target === undefined ? [] : [target, ...targetsOf(world, target)]
}

function isThere(fate: Fate | undefined): boolean {
  return fate === 'shown' || fate === 'summarised'
}
