import { z } from 'zod'
import { promptTokens } from '../../agent/compaction/prompt-size.ts'
import { isoAt } from '../../base/time-text.ts'
import { contextTokensOf } from '../../command/commands/settings-commands.ts'
import { complete } from '../../command/read/complete.ts'
import { getBranch } from '../../context/branch.ts'
import { modeSchema } from '../../event/event.ts'
import { pageAddress } from '../../runtime/life/page-channel.ts'
import { fileChoices, knownIn, nextTry } from '../../runtime/terminal/status-line.ts'
import { branchAsked } from '../../view/named.ts'
import { branchesView, branchHead, queuedView, timelineView } from '../../view/chat/timeline.ts'
import { inBranch, count, atMost, list, position, positionWord, read, text, time } from './read.ts'

const head = z.strictObject({
  id: text,
  name: text,
  handle: text,
  mode: modeSchema,
  title: text.nullable(),
  /** `routine-bg:brief` */
  run: text.nullable(),
  parent: text.nullable(),
  state: z.enum(['idle', 'running', 'waiting', 'ended']),
  reason: text.nullable(),
  at: time,
})
const file = z.looseObject({ name: text, hash: text.nullable(), mime: text, bytes: count })

/** Reads for the chat of the page. */
export const chatReads = [
  read('/api/timeline', {
    summary: 'What a chat shows of a branch, oldest first: messages, calls, commands, marks, forks, pings',
    query: {
      branch: inBranch.describe('else the one that the page talks to'),
      before: positionWord.describe('the newest entries before it'),
      after: positionWord.describe('the oldest entries after it'),
      limit: atMost(500, 60),
    },
    answer: z.strictObject({
      branch: head,
      entries: z.array(z.looseObject({ kind: text, position, at: time, label: text.nullable() })),
      next: position.nullable(),
      /** Messages that wait in its inbox. */
      queued: list({
        position,
        at: time,
        form: text,
        text,
        files: z.array(file),
        isOwn: z.boolean(),
        key: text.nullable(),
        notBefore: time.nullable(),
      }),
      /** The model failed, and is called again then. */
      retry: z.strictObject({ tries: count, at: time }).nullable(),
      /** The last message has no answer; /retry asks again. */
      hasFailed: z.boolean(),
      tokens: count,
      tokensMax: count,
      /** The end of the log. */
      end: count,
    }),
    look: ({ served: { life, seats }, query: { branch: word, ...look } }) => {
      const now = life.desk.now()
      return life.log.read((reader) => {
        const branch = branchAsked(reader, word, pageAddress)
        const { state } = getBranch(reader, branch)
        const next = nextTry(reader, {
          branch,
          now,
          settings: life.desk.settings(),
          retry: seats.progress.in(branch)?.retry,
        })
        const outcome = state.kind === 'idle' ? state.last?.outcome : undefined
        return {
          branch: branchHead(reader, branch, now),
          ...timelineView(reader, { branch, ...look, now }),
          queued: queuedView(reader, branch),
          retry: next === undefined ? null : { tries: next.tries, at: isoAt(next.at) },
          hasFailed: outcome === 'failed' || outcome === 'deferred',
          tokens: promptTokens(reader, branch),
          tokensMax: contextTokensOf(life.desk),
          end: reader.end,
        }
      })
    },
  }),

  read('/api/branches', {
    summary: 'Your branches: main, what lives below it, and the forks and children that ended last',
    answer: z.strictObject({ branches: z.array(head), talksTo: text }),
    look: ({ served: { life } }) => {
      const now = life.desk.now()
      return life.log.read((reader) => ({
        branches: branchesView(reader, now),
        talksTo: branchHead(reader, branchAsked(reader, undefined, pageAddress), now).name,
      }))
    },
  }),

  read('/api/completions', {
    summary: 'How a line that begins with / can go on, the best first',
    query: { line: text.max(1_000), branch: inBranch },
    answer: list({ line: text, label: text, help: text }),
    look: ({ served: { life }, query: { line, branch: word } }) =>
      life.log.read((reader) => {
        const { desk } = life
        const branch = branchAsked(reader, word, pageAddress)
        const known = knownIn(reader, { branch, address: pageAddress }, desk)
        const names = {
          ...known,
          get FILE() {
            return fileChoices(desk.workspace.root)
          },
        }
        return complete(line, names, 'page')
      }),
  }),
]
