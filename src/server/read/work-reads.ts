import { z } from 'zod'
import { priceOf as priceNamed } from '../../agent/contract/world.ts'
import { systemEnvironment } from '../../config/table/source.ts'
import { modeSchema } from '../../event/event.ts'
import { unboxedText } from '../../runtime/home/home-boxes.ts'
import { modelSet } from '../../runtime/home/model-shelf.ts'
import { logBytes } from '../../runtime/home/home.ts'
import { recallState } from '../../runtime/home/recall-state.ts'
import { terminalAddress } from '../../runtime/terminal/place.ts'
import { agentsPage, agentsView } from '../../view/agents.ts'
import { approvalsView } from '../../view/approvals.ts'
import { costView } from '../../view/cost.ts'
import { jobsView } from '../../view/jobs.ts'
import { peopleView } from '../../view/people.ts'
import { statusView } from '../../view/status.ts'
import { channelsOf, channelState } from '../contract/channels.ts'
import { kind, paused, whenOf } from './background-reads.ts'
import { branchOf, inBranch, cost, count, atMost, list, position, read, text, time } from './read.ts'

const agent = z.strictObject({
  id: text,
  handle: text,
  name: text,
  mode: modeSchema,
  title: text.nullable(),
  parent: text.nullable(),
  run: text.nullable(),
  state: z.enum(['idle', 'running', 'ended']),
  reason: text.exactOptional(),
  runningSince: time.exactOptional(),
  retriesAt: time.exactOptional(),
  waitsForTurn: z.literal(true).exactOptional(),
  createdAt: time,
  turns: count,
  messages: count,
  items: count,
  marks: count,
  unread: count,
  tokensShown: count,
  tokensIn: count,
  tokensOut: count,
  cost,
  below: z.strictObject({ tokens: count, cost }).nullable(),
})
const sums = z.strictObject({ calls: count, tokensIn: count, tokensOut: count, tokensCached: count, cost })
const limit = z.strictObject({ unit: z.enum(['money', 'tokens']), max: z.number() })
/** What a guest or a group used, which the owner pays. */
const other = sums.extend({
  person: text,
  name: text,
  limit: limit.extend({ used: z.number() }).nullable(),
})

const day = z.strictObject({
  day: text,
  all: sums,
  background: sums,
  parts: z.array(
    sums.extend({
      for: z.enum(['main', 'fork', 'child', 'run', 'guest', 'summary', 'broken']),
      model: text,
      saved: z.number().nullable(),
    }),
  ),
  people: z.array(other),
})

/** Work in progress: agents, approvals, people, money. */
export const workReads = [
  read('/api/status', {
    summary: 'The home at a glance, as mainstem status --json has it',
    answer: z.strictObject({
      version: text,
      home: text,
      log: z.strictObject({
        events: count,
        branches: count,
        bytes: count,
        newest: z.strictObject({ position, at: time, kind: text, text }).nullable(),
      }),
      recall: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('none') }),
        z.strictObject({ kind: z.literal('unusable'), because: text, bytes: count }),
        z.strictObject({
          kind: z.literal('indexed'),
          upTo: count,
          documents: count,
          vectors: list({ embedder: text, count }),
          bytes: count,
        }),
      ]),
      model: z.strictObject({
        name: text,
        source: text.nullable(),
        missing: z.strictObject({ name: text, from: text }).nullable(),
      }),
      permissions: text,
      jobs: z.strictObject({
        counts: z.record(text, count),
        next: z.strictObject({ kind, id: text, at: time.nullable() }).nullable(),
        paused,
        problems: count,
      }),
      waiting: z.strictObject({ approvals: count, updates: count }),
      othersToday: z.array(other),
      troubles: list({ branch: text, since: time }),
      skills: list({ name: text, because: text }),
      unboxed: text.nullable(),
      apps: z.array(channelState),
    }),
    look: ({ served }) => {
      const { home, life } = served
      const { desk, log, config } = life
      const [when, settings, loaded] = [whenOf(served), desk.settings(), desk.skills()]
      const [recall, bytes, model] = [recallState(home), logBytes(home), modelSet(config.current)]
      const programs = { values: config.values, skills: loaded.skills, environment: systemEnvironment() }
      const unboxed = unboxedText(programs)
      const look = { home, now: when.now, settings, model, skills: loaded.reports, unboxed, recall, bytes }
      return log.read((reader) => {
        const jobs = jobsView(reader, { shelf: desk.shelf, when })
        const view = statusView(reader, { ...look, jobs })
        return { ...view, apps: channelsOf(served).filter(({ name }) => name !== terminalAddress.channel) }
      })
    },
  }),

  read('/api/agents', {
    summary:
      'The branches that live, each behind its parent; or all there ever were, the oldest first, in pages',
    query: {
      ended: z.enum(['left-out', 'shown']).default('left-out'),
      after: text.optional().describe('with ended=shown: the next of the page before'),
      limit: atMost(1_000, 200).describe('with ended=shown'),
    },
    answer: z.strictObject({ agents: z.array(agent), next: text.nullable() }),
    look: ({ served: { life }, query: { ended, after, limit: most } }) => {
      const now = life.desk.now()
      return life.log.read((reader) =>
        ended === 'shown'
          ? agentsPage(reader, { now, after, limit: most })
          : { agents: agentsView(reader, { now, ended }), next: null },
      )
    },
  }),

  read('/api/approvals', {
    summary: 'What waits for your decision, the oldest first',
    answer: list({
      number: count,
      kind: z.enum(['call', 'file', 'memory']),
      branch: text,
      askedAt: time,
      until: time.nullable(),
      what: text,
      text,
    }),
    look: ({ served: { life } }) => life.log.read((reader) => approvalsView(reader, life.desk.now())),
  }),

  read('/api/people', {
    summary: 'Who can talk to the assistant, and who is waiting to be let in',
    answer: z.strictObject({
      people: list({
        id: text,
        name: text,
        role: z.enum(['owner', 'guest', 'group']),
        identities: z.array(text),
        lastWroteAt: time.nullable(),
        usedToday: z.strictObject({ calls: count, cost, tokensIn: count, tokensOut: count }).nullable(),
      }),
      pairings: list({ code: text, name: text, identity: text, askedAt: time, until: time }),
      strangers: list({ channel: text, notedAt: time, messages: count, senders: z.array(text) }),
    }),
    look: ({ served: { life } }) => {
      const look = { now: life.desk.now(), settings: life.desk.settings() }
      return life.log.read((reader) => peopleView(reader, look))
    },
  }),

  read('/api/cost', {
    summary: 'What was spent: today, by a branch, and on the days before, by model and kind of work',
    query: { branch: inBranch, days: atMost(366, 30) },
    answer: z.strictObject({
      today: day,
      branch: sums.extend({ name: text }),
      unpriced: z.strictObject({ tokens: count, money: z.number() }),
      limit: limit.extend({ used: z.number(), isLifted: z.boolean() }).nullable(),
      warn: limit.nullable(),
      isOwner: z.boolean(),
      days: z.array(day),
    }),
    look: ({ served: { life }, query: { branch, days } }) => {
      const { desk } = life
      const priceOf = (model: string) => priceNamed({ model: desk.openModel }, model)
      const look = { at: desk.now(), settings: desk.settings(), days, priceOf }
      return life.log.read((reader) => costView(reader, { branch: branchOf(reader, branch), ...look }))
    },
  }),
]
