import { getBranch } from '../context/branch.ts'
import { flatten } from '../context/list.ts'
import { messagesIn } from '../context/message-index.ts'
import { listOf } from '../context/version.ts'
import type { EventOf } from '../event/event.ts'
import type { BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { extractSummary } from '../model/extract/extract.ts'
import type { Spoken } from '../model/extract/entry.ts'
import { plainSentences } from '../model/extract/plain-sentences.ts'
import { admittedAt } from './inbox.ts'

const TOKENS_MAX = 200

/**
 * What was said in a fork, in sentences out of it, without asking a model; '' when there is nothing to tell. What was
 * taken out of its context is no part of it, and what the host says of the fork itself tells nobody what it is about.
 */
export function extractOf(reader: Reader, branch: BranchId): string {
  const own = getBranch(reader, branch)
  const ranges = listOf(reader, own)
    .flatMap((item) => flatten(reader, item))
    .filter(({ from }) => from > own.forkedAt)
  const messages = ranges
    .flatMap((range) => messagesIn(reader, range))
    .flatMap(({ position }) => spoken(reader, reader.event(position) as EventOf<'message-added'>))
  return plainSentences(extractSummary({ previous: null, messages, tokensMax: TOKENS_MAX }))
}

function spoken(reader: Reader, { message, at, took }: EventOf<'message-added'>): Spoken[] {
  if (message.role === 'tool') return []
  const source = took === undefined ? undefined : admittedAt(reader, took).source
  if (source?.from === 'host' && source.tag !== 'fork-started') return []
  return [{ who: message.role, text: message.text, at }]
}
