import { z } from 'zod'
import { mainOrSelf } from '../../agent/state/person.ts'
import { modeSchema } from '../../event/event.ts'
import { LookError } from '../../view/named.ts'
import { thingKinds } from '../../view/river/fold.ts'
import { riverView } from '../../view/river/river.ts'
import { branchOf, inBranch, count, atMost, list, position, read, text } from './read.ts'

const at = count.describe('milliseconds since 1970')
const side = z.enum(['main', 'up', 'down'])
const place = { side, lane: count }
const kind = z.enum(thingKinds)
const bin = { at, count, first: position }
const moment = z.coerce.number<number>().int().min(0).max(8.64e15).describe('milliseconds since 1970')

/** The graph of branches over time. */
export const riverReads = [
  read('/api/river', {
    summary:
      'A window of the river: main, the branches beside it and what happened, counted where it is dense',
    query: { from: moment, to: moment, pixels: atMost(8_000, 1_200), branch: inBranch },
    answer: z.strictObject({
      main: text,
      from: at,
      to: at,
      since: at,
      binMs: count,
      jobs: list({ lane: position, job: text }),
      stem: list({ ...bin, tokens: count }),
      branches: list({
        id: text,
        handle: text,
        title: text.nullable(),
        mode: modeSchema,
        ...place,
        parent: z.strictObject({ branch: text, ...place }).nullable(),
        from: at,
        until: at.nullable(),
        end: text,
        messages: count,
      }),
      things: list({
        kind,
        at,
        position,
        branch: text,
        ...place,
        text,
        isUndone: z.boolean(),
        sender: z.strictObject({ branch: text, ...place }).exactOptional(),
        messages: z.int().exactOptional(),
        since: at.exactOptional(),
        canUndo: z.boolean().exactOptional(),
      }),
      bins: list({ what: z.enum(['branch', 'run', ...thingKinds]), ...place, bins: list(bin) }),
      messages: list({
        at,
        position,
        branch: text,
        ...place,
        turn: position.nullable(),
        tokens: count,
        role: z.enum(['user', 'assistant', 'tool', 'note']),
        text,
      }),
    }),
    look: ({ served: { life }, query: { branch, ...look } }) => {
      if (look.from >= look.to) throw new LookError('wrong', "'from' must be before 'to'")
      return life.log.read((reader) =>
        riverView(reader, { main: mainOrSelf(reader, branchOf(reader, branch)), ...look }),
      )
    },
  }),
]
