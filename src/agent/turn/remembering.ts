import { getBranch, lineOf } from '../../context/branch.ts'
import { headOf, messagesBack } from '../../context/message-index.ts'
import { versionAt } from '../../context/version.ts'
import { saidWith } from '../../event/file.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Reason } from '../../event/work.ts'
import { UNNAMED } from '../../event/speaker.ts'
import { EmbedderError } from '../../recall/contract/embedder.ts'
import { IndexError } from '../../recall/contract/index-error.ts'
import { memoryText, passageOf, type Passage } from '../../recall/memory-text.ts'
import type { Hit, People, Recall, Search, Why } from '../../recall/contract/recall.ts'
import { automaticWithin } from '../../recall/scope/scope.ts'
import { withoutRepeats } from '../../recall/snippet.ts'
import type { Versions } from '../../recall/scope/standing.ts'
import { isStopWord } from '../../recall/words/stop-words.ts'
import { termsOf, wordsIn } from '../../recall/words/words.ts'
import type { RunningTurn, Memory } from './begin.ts'
import { admittedAt } from '../state/inbox.ts'
import { policyIn, settingsFor, type AgentSettings } from '../state/settings.ts'
import type { World } from '../contract/world.ts'

/** A lower share of matching words is chance, unless the meaning is near: such a message costs more than it helps. */
const COVERAGE_MIN = 0.3
const WITH_MEANING_MIN = 0.55
/** Extra results, since some repeat a better one. */
const SPARE = 10
/** Said often but never as a search: `Good morning!` would bring back every other morning. */
const COURTESIES =
  /^(?:hello|hi|hey|good|morning|afternoon|evening|night|day|bye|goodbye|thanks|thank|thx|you|very|much|welcome|great|nice|cool|fine|perfect|noted|ok|okay)$/i

/** Earlier messages that may matter for the question of this turn; if recall fails, the turn goes on without it. */
export async function remember(world: World, { branch, person }: RunningTurn): Promise<Memory | null> {
  const { recall, log } = world
  const settings = settingsFor(world.settings(), person)
  if (recall === null || settings.recall.limit === 0) return null
  const wanted = await log.read((reader) => wantedIn(reader, { branch, settings, versions: world.versions }))
  if (wanted === undefined) return null
  const search = { ...wanted, limit: settings.recall.limit * 2 + SPARE, now: world.now() }
  const found = await searched(recall, search)
  if (found === undefined) return null
  return log.read((reader) => {
    const after = headOf(reader, branch)
    const { version } = getBranch(reader, branch)
    const memory = memoryOf(reader, { ...found, branch, search, settings })
    return memory === undefined || after === null ? null : { ...memory, after, version }
  })
}

/**
 * Whether a context still stands for everything recalled into it. A compaction takes nothing away; a rewind, a clear or
 * an undo during the turn may have dropped it, or may show it now (RECALL1).
 */
export function isStillMeant(reader: Reader, memory: Memory, now: Position): boolean {
  let version: Position | null = now
  while (version !== null && version > memory.version) {
    if (reader.event(version).kind !== 'context-compacted') return false
    version = versionAt(reader, version).prev
  }
  return version === memory.version
}

/** A broken index is reported where somebody searches; an answer does not need it. */
async function searched(recall: Recall, search: Search) {
  try {
    const found = await recall.search(search)
    // Who speaks where is known only once everything is indexed: no turn waits for that.
    const isKnown = found.hits.length > 0 && found.behind.events === 0
    const people: People = isKnown ? await recall.people() : new Map()
    return { ...found, people }
  } catch (error) {
    if (error instanceof IndexError || error instanceof EmbedderError) return undefined
    throw error
  }
}

/** The newest text of a person or a job, and what may be recalled for it. */
function wantedIn(
  reader: Reader,
  { branch, settings, versions }: { branch: BranchId; settings: AgentSettings; versions: Versions },
): Pick<Search, 'text' | 'within' | 'asker' | 'askedAt'> | undefined {
  const { acrossClear } = settings.recall
  const within = automaticWithin(reader, branch, {
    policy: policyIn(reader, branch, settings),
    acrossClear,
    versions,
  })
  const said = within && messagesBack(reader, branch).find(({ message }) => message.role === 'user')
  if (within === undefined || said?.took === undefined || said.message.role !== 'user') return undefined
  const text = saidWith(said.message)
  if (wordsIn(text).every(({ typed }) => isCourtesy(typed) || isStopWord(typed))) return undefined
  const { source } = admittedAt(reader, said.took)
  const asker = source.from === 'person' && { asker: source.person }
  return { text, within, askedAt: said.position, ...asker }
}

interface Findings {
  readonly hits: readonly Hit[]
  readonly people: People
  readonly branch: BranchId
  readonly search: Search
  readonly settings: AgentSettings
}

function memoryOf(reader: Reader, findings: Findings): Pick<Memory, 'text' | 'why'> | undefined {
  const { hits, search, settings } = findings
  const { limit, snippetTokensMax: tokensMax } = settings.recall
  const { within } = search
  const terms = termsOf(search.text)
  const passages = hits
    .filter(({ why }) => isNear(why))
    .map((hit) => ({ hit, ...passageOf(reader, hit, { terms, tokensMax, within }) }))
    .filter(({ text }) => !wordsIn(text).every(({ typed }) => isCourtesy(typed)))
  const words = { zone: settings.zone, ...(voicesIn(reader, findings) > 1 && { nameOf }) }
  const shown = withoutRepeats(passages).slice(0, limit)
  const text = memoryText(shown, words)
  return text === undefined ? undefined : { text, why: shown.map(reasonOf) }
}

/** Rounded: people compare two digits, and the log keeps this for ever. */
function reasonOf({ hit, answers }: Passage & { readonly hit: Hit }): Reason {
  const { position, part, score, why } = hit
  const { matched, ...numbers } = { score, ...why }
  const entries = Object.entries(numbers).map(([name, value]) => [
    name,
    value === null ? null : Math.round(value * 1_000) / 1_000,
  ])
  const told = { position, part, ...(Object.fromEntries(entries) as typeof numbers), matched: [...matched] }
  return answers === undefined ? told : { ...told, answers: answers.position }
}

/** Measured on the sets of `npm run bench:recall`, with the questions of other conversations as noise. */
function isNear({ coverage, meaning }: Why): boolean {
  return coverage >= COVERAGE_MIN || coverage + (meaning ?? 0) >= WITH_MEANING_MIN
}

/** How many people ever spoke in the asking branch or the found ones: with several, "the person" could be anyone. */
function voicesIn(reader: Reader, { people, branch, hits }: Findings): number {
  const line = lineOf(reader, getBranch(reader, branch)).map(({ id }) => id)
  const where = new Set([...line, ...hits.map((hit) => hit.branch)])
  return [...people.values()].filter((branches) => !branches.isDisjointFrom(where)).length
}

function nameOf(speaker: string): string | undefined {
  return speaker === UNNAMED ? undefined : speaker
}

function isCourtesy(word: string): boolean {
  return COURTESIES.test(word)
}
