import { seededRandom, type Random } from '../src/base/random.ts'
import type { BranchId } from '../src/event/id.ts'
import type { Search, Stretch, Within } from '../src/recall/contract/recall.ts'
import { isStopWord } from '../src/recall/words/stop-words.ts'
import type { Built } from './recall-scale-data.ts'
import { PEOPLE, vocabulary, wordsByUse } from './recall-scale-talk.ts'
import { withTypos } from './recall-typos.ts'

/** One kind of question; every `next` is another one of it. */
export interface QuestionKind {
  readonly name: string
  readonly by: NonNullable<Search['by']>
  readonly next: () => Search
}

const SEED = 7
const LIMIT = 10
const COMMON_RANKS = 200
const RARE_FROM_RANK = 15_000
/** A long life has many compactions, each with a stretch of its own. */
const STRETCHES = 400
const STRETCHES_SHARE = 0.2

export function questionKinds(built: Built): QuestionKind[] {
  const random = seededRandom(SEED)
  const words = vocabulary().filter((word) => !isStopWord(word))
  const byUse = wordsByUse(words)
  const rank = (from: number, to: number) => words[from + (random() % (to - from))] as string
  const some = (least: number, most: number, next: () => string) =>
    Array.from({ length: least + (random() % (most - least + 1)) }, next)
  const rare = () => asked(some(2, 3, () => rank(RARE_FROM_RANK, words.length)))
  const common = () => asked(some(4, 6, () => rank(0, COMMON_RANKS)))
  const mixed = () =>
    mixedQuestion(
      random,
      some(6, 8, () => byUse(random)),
    )
  const kind = (name: string, text: () => string, more: Partial<Search> = {}): QuestionKind => {
    const { by = 'both', within = () => 'all' as const } = more
    const next = (): Search => ({ text: text(), within, limit: LIMIT, now: built.newestAt, by })
    return { name, by, next }
  }
  return [
    kind('rare words', rare),
    kind('common words', common),
    kind('mixed', mixed),
    kind('mixed, with typos', () => withTypos(mixed(), SEED)),
    kind('mixed, within stretches', mixed, { within: within(built) }),
    kind('common, within stretches', common, { within: within(built) }),
    kind('mixed', mixed, { by: 'words' }),
    kind('common words', common, { by: 'words' }),
  ]
}

function asked(words: readonly string[]): string {
  return `what was it about ${words.join(' ')}?`
}

/** Every third one names somebody. */
function mixedQuestion(random: Random, words: readonly string[]): string {
  const name = random() % 3 === 0 ? ` ${PEOPLE[random() % PEOPLE.length]}` : ''
  return `When did${name} ${words.join(' ')}?`
}

/** What automatic recall may look at: pieces of one branch. */
function within({ branches, end }: Built): Within {
  const every = end / STRETCHES
  const stretches = Array.from({ length: STRETCHES }, (_, at): Stretch => {
    return { from: Math.floor(at * every), to: Math.floor((at + STRETCHES_SHARE) * every) }
  })
  const here = branches[0] as BranchId
  return (branch) => (branch === here ? stretches : [])
}
