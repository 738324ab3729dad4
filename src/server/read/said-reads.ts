import { personIn } from '../../agent/state/person.ts'
import { z } from 'zod'
import { shownByAt } from '../../agent/state/updates.ts'
import { momentOf, MOMENT_FORMS } from '../../base/iso-time.ts'
import { messageOf } from '../../base/message-of.ts'
import { sentence } from '../../base/words.ts'
import { OWNER } from '../../event/speaker.ts'
import { reasonSchema } from '../../event/work.ts'
import { askRecall, labelledKinds } from '../../recall/asking.ts'
import { documentKinds } from '../../recall/contract/document.ts'
import { EmbedderError } from '../../recall/contract/embedder.ts'
import { IndexError } from '../../recall/contract/index-error.ts'
import { kindNamed, logPage } from '../../view/log.ts'
import { messagesView } from '../../view/messages.ts'
import { LookError } from '../../view/named.ts'
import { recallView } from '../../view/recall-text.ts'
import { updatesView } from '../../view/updates.ts'
import { Refusal, type Served } from '../contract/route.ts'
import { branchOf, inBranch, count, atMost, list, position, positionWord, read, text, time } from './read.ts'

const event = z.looseObject({ position, at: time, branch: text, kind: text })
const moment = text.optional().describe(MOMENT_FORMS)

/** Messages, and the prompts that a model saw of them. */
export const saidReads = [
  read('/api/log', {
    summary: 'Events of the log in order; those of other people without what they say',
    query: {
      after: positionWord,
      limit: atMost(1_000, 100),
      branch: inBranch,
      kind: text.optional(),
      since: moment,
      grep: text.optional().describe('only events that contain this text, in upper or lower case'),
    },
    answer: z.strictObject({ events: z.array(event), next: position.nullable() }),
    look: async ({ served, query: { branch: word, ...query }, request: { signal } }) => {
      const { log } = served.life
      const branch = word === undefined ? undefined : await log.read((reader) => branchOf(reader, word))
      const [kind, since] = [kindNamed(query.kind), momentIn(served, query.since, 'start')]
      return logPage(log, { ...query, branch, kind, since, signal })
    },
  }),

  read('/api/messages', {
    summary: 'The newest messages of a branch, or those before a position, the newest last',
    query: {
      branch: inBranch,
      before: positionWord,
      limit: atMost(200, 0).describe('else recentMsgLimit'),
    },
    answer: z.strictObject({
      messages: list({
        position,
        at: time,
        turn: text.nullable(),
        label: text.nullable(),
        message: z.looseObject({ role: z.enum(['user', 'assistant', 'tool', 'note']), text }),
      }),
      next: position.nullable(),
    }),
    look: ({ served: { life }, query: { branch, before, limit } }) => {
      const recent = Math.min(Math.max(life.config.values.recentMsgLimit, 1), 200)
      const look = { before, limit: limit === 0 ? recent : limit }
      return life.log.read((reader) => messagesView(reader, { branch: branchOf(reader, branch), ...look }))
    },
  }),

  read('/api/recall', {
    summary: 'Searches everything ever said, the best first',
    query: {
      q: text.min(1, { error: 'it has the words to search for' }),
      since: moment,
      until: moment,
      by: text.optional().describe('me, you (the assistant), or a name'),
      branch: inBranch,
      label: z
        .enum(labelledKinds)
        .optional()
        .describe('standing: what was not rewound, cleared or discarded'),
      limit: atMost(200, 10),
    },
    answer: z.strictObject({
      query: text,
      hits: list({
        position,
        part: count,
        branch: text,
        branchName: text,
        branchTitle: text.nullable(),
        handle: text,
        at: time,
        kind: z.enum(documentKinds),
        speaker: text,
        isOwn: z.boolean(),
        isPassedOn: z.literal(true).optional(),
        label: text.nullable(),
        text,
        written: z.array(text),
        score: z.number(),
        why: reasonSchema.omit({ position: true, part: true, score: true }),
      }),
      more: z.boolean(),
      far: z.boolean(),
      repaired: list({ typed: text, taken: text }),
      behind: z.strictObject({ events: count, vectors: count }),
    }),
    look: async ({ served, query: { q, since: from, until: to, by, branch: word, label, limit } }) => {
      const { desk, log } = served.life
      const [since, until] = [momentIn(served, from, 'start'), momentIn(served, to, 'end')]
      const [branch, only] = await log.read((reader) => [
        branchOf(reader, undefined),
        word === undefined ? undefined : branchOf(reader, word),
      ])
      const { snippetTokensMax } = desk.settings().recall
      try {
        const asked = { text: q, since, until, speaker: by, only, label, limit }
        const wish = { ...asked, snippetTokensMax, now: desk.now(), asker: OWNER, branch }
        const found = await askRecall({ ...desk, told: shownByAt, whose: personIn }, wish)
        if (found.kind === 'no-words') throw new LookError('wrong', `'${q}' has no word to search for`)
        return recallView(found, q)
      } catch (error) {
        if (!(error instanceof IndexError || error instanceof EmbedderError)) throw error
        throw new Refusal(503, `The search failed: ${sentence(messageOf(error))}`)
      }
    },
  }),

  read('/api/updates', {
    summary: 'What forks, runs and other programs reported to main, the newest last',
    query: {
      which: z.enum(['pending', 'all']).default('pending'),
      before: positionWord.describe('only older ones'),
      limit: atMost(1_000, 100),
    },
    answer: z.strictObject({
      updates: list({
        ts: time,
        message: text,
        source: text,
        state: z.enum(['pending', 'told', 'counted', 'saved']),
        position,
        from: text.nullable(),
        byHost: z.boolean(),
        told: z.strictObject({ ts: time, position, saved: text.nullable() }).nullable(),
      }),
      next: position.nullable(),
    }),
    look: ({ served: { life }, query }) => {
      const { zone } = life.desk.settings()
      return life.log.read((reader) =>
        updatesView(reader, { ...query, branch: branchOf(reader, undefined), zone }),
      )
    },
  }),
]

function momentIn({ life: { desk } }: Served, word: string | undefined, edge: 'start' | 'end') {
  if (word === undefined) return undefined
  const moment = momentOf(word, { zone: desk.settings().zone, now: desk.now(), edge })
  if (moment !== undefined) return moment
  throw new LookError('wrong', `Could not read '${word}' as a time. Write ${MOMENT_FORMS}`)
}
