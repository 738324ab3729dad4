import { getBranch } from '../context/branch.ts'
import { messagesIn, rangeOf } from '../context/message-index.ts'
import { messageOf } from '../context/step.ts'
import type { BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { extractSummary } from '../model/extract/extract.ts'
import type { Spoken } from '../model/extract/entry.ts'

const TOKENS_MAX = 200

/** What was said in a fork, in sentences out of it, without asking a model; '' when there is nothing to tell. */
export function extractOf(reader: Reader, branch: BranchId): string {
  const { forkedAt } = getBranch(reader, branch)
  const range = rangeOf(reader, branch, { from: forkedAt, to: Number.MAX_SAFE_INTEGER })
  if (range === undefined) return ''
  const messages = messagesIn(reader, range).flatMap(({ position }): Spoken[] => {
    const event = reader.event(position)
    const message = messageOf(event)
    if (message.role !== 'user' && message.role !== 'assistant') return []
    return [{ who: message.role, text: message.text, at: event.at }]
  })
  return extractSummary({ previous: null, messages, tokensMax: TOKENS_MAX }).trim()
}
