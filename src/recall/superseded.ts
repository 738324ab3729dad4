import { clockIn } from '../context/wording.ts'
import type { Reader } from '../event/table.ts'
import type { Document } from './document.ts'
import { stemsIn } from './superseded/bag.ts'
import type { Claim } from './superseded/claim.ts'
import { claimsIn } from './superseded/claims.ts'
import { agree, contradict } from './superseded/judging.ts'
import { stateOf } from './superseded/word-classes.ts'

/** A line of memory.md, with the time since which it stands there. */
export interface Remembered {
  readonly text: string
  readonly since: number
}

/** What a text that was recalled is contradicted by. */
export interface Superseded {
  readonly since: number
  readonly line: string
}

export type Superseding = (text: string, saidAt: number) => Superseded | undefined

/** The newest line that came after the text was said, speaks of the same thing, and says something else. */
export function supersededBy(
  text: string,
  saidAt: number,
  lines: readonly Remembered[],
): Superseded | undefined {
  return superseding(lines)(text, saidAt)
}

/**
 * Rules, not a model: they know how people state plain facts, and say nothing where they do not understand. A label that
 * is wrong hides what is true, one that is missing only leaves two texts beside each other.
 */
export function superseding(lines: readonly Remembered[]): Superseding {
  const near = nearOf(lines)
  const newest = Math.max(-Infinity, ...lines.map(({ since }) => since))
  return (text, saidAt) => {
    if (newest <= saidAt) return undefined
    const said = claimsIn(text)
    let found: Remembered | undefined
    for (const claim of said) {
      const beside = near(claim)
      if (beside.some((other) => agree(claim, other.claim))) continue
      for (const { line, claim: other } of beside) {
        if (line.since <= Math.max(saidAt, found?.since ?? saidAt) || !contradict(claim, other)) continue
        // A text that corrects itself says what the line says, too.
        if (!said.some((own) => agree(own, other))) found = line
      }
    }
    return found && { since: found.since, line: found.text }
  }
}

interface LineClaim {
  readonly line: Remembered
  readonly claim: Claim
}

/** What the lines say of the same things as a claim, or of what holds instead of it: hundreds of lines are not compared one by one. */
function nearOf(lines: readonly Remembered[]): (claim: Claim) => LineClaim[] {
  const byWord = new Map<string, LineClaim[]>()
  for (const line of lines) {
    for (const claim of lineClaims(line.text)) {
      for (const word of wordsNear(claim)) {
        const known = byWord.get(word)
        if (known === undefined) byWord.set(word, [{ line, claim }])
        else known.push({ line, claim })
      }
    }
  }
  return (claim) => [...wordsNear(claim)].flatMap((word) => byWord.get(word) ?? [])
}

function wordsNear({ about }: Claim): ReadonlySet<string> {
  const stems = stemsIn(about)
  const [only = '', ...more] = stems
  return new Set(more.length > 0 ? stems : [...stems, ...(stateOf(only) ?? [])])
}

const KNOWN_MAX = 2_000
/** A line is read again for every question, and hardly ever changes. */
const known = new Map<string, readonly Claim[]>()

function lineClaims(text: string): readonly Claim[] {
  const before = known.get(text)
  if (before !== undefined) return before
  const claims = claimsIn(text)
  if (known.size >= KNOWN_MAX) known.clear()
  known.set(text, claims)
  return claims
}

/** `superseded by memory, 2026-11-15`: beside what was recalled, in the person's zone. */
export function supersededLabel({ since }: Pick<Superseded, 'since'>, zone: string): string {
  return `superseded by memory, ${clockIn(since, zone).date}`
}

/**
 * By what a document is superseded, of which a text is shown. Results of tools are nobody's own facts, and what another
 * person says of themselves is none of the person's whom the lines are about.
 */
export function supersededIn(
  reader: Reader,
  { document, text, isOwn }: { document: Recalled; text: string; isOwn: boolean },
  superseding: Superseding,
): Superseded | undefined {
  const { kind } = document
  const isJudged =
    kind === 'assistant' || kind === 'summary' || ((kind === 'user' || kind === 'note') && isOwn)
  return isJudged ? superseding(text, saidAt(reader, document)) : undefined
}

type Recalled = Pick<Document, 'kind' | 'position' | 'part' | 'at'>

/** A summary is as old as the last thing that it sums up, and not as its writing. */
function saidAt(reader: Reader, { position, part, at }: Recalled): number {
  const event = reader.event(position)
  const summary = event.kind === 'context-compacted' ? event.summaries[part] : undefined
  return summary === undefined ? at : reader.event(summary.end).at
}
