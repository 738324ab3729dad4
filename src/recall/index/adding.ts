import { NONE, FIRST_PERSON, HAS_NUMBER, HAS_QUESTION, HAS_TIME, IS_WISH } from '../contract/text-index.ts'
import { WORDS_MAX, type DocumentRow } from './column-store.ts'
import { documentKinds, isTalk, type Document } from '../contract/document.ts'
import { CHUNK_DOCUMENTS } from './index-schema.ts'
import type { IndexStorage, Loaded } from './index-storage.ts'
import { PostingsWriter } from './postings.ts'
import type { Vocabulary } from './vocabulary.ts'
import { wordsIn } from '../words/words.ts'

/** A pause longer than this ends a session. */
export const SESSION_GAP_SECONDS = 3_600

interface Index {
  readonly loaded: Loaded
  readonly storage: IndexStorage
  readonly vocabulary: Vocabulary
}

/** Numbers documents and writes them to all tables, inside a transaction. */
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

/** Only the beginning of a long text is examined for traits. */
const LOOKED_AT_MAX = 4_096

const NUMBER =
  /\p{Nd}|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|dozen|hundred|thousand|million|first|second|third|fourth|few|couple|once|twice|another)\b/iu
const TIME = new RegExp(
  [
    String.raw`\b(?:today|tonight|tomorrow|yesterday|ago|noon|midnight|weekends?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b`,
    String.raw`\b(?:january|february|april|june|july|august|september|october|november|december|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.? \d)`,
    // Alone, these words are verbs too.
    String.raw`\b(?:in|by|until|since|of|\d+(?:st|nd|rd|th)?) (?:march|may)\b|\b(?:march|may) \d`,
    String.raw`\b(?:last|next) \w|\b(?:this|past|every|each|previous|coming) (?:night|morning|afternoon|evening|day|week|weekend|month|year|spring|summer|autumn|fall|winter)\b`,
    String.raw`\b\d{1,2}[:.]\d\d\b|\b\d{1,2} ?(?:am|pm|o'clock)\b|\b\d{1,2}\/\d{1,2}\/\d{2,4}\b`,
    String.raw`\b(?:19|20)\d\d\b|\b(?:\d+|two|three|four|five|six|few|couple of) (?:minutes?|hours?|days?|weeks?|months?|years?)\b`,
  ].join('|'),
  'i',
)
const QUESTION = /[?？؟](?:["')\]\s]|$)/
const WISH =
  /(?:^|[.!?;:,\n] *)(?:(?:and|but|please|so) )*(?:always|never|from now on|remember (?:to|that))\b|\b(?:when(?:ever)?|if|(?:each|every) time) I ask\b|\bI(?:['’]d| would)? (?:\w+ly )?prefer\b|\bI(?:['’]d| would)? (?:like|want|need) you to\b/i
const I = /\b(?:I|i'm|i've|i'd|my|me|we|our|mine|we're|we've)\b/i

/** Traits of a text, as bits above those of the document's kind. */
export function traitsOf(text: string): number {
  const head = text.slice(0, LOOKED_AT_MAX)
  return (
    (WISH.test(head) ? IS_WISH : 0) |
    (TIME.test(head) ? HAS_TIME : 0) |
    (NUMBER.test(head) ? HAS_NUMBER : 0) |
    (QUESTION.test(head) ? HAS_QUESTION : 0) |
    (I.test(head) ? FIRST_PERSON : 0)
  )
}
