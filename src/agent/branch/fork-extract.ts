import { getBranch } from '../../context/branch.ts'
import { flatten } from '../../context/list.ts'
import { messagesAdded } from '../../context/message-index.ts'
import { listOf } from '../../context/version.ts'
import type { EventOf } from '../../event/event.ts'
import { saidWith } from '../../event/file.ts'
import type { BranchId, TurnId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { extractSummary, plainSentences, type Spoken } from '../../model/extract/extract.ts'
import { admittedAt } from '../state/inbox.ts'

const TOKENS_MAX = 200

/** Key sentences of a fork, found without a model, without the host's own messages. Empty: nothing to tell. */
export function extractOf(reader: Reader, branch: BranchId): string {
  const own = getBranch(reader, branch)
  const ranges = listOf(reader, own)
    .flatMap((item) => flatten(reader, item))
    .filter(({ from }) => from > own.forkedAt)
  const said = ranges.flatMap((range) => messagesAdded(reader, range))
  const aside = turnsAside(reader, said)
  const messages = said
    .filter((one) => !isHosts(reader, one) && (one.turn === null || !aside.has(one.turn)))
    .flatMap(({ message, at }): Spoken[] =>
      message.role === 'tool' ? [] : [{ who: message.role, text: saidWith(message), at }],
    )
  return plainSentences(extractSummary({ previous: null, messages, tokensMax: TOKENS_MAX }))
}

type Said = EventOf<'message-added'>

function isHosts(reader: Reader, { took }: Said): boolean {
  const source = took === undefined ? undefined : admittedAt(reader, took).source
  return source?.from === 'host' && source.tag !== 'fork-started'
}

/** Turns in which only the host spoke: their answers are about the fork itself, not its subject. */
function turnsAside(reader: Reader, said: readonly Said[]): ReadonlySet<TurnId> {
  const taken = said.flatMap((one) =>
    one.turn === null || one.took === undefined ? [] : { ...one, turn: one.turn },
  )
  const hosts = new Set(taken.filter((one) => isHosts(reader, one)).map(({ turn }) => turn))
  for (const one of taken) if (!isHosts(reader, one)) hosts.delete(one.turn)
  return hosts
}
