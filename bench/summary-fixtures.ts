import { readdirSync, readFileSync } from 'node:fs'
import { seededRandom, type Random } from '../src/base/random.ts'
import type { Spoken } from '../src/model/extract/extract.ts'

/** `dev` was tuned on; `held-out` was written afterwards and measured before anybody looked into it. */
export const fixtureSets = ['dev', 'held-out'] as const
export type FixtureSet = (typeof fixtureSets)[number]

export const factKinds = ['name', 'number', 'date', 'decision', 'promise', 'question', 'preference'] as const

export interface Fact {
  readonly id: string
  readonly kind: (typeof factKinds)[number]
  readonly messageIndex: number
  /** All of them in one line; `a|b` is either. */
  readonly mustContain: readonly string[]
  /** From that fact's message on, this one is no longer true and is not counted. */
  readonly supersededBy?: string
}

type Line = readonly [who: Spoken['who'], text: string]

interface FixtureFile {
  readonly name: string
  readonly set: FixtureSet
  readonly chatter: string
  readonly style: string
  readonly seed: number
  readonly messages: number
  readonly start: string
  readonly perDay: number
  readonly scenes: readonly { readonly from: number; readonly lines: readonly Line[] }[]
  readonly facts: readonly Fact[]
}

interface Chatter {
  readonly slots: Readonly<Record<string, readonly string[]>>
  readonly exchanges: Readonly<Record<string, readonly (readonly Line[])[]>>
}

export interface Conversation {
  readonly name: string
  readonly set: FixtureSet
  readonly messages: readonly Spoken[]
  readonly facts: readonly Fact[]
}

const DIRECTORY = new URL('../test/fixtures/summaries/', import.meta.url)
const DAY_MS = 86_400_000

export function loadConversations(set: FixtureSet): Conversation[] {
  return readdirSync(DIRECTORY)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => read(file) as FixtureFile)
    .filter((fixture) => fixture.set === set)
    .map((fixture) => unfold(fixture, read(`chatter/${fixture.chatter}.json`) as Chatter))
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(new URL(file, DIRECTORY), 'utf8'))
}

/** Scenes stand where they were written; seeded chatter fills what lies between them. */
function unfold(fixture: FixtureFile, chatter: Chatter): Conversation {
  const random = seededRandom(fixture.seed)
  const lines: Line[] = []
  for (const scene of fixture.scenes) {
    fill(lines, scene.from, () => exchange(chatter, fixture.style, random))
    lines.push(...scene.lines)
  }
  fill(lines, fixture.messages, () => exchange(chatter, fixture.style, random))
  const start = Date.parse(fixture.start)
  const messages = lines.map(([who, text], index): Spoken => {
    const at = start + Math.floor(index / fixture.perDay) * DAY_MS + (index % fixture.perDay) * 180_000
    return { who, text, at }
  })
  return { name: fixture.name, set: fixture.set, messages, facts: fixture.facts }
}

function fill(lines: Line[], until: number, next: () => readonly Line[]): void {
  if (lines.length > until) throw new Error(`a scene begins at ${until}, within the one before`)
  while (lines.length < until) lines.push(...next().slice(0, until - lines.length))
}

function exchange({ slots, exchanges }: Chatter, style: string, random: Random): readonly Line[] {
  const drawn = random() % 10
  const styled = drawn < 4 ? 'long' : drawn < 7 ? 'general' : style
  const filled = new Map<string, string>()
  const value = (slot: string): string => {
    const known = filled.get(slot)
    if (known !== undefined) return known
    const word = pick(slots[slot] ?? [slot], random)
    filled.set(slot, word)
    return word
  }
  return pick(exchanges[styled] ?? [], random).map(([who, text]): Line => {
    return [who, text.replaceAll(/\{(\w+)\}/g, (_, slot: string) => value(slot))]
  })
}

function pick<T>(from: readonly T[], random: Random): T {
  const picked = from[random() % from.length]
  if (picked === undefined) throw new Error('there is nothing to pick from')
  return picked
}
