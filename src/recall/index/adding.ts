import { NONE } from '../contract/text-index.ts'
import { WORDS_MAX, type DocumentRow } from './column-store.ts'
import { documentKinds, isTalk, type Document } from '../contract/document.ts'
import { CHUNK_DOCUMENTS } from './index-schema.ts'
import type { IndexStorage, Loaded } from './index-storage.ts'
import { PostingsWriter } from './postings-writer.ts'
import { traitsOf } from '../words/traits.ts'
import type { Vocabulary } from './vocabulary.ts'
import { wordsIn } from '../words/words.ts'

/** A pause longer than this ends a session. */
export const SESSION_GAP_SECONDS = 3_600

export interface Index {
  readonly loaded: Loaded
  readonly storage: IndexStorage
  readonly vocabulary: Vocabulary
}

/** Inside a transaction: numbers these documents and writes all that is known of them. */
export function addDocuments(documents: readonly Document[], index: Index): void {
  const { columns } = index.loaded
  const from = columns.count
  let postings = new PostingsWriter()
  let chunk = Math.floor(from / CHUNK_DOCUMENTS)
  for (const document of documents) {
    const number = columns.count
    if (Math.floor(number / CHUNK_DOCUMENTS) !== chunk) {
      write(postings, chunk, index)
      postings = new PostingsWriter()
      chunk = Math.floor(number / CHUNK_DOCUMENTS)
    }
    const words = wordsIn(document.text)
    for (const { typed } of words) index.vocabulary.add(typed)
    const terms = words.map(({ term }) => term)
    columns.push(rowOf(document, terms, index.loaded))
    postings.push(number - chunk * CHUNK_DOCUMENTS, terms)
  }
  write(postings, chunk, index)
  if (columns.count > from) index.storage.save(index.loaded, from)
}

function write(postings: PostingsWriter, chunk: number, { storage }: Index): void {
  if (postings.isEmpty) return
  storage.addChunk(chunk)
  for (const piece of postings.pieces()) storage.putPiece(chunk, piece)
}

function rowOf(document: Document, terms: readonly string[], { columns, ...names }: Loaded): DocumentRow {
  const number = columns.count
  const branch = names.branches.numberOf(document.branch)
  const at = Math.min(Math.max(0, Math.floor(document.at / 1_000)), NONE - 1)
  const before = isTalk(document.kind) ? columns.newest[branch] : undefined
  const goesOn = before !== undefined && at - (columns.at[before] as number) <= SESSION_GAP_SECONDS
  return {
    position: document.position,
    part: document.part,
    at,
    branch,
    speaker: names.speakers.numberOf(document.speaker),
    words: Math.min(terms.length, WORDS_MAX),
    flags: documentKinds.indexOf(document.kind) | traitsOf(document.text),
    session: goesOn ? (columns.session[before] as number) : number,
    previous: goesOn ? before : NONE,
  }
}
