import { estimateTokens } from '../base/tokens.ts'
import { messagesBackFrom } from '../context/message-index.ts'
import type { BranchId, Position } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { documentsOf, type Document } from './contract/document.ts'
import type { Hit, Within } from './contract/recall.ts'
import { snippetOf, type SnippetWords } from './snippet.ts'

/** Something that was found, as it is told: who said it, when, and as much of it as there is room for. */
export interface Passage extends Pick<Document, 'position' | 'part' | 'at' | 'kind' | 'speaker' | 'text'> {
  /** What it answers, where it says little by itself. */
  readonly answers?: Pick<Document, 'kind' | 'speaker' | 'text'>
}

export interface PassageWords extends SnippetWords {
  /** What else may be told: a message before it may be one that was rewound. */
  readonly within: Within
}

/** A bare "Yes, Friday" is told with what it answers. */
const SHORT_TOKENS_MAX = 24
const ANSWERED_TOKENS_MAX = 60
const LOOKED_BACK_MAX = 6

export function passageOf(
  reader: Reader,
  hit: Pick<Hit, 'position' | 'part'>,
  { terms, tokensMax, within }: PassageWords,
): Passage {
  const found = documentsOf(reader, reader.event(hit.position))[hit.part]
  if (found === undefined)
    throw new TypeError(`nothing that can be found stands at ${hit.position}, ${hit.part}`)
  const { position, part, at, kind, speaker } = found
  const text = snippetOf(found.text, { terms, tokensMax })
  const passage = { position, part, at, kind, speaker, text }
  const used = estimateTokens(text)
  const room = Math.min(ANSWERED_TOKENS_MAX, tokensMax - used)
  const answered = used <= SHORT_TOKENS_MAX && room > 0 ? answeredBy(reader, found, within) : undefined
  if (answered === undefined) return passage
  const answers = { kind: answered.kind, speaker: answered.speaker }
  return { ...passage, answers: { ...answers, text: snippetOf(answered.text, { terms, tokensMax: room }) } }
}

/** The nearest thing before it in its branch that a person said to the assistant, or it to them. */
function answeredBy(
  reader: Reader,
  { kind, branch, position }: Document,
  within: Within,
): Document | undefined {
  const other = kind === 'user' ? 'assistant' : kind === 'assistant' ? 'user' : undefined
  if (other === undefined) return undefined
  let looked = 0
  for (const row of messagesBackFrom(reader, branch, position - 1)) {
    const [before] = documentsOf(reader, reader.event(row.position))
    if (before?.kind === kind || ++looked > LOOKED_BACK_MAX) return undefined
    if (before?.kind === other && before.text.trim() !== '')
      return isWithin(within, { branch, position: row.position }) ? before : undefined
  }
  return undefined
}

function isWithin(within: Within, { branch, position }: { branch: BranchId; position: Position }): boolean {
  const stretches = within(branch)
  return stretches === 'all' || stretches.some(({ from, to }) => from <= position && position <= to)
}
