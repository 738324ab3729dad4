import { priceOf } from '../../agent/contract/world.ts'
import { z } from 'zod'
import { contextTokensOf } from '../../command/commands/settings-commands.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { reasonSchema } from '../../event/work.ts'
import { contextView, modelIn } from '../../view/context.ts'
import { partKinds } from '../../view/prompt/prompt-pieces.ts'
import { lookAtPrompt, promptDifferenceView, promptView, type PromptLook } from '../../view/prompt/prompt.ts'
import {
  listChanges,
  promptTextView,
  rawPrompt,
  turnContextView,
  turnsView,
  type TurnLook,
} from '../../view/prompt/turn-context.ts'
import { route, type Served } from '../contract/route.ts'
import { branchOf, inBranch, count, atMost, list, position, positionWord, read, text, time } from './read.ts'

const item = z.union([
  z.strictObject({ src: text, from: position, to: position, at: position.exactOptional() }),
  z.strictObject({
    summary: position,
    part: count,
    src: text,
    last: count,
    end: position,
    at: position.exactOptional(),
  }),
])
const piece = z.strictObject({ position, who: text, when: text, text })
const promptMessage = z.looseObject({ role: z.enum(['user', 'assistant', 'tool']), text })
const turnWord = text.describe("its number in the branch, its id or the end of it, or 'last'")
const turnOfCall = z.strictObject({ turn: text, call: position })
const cost = z.number().min(0).nullable()
const setting = z.strictObject({ name: text, before: z.unknown(), after: z.unknown() })
const change = z.enum(listChanges).nullable()
const covers = z.strictObject({
  summary: position,
  messages: count,
  tokens: count,
  from: time,
  to: time,
  writer: text,
  at: time,
})
const turnQuery = {
  turn: turnWord
    .default('last')
    .describe("its number in the branch, its id or the end of it, 'last' or 'now'"),
  call: text.optional(),
  branch: inBranch,
}

/** The prompt of a model, now or in any turn. */
export const contextReads = [
  read('/api/context', {
    summary: 'What a branch would show a model now',
    query: { branch: inBranch },
    answer: z.strictObject({
      branch: text,
      turn: count,
      model: text,
      tokens: count,
      tokensMax: count,
      fullPrompt: z.strictObject({ tokens: count, cost: z.number().nullable(), costs: text }),
      isStuckOnOne: z.boolean(),
      items: z.array(item),
      marks: list({ name: text, at: position }),
      recallMax: count,
      parts: list({ part: text, what: text, tokens: count }),
      unread: count,
      mode: z.record(text, text),
      recalled: z.strictObject({ text, pieces: z.array(piece), rest: text }).nullable(),
      undo: text.nullable(),
      policy: z.enum(['managed', 'explicit']),
      summaryFailedAt: text.nullable(),
    }),
    look: ({ served: { life }, query }) => {
      const settings = life.desk.settings()
      return life.log.read((reader) => {
        const branch = branchOf(reader, query.branch)
        const model = modelIn(reader, branch, settings)
        const price = priceOf({ model: life.desk.openModel }, model)
        const tokensMax = contextTokensOf(life.desk, model)
        return contextView(reader, { branch, settings, tokensMax, price })
      })
    },
  }),

  read('/api/context/prompt', {
    summary: 'The prompt of a turn, rebuilt from the log',
    query: { turn: turnWord, call: text.optional(), branch: inBranch },
    answer: z.strictObject({
      turn: text,
      number: position,
      branch: text,
      call: position,
      calls: position,
      at: time,
      hash: text,
      isSame: z.boolean(),
      parts: list({ part: z.enum(partKinds), tokens: count }),
      recall: z.array(piece.extend({ why: reasonSchema.nullable() })),
      prompt: z.strictObject({
        system: text,
        tools: z.array(z.looseObject({ name: text })),
        messages: z.array(promptMessage),
        settings: z.looseObject({ model: text }),
      }),
    }),
    look: ({ served, query: { branch, ...meant } }) =>
      served.life.log.read((reader) =>
        promptView(lookAtPrompt(reader, { ...meant, branch: () => branchOf(reader, branch) })),
      ),
  }),

  read('/api/context/difference', {
    summary: "What changed from one turn's prompt to another's",
    query: { from: turnWord, to: turnWord.default('last'), branch: inBranch },
    answer: z.strictObject({
      from: turnOfCall,
      to: turnOfCall,
      system: z.array(text),
      tools: z.strictObject({ removed: z.array(text), added: z.array(text), changed: z.array(text) }),
      settings: z.array(setting),
      messages: z.strictObject({
        same: count,
        removed: z.array(promptMessage),
        added: z.array(promptMessage),
      }),
    }),
    look: ({ served, query: { from, to, branch } }) =>
      served.life.log.read((reader) => {
        const of = (turn: string) => lookAtPrompt(reader, { turn, branch: () => branchOf(reader, branch) })
        return promptDifferenceView(of(from), of(to))
      }),
  }),

  read('/api/context/turns', {
    summary:
      'The turns of a branch with the size of their prompts; more than the limit are thinned out evenly',
    query: { branch: inBranch, from: positionWord, to: positionWord, limit: atMost(1_000, 400) },
    answer: z.strictObject({
      branch: text,
      last: count,
      turns: list({
        number: position,
        turn: text,
        used: z
          .strictObject({ at: time, model: text, calls: count, tokensIn: count, tokensCached: count, cost })
          .nullable(),
        change,
      }),
    }),
    look: ({ served, query: { branch, ...look } }) =>
      served.life.log.read((reader) => turnsView(reader, { branch: branchOf(reader, branch), ...look })),
  }),

  read('/api/context/turn', {
    summary:
      'What a model saw in a turn, or would see now, part by part, and what changed since the turn before',
    query: turnQuery,
    answer: z.strictObject({
      branch: text,
      id: text,
      turn: z
        .strictObject({
          id: text,
          number: position,
          call: position,
          calls: position,
          at: time,
          hash: text,
          isSame: z.boolean(),
          used: z
            .strictObject({
              model: text,
              cost,
              tokensIn: count,
              tokensOut: count,
              tokensCached: count,
              tokensCacheWritten: count,
            })
            .nullable(),
        })
        .nullable(),
      last: count,
      before: z.strictObject({ number: position, call: position }).nullable(),
      change,
      model: text,
      tokens: count,
      tokensMax: count,
      parts: list({
        id: text,
        kind: z.enum(partKinds),
        label: text,
        count,
        tokens: count,
        covers: covers.nullable(),
        difference: z
          .strictObject({
            state: z.enum(['same', 'new', 'gone', 'changed']),
            unit: z.enum(['line', 'piece']),
            added: count,
            gone: count,
            moved: count,
            lines: list({
              op: z.enum(['same', 'added', 'gone', 'moved', 'skip']),
              text,
              label: text.exactOptional(),
            }),
          })
          .nullable(),
      }),
      settings: z.array(setting),
      recall: z.array(
        piece.extend({
          at: time,
          branch: text,
          branchTitle: text.nullable(),
          why: reasonSchema.nullable(),
          covered: covers.nullable(),
        }),
      ),
    }),
    look: ({ served, query }) =>
      served.life.log.read((reader) => turnContextView(reader, lookOf(served, reader, query))),
  }),

  read('/api/context/text', {
    summary: 'The whole text of a prompt, or of one of its parts, piece by piece',
    query: { ...turnQuery, part: text.optional().describe('the id of a part') },
    answer: z.strictObject({
      pieces: list({
        kind: z.enum(partKinds),
        part: text,
        label: text,
        text,
        position: position.nullable(),
      }),
    }),
    look: ({ served, query: { part, ...query } }) =>
      served.life.log.read((reader) => promptTextView(reader, { ...lookOf(served, reader, query), part })),
  }),
]

/** The very bytes that were hashed. */
export const rawPromptRoute = route('GET /api/context/raw', {
  summary: 'The prompt of a turn as canonical JSON, whose SHA-256 is the hash in the log',
  query: z.strictObject(turnQuery),
  handle: async ({ served, query }) => {
    const raw = await served.life.log.read((reader) => rawPrompt(reader, lookOf(served, reader, query)))
    return new Response(raw, { headers: { 'content-type': 'text/plain; charset=utf-8' } })
  },
})

function lookOf(
  { life: { desk } }: Served,
  reader: Reader,
  { turn, call, branch }: Pick<PromptLook, 'turn' | 'call'> & { readonly branch?: string | undefined },
): TurnLook {
  return {
    turn,
    call,
    branch: () => branchOf(reader, branch),
    modelOf: (id: BranchId) => modelIn(reader, id, desk.settings()),
    tokensMaxOf: (model) => contextTokensOf(desk, model),
  }
}
