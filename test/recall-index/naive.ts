import { NONE, type TextIndex } from '../../src/recall/contract/text-index.ts'
import { documentKinds, type Document } from '../../src/recall/contract/document.ts'
import { SESSION_GAP_SECONDS } from '../../src/recall/index/adding.ts'
import { traitsOf } from '../../src/recall/index/adding.ts'
import { termsOf } from '../../src/recall/words/words.ts'

/** All that an index says, as plain values. */
export interface Said {
  readonly branches: readonly string[]
  readonly speakers: readonly string[]
  readonly columns: readonly Readonly<Record<string, number>>[]
  readonly postings: Readonly<Record<string, readonly (readonly [document: number, count: number])[]>>
}

/** What an index over these documents must say, found by going through all of them again and again. */
export function naiveIndex(documents: readonly Document[]): Said {
  const branches = [...new Set(documents.map(({ branch }) => branch))]
  const speakers = [...new Set(documents.map(({ speaker }) => speaker))]
  const columns = documents.map((document, number) => ({
    position: document.position,
    part: document.part,
    at: secondsOf(document),
    branch: branches.indexOf(document.branch),
    speaker: speakers.indexOf(document.speaker),
    words: termsOf(document.text).length,
    flags: documentKinds.indexOf(document.kind) + traitsOf(document.text),
    session: sessionOf(documents, number),
    previous: neighbourBefore(documents, number) ?? NONE,
    next: documents.findIndex((_, other) => neighbourBefore(documents, other) === number) >>> 0,
  }))
  const terms = [...new Set(documents.flatMap(({ text }) => termsOf(text)))]
  return {
    branches,
    speakers,
    columns,
    postings: Object.fromEntries(terms.map((term) => [term, naivePostings(documents, term)])),
  }
}

export function saidBy(index: TextIndex, terms: readonly string[]): Said {
  const { columns } = index
  const names = [
    'position',
    'part',
    'at',
    'branch',
    'speaker',
    'words',
    'flags',
    'session',
    'previous',
    'next',
  ] as const
  return {
    branches: [...index.branches],
    speakers: [...index.speakers],
    columns: Array.from({ length: columns.count }, (_, number) =>
      Object.fromEntries(names.map((name) => [name, columns[name][number] as number])),
    ),
    postings: Object.fromEntries(
      terms.map((term) => {
        const { documents, counts } = index.postings(term)
        return [term, Array.from(documents, (document, at) => [document, counts[at] as number] as const)]
      }),
    ),
  }
}

function naivePostings(documents: readonly Document[], term: string): [number, number][] {
  return documents.flatMap(({ text }, number) => {
    const count = termsOf(text).filter((other) => other === term).length
    return count === 0 ? [] : [[number, Math.min(count, 255)] satisfies [number, number]]
  })
}

function sessionOf(documents: readonly Document[], number: number): number {
  const before = neighbourBefore(documents, number)
  return before === undefined ? number : sessionOf(documents, before)
}

/** The message before it in its branch, if the pause between them was short. */
function neighbourBefore(documents: readonly Document[], number: number): number | undefined {
  const document = documents[number] as Document
  const before = documents.findLastIndex(
    (other, index) => index < number && other.branch === document.branch && !isAlone(other),
  )
  if (isAlone(document) || before < 0) return undefined
  const pause = secondsOf(document) - secondsOf(documents[before] as Document)
  return pause <= SESSION_GAP_SECONDS ? before : undefined
}

/** A summary was not said, and an update not here. */
function isAlone({ kind }: Document): boolean {
  return kind === 'summary' || kind === 'update'
}

function secondsOf({ at }: Document): number {
  return Math.floor(at / 1_000)
}
